package modeltest

import (
	"math"
	"testing"
)

func (s suite) logProbs(t *testing.T) {
	for i := range s.o.Prompts {
		req := s.request(i)
		req.LogProbs, req.TopLogProbs = true, s.o.TopLogProbs
		out, ok := s.ask(t, s.m, req)
		if !ok {
			continue
		}
		if len(out.Tokens) == 0 && *out.Text != "" {
			t.Errorf("%q: no tokens", req.Prompt)
		}
		for _, tok := range out.Tokens {
			if tok.LogProb != nil {
				good(t, *tok.LogProb)
			}
			if len(tok.Top) > s.o.TopLogProbs {
				t.Errorf("%d alternatives, want at most %d", len(tok.Top), s.o.TopLogProbs)
			}
			for j, alt := range tok.Top {
				good(t, alt.LogProb)
				if j > 0 && alt.LogProb > tok.Top[j-1].LogProb {
					t.Errorf("alternatives out of order: %+v", tok.Top)
				}
			}
		}
	}
	req := s.request(0)
	if out, ok := s.ask(t, s.m, req); ok && len(out.Tokens) > 0 {
		t.Error("tokens where none were asked for")
	}
}

func good(t *testing.T, lp float64) {
	t.Helper()
	if !(lp <= 0) || math.IsInf(lp, 0) {
		t.Errorf("log-probability %v", lp)
	}
}

func (s suite) options(t *testing.T) {
	if s.o.Score == nil {
		req := s.request(0)
		req.Options = []string{"a", "b"}
		if _, err := s.m.Generate(t.Context(), req); ClassOf(err) != Final {
			t.Errorf("a model without scores answers options with %v (%s)", err, ClassOf(err))
		}
		return
	}
	for i := range s.o.Prompts {
		req := s.request(i)
		req.Options = s.o.Score
		out, ok := s.ask(t, s.m, req)
		if !ok {
			continue
		}
		if len(out.Options) != len(s.o.Score) {
			t.Errorf("%d scores of %d options", len(out.Options), len(s.o.Score))
			continue
		}
		for j, o := range out.Options {
			if len(o.LogProbs) == 0 {
				t.Errorf("option %q has no tokens", s.o.Score[j])
			}
			for _, lp := range o.LogProbs {
				good(t, lp)
			}
		}
		if !s.o.ScoreAlone {
			continue
		}
		req.Options = s.o.Score[len(s.o.Score)-1:]
		if alone, ok := s.ask(t, s.m, req); ok && len(alone.Options) == 1 {
			want := out.Options[len(out.Options)-1].Sum()
			if got := alone.Options[0].Sum(); math.Abs(got-want) > 1e-6*math.Max(1, math.Abs(want)) {
				t.Errorf("option %q scores %v alone and %v among others", req.Options[0], got, want)
			}
		}
	}
}

// hidden states come as one cosine for each option, or for good not at all.
func (s suite) hidden(t *testing.T) {
	for i := range s.o.Prompts {
		req := s.request(i)
		req.Options, req.Hidden = []string{" red", " deep blue"}, true
		if !s.o.Hidden {
			if out, err := s.m.Generate(t.Context(), req); ClassOf(err) != Final {
				t.Errorf("a model without hidden states answers with %+v, %v (%s)", out, err, ClassOf(err))
			}
			return
		}
		out, ok := s.ask(t, s.m, req)
		if !ok {
			continue
		}
		if len(out.Cosines) != 2 || len(out.Options) != 0 || out.Text != nil {
			t.Errorf("%q: %+v", req.Prompt, out)
			continue
		}
		for _, c := range out.Cosines {
			if !(math.Abs(c) <= 1) {
				t.Errorf("cosine %v", c)
			}
		}
		if again, ok := s.ask(t, s.m, req); ok && stable(again) != stable(out) {
			t.Errorf("%q:\n%s\nthen\n%s", req.Prompt, stable(out), stable(again))
		}
		req.Options = []string{" deep blue"}
		if alone, ok := s.ask(t, s.m, req); ok &&
			(len(alone.Cosines) != 1 || math.Abs(alone.Cosines[0]-out.Cosines[1]) > 1e-6) {
			t.Errorf("option %q moves the state by %v alone and by %v among others", req.Options[0], alone.Cosines,
				out.Cosines)
		}
	}
}
