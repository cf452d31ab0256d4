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
	"github.com/spf13/pflag"

	"hallmark/internal/base/exit"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/model/endpoint"
)

func (a *app) modelServe() *cobra.Command {
	s := serving{kind: "server"}
	cmd := command("serve REF", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		m, id, err := a.models.InProcess(ctx, "serve", args[0])
		if err != nil {
			return err
		}
		o, err := a.served(ctx, &s)
		if err != nil {
			return err
		}
		o.ID = id
		shown := map[string]any{"model": id, "identity": m.Identity(), "context_tokens": m.ContextTokens()}
		return a.serve(ctx, &s, endpoint.New(m, o), shown, func(base string) string {
			return fmt.Sprintf("serving %s at %s; `--model '%s#%s'` measures it", id, base, base, id)
		})
	})
	s.add(cmd.Flags(), "", "8080", 256)
	return cmd
}

// A serving is what the flags say of a server.
type serving struct {
	kind           string // server or proxy
	flag           string // that names the variable of its key
	addr           string
	keyEnv, keyCmd string
	keyed          bool // there is a key
	requests       int
	grace          time.Duration
}

// add defines the flags, those of the key with a prefix.
func (s *serving) add(f *pflag.FlagSet, prefix, port string, requests int) {
	s.flag = "--" + prefix + "key-env"
	s.addr, s.requests, s.grace = "127.0.0.1:"+port, requests, 30*time.Second
	define(f, table{
		"addr": &s.addr, prefix + "key-env": &s.keyEnv, prefix + "key-cmd": &s.keyCmd, "max-requests": &s.requests,
		"grace": &s.grace,
	})
}

// served checks the flags of a server, and returns what it is told but for the name of its model.
func (a *app) served(ctx context.Context, s *serving) (o endpoint.Options, err error) {
	key, err := a.models.KeyOf(ctx, s.flag, s.keyEnv, s.keyCmd)
	switch {
	case err != nil:
		return o, exit.Usage(err)
	case s.requests < 1:
		return o, exit.Usagef("--max-requests %d: want 1 or more", s.requests)
	case s.grace < 0:
		return o, exit.Usagef("--grace %v: want a time of 0 or more", s.grace)
	}
	s.keyed = key != ""
	return endpoint.Options{Key: key, Addr: s.addr, Requests: s.requests, Log: a.log, Now: a.now}, nil
}

// serve listens, says where, in line or for --json beside what is shown, and answers until an interrupt. It warns if
// others can reach the server and it has no key.
func (a *app) serve(ctx context.Context, s *serving, server *endpoint.Server, shown map[string]any,
	line func(base string) string) error {
	listener, err := endpoint.Listen(ctx, s.addr)
	if err != nil {
		return err
	}
	if err := a.announce(s, listener.Addr(), shown, line); err != nil {
		return errors.Join(err, listener.Close())
	}
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt, syscall.SIGTERM) })
	return server.Serve(ctx, listener, s.grace)
}

func (a *app) announce(s *serving, addr net.Addr, shown map[string]any, line func(base string) string) error {
	if tcp, ok := addr.(*net.TCPAddr); ok && !tcp.IP.IsLoopback() && !s.keyed {
		a.log.Warn("the "+s.kind+" can be reached from other machines and takes requests without a key; "+
			"set one with "+s.flag, "address", addr.String())
	}
	base := "http://" + addr.String() + "/v1"
	if a.json {
		shown["address"], shown["base_url"] = addr.String(), base
		return json.NewEncoder(jsonl.Escaping{To: a.stdout}).Encode(shown)
	}
	if a.quiet {
		return nil
	}
	_, err := fmt.Fprintln(a.stderr, line(base))
	return err
}
