package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"hallmark/internal/assay"
	"hallmark/internal/guard"
	"hallmark/internal/model"
	"hallmark/internal/model/exec"
	"hallmark/internal/model/hosted"
	"hallmark/internal/model/local"
	"hallmark/internal/model/phantom"
	"hallmark/internal/pocket"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

// modelFlags say how models from outside are reached.
type modelFlags struct {
	keyEnv string
	api    string
	price  string
}

func (f *modelFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.keyEnv, "key-env", "", "environment variable `NAME` that holds the API key; an http(s):// model is sent none without it")
	fs.StringVar(&f.api, "api", string(hosted.Chat), "protocol of an http(s):// model: chat or completions")
	fs.StringVar(&f.price, "price", "", "price of a model in USD per million tokens, as `IN,OUT`; for --budget in usd and the spend shown")
}

// priced reports whether the cost of answers is known.
func (f *modelFlags) priced() bool { return f.price != "" }

// A price is what tokens cost, in USD per million.
type price struct{ in, out float64 }

func (f *modelFlags) parsePrice() (price, error) {
	if f.price == "" {
		return price{}, nil
	}
	in, out, ok := strings.Cut(f.price, ",")
	a, errIn := strconv.ParseFloat(strings.TrimSpace(in), 64)
	b, errOut := strconv.ParseFloat(strings.TrimSpace(out), 64)
	if !ok || errIn != nil || errOut != nil || !(a >= 0 && b >= 0 && a < 1e9 && b < 1e9) {
		return price{}, fmt.Errorf("--price %q: write two prices in USD per million tokens, as 2.5,10", f.price)
	}
	return price{a, b}, nil
}

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
func (s *subjects) split(calls []run.Call) (live, replayed []run.Call) {
	if len(s.replayed) == 0 {
		return calls, nil
	}
	for _, c := range calls {
		if s.replayed[c.Model] {
			replayed = append(replayed, c)
		} else {
			live = append(live, c)
		}
	}
	return live, replayed
}

// subjects builds the models of a run and enters them into its plan. It opens no connection: programs and servers are
// reached when the first call is made.
func (a *app) subjects(ctx context.Context, store run.Store, f *runFlags, plan *assay.Plan) (*subjects, error) {
	s := &subjects{models: map[string]model.Model{}, replayed: map[string]bool{}, api: f.api, windows: map[string]int{}}
	cost, err := f.parsePrice()
	if err != nil {
		return nil, usage(err)
	}
	for _, text := range f.models {
		ref, err := model.ParseRef(text)
		if err != nil {
			return nil, usagef("--model: %w", err)
		}
		if ref.Scheme == model.Replay {
			if err := s.replay(ctx, store, ref, plan); err != nil {
				s.close()
				return nil, err
			}
			continue
		}
		m, err := a.build(ref, f, plan.Suites)
		if err != nil {
			s.close()
			return nil, usagef("--model %s: %w", text, err)
		}
		switch ref.Scheme {
		case model.HTTP, model.OpenAI, model.Anthropic, model.Exec:
			s.remote = true
		}
		if c, ok := m.(io.Closer); ok {
			s.closers = append(s.closers, c)
		}
		if cost != (price{}) {
			m = &pricedModel{m, cost}
		}
		subject := assay.Subject{Ref: text}
		if f.guard.on {
			if m, err = guard.New(run.Recorded(store, m, run.Options{RetryErrors: f.retryErrors, Now: a.now}), f.guard.config); err != nil {
				s.close()
				return nil, usage(err)
			}
			subject.Guard = f.guard.args()
		}
		subject.Identity = m.Identity()
		s.models[subject.Identity] = m
		plan.Models = append(plan.Models, subject)
	}
	if f.judge != "" {
		if plan.Judge, err = a.verdictModel("--judge", f.judge, f, plan, s, cost); err != nil {
			s.close()
			return nil, err
		}
	}
	if plan.Meaning != nil {
		by, err := a.verdictModel("--entailment", f.equality.by(f.judge), f, plan, s, cost)
		if err != nil {
			s.close()
			return nil, err
		}
		plan.Meaning.Model = *by
	}
	if x := plan.Paraphrasing; x != nil {
		if x.By == assay.ByModel {
			x.Model, err = a.verdictModel("--paraphraser", f.paraphrase.by, f, plan, s, cost)
		}
		if f.paraphrase.judge != "" && err == nil {
			x.Judge, err = a.verdictModel("--paraphrase-judge", f.paraphrase.judge, f, plan, s, cost)
		}
		if err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// verdictModel builds a model that is not under test, named by a flag: its replies are verdicts or paraphrases. It is never guarded.
func (a *app) verdictModel(flag, text string, f *runFlags, plan *assay.Plan, s *subjects, cost price) (*assay.Subject, error) {
	ref, err := model.ParseRef(text)
	if err != nil {
		return nil, usagef("%s: %w", flag, err)
	}
	if ref.Scheme == model.Replay {
		return nil, usagef("%s %s: it is asked about new answers; name a model", flag, text)
	}
	m, err := a.build(ref, f, plan.Suites)
	if err != nil {
		return nil, usagef("%s %s: %w", flag, text, err)
	}
	switch ref.Scheme {
	case model.HTTP, model.OpenAI, model.Anthropic, model.Exec:
		s.remote = true
	}
	if c, ok := m.(io.Closer); ok {
		s.closers = append(s.closers, c)
	}
	if cost != (price{}) {
		m = &pricedModel{m, cost}
	}
	subject := &assay.Subject{Ref: text, Identity: m.Identity()}
	if s.models[subject.Identity] == nil {
		s.models[subject.Identity] = m
	}
	return subject, nil
}

// build makes the backend of a reference.
func (a *app) build(ref model.Ref, f *runFlags, suites []*suite.Suite) (model.Model, error) {
	switch ref.Scheme {
	case model.Pocket:
		return pocket.Model()
	case model.HF:
		if info, err := os.Stat(ref.Name); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("%s is no folder; name one with config.json, tokenizer.json and model.safetensors", ref.Name)
		}
		return local.Open(os.DirFS(ref.Name), "hf:"+filepath.Base(filepath.Clean(ref.Name)))
	case model.HTTP, model.OpenAI, model.Anthropic:
		opt := hosted.Options{Concurrency: max(f.concurrency, 16), Timeout: f.timeout, Now: a.now}
		if ref.Scheme != model.Anthropic {
			switch api := hosted.API(f.api); api {
			case hosted.Chat, hosted.Completions:
				opt.API = api
			default:
				return nil, fmt.Errorf("--api %q: use chat or completions", f.api)
			}
		}
		return hosted.FromRef(ref, os.Getenv, f.keyEnv, opt)
	case model.Exec:
		return exec.New(ref.Name, exec.Options{Processes: max(f.concurrency, 1), Timeout: f.timeout})
	case model.Regression:
		return nil, errors.New("it reads pairs of numbers and no prompts; `hallmark analyze posterior` and `analyze regression` measure it")
	case model.Phantom:
		return phantom.Open(ref.Name, suites)
	}
	return nil, fmt.Errorf("models of scheme %s are not in this release; use pocket, hf:DIR, http(s)://HOST/v1#NAME, openai:NAME, anthropic:NAME, exec:COMMAND, phantom:FILE or replay:RUN", ref.Scheme)
}

// replay enters the models of an earlier run into the plan: their stored answers are used and none is asked for.
func (s *subjects) replay(ctx context.Context, store run.Store, ref model.Ref, plan *assay.Plan) error {
	h, err := store.Run(ctx, ref.Name)
	if errors.Is(err, run.ErrNoRun) {
		return usagef("--model %s: %w; `hallmark show` lists the runs", ref, err)
	}
	if err != nil {
		return err
	}
	var earlier assay.Plan
	if err := json.Unmarshal(h.Plan, &earlier); err != nil {
		return fmt.Errorf("run %s: its stored plan does not read: %w", h.ID, err)
	}
	for _, m := range earlier.Models {
		m.Ref, m.Replayed = "replay:"+h.ID+" "+m.Ref, true
		plan.Models = append(plan.Models, m)
		s.replayed[m.Identity] = true
	}
	return nil
}

// A pricedModel counts what its answers cost.
type pricedModel struct {
	model.Model
	price
}

func (p *pricedModel) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	resp, err := p.Model.Generate(ctx, req)
	resp.Usage.USD = (float64(resp.Usage.PromptTokens)*p.in + float64(resp.Usage.CompletionTokens)*p.out) / 1e6
	return resp, err
}

func (p *pricedModel) Probe(ctx context.Context) (model.Capabilities, error) {
	if prober, ok := p.Model.(model.Prober); ok {
		return prober.Probe(ctx)
	}
	return model.Capabilities{Temperature0: true, Sampling: true}, nil
}

func (p *pricedModel) ProbeHidden(ctx context.Context) (bool, string, error) {
	if h, ok := p.Model.(model.HiddenProber); ok {
		return h.ProbeHidden(ctx)
	}
	return false, "", nil
}

// probe asks every model what it can do and holds that against what the plan needs, before any work starts. A run
// that stands in the store was checked when it began; offline, nothing is asked.
func (a *app) probe(ctx context.Context, store run.Store, plan *assay.Plan, s *subjects, offline bool) error {
	switch h, err := store.Run(ctx, plan.ID()); {
	case err == nil:
		return plan.Recall(h.Plan)
	case !errors.Is(err, run.ErrNoRun):
		return err
	case offline:
		return nil
	}
	needs := plan.Needs()
	var lacks []string
	for i := range plan.Models {
		subject := &plan.Models[i]
		prober, ok := s.models[subject.Identity].(model.Prober)
		if !ok {
			if plan.Has(assay.Detection) && !s.replayed[subject.Identity] {
				subject.Can = &model.Capabilities{Temperature0: true, Sampling: true}
			}
			if (needs.OptionScores != "" || needs.Labels != "") && !s.replayed[subject.Identity] {
				lacks = append(lacks, needs.Lacks(subject.Ref, model.Capabilities{Sampling: true, Temperature0: true})...)
			}
			continue
		}
		c, err := a.abilities(ctx, prober)
		if err != nil {
			if errors.Is(err, model.ErrGone) {
				return fmt.Errorf("--model %s: %w", subject.Ref, err)
			}
			return fmt.Errorf("--model %s: the check of its abilities failed: %w", subject.Ref, err)
		}
		a.log.Info("capabilities", "model", subject.Ref, "can", fmt.Sprintf("%+v", c))
		if !c.Temperature0 {
			subject.Sampling = true
			a.log.Warn(fmt.Sprintf("%s refuses temperature 0: its answers are samples, and part of their instability is not the prompt's", subject.Ref))
		}
		if plan.Has(assay.Detection) {
			if err := a.hiddenStates(ctx, prober, &c); err != nil {
				return fmt.Errorf("--model %s: the check of its hidden states failed: %w", subject.Ref, err)
			}
			if ref, err := model.ParseRef(subject.Ref); err == nil && ref.Scheme == model.Exec && subject.Guard == nil {
				c.LogProbs = true // a program may give them with its answers, and asking is free
			}
			subject.Can = &c
		} else if plan.Sweep != nil {
			subject.Can = &model.Capabilities{Temperature0: c.Temperature0, Sampling: c.Sampling, LogProbs: c.LogProbs}
		}
		s.windows[subject.Identity] = c.ContextTokens
		if needs.Listed {
			subject.Listing = listingOf(c, s.api)
		}
		subject.LogProbs = plan.Meaning != nil && c.LogProbs
		lacks = append(lacks, needs.Lacks(subject.Ref, c)...)
	}
	for flag, m := range plan.Helpers() {
		if prober, ok := s.models[m.Identity].(model.Prober); ok {
			c, err := a.abilities(ctx, prober)
			if err != nil {
				return fmt.Errorf("--%s %s: the check of its abilities failed: %w", flag, m.Ref, err)
			}
			m.Sampling = !c.Temperature0
		}
	}
	if plan.Meaning != nil {
		why, err := a.probeMeaning(ctx, plan.Meaning, s)
		if err != nil {
			return err
		}
		if why != "" {
			lacks = append(lacks, why)
		}
	}
	if len(lacks) > 0 {
		return usage(errors.New(strings.Join(lacks, "; ")))
	}
	return nil
}

// hiddenStates adds to what a model can do whether its hidden states can be had, where that takes a call to know.
func (a *app) hiddenStates(ctx context.Context, m model.Prober, c *model.Capabilities) error {
	h, ok := m.(model.HiddenProber)
	if !ok || c.HiddenStates {
		return nil
	}
	can, note, err := h.ProbeHidden(ctx)
	if err != nil || note == "" {
		return err
	}
	if c.HiddenStates = can; c.Note != "" {
		note = c.Note + "; " + note
	}
	c.Note = note
	a.log.Info("hidden states", "can", can, "note", note)
	return nil
}

// probeTries is how often a model is asked for its abilities while it fails in ways that may pass.
const probeTries = 4

// abilities probes a model. A failure that may pass, such as a rate limit, is waited out for a few seconds or as long as
// the server asks, up to a minute; a server that is not there is told soon.
func (a *app) abilities(ctx context.Context, prober model.Prober) (model.Capabilities, error) {
	wait := 250 * time.Millisecond
	for try := 1; ; try++ {
		c, err := prober.Probe(ctx)
		var t *model.Transient
		if err == nil || !errors.Is(err, model.ErrTransient) || try == probeTries || errors.As(err, &t) && t.After > time.Minute {
			return c, err
		}
		if t != nil {
			wait = max(wait, t.After)
		}
		a.log.Warn(fmt.Sprintf("%s; next try in %v", oneLine(err.Error()), wait))
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return c, ctx.Err()
		}
		wait *= 2
	}
}
