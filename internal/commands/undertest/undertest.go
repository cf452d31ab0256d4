// Package undertest builds the models that a run asks from their references, asks them what they can do, and enters
// them into its plan.
package undertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"reflect"
	"runtime"
	"slices"
	"time"

	"hallmark/internal/ask/guard"
	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/commands/spec"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/text/secret"
)

// A Builder makes models of references. It is not safe for concurrent use.
type Builder struct {
	Now     func() time.Time
	Secrets *secret.Redactor
	Log     *slog.Logger
	Damaged func(run.Store) // says what a store has lost, before an earlier run in it is replayed

	printed map[string]string // keys, by the commands that printed them
	warned  map[string]bool   // by the name of a key
	kept    *[]keptModel      // those that several runs ask; nil where each run has its own
}

// A keptModel is a backend that is built once for several runs.
type keptModel struct {
	text  string // the reference
	reach spec.Reach
	model.Model
}

// Keep has each model built once, for all runs from here until the returned function is called, which closes them.
func (b *Builder) Keep() (end func()) {
	b.kept = &[]keptModel{}
	return func() {
		for _, k := range *b.kept {
			if c, ok := k.Model.(io.Closer); ok {
				c.Close()
			}
		}
		b.kept = nil
	}
}

// build is Build for the models of a run, which closes them unless they are kept for the next.
func (b *Builder) build(ctx context.Context, ref model.Ref, f spec.Reach, plan *assay.Plan, s *Models) (model.Model,
	error) {
	keep := b.kept != nil && ref.Scheme != model.Simulated // which is made for the suites of its run
	if keep {
		for _, k := range *b.kept {
			if k.text == ref.Text && reflect.DeepEqual(k.reach, f) {
				return k.Model, nil
			}
		}
	}
	m, err := b.Build(ctx, ref, f, plan.Suites)
	switch c, ok := m.(io.Closer); {
	case err != nil:
		return nil, err
	case keep:
		*b.kept = append(*b.kept, keptModel{ref.Text, f, m})
	case ok:
		s.closers = append(s.closers, c)
	}
	return m, nil
}

// NewBuilder makes a builder that logs nothing yet.
func NewBuilder(now func() time.Time, secrets *secret.Redactor) *Builder {
	return &Builder{Now: now, Secrets: secrets, printed: map[string]string{}, warned: map[string]bool{}}
}

// Models are the models of a run, built and not yet asked for anything.
type Models struct {
	ByIdentity map[string]model.Model
	replayed   map[string]bool // identities whose answers are read from the store only
	Remote     bool            // any answers from outside this process
	closers    []io.Closer
	api        string            // protocol of http(s):// models
	Names      map[string]string // what the user calls them, by identity
	windows    map[string]int    // tokens that a model takes, by identity, where its probe said so
	cost       spec.Rates        // of answers from outside
}

// models has models entered that a run is told to reach so, and closes them where that fails.
func models(f *spec.Run, enter func(*Models) error) (s *Models, err error) {
	s = &Models{ByIdentity: map[string]model.Model{}, replayed: map[string]bool{}, api: f.API,
		windows: map[string]int{}, Names: map[string]string{}}
	if s.cost, err = f.Rates(); err != nil {
		return nil, exit.Usage(err)
	}
	if err := enter(s); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close ends them.
func (s *Models) Close() {
	for _, c := range s.closers {
		c.Close()
	}
}

// Concurrency is the default number of calls in flight.
func (s *Models) Concurrency() int {
	if s.Remote {
		return 16
	}
	return runtime.GOMAXPROCS(0)
}

// Split parts the calls of replayed models from the others.
func (s *Models) Split(calls iter.Seq[run.Call]) (live, replayed iter.Seq[run.Call]) {
	if len(s.replayed) == 0 {
		return calls, nil
	}
	of := func(replayed bool) iter.Seq[run.Call] {
		return func(yield func(run.Call) bool) {
			for c := range calls {
				if s.replayed[c.Model] == replayed && !yield(c) {
					return
				}
			}
		}
	}
	return of(false), of(true)
}

// Models builds the models of a run and enters them into its plan. It opens no connection: programs and servers are
// reached when the first call is made.
func (b *Builder) Models(ctx context.Context, store run.Store, f *spec.Run, plan *assay.Plan) (*Models, error) {
	return models(f, func(s *Models) error { return b.enter(ctx, store, f, plan, s) })
}

// enter is Models for models that are to be closed also where an error is returned.
func (b *Builder) enter(ctx context.Context, store run.Store, f *spec.Run, plan *assay.Plan, s *Models) error {
	for _, m := range plan.Models { // of answers that were imported
		s.replayed[m.Identity] = true
	}
	for _, text := range f.Models {
		ref, err := model.ParseRef(text)
		if err != nil {
			return exit.Usagef("%s: %w", f.Sweep.Place(text), err)
		}
		if ref.Scheme == model.Replay {
			err := s.replay(ctx, store, ref, f.Named[text], plan)
			b.Damaged(store)
			if err != nil {
				return err
			}
			continue
		}
		m, err := b.build(ctx, ref, f.Reach, plan, s)
		if err != nil {
			return exit.Usagef("%s %s: %w", f.Sweep.Place(text), secret.Shown(text), err)
		}
		m = s.own(ref, m)
		tested := assay.UnderTest{Ref: refOf(ref, m)}
		if f.Guard.On {
			if m, err = guard.New(run.Recorded(store, m, run.Options{RetryErrors: f.RetryErrors, Now: b.Now}),
				f.Guard.Config); err != nil {
				return exit.Usage(err)
			}
			tested.Guard = f.Guard.Args()
		}
		tested.Identity = m.Identity()
		s.call(tested.Identity, f.Named[text])
		s.ByIdentity[tested.Identity] = m
		plan.Models = append(plan.Models, tested)
	}
	for i, text := range f.Judges {
		by, err := b.verdictModel(ctx, "--judge", text, f, plan, s)
		switch {
		case err != nil:
			return err
		case i == 0:
			plan.Judge = by
		case slices.ContainsFunc(append(plan.Panel, plan.Judge), func(x *assay.UnderTest) bool {
			return x.Identity == by.Identity
		}):
			return exit.Usagef(
				"--judge %s: the same model is on the panel twice; its second vote would be the first again",
				secret.Shown(text))
		default:
			plan.Panel = append(plan.Panel, by)
		}
	}
	if plan.JudgeAll && plan.Judge == nil {
		return exit.Usagef("--judge-all: no judge decides; name one with --judge REF")
	}
	if plan.Equivalence != nil {
		by, err := b.verdictModel(ctx, "--entailment", f.Equivalence.By(f.Judges), f, plan, s)
		if err != nil {
			return err
		}
		plan.Equivalence.Model = *by
	}
	if x := plan.Paraphrasing; x != nil {
		var err error
		if x.By == assay.ByModel {
			x.Model, err = b.verdictModel(ctx, "--paraphraser", f.Paraphrase.By, f, plan, s)
		}
		if f.Paraphrase.Judge != "" && err == nil {
			x.Judge, err = b.verdictModel(ctx, "--paraphrase-judge", f.Paraphrase.Judge, f, plan, s)
		}
		return err
	}
	return nil
}

// own takes a built model in: its answers are priced where there is a price.
func (s *Models) own(ref model.Ref, m model.Model) model.Model {
	switch ref.Scheme {
	case model.HTTP, model.OpenAI, model.Anthropic, model.Exec:
		s.Remote = true
	}
	if s.cost != (spec.Rates{}) {
		return &pricedModel{m, s.cost}
	}
	return m
}

// verdictModel builds a model that is not under test, named by a flag: its replies are verdicts or paraphrases. It
// is never guarded.
func (b *Builder) verdictModel(ctx context.Context, flag, text string, f *spec.Run, plan *assay.Plan,
	s *Models) (*assay.UnderTest, error) {
	ref, err := model.ParseRef(text)
	if err != nil {
		return nil, exit.Usagef("%s: %w", flag, err)
	}
	if ref.Scheme == model.Replay {
		return nil, exit.Usagef("%s %s: it is asked about new answers; name a model", flag, text)
	}
	m, err := b.build(ctx, ref, f.Reach, plan, s)
	if err != nil {
		return nil, exit.Usagef("%s %s: %w", flag, secret.Shown(text), err)
	}
	m = s.own(ref, m)
	tested := &assay.UnderTest{Ref: refOf(ref, m), Identity: m.Identity()}
	if s.ByIdentity[tested.Identity] == nil {
		s.ByIdentity[tested.Identity] = m
	}
	return tested, nil
}

// call notes what the user calls a model; "" for nothing.
func (s *Models) call(identity, name string) {
	if name != "" {
		s.Names[identity] = name
	}
}

// replay enters the models of an earlier run into the plan: their stored answers are used and none is asked for.
func (s *Models) replay(ctx context.Context, store run.Store, ref model.Ref, name string, plan *assay.Plan) error {
	h, err := run.Find(ctx, store, ref.Name)
	if errors.Is(err, run.ErrNoRun) {
		return exit.Usagef("--model %s: %w; `hallmark show` lists the runs", ref, err)
	}
	if err != nil {
		return err
	}
	var earlier assay.Plan
	if err := json.Unmarshal(h.Plan, &earlier); err != nil {
		return fmt.Errorf("run %s: its stored plan does not read: %w", h.ID, jsonl.Plain(err))
	}
	if name != "" && len(earlier.Models) != 1 {
		return exit.Usagef("--model %s=%s: the run has %d models, so that one name is of none: leave it out", name, ref,
			len(earlier.Models))
	}
	for _, m := range earlier.Models {
		s.call(m.Identity, name)
		m.Ref, m.Replayed = "replay:"+h.ID+" "+m.Ref, true
		plan.Models = append(plan.Models, m)
		s.replayed[m.Identity] = true
	}
	return nil
}
