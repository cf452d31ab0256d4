// Command stub serves package stub on a port: an OpenAI-compatible and Anthropic server without a model, to measure and
// to try the command against. It prints the address it listens on.
//
//	go run ./bench/stub -addr 127.0.0.1:8000 -latency 50ms -rate 500=0.02,429-after=0.01
//	hallmark run --model http://127.0.0.1:8000/v1#stub --suite core
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hallmark/internal/model/stub"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run serves until ctx ends. It returns 0 then, 1 if it cannot serve, 2 for unusable arguments.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("stub", flag.ContinueOnError)
	f.SetOutput(stderr)
	var o stub.Options
	addr := f.String("addr", "127.0.0.1:0", "address to listen on; port 0 takes a free one")
	f.DurationVar(&o.Latency, "latency", 0, "wait before each answer")
	rates := f.String("rate", "", "probabilities of faults, as 500=0.02,reset=0.01")
	script := f.String("script", "", "faults of the first requests, in order, as 429,none,html")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the faults")
	f.StringVar(&o.Key, "key", "", "key that requests must carry")
	f.StringVar(&o.Model, "model", "", "the only model there is")
	f.BoolVar(&o.NoCompletions, "no-completions", false, "serve no /v1/completions")
	refuse := f.String("refuse", "", "parameters refused with 400, as temperature,max_tokens")
	f.IntVar(&o.ContextTokens, "context", 0, "context length told by /v1/models")
	answer := f.String("answer", "", "the text of every answer, in place of one by hash")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	var err error
	if o.Rates, err = parseRates(*rates); err == nil {
		o.Script, err = parseScript(*script)
	}
	if f.NArg() > 0 && err == nil {
		err = fmt.Errorf("unknown argument %q: want flags only", f.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(stderr, "stub:", err)
		return 2
	}
	if *refuse != "" {
		o.Refuse = strings.Split(*refuse, ",")
	}
	if *answer != "" {
		o.Answer = func(string) string { return *answer }
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		fmt.Fprintln(stderr, "stub:", err)
		return 1
	}
	s := stub.New(o)
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	fmt.Fprintf(stdout, "http://%s/v1\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		fmt.Fprintln(stderr, "stub:", err)
		return 1
	}
	fmt.Fprintln(stderr, "stub: requests:", s.Requests())
	return 0
}

func parseFault(s string) (stub.Fault, error) {
	if f := stub.Fault(s); slices.Contains(stub.Faults, f) {
		return f, nil
	}
	if s == "none" {
		return stub.None, nil
	}
	var names []string
	for _, f := range stub.Faults {
		names = append(names, string(f))
	}
	return "", fmt.Errorf("unknown fault %q: want none, %s", s, strings.Join(names, ", "))
}

func parseScript(s string) (script []stub.Fault, err error) {
	if s == "" {
		return nil, nil
	}
	for name := range strings.SplitSeq(s, ",") {
		f, err := parseFault(name)
		if err != nil {
			return nil, err
		}
		script = append(script, f)
	}
	return script, nil
}

func parseRates(s string) (map[stub.Fault]float64, error) {
	if s == "" {
		return nil, nil
	}
	rates, sum := map[stub.Fault]float64{}, 0.
	for part := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(part, "=")
		f, err := parseFault(name)
		if err != nil {
			return nil, err
		}
		p, err := strconv.ParseFloat(value, 64)
		if err != nil || !(p >= 0 && p <= 1) {
			return nil, fmt.Errorf("rate %q: want FAULT=PROBABILITY, from 0 to 1", part)
		}
		rates[f] = p
		sum += p
	}
	if sum > 1 {
		return nil, fmt.Errorf("rates sum to %v: want at most 1", sum)
	}
	return rates, nil
}
