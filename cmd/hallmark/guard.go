package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hallmark/internal/exit"
	"hallmark/internal/guard"
	"hallmark/internal/guard/memory"
	"hallmark/internal/inputfile"
	"hallmark/internal/jsonl"
	"hallmark/internal/model"
	"hallmark/internal/model/endpoint"
	"hallmark/internal/secret"
	"hallmark/internal/suite"
)

// guardFlags say what the constraint layer does.
type guardFlags struct {
	on         bool // of run
	index      string
	memory     string
	coverage   float64
	off        []string
	candidates int
	phrasings  int
	agreement  float64
	repairs    int

	config guard.Config // made of the flags by resolve
	// read reads a file by its kind (index, memory) and path, where they do not lie on the disk.
	read func(kind, path string) ([]byte, error)
}

// add adds the flags; their names begin with the prefix.
func (f *guardFlags) add(fs *pflag.FlagSet, prefix string) {
	d := guard.Defaults()
	fs.StringVar(&f.index, prefix+"index", "", "index `FILE` of what the deployment knows to exist: entities, identifiers, passages")
	fs.StringVar(&f.memory, prefix+"memory", "", "memory `FILE` of answers adjudicated before, as hallmark guard remember writes it")
	fs.Float64Var(&f.coverage, prefix+"coverage", 100, "use a part of the index only, in percent, drawn by entity; for ablations")
	fs.StringSliceVar(&f.off, prefix+"off", nil, "switch off `PART,…`: "+strings.Join(guard.Switches, ", "))
	fs.IntVar(&f.candidates, prefix+"candidates", d.Candidates, "answers adjudicated, the model's own included")
	fs.IntVar(&f.phrasings, prefix+"phrasings", d.Phrasings, "other wordings in which each question is asked again")
	fs.Float64Var(&f.agreement, prefix+"agreement", d.Agreement, "least share of the wordings whose answers must agree")
	fs.IntVar(&f.repairs, prefix+"repairs", d.Repairs, "times that reasons are given back to the model")
}

// resolve makes the configuration, and reads the index.
func (f *guardFlags) resolve(prefix string, seed uint64) error {
	f.config = guard.Config{
		Off: f.off, Candidates: f.candidates, Phrasings: f.phrasings, Agreement: f.agreement, Repairs: f.repairs, Seed: seed,
	}
	if err := f.config.Check(); err != nil {
		return fmt.Errorf("--%s…: %w", prefix, err)
	}
	if !(f.coverage >= 0 && f.coverage <= 100) {
		return fmt.Errorf("--%scoverage %v: want a percentage from 0 to 100", prefix, f.coverage)
	}
	if args := f.args(); !f.on && len(args) > 1 {
		return fmt.Errorf("%s is given without --guard; give both", args[1])
	}
	if f.memory != "" {
		data, err := f.file("memory", f.memory)
		if err != nil {
			return fmt.Errorf("--%smemory: %w", prefix, err)
		}
		if f.config.Memory, err = memory.Read(f.memory, data); err != nil {
			return err
		}
	}
	if f.index == "" {
		return nil
	}
	var index io.Reader
	if f.read != nil {
		data, err := f.read("index", f.index)
		if err != nil {
			return fmt.Errorf("--%sindex: %w", prefix, err)
		}
		index = bytes.NewReader(data)
	} else {
		file, err := inputfile.Open(f.index)
		if err != nil {
			return fmt.Errorf("--%sindex: %s: %v", prefix, f.index, inputfile.Cause(err))
		}
		defer file.Close()
		index = file
	}
	x, err := guard.ReadInventory(f.index, index)
	if err != nil {
		return err
	}
	if f.coverage < 100 {
		x = x.Cover(f.coverage, seed)
	}
	f.config.Inventory = x
	return nil
}

// file reads a file that a flag names.
func (f *guardFlags) file(kind, path string) ([]byte, error) {
	if f.read != nil {
		return f.read(kind, path)
	}
	return suite.ReadFile(path)
}

// args are the flags that name the same guard again, of those that differ from the defaults.
func (f *guardFlags) args() []string {
	d := guard.Defaults()
	args := []string{"--guard"}
	add := func(name, value, normal string) {
		if value != normal {
			args = append(args, "--guard-"+name, value)
		}
	}
	share := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	off := slices.Sorted(slices.Values(f.off))
	add("index", f.index, "")
	add("memory", f.memory, "")
	add("coverage", share(f.coverage), "100")
	add("off", strings.Join(off, ","), "")
	add("candidates", strconv.Itoa(f.candidates), strconv.Itoa(d.Candidates))
	add("phrasings", strconv.Itoa(f.phrasings), strconv.Itoa(d.Phrasings))
	add("agreement", share(f.agreement), share(d.Agreement))
	add("repairs", strconv.Itoa(f.repairs), strconv.Itoa(d.Repairs))
	return args
}

// perGuarded is a rate limit of requests as one of guarded calls, each of which may be so many.
func perGuarded(rpm, most int) int {
	if rpm == 0 {
		return 0
	}
	return max(1, rpm/most)
}

// takesArguments marks a command that has subcommands and takes arguments of its own.
const takesArguments = "takes arguments"

func (a *app) guardCommand() *cobra.Command {
	var f guardFlags
	var models modelFlags
	var addr, serverKey, serverCmd string
	var requests int
	var timeout, grace time.Duration
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
			f.on = true
			if err := f.resolve("", a.seed); err != nil {
				return exit.Usage(err)
			}
			ref, err := model.ParseRef(args[0])
			if err != nil {
				return exit.Usage(err)
			}
			if ref.Scheme == model.Replay || ref.Scheme == model.Phantom {
				return exit.Usagef("guard %s: a model that answers the cases of a run cannot be served", secret.Shown(args[0]))
			}
			key, err := a.keyOf(cmd.Context(), "--server-key-env", serverKey, serverCmd)
			switch {
			case err != nil:
				return exit.Usage(err)
			case requests < 1:
				return exit.Usagef("--max-requests %d: want 1 or more", requests)
			case grace < 0:
				return exit.Usagef("--grace %v: want a time of 0 or more", grace)
			case timeout < 0:
				return exit.Usagef("--timeout %v: want a time of 0 (no limit) or more, such as 90s", timeout)
			}
			inner, err := a.build(cmd.Context(), ref, &runFlags{modelFlags: models, concurrency: requests, timeout: timeout}, nil)
			if err != nil {
				return exit.Usagef("guard %s: %w", secret.Shown(args[0]), err)
			}
			if c, ok := inner.(io.Closer); ok {
				defer c.Close()
			}
			m, err := guard.New(inner, f.config)
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
	f.add(fs, "")
	models.add(fs)
	fs.StringVar(&addr, "addr", "127.0.0.1:8081", "listen on `HOST:PORT`; port 0 takes a free one")
	fs.StringVar(&serverKey, "server-key-env", "", "environment variable `NAME` that holds the key requests must carry; none without it")
	fs.StringVar(&serverCmd, "server-key-cmd", "", "`COMMAND` whose output is that key, in place of --server-key-env; only typed")
	fs.IntVar(&requests, "max-requests", 64, "requests taken at a time; beyond them the answer is 429")
	fs.DurationVar(&timeout, "timeout", 2*time.Minute, "longest wait for one answer of a model outside")
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
