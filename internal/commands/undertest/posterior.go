package undertest

import (
	"context"
	"errors"
	"fmt"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/lists"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/language"
	"hallmark/internal/model"
	"hallmark/internal/model/hosted"
)

// windowed is a model whose window is known and whose tokens can be counted before any call.
type windowed interface {
	ContextTokens() int
	TextTokens(text string, begin bool, most int) ([]int32, error)
}

// CanBelieve refuses a model that cannot do what the rate takes, before any call, and finds out how its labels are
// read.
func (b *Builder) CanBelieve(ctx context.Context, m model.Model, ref model.Ref, api string,
	experiment *language.Experiment) error {
	window := 0
	if prober, ok := m.(model.Prober); ok {
		c, err := b.Abilities(ctx, prober)
		switch {
		case errors.Is(err, model.ErrGone):
			return fmt.Errorf("--model %s: %w", ref, err)
		case err != nil:
			return fmt.Errorf("--model %s: the check of its abilities failed: %w", ref, err)
		case !c.Sampling:
			return exit.Usagef("--model %s cannot sample, but pairs are made up by sampling at temperature 1", ref)
		case !c.OptionScores && c.TopLogProbs == 0:
			return exit.Usagef("--model %s gives no log-probabilities, neither of a given text nor of the tokens "+
				"of its answers, but labels are told by them; a server with top_logprobs, one with completions "+
				"and echo (--api completions), hf:DIR or pocket does", ref)
		}
		experiment.Listing, window = listingOf(c, api), c.ContextTokens
		if err := experiment.Validate(); err != nil { // drawn answers are scored
			return exit.Usagef("--model %s: %w", ref, err)
		}
	}
	if err := fits(m, window, experiment); err != nil {
		return exit.Usagef("--model %s: %w", ref, err)
	}
	if err := tellServedApart(ctx, m, experiment); err != nil {
		return exit.Usagef("--model %s: %w", ref, err)
	}
	return nil
}

// listingOf says how labels are read of a model that scores no given text; nil where it does, or lists no tokens
// either.
func listingOf(c model.Capabilities, api string) *language.Listing {
	if c.OptionScores || c.TopLogProbs <= 0 {
		return nil
	}
	return &language.Listing{Top: c.TopLogProbs, Chat: hosted.API(api) == hosted.Chat}
}

// Fit refuses experiments of the posterior rate whose prompts a model's window does not hold, or whose labels it cannot
// tell apart.
func (s *Models) Fit(plan *assay.Plan) error {
	refs := map[string]string{}
	for _, m := range plan.Models {
		refs[m.Identity] = m.Ref
	}
	for _, b := range plan.Experiments() {
		if err := fits(s.ByIdentity[b.Model], s.windows[b.Model], b); err != nil {
			return fmt.Errorf("--model %s, --method posterior: %w", refs[b.Model], err)
		}
	}
	return nil
}

// windowSlack is how many bytes a token is taken to have where a model's tokens cannot be counted here.
const windowSlack = 4

// fits reports prompts that are longer than a model's window, and labels that begin with one token where answers
// are one token. A model whose tokens cannot be counted is held against the window that its server tells, 0 for
// none, by an estimate.
func fits(m model.Model, window int, experiment *language.Experiment) error {
	count := func(text string) (int, error) { return (len(text) + windowSlack - 1) / windowSlack, nil }
	how := fmt.Sprintf(" at %d bytes a token", windowSlack)
	w, local := m.(windowed)
	if local {
		window, how = w.ContextTokens(), ""
		count = func(text string) (int, error) {
			ids, err := w.TextTokens(text, true, 0)
			return len(ids), err
		}
		if err := tellApart(w, experiment); err != nil {
			return err
		}
	}
	if window <= 0 {
		return nil
	}
	longest, err := experiment.Longest(count)
	if err != nil {
		return err
	}
	if longest > window {
		return fmt.Errorf("the longest prompt may have %d tokens%s, but the model takes %d: give fewer or shorter "+
			"pairs, or a smaller --extend", longest, how, window)
	}
	return nil
}

// tellServedApart is tellApart for a model behind a server, which is asked for the tokens. A server that does not
// show them is let pass: then the drawn answers tell.
func tellServedApart(ctx context.Context, m model.Model, experiment *language.Experiment) error {
	f, ok := m.(model.FirstTokener)
	if !ok || !oneToken(experiment) {
		return nil
	}
	seen := map[string]bool{}
	for i := range experiment.Problems {
		q := &experiment.Problems[i]
		if name := fmt.Sprintf("%q %q", q.LabelMark(), q.Labels); !seen[name] {
			seen[name] = true
			texts := lists.Map(q.Labels, func(l string) string { return " " + l })
			tokens, err := f.FirstTokens(ctx, q.LabelMark(), texts)
			if errors.Is(err, model.ErrBudget) {
				return err
			}
			if err != nil {
				return nil
			}
			first := map[string]string{}
			for k, t := range tokens {
				if other, shared := first[t]; shared {
					return errShared(other, q.Labels[k])
				}
				first[t] = q.Labels[k]
			}
		}
	}
	return nil
}

// oneToken reports whether answers are drawn and are one token each.
func oneToken(experiment *language.Experiment) bool {
	return experiment.Options.Estimator == posterior.Published && experiment.MaxLabel <= 1
}

func errShared(a, b string) error {
	return fmt.Errorf("labels %q and %q begin with the same token, so a drawn token does not tell them apart: "+
		"rename one, or use --estimator sum, or --answer-tokens above 1", a, b)
}

// tellApart reports labels whose first token is the same, where drawn answers are one token.
func tellApart(w windowed, experiment *language.Experiment) error {
	if !oneToken(experiment) {
		return nil
	}
	for i := range experiment.Problems {
		lead := experiment.Problems[i].LabelMark()
		before, err := w.TextTokens(lead, false, 0)
		if err != nil {
			return err
		}
		first := map[int32]string{}
		for _, l := range experiment.Problems[i].Labels {
			ids, err := w.TextTokens(lead+" "+l, false, 0)
			if err != nil {
				return err
			}
			if len(ids) <= len(before) {
				return fmt.Errorf("label %q has no token of its own behind %q", l, lead)
			}
			id := ids[len(before)]
			if other, shared := first[id]; shared {
				return errShared(other, l)
			}
			first[id] = l
		}
	}
	return nil
}
