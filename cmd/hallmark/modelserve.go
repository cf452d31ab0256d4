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

	"hallmark/internal/exit"
	"hallmark/internal/jsonl"
	"hallmark/internal/model/endpoint"
	"hallmark/internal/model/local"
)

func (a *app) modelServe() *cobra.Command {
	var addr, keyEnv, keyCmd string
	var requests int
	var grace time.Duration
	cmd := &cobra.Command{
		Use:   "serve REF",
		Short: "Serve an in-process model over the OpenAI API",
		Long: "Serve an in-process model, pocket or hf:DIR, over the OpenAI API at http://ADDR/v1: chat, " +
			"completions with echo and log-probabilities, " +
			"embeddings, models, tokenize and detokenize (docs/serve.md). An interrupt lets the requests under " +
			"way finish and exits with 0; a second one ends at once.",
		Args: cobra.ExactArgs(1),
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
			listener, err := endpoint.Listen(cmd.Context(), addr)
			if err != nil {
				return err
			}
			if err := a.announce(listener.Addr(), m, id, key != ""); err != nil {
				return errors.Join(err, listener.Close())
			}
			context.AfterFunc(cmd.Context(), func() { signal.Reset(os.Interrupt, syscall.SIGTERM) })
			return endpoint.New(m, endpoint.Options{ID: id, Key: key, Addr: addr, Requests: requests, Log: a.log,
				Now: a.now}).
				Serve(cmd.Context(), listener, grace)
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

// announce says where the server is, on stdout for --json, and warns if others can reach it and it has no key.
func (a *app) announce(addr net.Addr, m *local.Model, id string, keyed bool) error {
	if tcp, ok := addr.(*net.TCPAddr); ok && !tcp.IP.IsLoopback() && !keyed {
		a.log.Warn(
			"the server can be reached from other machines and takes requests without a key; set one with --key-env",
			"address", addr.String())
	}
	base := "http://" + addr.String() + "/v1"
	if a.json {
		return json.NewEncoder(jsonl.Escaping{To: a.stdout}).Encode(map[string]any{
			"address": addr.String(), "base_url": base, "model": id, "identity": m.Identity(),
			"context_tokens": m.ContextTokens(),
		})
	}
	if a.quiet {
		return nil
	}
	_, err := fmt.Fprintf(a.stderr, "serving %s at %s; `--model '%s#%s'` measures it\n", id, base, base, id)
	return err
}
