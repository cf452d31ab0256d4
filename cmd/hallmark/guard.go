package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/guarded"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/usage"
	"hallmark/internal/model/endpoint"
)

func (a *app) guardCommand() *cobra.Command {
	p := guarded.Proxy{Told: spec.Default()}
	var addr string
	cmd := &cobra.Command{
		Use:   "guard REF",
		Short: "Serve a model behind the constraint layer, over the OpenAI API",
		Long: "Serve any model behind the constraint layer, as an OpenAI-compatible proxy at " +
			"http://ADDR/v1/chat/completions (docs/guard.md). " +
			"Each answer has a field \"guard\" with what was done and why. " +
			"An interrupt lets the requests under way finish and exits with 0; a second one ends at once.",
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{usage.TakesArguments: "REF"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return exit.Usagef("hallmark guard takes one model reference, and not %q; want hallmark guard "+
					"REF, such as hallmark guard pocket", args)
			}
			g, err := p.Open(cmd.Context(), a.models, a.seed, args[0])
			if err != nil {
				return err
			}
			defer g.Close()
			proxy := endpoint.NewProxy(g.Model, "guard",
				endpoint.Options{ID: g.ID, Key: g.Key, Addr: addr, Requests: p.Requests, Log: a.log, Now: a.now})
			return a.serve(cmd.Context(), proxy, addr, p.Grace, served{kind: "proxy", flag: "--server-key-env",
				keyed: g.Key != "", shown: map[string]any{"model": g.ID, "identity": g.Model.Identity()},
				line: func(base string) string { return fmt.Sprintf("guarding %s at %s", g.ID, base) }})
		},
	}
	fs := cmd.Flags()
	p.Told.AddGuard(fs)
	p.Told.AddGroup(fs, spec.Reaching)
	p.Told.AddNamed(fs, "timeout")
	fs.StringVar(&addr, "addr", "127.0.0.1:8081", "listen on `HOST:PORT`; port 0 takes a free one")
	fs.StringVar(&p.KeyEnv, "server-key-env", "",
		"environment variable `NAME` that holds the key requests must carry; none without it")
	fs.StringVar(&p.KeyCmd, "server-key-cmd", "",
		"`COMMAND` whose output is that key, in place of --server-key-env; only typed")
	fs.IntVar(&p.Requests, "max-requests", 64, "requests taken at a time; beyond them the answer is 429")
	fs.DurationVar(&p.Grace, "grace", 30*time.Second, "how long requests under way may go on after an interrupt")
	cmd.AddCommand(a.guardIndex(), a.guardAblate(), a.guardRemember())
	return cmd
}
