package assay

import (
	"strings"
	"testing"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/text/paraphrase"
)

func forecastOf(t testing.TB, p *Plan, store run.Store) *Forecast {
	t.Helper()
	f, err := p.Forecast(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// partsOf returns the calls of a forecast by purpose, as least and most.
func partsOf(f *Forecast) map[string][2]int {
	m := map[string][2]int{}
	for _, s := range f.Parts {
		m[s.For] = [2]int{m[s.For][0] + s.Calls.Least, m[s.For][1] + s.Calls.Most}
	}
	return m
}

// By hand: five cases in three wordings, each drawn twice and asked again twice. What is stored is not asked again.
func TestForecastByHand(t *testing.T) {
	p, store := plan(read(t, "tiny.yaml", tiny)), inmemory.New()
	p.Sampled, p.MaxTokens = 2, 50
	f := forecastOf(t, p, store)
	if got, want := bytesOf(t, partsOf(f)), `{"draws":[10,10],"repeats":[10,10],"variants":[15,15]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// A prompt of two bytes is one token; each of the 35 answers has 50 tokens at most.
	if n := f.Total; !n.Exact || n.Stored != 0 || n.Ask != (Bounds{35, 35}) || n.PromptTokens != (Bounds{35, 35}) ||
		n.CompletionTokens != (Bounds{0, 35 * 50}) || f.Run != p.ID() {
		t.Errorf("%+v of run %s", n, f.Run)
	}
	execute(t, p, answers, store)
	if n := forecastOf(t, p, store).Total; n.Stored != 35 || n.Ask != (Bounds{}) || n.PromptTokens != (Bounds{}) ||
		n.CompletionTokens != (Bounds{}) {
		t.Errorf("of a finished run: %+v", n)
	}
}

// A run with every kind of helper, at each of its waves: what it asked in the end lies in what was foretold, and the
// bounds draw together as answers come in. Of the finished run nothing is left to ask, and the calls are those that
// were made.
func TestForecastHoldsTheRun(t *testing.T) {
	text := strings.Replace(skies, "cases:\n", "cases:\n  - {id: poem, prompt: Write of tides., phrasings: [u1, u2], "+
		"oracle: {type: judge, criteria: It names the moon.}, answer_type: prose}\n", 1)
	for _, late := range []bool{false, true} {
		p, store := equivalencePlan(t, "", text), inmemory.New()
		p.Methods = []string{Rubric, Consistency, Detection}
		p.Models[0].Can = &model.Capabilities{Temperature0: true, Sampling: true, LogProbs: true, TopLogProbs: 5}
		p.Judge = &UnderTest{Ref: "the judge", Identity: "judge"}
		p.Equivalence.Check = []KnownPair{{"q", "scatter it", "it scatters", true}, {"q", "the sea", "paint", false}}
		p.Sampled = 2
		if late {
			p.Variants = []prompt.Spec{{Kind: prompt.Paraphrases, N: 2}}
			p.Paraphrasing = &Paraphrasing{By: ByModel, Model: &UnderTest{Ref: "writer", Identity: "writer"},
				Ask: paraphrase.Ask, Draws: 1, Filter: NoFilter,
				Judge: &UnderTest{Ref: "critic", Identity: "critic"}}
		}
		reply := func(c run.Call) string {
			switch c.Model {
			case "comparer":
				return byWord(sides(c.Request.Prompt))
			case "judge":
				return `{"verdict": "pass", "reason": "it does"}`
			case "writer":
				return "First way.\nAnother way.\nA third way."
			case "critic":
				return "yes"
			}
			if text := skyAnswers[c.Request.Prompt]; text != "" {
				return text
			}
			return "Tides follow the moon; asked: " + c.Request.Prompt
		}
		made := map[run.Key]bool{}
		var foretold []*Forecast
		err := p.Ask(t.Context(), store, false, func(w Wave) error {
			foretold = append(foretold, forecastOf(t, p, store))
			for c := range w.Calls {
				made[c.Key()] = true
				answering(t, store, []run.Call{c}, func(string) string { return reply(c) })
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		last := forecastOf(t, p, store)
		if n := last.Total; !n.Exact || n.Calls.Most != len(made) || n.Stored != len(made) || n.Ask != (Bounds{}) {
			t.Errorf("late %v: %d calls were made, the forecast of the finished run is %+v", late, len(made), n)
		}
		final := partsOf(last)
		before := map[string][2]int{}
		for i, f := range foretold {
			for purpose, n := range final {
				got := partsOf(f)[purpose]
				if got[0] > n[0] || got[1] < n[0] {
					t.Errorf("late %v, wave %d: %s took %d calls, %v were foretold", late, i, purpose, n[0], got)
				}
				if b, ok := before[purpose]; ok && (got[0] < b[0] || got[1] > b[1]) {
					t.Errorf("late %v, wave %d: %s is %v after %v", late, i, purpose, got, b)
				}
				before[purpose] = got
			}
		}
		for _, purpose := range []string{ForVariants, ForSamples, ForJudge, ForDetectors, ForSemanticEquivalence,
			ForKnownPairs} {
			if final[purpose][0] == 0 {
				t.Errorf("late %v: nothing was asked for %s: %v", late, purpose, final)
			}
		}
		if late != (final[ForParaphrases][0] > 0 && final[ForEquivalence][0] > 0) {
			t.Errorf("late %v: %v", late, final)
		}
	}
}
