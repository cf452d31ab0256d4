package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/model/endpoint"
)

func (a *app) modelServe() *cobra.Command {
	var addr, keyEnv, keyCmd string
	var requests int
	var grace time.Duration
	cmd := &cobra.Command{
		Use:   "serve REF",
		Short: "Serve an in-process model over the OpenAI API",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, id, err := a.models.ToServe(cmd.Context(), args[0])
			if err != nil {
				return exit.Usagef("model serve %s: %w", args[0], err)
			}
			key, err := a.models.KeyOf(cmd.Context(), "--key-env", keyEnv, keyCmd)
			switch {
			case err != nil:
				return exit.Usage(err)
			case requests < 1:
				return exit.Usagef("--max-requests %d: want 1 or more", requests)
			case grace < 0:
				return exit.Usagef("--grace %v: want a time of 0 or more", grace)
			}
			server := endpoint.New(m, endpoint.Options{ID: id, Key: key, Addr: addr, Requests: requests, Log: a.log,
				Now: a.now})
			return a.serve(cmd.Context(), server, addr, grace, served{kind: "server", flag: "--key-env",
				keyed: key != "", shown: map[string]any{"model": id, "identity": m.Identity(),
					"context_tokens": m.ContextTokens()},
				line: func(base string) string {
					return fmt.Sprintf("serving %s at %s; `--model '%s#%s'` measures it", id, base, base, id)
				}})
		},
	}
	f := cmd.Flags()
	f.StringVar(&addr, "addr", "127.0.0.1:8080", "listen on `HOST:PORT`; port 0 takes a free one")
	f.StringVar(&keyEnv, "key-env", "",
		"environment variable `NAME` that holds the key requests must carry; none without it")
	f.StringVar(&keyCmd, "key-cmd", "", "`COMMAND` whose output is that key, in place of --key-env; only typed")
	f.IntVar(&requests, "max-requests", 256, "requests taken at a time; beyond them the answer is 429")
	f.DurationVar(&grace, "grace", 30*time.Second, "how long requests under way may go on after an interrupt")
	return cmd
}

// served is what a server says of itself once it listens.
type served struct {
	kind  string // server or proxy
	flag  string // that names its key
	keyed bool
	shown map[string]any // for --json, beside its address
	line  func(base string) string
}

// serve listens, says where on stdout for --json, and answers until an interrupt. It warns if others can reach the
// server and it has no key.
func (a *app) serve(ctx context.Context, server *endpoint.Server, addr string, grace time.Duration,
	about served) error {
	listener, err := endpoint.Listen(ctx, addr)
	if err != nil {
		return err
	}
	if err := a.announce(listener.Addr(), about); err != nil {
		return errors.Join(err, listener.Close())
	}
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt, syscall.SIGTERM) })
	return server.Serve(ctx, listener, grace)
}

func (a *app) announce(addr net.Addr, about served) error {
	if tcp, ok := addr.(*net.TCPAddr); ok && !tcp.IP.IsLoopback() && !about.keyed {
		a.log.Warn("the "+about.kind+" can be reached from other machines and takes requests without a key; "+
			"set one with "+about.flag, "address", addr.String())
	}
	base := "http://" + addr.String() + "/v1"
	if a.json {
		about.shown["address"], about.shown["base_url"] = addr.String(), base
		return json.NewEncoder(jsonl.Escaping{To: a.stdout}).Encode(about.shown)
	}
	if a.quiet {
		return nil
	}
	_, err := fmt.Fprintln(a.stderr, about.line(base))
	return err
}
