//go:build unix

// Score measures how long a TruthfulQA multiple-choice evaluation takes with its six demonstrations in many orders: as
// `hallmark run` does it, where what prompts and options share is computed once, and beside it one pass for every
// option. run.sh adds lm-evaluation-harness on the same folder.
//
// The work is that of
//
//	hallmark run --suite truthfulqa-mc1=mc_task.json --variants demonstrations=50 --model hf:DIR
//
// cut to the first questions with -questions. The passes for every option are measured on every -sample-th of its
// calls. Rates are by the processor's time, which neighbours on the machine disturb less than the clock's.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/assay"
	"hallmark/internal/engine"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model"
	"hallmark/internal/model/local"
	"hallmark/internal/model/pocket"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/suite"
	"hallmark/internal/suite/benchmark"
)

func main() {
	if err := measure(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "score:", err)
		os.Exit(1)
	}
}

func measure(args []string, out io.Writer) error {
	f := flag.NewFlagSet("score", flag.ContinueOnError)
	data := f.String("data", "", "TruthfulQA's mc_task.json (required)")
	dir := f.String("model", "", "a Hugging Face folder (required)")
	wide := f.Int("make", 0, "write the folder first: the built-in model, its context widened to so many tokens")
	random := f.Bool("random", false, "with -make, a larger model of the Qwen2 family with random weights in its place")
	questions := f.Int("questions", 0, "ask the first questions only; 0 is all")
	orders := f.Int("orders", 50, "orders of the demonstrations beside their own")
	threads := f.Int("threads", 1, "threads")
	sample := f.Int("sample", 0, "measure one pass for every option too, on each so many-th call; 0 does not")
	export := f.String("export", "", "write the questions to this file, a JSON object a line: query, choices, and "+
		"the choice with the highest sum")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *data == "" || *dir == "" {
		return errors.New("want -data mc_task.json and -model DIR")
	}
	if *wide > 0 {
		files := pocket.Files()
		if *random {
			var err error
			if files, err = untrained(); err != nil {
				return err
			}
		}
		if err := widen(files, *dir, *wide); err != nil {
			return err
		}
	}
	runtime.GOMAXPROCS(*threads)
	m, err := local.Open(os.DirFS(*dir), "bench")
	if err != nil {
		return err
	}
	s, err := (&benchmark.Reference{Name: "truthfulqa-mc1", Path: *data}).Open()
	if err != nil {
		return err
	}
	calls, err := plan(m, s, *questions, *orders)
	if err != nil {
		return err
	}
	start := time.Now()
	records, took, err := together(m, calls)
	if err != nil {
		return err
	}
	clock := time.Since(start)
	tokens, options := 0, 0
	for _, c := range calls {
		r := records[c.Key()].Response
		for _, o := range r.Options {
			tokens += r.Usage.PromptTokens + len(o.LogProbs)
			options++
		}
	}
	fmt.Fprintf(out, "trie: %d calls, %d options, %d tokens if each option is a pass, %d threads: %.1f s, %.1f of "+
		"processor time; %.0f options/s\n",
		len(calls), options, tokens, *threads, clock.Seconds(), took.Seconds(), float64(options)/took.Seconds())
	if *sample > 0 {
		if err := alone(out, m, calls, *sample, records, took/time.Duration(options)); err != nil {
			return err
		}
	}
	if *export != "" {
		return write(*export, calls, records)
	}
	return nil
}

// untrained returns the files of a Qwen2 of 4.6 million parameters with random weights and the built-in model's
// tokenizer.
func untrained() (map[string][]byte, error) {
	built, err := weights.Load(pocket.Weights())
	if err != nil {
		return nil, err
	}
	m, err := engine.New(engine.Config{
		ModelType: "qwen2", Vocab: built.Model.Config().Vocab, Hidden: 256, Inner: 704, Layers: 6, Heads: 8,
		KVHeads: 2, HeadDim: 32,
		MaxContext: 256, Epsilon: 1e-6, Theta: 10000, Tied: true,
	}, 1)
	if err != nil {
		return nil, err
	}
	files, err := (&weights.Folder{Model: m, Tokenizer: built.Tokenizer, Stop: built.Stop}).Files(weights.BF16)
	if err != nil {
		return nil, err
	}
	files["tokenizer_config.json"] = pocket.Files()["tokenizer_config.json"]
	return files, nil
}

// widen writes a folder with a longer context, which the built-in model's English needs. Positions that it was not
// trained on make its answers no worse for a benchmark of speed.
func widen(files map[string][]byte, dir string, context int) error {
	for name, b := range files {
		change := map[string]any{}
		switch name {
		case "config.json":
			change["max_position_embeddings"] = context
		case "tokenizer_config.json":
			change["model_max_length"] = context
		}
		if len(change) > 0 {
			var config map[string]any
			if err := json.Unmarshal(b, &config); err != nil {
				return err
			}
			for k, v := range change {
				config[k] = v
			}
			var err error
			if b, err = json.MarshalIndent(config, "", "  "); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, fs.FileMode(0o666)); err != nil {
			return err
		}
	}
	return nil
}

// plan lists the calls in the order in which the command asks.
func plan(m model.Model, s *suite.Suite, questions, orders int) ([]run.Call, error) {
	p := assay.Defaults()
	p.Models = []assay.UnderTest{{Ref: "hf:bench", Identity: m.Identity()}}
	p.Suites, p.Limit = []*suite.Suite{s}, questions
	p.Variants = []prompt.Spec{{Kind: prompt.Demonstrations, N: orders}}
	p.Repeats = 0
	calls, _, err := p.Calls()
	if err != nil {
		return nil, err
	}
	return slices.Collect(run.Arrange(calls)), nil
}

// together asks as the command does.
func together(m model.Model, calls []run.Call) (map[run.Key]run.Record, time.Duration, error) {
	ctx, store := context.Background(), inmemory.New()
	start := processor()
	_, err := run.Execute(ctx, store, map[string]model.Model{m.Identity(): m}, slices.Values(calls),
		run.Options{Concurrency: runtime.GOMAXPROCS(0)})
	took := processor() - start
	if err != nil {
		return nil, 0, err
	}
	keys := make([]run.Key, len(calls))
	for i, c := range calls {
		keys[i] = c.Key()
	}
	records, err := store.Lookup(ctx, keys)
	for _, r := range records {
		if r.Failure != "" {
			return nil, 0, errors.New(r.Failure)
		}
	}
	return records, took, err
}

// alone runs each option of a sample of the calls as a pass of its own, and compares the bits.
func alone(out io.Writer, m model.Model, calls []run.Call, every int, records map[run.Key]run.Record,
	together time.Duration) error {
	var took time.Duration
	options := 0
	for i := 0; i < len(calls); i += every {
		for k, o := range calls[i].Request.Options {
			// A model remembers the last text it scored; another text makes it forget.
			if _, err := m.Generate(context.Background(),
				model.Request{Raw: true, Prompt: "x", Options: []string{"y"}}); err != nil {
				return err
			}
			r := calls[i].Request
			r.Options = []string{o}
			start := processor()
			got, err := m.Generate(context.Background(), r)
			took += processor() - start
			if err != nil {
				return err
			}
			want := records[calls[i].Key()].Response.Options[k]
			for t, lp := range got.Options[0].LogProbs {
				if lp != want.LogProbs[t] {
					return fmt.Errorf("call %d, option %d, token %d: %v alone, %v in the trie", i, k, t, lp,
						want.LogProbs[t])
				}
			}
			options++
		}
	}
	each := took / time.Duration(options)
	fmt.Fprintf(out,
		"one pass an option, on %d options: %.0f options/s; the trie is %.1f times as fast, with the same bits\n",
		options, 1/each.Seconds(), float64(each)/float64(together))
	return nil
}

// processor is the time that the process has used.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // never, for oneself
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// write exports the calls for another program to answer.
func write(path string, calls []run.Call, records map[run.Key]run.Record) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, c := range calls {
		best, sum := 0, 0.0
		for i, o := range records[c.Key()].Response.Options {
			if lp := o.Sum(); i == 0 || lp > sum {
				best, sum = i, lp
			}
		}
		err := enc.Encode(struct {
			Query   string   `json:"query"`
			Choices []string `json:"choices"`
			Choice  int      `json:"choice"`
			Sum     float64  `json:"sum"`
		}{c.Request.Prompt, c.Request.Options, best, sum})
		if err != nil {
			return err
		}
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}
