package spec

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"hallmark/internal/assay"
	"hallmark/internal/base/lists"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/run"
	"hallmark/internal/suite"
	"hallmark/internal/suite/imported"
	"hallmark/internal/suite/logs"
)

// Imported are files whose answers become a run.
type Imported struct {
	Name  string   // of a model that rows do not name
	Map   []string // what the columns of a table are for
	Paths []string
	// OfOne says that answers are told apart without the model that a row names: they are read, and no run is made.
	OfOne bool
	// Evaluate says that the answers are graded at once, however many they are.
	Evaluate bool
	N        int // answers that were read
	mapping  logs.Mapping
	answers  *imported.Answers
}

// MostGraded is how many answers an import grades at once where nobody asks for their figures: to grade an answer and
// to make its figures takes about a millisecond of processor time (docs/benchmarks.md), so that this many take about a
// minute. More are stored alone, which takes a twentieth, and graded by whoever looks at the run.
const MostGraded = 50_000

// Deferred reports whether the answers of a run are stored alone: they are many, and nothing was asked of their
// figures, neither by --evaluate nor by a gate, a threshold, a report or a judge.
func (r *Run) Deferred() bool {
	x := r.Imported
	return x != nil && x.N > MostGraded && !x.Evaluate && r.Output == "" && !r.Verbose &&
		len(r.FailOn)+len(r.Accept)+len(r.Judges) == 0 && r.Equivalence.Entailment == ""
}

// ofImported says that a field means something where nothing is asked of a model under test.
func (f *Field) ofImported() bool {
	if f.OfPlan != nil {
		return !f.OfPlan.Asked()
	}
	return f.Group == Limits || f.Group == Output || f.Group == Reaching && !f.Keyed
}

// AddImported defines the flags of a run of imported answers; those that say how models are asked are hidden.
func (r *Run) AddImported(flags *pflag.FlagSet) {
	r.Add(flags)
	for _, f := range r.Fields() {
		flags.Lookup(f.Name).Hidden = !f.ofImported()
	}
}

// Check says what is wrong with the flags that were given.
func (x *Imported) Check(flags *pflag.FlagSet, r *Run) (err error) {
	flags.Visit(func(flag *pflag.Flag) {
		if flag.Hidden {
			err = fmt.Errorf("--%s says how models are asked, and `hallmark import` asks none: leave it out", flag.Name)
		}
	})
	switch {
	case err != nil:
		return err
	case len(r.Suites) > 1:
		return errors.New("the answers of one import are to one suite: name one with --suite, or none where a log " +
			"has its questions")
	case strings.TrimSpace(x.Name) == "" || strings.ContainsFunc(x.Name, func(r rune) bool { return r < ' ' }):
		return fmt.Errorf("--model-name %q: want a name", x.Name)
	}
	return x.ReadMap()
}

// ReadMap reads what --map says, before the files.
func (x *Imported) ReadMap() (err error) {
	x.mapping, err = logs.ParseMapping(x.Map)
	return err
}

// read reads the files into a plan, and the suite from them where it has none.
func (x *Imported) read(in *Surroundings, plan *assay.Plan) (err error) {
	o := &logs.Options{Name: x.Name, Map: x.mapping, Stdin: in.Stdin, OfOne: x.OfOne}
	if len(plan.Suites) > 0 {
		o.Suite = plan.Suites[0]
	}
	if x.answers, err = logs.Read(x.Paths, o); err != nil {
		return err
	}
	plan.Suites = []*suite.Suite{x.answers.Suite}
	if _, err := rubric.New(x.answers.Suite, plan.AsOf); err != nil {
		return err
	}
	if x.N = x.answers.Len(); x.N == 0 {
		return fmt.Errorf("%s: no answers in it", strings.Join(x.Paths, ", "))
	}
	names := lists.Map(x.Paths, filepath.Base)
	plan.Import(x.answers, x.Name, names)
	if len(plan.Variants) == 0 && plan.Sampled == 0 { // of one answer a case nothing agrees
		plan.Methods = slices.DeleteFunc(plan.Methods, func(m string) bool { return m == assay.Consistency })
	}
	return nil
}

// Keep puts the answers into the store, but those that are there.
func (x *Imported) Keep(ctx context.Context, store run.Store, plan *assay.Plan, now time.Time) error {
	if x == nil {
		return nil
	}
	// Answers that are there are left out by the store; a failure would stand there again.
	var batch []run.Record
	flush := func() error {
		var keys []run.Key
		for i := range batch {
			if batch[i].Response == nil {
				keys = append(keys, batch[i].Call.Key())
			}
		}
		there := map[run.Key]bool{}
		err := run.EachKey(run.Bare(ctx, true), store, keys, func(i int, r *run.Record) error {
			there[keys[i]] = r != nil
			return nil
		})
		if err != nil {
			return err
		}
		fresh := slices.DeleteFunc(batch, func(r run.Record) bool { return r.Response == nil && there[r.Call.Key()] })
		batch = batch[:0]
		if len(fresh) == 0 {
			return nil
		}
		return store.Add(ctx, fresh)
	}
	const most, mostBytes = 10_000, 8 << 20 // in a batch: records, and bytes of their answers
	size := 0
	err := plan.EachRecord(x.answers, x.Name, func(r run.Record) error {
		r.At = now
		if r.Response != nil {
			size += len(*r.Response.Text)
		}
		if batch = append(batch, r); len(batch) < most && size < mostBytes {
			return nil
		}
		size = 0
		return flush()
	})
	err = errors.Join(err, x.answers.Texts.Close())
	x.answers = nil
	if err != nil {
		return err
	}
	return flush()
}
