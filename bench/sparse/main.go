//go:build unix

// Sparse measures how much faster a model scores with three fifths of its body gone, for several shapes and kinds
// of prompts. run.sh makes the built-in model's stage of 60 % and runs it:
//
//	sparse STAGE             # a folder of hallmark model compress pocket
//	sparse -small STAGE      # without the model of 0.1 billion parameters
//
// Dense and sparse take turns on one thread. Times are of the processor, so that neighbours disturb them less, and
// the ratio is the median of neighbouring turns'. The times and the last ratio are of the least turn of each.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"hallmark/internal/assay"
	"hallmark/internal/engine"
	"hallmark/internal/engine/prune"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model"
	"hallmark/internal/model/local"
	"hallmark/internal/model/pocket"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

func main() {
	if err := measure(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sparse:", err)
		os.Exit(1)
	}
}

func measure(args []string, w io.Writer) error {
	f := flag.NewFlagSet("sparse", flag.ContinueOnError)
	turns := f.Int("turns", 30, "turns of each model; the largest takes a sixth of them")
	small := f.Bool("small", false, "leave out the model of 0.1 billion parameters")
	only := f.String("only", "", "lines whose name has this only")
	profile := f.String("cpuprofile", "",
		"write a profile of the processor's time to this file, labelled with the side")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() != 1 {
		return errors.New("want the folder of the built-in model's stage at 60 %, as run.sh makes it")
	}
	runtime.GOMAXPROCS(1)
	runtime.LockOSThread()
	if *profile != "" {
		out, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer out.Close()
		if err := pprof.StartCPUProfile(out); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	b := bench{w: w, turns: *turns, only: *only}
	fmt.Fprintf(w, "%-62s %10s %10s %7s %9s\n", "processor time, one thread", "dense ms", "sparse ms", "ratio",
		"of least")
	if err := b.built(f.Arg(0)); err != nil {
		return err
	}
	shapes := []engine.Config{
		{ModelType: "qwen3", Vocab: 3072, Hidden: 256, Inner: 704, Layers: 8, Heads: 8, KVHeads: 8, HeadDim: 32},
		{ModelType: "qwen3", Vocab: 32000, Hidden: 768, Inner: 2048, Layers: 12, Heads: 12, KVHeads: 12, HeadDim: 64},
	}
	for _, c := range shapes {
		c.MaxContext, c.Epsilon, c.Theta, c.Tied = 512, 1e-6, 1e4, true
		queries := 64
		if c.Hidden > 256 {
			if *small {
				continue
			}
			b.turns, queries = max(1, *turns/6), 16
		}
		if err := b.random(c, queries); err != nil {
			return err
		}
	}
	return nil
}

type bench struct {
	w     io.Writer
	turns int
	only  string
}

// built measures the built-in model and a stage of it.
func (b bench) built(stage string) error {
	dense, err := weights.Load(pocket.Weights())
	if err != nil {
		return err
	}
	sparse, err := weights.Load(os.DirFS(stage))
	if err != nil {
		return err
	}
	name := b.describe("built-in", dense.Model, sparse.Model)
	if err := b.asked(name, os.DirFS(stage)); err != nil {
		return err
	}
	return b.shape(name, dense.Model, sparse.Model, 64)
}

// random measures a model of random weights, which loses equal shares of heads and neurons.
func (b bench) random(c engine.Config, queries int) error {
	dense, err := engine.New(c, 1)
	if err != nil {
		return err
	}
	left := c
	left.KVHeads = (2*c.KVHeads + 4) / 5
	left.Heads = left.KVHeads
	gone := prune.Body(dense) * 3 / 5
	left.Inner -= (gone/c.Layers - (c.Heads-left.Heads)*4*c.HeadDim*c.Hidden) / (3 * c.Hidden)
	sparse, err := engine.New(left, 1)
	if err != nil {
		return err
	}
	return b.shape(b.describe("random", dense, sparse), dense, sparse, queries)
}

func (b bench) describe(kind string, dense, sparse *engine.Model) string {
	d, s := dense.Config(), sparse.Config()
	body, all := float64(prune.Body(dense)), float64(dense.NumParams())
	gone := all - float64(sparse.NumParams())
	name := fmt.Sprintf("%s %d × %d", kind, d.Layers, d.Hidden)
	if b.only == "" {
		fmt.Fprintf(b.w, "%s: vocabulary %d, %.3g million parameters; of %d groups %d are left, of %d neurons %d: "+
			"%.1f %% of the body gone, %.1f %% of all\n",
			name, d.Vocab, all/1e6, d.KVHeads, s.KVHeads, d.Inner, s.Inner, 100*gone/body, 100*gone/all)
	}
	return name
}

// asked measures the questions of the built-in suite that are scored, in all their wordings, as hallmark run asks them.
func (b bench) asked(name string, stage fs.FS) error {
	var models [2]*local.Model
	for i, folder := range []fs.FS{pocket.Weights(), stage} {
		m, err := local.Open(folder, "bench")
		if err != nil {
			return err
		}
		models[i] = m
	}
	p := assay.Defaults()
	p.Models = []assay.UnderTest{{Ref: "pocket", Identity: models[0].Identity()}}
	p.Suites = []*suite.Suite{pocket.Suite()}
	planned, _, err := p.Calls()
	if err != nil {
		return err
	}
	calls := slices.Collect(run.Arrange(planned))
	var requests []model.Request
	options, tokens := 0, 0
	for _, c := range calls {
		if n := len(c.Request.Options); n > 0 {
			requests = append(requests, c.Request)
			options += n
		}
	}
	results := models[0].GenerateBatch(context.Background(), requests)
	for _, r := range results {
		if r.Err != nil {
			return r.Err
		}
		tokens += r.Response.Usage.PromptTokens
	}
	title := fmt.Sprintf("%s: its suite, %d calls of %d tokens, %d options", name, len(requests),
		tokens/len(requests), options)
	return b.turn(title, func(side int) error {
		for _, r := range models[side].GenerateBatch(context.Background(), requests) {
			if r.Err != nil {
				return r.Err
			}
		}
		return nil
	})
}

// shape measures random tokens of several layouts.
func (b bench) shape(name string, dense, sparse *engine.Model, queries int) error {
	r := rand.New(rand.NewPCG(1, 1))
	draw := func(n int) []int32 {
		s := make([]int32, n)
		for i := range s {
			s[i] = r.Int32N(int32(dense.Config().Vocab))
		}
		return s
	}
	make := func(queries, shared, prompt, options, length int) (all []engine.Query) {
		first := draw(shared)
		for range queries {
			q := engine.Query{Prompt: slices.Concat(first, draw(prompt))}
			for range options {
				q.Continuations = append(q.Continuations, draw(length))
			}
			all = append(all, q)
		}
		return all
	}
	for _, l := range []struct {
		name    string
		queries []engine.Query
	}{
		{"4 options of 4 after 24", make(queries, 0, 24, 4, 4)},
		{"2 options of 1 after 24", make(queries, 0, 24, 2, 1)},
		{"4 options of 4 after 400", make(queries/8, 0, 400, 4, 4)},
		{"4 options of 4 after 24, 400 before all", make(queries, 400, 24, 4, 4)},
		{"texts of 128", make(queries/4, 0, 1, 1, 127)},
	} {
		other := make(1, 0, 1, 1, 1)
		err := b.turn(name+": "+l.name, func(side int) error {
			m := []*engine.Model{dense, sparse}[side]
			if _, err := m.ScoreBatch(other); err != nil { // a model remembers the last text it scored
				return err
			}
			_, err := m.ScoreBatch(l.queries)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// turn runs both sides, 0 is dense, by turns and prints a line.
func (b bench) turn(name string, side func(int) error) error {
	if !strings.Contains(name, b.only) {
		return nil
	}
	var took [2][]float64
	var ratios []float64
	for i := range b.turns + 1 {
		var now [2]float64
		for s := range now {
			var err error
			pprof.Do(context.Background(), pprof.Labels("side", []string{"dense", "sparse"}[s]), func(context.Context) {
				start := thread()
				err = side(s)
				now[s] = thread() - start
			})
			if err != nil {
				return err
			}
		}
		if i == 0 {
			continue // the first has buffers to make
		}
		took[0], took[1] = append(took[0], now[0]), append(took[1], now[1])
		ratios = append(ratios, now[0]/now[1])
	}
	slices.Sort(ratios)
	dense, sparse := slices.Min(took[0]), slices.Min(took[1])
	_, err := fmt.Fprintf(b.w, "%-62s %10.2f %10.2f %7.2f %9.2f\n", name, 1000*dense, 1000*sparse,
		ratios[len(ratios)/2], dense/sparse)
	return err
}

// thread is the processor time of this thread, in seconds.
func thread() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err) // a clock that every Unix has
	}
	return float64(t.Nano()) / 1e9
}
