package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"

	"hallmark/internal/assay"
	"hallmark/internal/exit"
	"hallmark/internal/guard"
	"hallmark/internal/jsonl"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/secret"
)

// subjects are the models of a run, built and not yet asked for anything.
type subjects struct {
	models   map[string]model.Model // by identity
	replayed map[string]bool        // identities whose answers are read from the store only
	remote   bool                   // any answers from outside this process
	closers  []io.Closer
	api      string         // protocol of http(s):// models
	windows  map[string]int // tokens that a model takes, by identity, where its probe said so
}

func (s *subjects) close() {
	for _, c := range s.closers {
		c.Close()
	}
}

// concurrency is the default number of calls in flight.
func (s *subjects) concurrency() int {
	if s.remote {
		return 16
	}
	return runtime.GOMAXPROCS(0)
}

// inProcess reports whether every model computes its answers here.
func (s *subjects) inProcess() bool { return !s.remote }

// split parts the calls of replayed models from the others.
func (s *subjects) split(calls iter.Seq[run.Call]) (live, replayed iter.Seq[run.Call]) {
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

// subjects builds the models of a run and enters them into its plan. It opens no connection: programs and servers are
// reached when the first call is made.
func (a *app) subjects(ctx context.Context, store run.Store, f *runFlags, plan *assay.Plan) (*subjects, error) {
	s := &subjects{models: map[string]model.Model{}, replayed: map[string]bool{}, api: f.api, windows: map[string]int{}}
	if err := a.enter(ctx, store, f, plan, s); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// enter is subjects for models that are to be closed also where an error is returned.
func (a *app) enter(ctx context.Context, store run.Store, f *runFlags, plan *assay.Plan, s *subjects) error {
	cost, err := f.parsePrice()
	if err != nil {
		return exit.Usage(err)
	}
	for _, m := range plan.Models { // of answers that were imported
		s.replayed[m.Identity] = true
	}
	for _, text := range f.models {
		ref, err := model.ParseRef(text)
		if err != nil {
			return exit.Usagef("%s: %w", f.sweep.place(text), err)
		}
		if ref.Scheme == model.Replay {
			err := s.replay(ctx, store, ref, plan)
			a.damagedRuns(store)
			if err != nil {
				return err
			}
			continue
		}
		m, err := a.build(ctx, ref, f, plan.Suites)
		if err != nil {
			return exit.Usagef("%s %s: %w", f.sweep.place(text), secret.Shown(text), err)
		}
		m = s.own(ref, m, cost)
		subject := assay.Subject{Ref: refOf(ref, m)}
		if f.guard.on {
			if m, err = guard.New(run.Recorded(store, m, run.Options{RetryErrors: f.retryErrors, Now: a.now}), f.guard.config); err != nil {
				return exit.Usage(err)
			}
			subject.Guard = f.guard.args()
		}
		subject.Identity = m.Identity()
		s.models[subject.Identity] = m
		plan.Models = append(plan.Models, subject)
	}
	for i, text := range f.judges {
		by, err := a.verdictModel(ctx, "--judge", text, f, plan, s, cost)
		switch {
		case err != nil:
			return err
		case i == 0:
			plan.Judge = by
		case slices.ContainsFunc(append(plan.Panel, plan.Judge), func(x *assay.Subject) bool { return x.Identity == by.Identity }):
			return exit.Usagef("--judge %s: the same model is on the panel twice; its second vote would be the first again", secret.Shown(text))
		default:
			plan.Panel = append(plan.Panel, by)
		}
	}
	plan.AnswerContract = f.contract
	if plan.JudgeAll = f.judgeAll; f.judgeAll && plan.Judge == nil {
		return exit.Usagef("--judge-all: no judge decides; name one with --judge REF")
	}
	if plan.Meaning != nil {
		by, err := a.verdictModel(ctx, "--entailment", f.equality.by(f.judges), f, plan, s, cost)
		if err != nil {
			return err
		}
		plan.Meaning.Model = *by
	}
	if x := plan.Paraphrasing; x != nil {
		if x.By == assay.ByModel {
			x.Model, err = a.verdictModel(ctx, "--paraphraser", f.paraphrase.by, f, plan, s, cost)
		}
		if f.paraphrase.judge != "" && err == nil {
			x.Judge, err = a.verdictModel(ctx, "--paraphrase-judge", f.paraphrase.judge, f, plan, s, cost)
		}
	}
	return err
}

// own takes a built model in: it will be closed with the others, and its answers are priced where there is a price.
func (s *subjects) own(ref model.Ref, m model.Model, cost price) model.Model {
	switch ref.Scheme {
	case model.HTTP, model.OpenAI, model.Anthropic, model.Exec:
		s.remote = true
	}
	if c, ok := m.(io.Closer); ok {
		s.closers = append(s.closers, c)
	}
	if cost != (price{}) {
		return &pricedModel{m, cost}
	}
	return m
}

// verdictModel builds a model that is not under test, named by a flag: its replies are verdicts or paraphrases. It is never guarded.
func (a *app) verdictModel(ctx context.Context, flag, text string, f *runFlags, plan *assay.Plan, s *subjects, cost price) (*assay.Subject, error) {
	ref, err := model.ParseRef(text)
	if err != nil {
		return nil, exit.Usagef("%s: %w", flag, err)
	}
	if ref.Scheme == model.Replay {
		return nil, exit.Usagef("%s %s: it is asked about new answers; name a model", flag, text)
	}
	m, err := a.build(ctx, ref, f, plan.Suites)
	if err != nil {
		return nil, exit.Usagef("%s %s: %w", flag, secret.Shown(text), err)
	}
	m = s.own(ref, m, cost)
	subject := &assay.Subject{Ref: refOf(ref, m), Identity: m.Identity()}
	if s.models[subject.Identity] == nil {
		s.models[subject.Identity] = m
	}
	return subject, nil
}

// replay enters the models of an earlier run into the plan: their stored answers are used and none is asked for.
func (s *subjects) replay(ctx context.Context, store run.Store, ref model.Ref, plan *assay.Plan) error {
	h, err := store.Run(ctx, ref.Name)
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
	for _, m := range earlier.Models {
		m.Ref, m.Replayed = "replay:"+h.ID+" "+m.Ref, true
		plan.Models = append(plan.Models, m)
		s.replayed[m.Identity] = true
	}
	return nil
}
