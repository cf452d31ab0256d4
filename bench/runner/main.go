//go:build unix

// Runner measures how many calls a second hallmark's runner makes: it plans calls to an OpenAI-compatible server, asks
// for them as `hallmark run` does, with the hosted backend and a new SQLite store, and prints one line:
//
//	20000 calls in 8.1 s: 2469 calls/s, 96.4 % of 2560 ideal; max RSS 61 MB; 0 failed; store 24 MB
//
// Ideal is concurrency over latency. runner.sh starts the stub in a process of its own and does all of it three times.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/model/hosted"
	"hallmark/internal/run"
	"hallmark/internal/run/store/sqlite"
)

func main() {
	if err := measure(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "runner:", err)
		os.Exit(1)
	}
}

func measure(args []string, out io.Writer) error {
	f := flag.NewFlagSet("runner", flag.ContinueOnError)
	url := f.String("url", "", "base address of the server, such as http://127.0.0.1:8080/v1 (required)")
	n := f.Int("calls", 20_000, "number of calls")
	concurrency := f.Int("j", 128, "calls in flight")
	latency := f.Duration("latency", 50*time.Millisecond, "the server's latency, for the ideal")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *url == "" || *n < 1 || *concurrency < 1 || *latency <= 0 {
		return errors.New("want -url http://HOST/v1, and positive -calls, -j and -latency")
	}
	dir, err := os.MkdirTemp("", "hallmark-runner-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	path := filepath.Join(dir, "hallmark.db")
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	defer store.Close()
	m, err := hosted.New(hosted.Options{BaseURL: *url, Name: "stub", Concurrency: *concurrency})
	if err != nil {
		return err
	}
	calls := make([]run.Call, *n)
	for i := range calls {
		calls[i] = run.Call{Model: m.Identity(), Request: model.Request{
			System: "Answer in one sentence.", Prompt: fmt.Sprintf("Question %d: what is the capital of country %d?",
				i, i), MaxTokens: 64,
		}}
	}
	start := time.Now()
	counts, err := run.Execute(ctx, store, map[string]model.Model{m.Identity(): m}, slices.Values(calls),
		run.Options{Concurrency: *concurrency, MaxRetries: 3})
	if err != nil {
		return err
	}
	took := time.Since(start).Seconds()
	if err := store.Close(); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	rss, err := maxRSS()
	if err != nil {
		return err
	}
	rate, ideal := float64(counts.Asked)/took, float64(*concurrency)/latency.Seconds()
	fmt.Fprintf(out,
		"%d calls in %.1f s: %.0f calls/s, %.1f %% of %.0f ideal; max RSS %.0f MB; %d failed; store %.0f MB\n",
		counts.Asked, took, rate, 100*rate/ideal, ideal, rss/1e6, counts.Failed, float64(info.Size())/1e6)
	return nil
}

// maxRSS returns the largest resident set of this process, in bytes.
func maxRSS() (float64, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	if runtime.GOOS == "darwin" {
		return float64(u.Maxrss), nil
	}
	return float64(u.Maxrss) * 1024, nil // Linux and the BSDs count kilobytes
}
