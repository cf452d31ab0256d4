package simulated_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/model"
	"hallmark/internal/model/simulated"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/retrieve"
)

func parse(t *testing.T, text string) simulated.Profile {
	t.Helper()
	p, err := simulated.ParseProfile("p.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// cases looks up "CASE VARIANT": the case is the first word, its gold "gold", its wrong answers w0 to w9.
func cases(req model.Request) (simulated.Case, bool) {
	id, _, ok := strings.Cut(req.Prompt, " ")
	wrong := make([]string, 10)
	for i := range wrong {
		wrong[i] = fmt.Sprint("w", i)
	}
	return simulated.Case{ID: id, Gold: []string{"gold", "also gold"}, Wrong: wrong}, ok
}

const profile = `
prompt_agnostic_factual: .5
prompt_agnostic_error: .2
randomness: .15
decline: .1
unread: .05
randomness_right: .3
fail: .08
`

// The shares come out as set, within five standard errors, and each case behaves as its category says.
func TestTrueRates(t *testing.T) {
	p := parse(t, profile)
	m := simulated.New(p, cases)
	truth := p.Truth()
	const n, variants = 4000, 6
	counts := map[string]int{}
	failed, rightRandom, allRandom := 0, 0, 0
	for i := range n {
		seen := map[string]int{}
		first := ""
		for v := range variants {
			out, err := m.Generate(t.Context(), model.Request{Prompt: fmt.Sprintf("c%d v%d", i, v)})
			if err != nil {
				failed++
				continue
			}
			seen[*out.Text]++
			if first == "" {
				first = *out.Text
			}
		}
		switch {
		case len(seen) > 1:
			counts["random"]++
			for text, k := range seen {
				allRandom += k
				if text == "gold" {
					rightRandom += k
				}
			}
		case strings.HasPrefix(first, "w"):
			counts["error"]++
		default:
			counts[first]++
		}
	}
	check := func(name string, got, of int, want, bias float64) {
		t.Helper()
		if se := math.Sqrt(want * (1 - want) / float64(of)); math.Abs(float64(got)/float64(of)-want) > 5*se+bias {
			t.Errorf("%s: %d of %d, want %v", name, got, of, want)
		}
	}
	check("failed", failed, n*variants, truth.Failed, 0)
	check("factual", counts["gold"], n, truth.PromptAgnosticFactual, 0)
	check("error", counts["error"], n, .2, 0)
	// By chance, six guesses agree in .3^6 + 10 (.07)^6 < .001 of the cases; with failures a little more often.
	check("random", counts["random"], n, truth.Randomness, .001)
	check("decline", counts["I don't know."], n, truth.OverRefusal, 0)
	check("unread", counts[""], n, truth.Undecided, 0)
	check("right guesses", rightRandom, allRandom, .3, .01) // cases that agree by chance are missing here
	if want := .2 + .15*.7 + .1 + .05; math.Abs(truth.Hallucination-want) > 1e-12 {
		t.Errorf("true hallucination rate %v, want %v", truth.Hallucination, want)
	}
}

// A coin case keeps its greedy answer whatever the prompt, and is split between that and one other where it is sampled.
func TestCoin(t *testing.T) {
	m := simulated.New(parse(t, "coin: 1\nrandomness_right: .6"), cases)
	const n, asks = 2000, 40
	greedyRight, drawnRight := 0, 0
	for i := range n {
		say := func(variant int, draw *int64) string {
			req := model.Request{Prompt: fmt.Sprintf("c%d v%d", i, variant)}
			if draw != nil {
				req.Temperature, req.Seed = 1, draw
			}
			out, err := m.Generate(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			return *out.Text
		}
		greedy, drawn := map[string]int{}, map[string]int{}
		for k := range asks {
			draw := int64(k)
			greedy[say(k, nil)]++
			drawn[say(0, &draw)]++
		}
		if len(greedy) != 1 || len(drawn) != 2 {
			t.Fatalf("case %d: greedy answers %v, drawn %v; want one, and two", i, greedy, drawn)
		}
		greedyRight += greedy["gold"] / asks
		drawnRight += drawn["gold"]
	}
	for name, share := range map[string]float64{"greedy": float64(greedyRight) / n,
		"drawn": float64(drawnRight) / (n * asks)} {
		if math.Abs(share-.6) > 5*math.Sqrt(.6*.4/n) {
			t.Errorf("%s answers are right in %v, want .6", name, share)
		}
	}
	want := simulated.Truth{Hallucination: .4, Commission: .4, PromptAgnosticFactual: .6, PromptAgnosticError: .4,
		UnseenByGreedy: 1}
	if got := parse(t, "coin: 1\nrandomness_right: .6").Truth(); got != want {
		t.Errorf("truth %+v, want %+v", got, want)
	}
}

// The same requests give the same answers in any order and at any concurrency.
func TestSameAtAnyConcurrency(t *testing.T) {
	p := parse(t, profile)
	const n = 300
	one, other := simulated.New(p, cases), simulated.New(p, cases)
	var want [n]string
	say := func(m *simulated.Model, i int) string {
		out, err := m.Generate(t.Context(), model.Request{Prompt: fmt.Sprintf("c%d v", i), LogProbs: true})
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(*out.Text, *out.Tokens[0].LogProb)
	}
	for i := range n {
		want[i] = say(one, i)
	}
	var wg sync.WaitGroup
	for i := n - 1; i >= 0; i-- {
		wg.Go(func() {
			if got := say(other, i); got != want[i] {
				t.Errorf("case %d: %q, then %q", i, want[i], got)
			}
		})
	}
	wg.Wait()
	if one.Identity() != other.Identity() {
		t.Error("identities differ")
	}
	if again := simulated.New(parse(t, profile+"seed: 2\n"), cases); again.Identity() == one.Identity() {
		t.Error("another seed has the same identity")
	}
	if again := simulated.New(p, cases, "sha256:1"); again.Identity() == one.Identity() {
		t.Error("other data have the same identity")
	}
}

// Sampled draws of a randomness case differ with the seed; greedy ones and those of an agnostic case do not.
func TestDraws(t *testing.T) {
	distinct := func(text string, temperature float64) int {
		m := simulated.New(parse(t, text), cases)
		seen := map[string]bool{}
		for i := range int64(30) {
			out, err := m.Generate(t.Context(), model.Request{Prompt: "c v", Temperature: temperature, Seed: &i})
			if err != nil {
				t.Fatal(err)
			}
			seen[*out.Text] = true
		}
		return len(seen)
	}
	if n := distinct("randomness: 1", 1); n < 5 {
		t.Errorf("%d different answers in 30 draws", n)
	}
	if n := distinct("randomness: 1", 0); n != 1 {
		t.Errorf("%d different greedy answers", n)
	}
	if n := distinct("prompt_agnostic_error: 1", 1); n != 1 {
		t.Errorf("%d different answers of an agnostic case", n)
	}
}

func TestOptions(t *testing.T) {
	lookup := func(req model.Request) (simulated.Case, bool) {
		return simulated.Case{ID: "c", Gold: []string{"Paris"}, Wrong: []string{"Lyon", "Nice"}}, true
	}
	best := func(text string, req model.Request) int {
		out, err := simulated.New(parse(t, text), lookup).Generate(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		best, mass := 0, 0.
		for i, o := range out.Options {
			mass += math.Exp(o.Sum())
			if o.Sum() > out.Options[best].Sum() {
				best = i
			}
		}
		if math.Abs(mass-1) > 1e-12 {
			t.Errorf("probabilities sum to %v", mass)
		}
		return best
	}
	req := model.Request{Prompt: "p", Options: []string{" Lyon", " Paris", " Nice"}}
	if i := best("prompt_agnostic_factual: 1\nconfidence_right: 0", req); i != 1 {
		t.Errorf("chose %d", i)
	}
	for _, text := range []string{"prompt_agnostic_error: 1", "decline: 1", "unread: 1"} {
		if i := best(text, req); i == 1 {
			t.Errorf("%s: chose the right option", text)
		}
	}
}

func TestGroups(t *testing.T) {
	p := parse(t, `
prompt_agnostic_factual: 1
by_class: {multi-hop: {prompt_agnostic_error: 1}, negation: {fail: .5}}
by_tag: {calc: {decline: 1}}
`)
	for _, tt := range []struct {
		class string
		tags  []string
		want  simulated.Truth
	}{
		{"", nil, simulated.Truth{PromptAgnosticFactual: 1}},
		{"multi-hop", []string{"own"}, simulated.Truth{Hallucination: 1, Commission: 1, PromptAgnosticError: 1}},
		{"multi-hop", []string{"own", "calc"}, simulated.Truth{Hallucination: 1, OverRefusal: 1, PromptAgnosticError: 1}},
		{"negation", nil, simulated.Truth{PromptAgnosticFactual: 1, Failed: .5}},
	} {
		if got := p.For(tt.class, tt.tags).Truth(); got != tt.want {
			t.Errorf("%s %v: %+v, want %+v", tt.class, tt.tags, got, tt.want)
		}
	}
}

func TestProfileErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "p.yaml:1: ",
		"randomness: .5":               "p.yaml:1: the shares sum to 0.5: want 1",
		"randomness: 1\nrandomnes: 1":  "p.yaml:2: ",
		"randomness: 1\n\nfail: 2":     "p.yaml:3: fail is 2: want a number from 0 to 1",
		"randomness: 1\nfail: .nan":    "p.yaml:2: fail must be a number, not \".nan\"",
		"randomness: 1\nfail: lots":    "p.yaml:2: ",
		"randomness: 1\nrandomness: 1": "p.yaml:2: ",
		"randomness: [1":               "p.yaml:",
		"randomness: 1\nby_tag:\n  x:\n    decline: .5":   "p.yaml:3: the shares sum to 0.5",
		"randomness: 1\nby_class:\n  multihop: {fail: 0}": `p.yaml:3: unknown class "multihop": want one of time-shift-role`,
		"randomness: 1\nby_tag:\n  x: {fail: -1}":         "p.yaml:3: fail is -1",
		"randomness: 1\nconfidence_right: 7":              "p.yaml:2: confidence_right is 7",
	} {
		_, err := simulated.ParseProfile("p.yaml", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestRefusesWhatItCannotKnow(t *testing.T) {
	m := simulated.New(parse(t, "randomness: 1"), func(req model.Request) (simulated.Case, bool) {
		return simulated.Case{ID: "c"}, req.Prompt == "known"
	})
	for prompt, want := range map[string]string{"other": "no case of the suites",
		"known": `case "c" has no reference answer`} {
		_, err := m.Generate(t.Context(), model.Request{Prompt: prompt})
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, model.ErrTransient) ||
			errors.Is(err, model.ErrGone) {
			t.Errorf("%s: %v", prompt, err)
		}
	}
}

// Every layout of package prompt is found again, and what is answered is right by the suite.
// A variant behind a passage that was found, or none.
type behindPassage struct {
	prompt.Variant
	passage *retrieve.TitledPassage
	layout  prompt.RetrievedForm
}

// behind returns each variant on its own, and behind a passage in either layout.
func behind(variants []prompt.Variant) (out []behindPassage) {
	passage := &retrieve.TitledPassage{ID: "d1", Title: "Mills", Text: "A mill grinds corn."}
	for _, v := range variants {
		out = append(out, behindPassage{Variant: v}, behindPassage{v, passage, prompt.RALM},
			behindPassage{v, passage, prompt.Cited})
	}
	return out
}

func TestFromSuites(t *testing.T) {
	one := 1
	s := &suite.Suite{Name: "s", Cases: suite.ListOf([]suite.Case{
		{ID: "plain", Prompt: "What is the capital of France?", Phrasings: []string{"Name the capital of France.\n\n" +
			"In a word."}, Gold: suite.Gold{Texts: []string{"Paris", "paris"}}},
		{ID: "context", Prompt: "Who wrote it?", Context: []evidence.Passage{{ID: "L1", Text: "Ann wrote it."}},
			Gold: suite.Gold{Texts: []string{"Ann"}}},
		{ID: "cited", Prompt: "Who painted it?", Context: []evidence.Passage{{ID: "L1", Text: "Cid sold it."},
			{ID: "L2", Text: "Dan painted it."}},
			Requires: suite.Requires{Evidence: true}, Gold: suite.Gold{Texts: []string{"Dan"}}},
		{ID: "context-none", Prompt: "Who wrote it?", Gold: suite.Gold{Texts: []string{"Eve"}}},
		{ID: "context-2", Prompt: "Who wrote it?", Context: []evidence.Passage{{ID: "L1", Text: "Bob wrote it."}},
			Gold: suite.Gold{Texts: []string{"Bob"}}},
		{ID: "shown", Prompt: "Which city?", Options: []string{"Lyon", "Paris", "A. Nice"}, ShowOptions: true,
			Gold: suite.Gold{Option: &one}},
		{ID: "scored", System: "S", Prompt: "Largest city of France:", Options: []string{"Lyon", "Paris"},
			Gold:           suite.Gold{Option: &one},
			Demonstrations: []suite.Demonstration{{Input: "Which city?", Label: "Lyon"}}},
		{ID: "continued", Prompt: "It rained in Lyon.\n\nThen it snowed. ", Options: []string{"Ann left.", "Ann stayed."},
			Gold: suite.Gold{Option: &one}},
		{ID: "decline", Prompt: "Who is the king of France today?", Decline: true, Oracle: &suite.Oracle{Type: "refusal",
			Repair: []string{"France has no king."}}},
		{ID: "number", Prompt: "2+2?", Oracle: &suite.Oracle{Type: "numeric", Value: "4"}},
	})}
	right := simulated.New(parse(t, "prompt_agnostic_factual: 1"), simulated.FromSuites([]*suite.Suite{s}))
	wrong := simulated.New(parse(t, "prompt_agnostic_error: 1"), simulated.FromSuites([]*suite.Suite{s}))
	want := map[string]string{"plain": "Paris", "continued": "Ann stayed.", "context": "Ann", "context-2": "Bob",
		"cited": "Dan [L2]", "context-none": "Eve", "decline": "I don't know. France has no king.", "number": "4"}
	for i := range s.Cases.Len() {
		c := s.Cases.At(i)
		specs := []prompt.Spec{{Kind: prompt.Phrasings}}
		if c.ShowOptions {
			specs = []prompt.Spec{{Kind: prompt.Options, N: 5}}
		}
		variants, _ := prompt.Variants(c, specs, 1, prompt.Given{})
		for _, form := range suite.Forms {
			for _, generate := range []bool{false, true} {
				wrongs := map[string]bool{}
				for _, v := range behind(variants) {
					req := prompt.Render(c, v.Variant, prompt.RenderOptions{Form: form, Generate: generate, Retrieved: v.passage,
						RetrievedForm: v.layout})
					where := fmt.Sprintf("%s %s %s generate=%v", c.ID, v.Name, form, generate)
					say := func(m *simulated.Model) string {
						out, err := m.Generate(t.Context(), req)
						if err != nil {
							t.Errorf("%s: %v", where, err)
							return ""
						}
						if len(req.Options) == 0 {
							return strings.TrimSpace(*out.Text)
						}
						best := 0
						for i, o := range out.Options {
							if o.Sum() > out.Options[best].Sum() {
								best = i
							}
						}
						return c.Options[prompt.OptionAt(v.Variant, best)]
					}
					expected := want[c.ID]
					if len(c.Options) > 0 && expected == "" {
						expected = "Paris"
					}
					if got := say(right); got != expected {
						t.Errorf("%s: %q, want %q", where, got, expected)
					}
					got := say(wrong)
					wrongs[got] = true
					if got == expected {
						t.Errorf("%s: wrong answer %q is right", where, got)
					}
				}
				if len(wrongs) != 1 {
					t.Errorf("%s %s: wrong answers %v, want the same to every variant", c.ID, form, reflect.ValueOf(wrongs).MapKeys())
				}
			}
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "p.yaml")
	if err := os.WriteFile(file, []byte("randomness: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &suite.Suite{Name: "s", Cases: suite.ListOf([]suite.Case{{ID: "a", Prompt: "p",
		Gold: suite.Gold{Texts: []string{"g"}}}})}
	m, err := simulated.Open(file, []*suite.Suite{s})
	if err != nil || !strings.HasPrefix(m.Identity(), "phantom:p.yaml sha256:") {
		t.Fatal(m, err)
	}
	if _, err := simulated.Open(filepath.Join(dir, "none.yaml"), nil); err == nil {
		t.Error("a missing file is opened")
	}
	if err := os.WriteFile(file, []byte("x: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := simulated.Open(file, nil); err == nil || !strings.HasPrefix(err.Error(), file+":1: ") {
		t.Errorf("error %v", err)
	}
}

func FuzzParseProfile(f *testing.F) {
	for _, s := range []string{profile, "by_tag: {a: {decline: 1}}\nrandomness: 1", "a: &a [*a]", "randomness: 1e400",
		"? [a]\n: b", "- 1"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := simulated.ParseProfile("p", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "p:") {
				t.Fatalf("error %q", err)
			}
			return
		}
		m := simulated.New(p, cases)
		if _, err := m.Generate(t.Context(), model.Request{Prompt: "c v"}); err != nil &&
			!strings.Contains(err.Error(), "simulated") {
			t.Fatal(err)
		}
	})
}
