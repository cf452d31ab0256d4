package undertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/model"
	"hallmark/internal/report"
	"hallmark/internal/run"
)

// Probe asks every model what it can do and holds that against what the plan needs, before any work starts. A run
// that stands in the store was checked when it began; offline, nothing is asked.
func (b *Builder) Probe(ctx context.Context, store run.Store, plan *assay.Plan, s *Models, offline bool,
	budget *Purse) error {
	switch h, err := store.Run(ctx, plan.ID()); {
	case err == nil:
		return plan.Recall(h.Plan)
	case !errors.Is(err, run.ErrNoRun):
		return err
	case offline:
		return nil
	}
	var lacks []string
	for i := range plan.Models {
		lack, err := b.probeModel(ctx, plan, &plan.Models[i], s, budget)
		if err != nil {
			return err
		}
		lacks = append(lacks, lack...)
	}
	for flag, m := range plan.Helpers() {
		if prober, ok := s.ByIdentity[m.Identity].(model.Prober); ok {
			c, err := b.Abilities(budget.Meter(ctx, s.ByIdentity[m.Identity]), prober)
			if err != nil {
				return fmt.Errorf("--%s %s: the check of its abilities failed: %w", flag, m.Ref, err)
			}
			m.Sampling = !c.Temperature0
		}
	}
	if plan.Equivalence != nil {
		why, err := b.probeEquivalence(ctx, plan.Equivalence, s, budget)
		if err != nil {
			return err
		}
		if why != "" {
			lacks = append(lacks, why)
		}
	}
	if len(lacks) > 0 {
		return exit.Usage(errors.New(strings.Join(lacks, "; ")))
	}
	return nil
}

// probeModel notes what one of the models can do, and returns what it lacks for the plan.
func (b *Builder) probeModel(ctx context.Context, plan *assay.Plan, tested *assay.UnderTest, s *Models,
	budget *Purse) ([]string, error) {
	needs := plan.Needs()
	m := s.ByIdentity[tested.Identity]
	prober, ok := m.(model.Prober)
	if !ok {
		if s.replayed[tested.Identity] {
			return nil, nil
		}
		can := model.Capabilities{Temperature0: true, Sampling: true}
		if plan.Has(assay.Detection) {
			tested.Can = &can
		}
		return needs.Lacks(tested.Ref, can), nil
	}
	ctx = budget.Meter(ctx, m)
	c, err := b.Abilities(ctx, prober)
	switch {
	case errors.Is(err, model.ErrGone):
		return nil, fmt.Errorf("--model %s: %w", tested.Ref, err)
	case err != nil:
		return nil, fmt.Errorf("--model %s: the check of its abilities failed: %w", tested.Ref, err)
	}
	b.Log.Info("capabilities", "model", tested.Ref, "can", fmt.Sprintf("%+v", c))
	if !c.Temperature0 {
		tested.Sampling = true
		b.Log.Warn(
			fmt.Sprintf("%s refuses temperature 0: its answers are samples, and part of their instability is not "+
				"the prompt's", tested.Ref))
	}
	if plan.Has(assay.Detection) {
		if err := b.hiddenStates(ctx, prober, &c); err != nil {
			return nil, fmt.Errorf("--model %s: the check of its hidden states failed: %w", tested.Ref, err)
		}
		if ref, err := model.ParseRef(tested.Ref); err == nil && ref.Scheme == model.Exec && tested.Guard == nil {
			c.LogProbs = true // a program may give them with its answers, and asking is free
		}
		tested.Can = &c
	} else if plan.Sweep != nil {
		tested.Can = &model.Capabilities{Temperature0: c.Temperature0, Sampling: c.Sampling, LogProbs: c.LogProbs}
	}
	s.windows[tested.Identity] = c.ContextTokens
	if needs.Listed {
		tested.Listing = listingOf(c, s.api)
	}
	tested.LogProbs = plan.Equivalence != nil && c.LogProbs
	for _, b := range plan.Experiments() {
		if b.Model != tested.Identity || !c.OptionScores {
			continue
		}
		if err := tellServedApart(ctx, m, b); err != nil {
			return nil, exit.Usagef("--model %s, --method posterior: %w", tested.Ref, err)
		}
	}
	return needs.Lacks(tested.Ref, c), nil
}

// hiddenStates adds to what a model can do whether its hidden states are available, where that takes a call to know.
func (b *Builder) hiddenStates(ctx context.Context, m model.Prober, c *model.Capabilities) error {
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
	b.Log.Info("hidden states", "can", can, "note", note)
	return nil
}

// probeTries is how often a model is asked for its abilities while it fails in ways that may pass.
const probeTries = 4

// Abilities probes a model. A failure that may pass, such as a rate limit, is waited out for a few seconds or as
// long as the server asks, up to a minute; a server that is not there is told soon.
func (b *Builder) Abilities(ctx context.Context, prober model.Prober) (model.Capabilities, error) {
	wait := 250 * time.Millisecond
	var before error
	for try := 1; ; try++ {
		c, err := prober.Probe(ctx)
		if errors.Is(err, model.ErrBudget) && before != nil {
			err = fmt.Errorf("%w; the try before failed: %w", err, before)
		}
		before = err
		var t *model.Transient
		if err == nil || !errors.Is(err, model.ErrTransient) || errors.Is(err, model.ErrBudget) ||
			try == probeTries || errors.As(err, &t) && t.After > time.Minute {
			return c, err
		}
		if t != nil {
			wait = max(wait, t.After)
		}
		b.Log.Warn(fmt.Sprintf("%s; next try in %v", report.OneLine(err.Error()), wait))
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return c, ctx.Err()
		}
		wait *= 2
	}
}

// probeEquivalence asks the model that compares answers what it can do, and says what it lacks.
func (b *Builder) probeEquivalence(ctx context.Context, m *assay.Equivalence, s *Models, budget *Purse) (lacks string,
	err error) {
	prober, ok := s.ByIdentity[m.Model.Identity].(model.Prober)
	c := model.Capabilities{Temperature0: true}
	if ok {
		if c, err = b.Abilities(budget.Meter(ctx, s.ByIdentity[m.Model.Identity]), prober); err != nil {
			return "", fmt.Errorf("--entailment %s: the check of its abilities failed: %w", m.Model.Ref, err)
		}
	}
	m.Model.Sampling = !c.Temperature0
	if m.Score && !c.OptionScores {
		return fmt.Sprintf("%s gives no log-probabilities of a given text, but --entailment-reply score needs "+
			"those of yes and no; --entailment-reply text reads its reply", m.Model.Ref), nil
	}
	return "", nil
}
