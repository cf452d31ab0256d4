package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"hallmark/internal/evaluate/spec"
	"hallmark/internal/exit"
	"hallmark/internal/guard"
	"hallmark/internal/jsonl"
	"hallmark/internal/model"
	"hallmark/internal/model/endpoint"
	"hallmark/internal/secret"
)

// takesArguments marks a command that has subcommands and takes arguments of its own.
const takesArguments = "takes arguments"

func (a *app) guardCommand() *cobra.Command {
	told := spec.Default()
	var addr, serverKey, serverCmd string
	var requests int
	var grace time.Duration
	cmd := &cobra.Command{
		Use:   "guard REF",
		Short: "Serve a model behind the constraint layer, over the OpenAI API",
		Long: "Serve any model behind the constraint layer, as an OpenAI-compatible proxy at http://ADDR/v1/chat/completions (docs/guard.md). " +
			"Each answer has a field \"guard\" with what was done and why. " +
			"An interrupt lets the requests under way finish and exits with 0; a second one ends at once.",
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{takesArguments: "REF"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return exit.Usagef("hallmark guard takes one model reference, and not %q; want hallmark guard REF, such as hallmark guard pocket", args)
			}
			told.Guard.On = true
			if err := told.Guard.Resolve("", a.seed); err != nil {
				return exit.Usage(err)
			}
			ref, err := model.ParseRef(args[0])
			if err != nil {
				return exit.Usage(err)
			}
			if ref.Scheme == model.Replay || ref.Scheme == model.Phantom {
				return exit.Usagef("guard %s: a model that answers the cases of a run cannot be served", secret.Shown(args[0]))
			}
			key, err := a.models.KeyOf(cmd.Context(), "--server-key-env", serverKey, serverCmd)
			switch {
			case err != nil:
				return exit.Usage(err)
			case requests < 1:
				return exit.Usagef("--max-requests %d: want 1 or more", requests)
			case grace < 0:
				return exit.Usagef("--grace %v: want a time of 0 or more", grace)
			}
			if err := spec.CheckTimeout(told.Timeout); err != nil {
				return exit.Usage(err)
			}
			told.Concurrency = requests
			inner, err := a.models.Build(cmd.Context(), ref, told.Reach, nil)
			if err != nil {
				return exit.Usagef("guard %s: %w", secret.Shown(args[0]), err)
			}
			if c, ok := inner.(io.Closer); ok {
				defer c.Close()
			}
			m, err := guard.New(inner, told.Guard.Config)
			if err != nil {
				return exit.Usage(err)
			}
			id := proxyName(ref)
			listener, err := listen(cmd.Context(), addr)
			if err != nil {
				return err
			}
			if err := a.announceProxy(listener.Addr(), id, m.Identity(), key != ""); err != nil {
				return errors.Join(err, listener.Close())
			}
			context.AfterFunc(cmd.Context(), func() { signal.Reset(os.Interrupt, syscall.SIGTERM) })
			proxy := endpoint.NewProxy(m, "guard", endpoint.Options{ID: id, Key: key, Addr: addr, Requests: requests, Log: a.log, Now: a.now})
			return proxy.Serve(cmd.Context(), listener, grace)
		},
	}
	fs := cmd.Flags()
	told.AddGuard(fs)
	told.AddGroup(fs, spec.Reaching)
	told.AddNamed(fs, "timeout")
	fs.StringVar(&addr, "addr", "127.0.0.1:8081", "listen on `HOST:PORT`; port 0 takes a free one")
	fs.StringVar(&serverKey, "server-key-env", "", "environment variable `NAME` that holds the key requests must carry; none without it")
	fs.StringVar(&serverCmd, "server-key-cmd", "", "`COMMAND` whose output is that key, in place of --server-key-env; only typed")
	fs.IntVar(&requests, "max-requests", 64, "requests taken at a time; beyond them the answer is 429")
	fs.DurationVar(&grace, "grace", 30*time.Second, "how long requests under way may go on after an interrupt")
	cmd.AddCommand(a.guardIndex(), a.guardAblate(), a.guardRemember())
	return cmd
}

// proxyName names the guarded model as requests do.
func proxyName(ref model.Ref) string {
	name := ref.Name
	switch ref.Scheme {
	case model.Pocket:
		name = string(model.Pocket)
	case model.HF:
		name = strings.TrimRight(name, "/")
		name = name[strings.LastIndexByte(name, '/')+1:]
	case model.Exec:
		name = string(model.Exec)
	}
	return name
}

// announceProxy says where the proxy is, on stdout for --json, and warns if others can reach it and it has no key.
func (a *app) announceProxy(addr net.Addr, id, identity string, keyed bool) error {
	if tcp, ok := addr.(*net.TCPAddr); ok && !tcp.IP.IsLoopback() && !keyed {
		a.log.Warn("the proxy can be reached from other machines and takes requests without a key; set one with --server-key-env", "address", addr.String())
	}
	base := "http://" + addr.String() + "/v1"
	if a.json {
		return json.NewEncoder(jsonl.Escaping{To: a.stdout}).Encode(map[string]any{"address": addr.String(), "base_url": base, "model": id, "identity": identity})
	}
	if a.quiet {
		return nil
	}
	_, err := fmt.Fprintf(a.stderr, "guarding %s at %s\n", id, base)
	return err
}
