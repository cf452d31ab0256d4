package language

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/suite"
)

// An urn is a language model with a known belief: it counts the labels of its prompt and ignores the inputs, as a
// Dirichlet does.
type urn struct {
	alpha   float64
	mangle  func(seed int64) bool // made-up pairs that are none
	failing func(prompt string) bool
}

var urnLabels = []string{"red", "blue"}

func (urn) Identity() string { return "urn" }

func (u urn) Generate(_ context.Context, req model.Request) (model.Response, error) {
	if u.failing != nil && u.failing(req.Prompt) {
		return model.Response{}, errors.New("refused")
	}
	var p [2]float64
	var sum float64
	for i, l := range urnLabels {
		p[i] = u.alpha + float64(strings.Count(req.Prompt, "\nLabel: "+l+"\n\n"))
		sum += p[i]
	}
	if len(req.Options) > 0 {
		var out model.Response
		for _, o := range req.Options {
			i := slices.Index(urnLabels, strings.TrimSpace(o))
			out.Options = append(out.Options, model.OptionScore{LogProbs: []float64{math.Log(p[i] / sum)}})
		}
		return out, nil
	}
	if strings.HasSuffix(req.Prompt, "\nLabel:") { // an answer is drawn
		text := ""
		if u.mangle == nil || !u.mangle(*req.Seed) {
			text = " " + urnLabels[0]
			if rand.New(rand.NewPCG(uint64(*req.Seed), 2)).Float64() >= p[0]/sum {
				text = " " + urnLabels[1]
			}
		}
		return model.Response{Text: &text, Finish: model.FinishLength}, nil
	}
	text := " this is no pair"
	if u.mangle == nil || !u.mangle(*req.Seed) {
		label := urnLabels[0]
		if rand.New(rand.NewPCG(uint64(*req.Seed), 1)).Float64() >= p[0]/sum {
			label = urnLabels[1]
		}
		text = " something\nLabel: " + label
	}
	return model.Response{Text: &text, Finish: model.FinishStop}, nil
}

func problem() Problem {
	return Problem{
		Name: "1", Labels: urnLabels, Pairs: []exact.Pair{{Input: "a", Label: "red"}, {Input: "b", Label: "red"},
			{Input: "c", Label: "blue"}},
		Queries: []Query{{Input: "d", Gold: "red"}, {Input: "e", Gold: "blue"}},
	}
}

func experiment(m int, eps float64, problems ...Problem) *Experiment {
	o := posterior.DefaultOptions()
	o.M, o.Eps = m, eps
	return &Experiment{Model: "urn", Problems: problems, Options: o, TopP: 1, MaxPair: 200}
}

// ask runs the waves to their end and returns the result and the number of waves.
func ask(t *testing.T, p *Experiment, m model.Model, store run.Store, j int) (*Result, int) {
	t.Helper()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	waves := 0
	walk(t, p.Resample(), m, store, store, run.Options{Concurrency: j}, func([]run.Call) { waves++ })
	return evaluated(t, p, store), waves
}

// walk has the model answer wave after wave until none is left, each shown to see before; what is planned reads look,
// what is answered is put into store.
func walk(t *testing.T, w *Resampling, m model.Model, look, store run.Store, o run.Options, see func([]run.Call)) {
	t.Helper()
	for {
		calls, err := w.Next(context.Background(), look)
		if err != nil {
			t.Fatal(err)
		}
		if len(calls) == 0 {
			return
		}
		see(calls)
		if _, err := run.Execute(context.Background(), store, map[string]model.Model{"urn": m}, slices.Values(calls),
			o); err != nil {
			t.Fatal(err)
		}
	}
}

func evaluated(t *testing.T, p *Experiment, store run.Store) *Result {
	t.Helper()
	r, err := p.Evaluate(context.Background(), store)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The rate of a language model whose belief is known is the exact one after as many pairs.
func TestKnownPosterior(t *testing.T) {
	for _, eps := range []float64{.3, .75} {
		p := experiment(500, eps, problem())
		r, waves := ask(t, p, urn{alpha: 1}, inmemory.New(), 4)
		want, err := posterior.DirichletAt(exact.Dirichlet{3, 2}, p.Options.Extend, eps)
		if err != nil {
			t.Fatal(err)
		}
		if d := math.Abs(r.PHR.Value - want); d > 4*r.StandardError.Outer {
			t.Errorf("eps %g: %.4f, want %.4f within four standard errors of %.4f", eps, r.PHR.Value, want,
				r.StandardError.Outer)
		}
		if waves != p.Options.Extend+1 {
			t.Errorf("%d waves, want one for each pair and one for the labels", waves)
		}
		if *r.Exchangeability > 1e-12 || *r.MartingaleGap > .04 || *r.OtherMass > 1e-12 {
			t.Errorf("order %g, gap %g, other mass %g; want about 0", *r.Exchangeability, *r.MartingaleGap, *r.OtherMass)
		}
		if math.Abs(r.ErrorRate.Value-.5) > 1e-12 || r.Calls != 500*5+2*501 { // ½ (2/5 + 3/5)
			t.Errorf("error %g, %d calls", r.ErrorRate.Value, r.Calls)
		}
	}
}

// The result is the same bytes at any concurrency and after the waves were broken off.
func TestSameBytes(t *testing.T) {
	p := experiment(10, .75, problem(), Problem{Name: "2", Labels: urnLabels, Pairs: problem().Pairs[1:],
		Queries: []Query{{Input: "f"}}, True: problem().Pairs})
	p.Options.Extend = 3
	one, _ := ask(t, p, urn{alpha: 1}, inmemory.New(), 1)
	store := inmemory.New()
	for range 2 { // part of the first waves
		calls, err := p.Resample().Next(context.Background(), store)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Execute(context.Background(), store, map[string]model.Model{"urn": urn{alpha: 1}},
			slices.Values(calls[:len(calls)/2]), run.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	other, _ := ask(t, p, urn{alpha: 1}, store, 8)
	a, _ := json.Marshal(one)
	b, _ := json.Marshal(other)
	if string(a) != string(b) {
		t.Errorf("%s\n%s", a, b)
	}
	if one.MHR == nil || one.PerQuery[2].MHRSingle == nil || one.PerQuery[0].MHRSingle != nil {
		t.Error("true pairs count for the problem that has them, and for no other")
	}
}

func TestMissing(t *testing.T) {
	mangled := 0
	r, _ := ask(t, experiment(30, .75, problem()), urn{alpha: 1, mangle: func(s int64) bool {
		bad := s%3 == 0
		if bad {
			mangled++
		}
		return bad
	}}, inmemory.New(), 1)
	if r.Redrawn != mangled || mangled == 0 || len(r.Missing) != 0 || r.Unscored != 0 {
		t.Errorf("%d redrawn of %d, missing %v", r.Redrawn, mangled, r.Missing)
	}
	r, _ = ask(t, experiment(10, .75, problem()), urn{alpha: 1, mangle: func(int64) bool { return true }}, inmemory.New(), 4)
	if r.N != 0 || r.Unscored != 2 || r.PHR != nil || !strings.Contains(fmt.Sprint(r.Missing),
		"no pair of input and label 10") {
		t.Errorf("%d scored, %d unscored, rate %v, missing %v", r.N, r.Unscored, r.PHR, r.Missing)
	}
	// The query d fails after some extensions; e does not.
	r, _ = ask(t, experiment(10, .75, problem()), urn{alpha: 1, failing: func(prompt string) bool {
		return strings.HasSuffix(prompt, "Input: d\nLabel:")
	}}, inmemory.New(), 4)
	if r.N != 1 || r.Unscored != 1 || r.Missing[0].Reason != "a query: refused" {
		t.Errorf("%d scored, %d unscored, missing %v", r.N, r.Unscored, r.Missing)
	}
	// Nothing was asked: nothing is measured, and it says so.
	r, err := experiment(10, .75, problem()).Evaluate(context.Background(), inmemory.New())
	if err != nil || r.N != 0 || r.Unscored != 2 {
		t.Errorf("%v, %d scored", err, r.N)
	}
}

func TestValidate(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Problem)
		want   string
	}{
		"one label": {func(p *Problem) { p.Labels = p.Labels[:1] }, "one label only"},
		"a label's start": {func(p *Problem) {
			p.Labels = []string{"red", "reddish"}
		}, `label "red" begins label "reddish"`},
		"an empty label":    {func(p *Problem) { p.Labels = []string{"red", " "} }, "some text on one line"},
		"a gold of none":    {func(p *Problem) { p.Queries[0].Gold = "green" }, "none of the labels"},
		"an empty line":     {func(p *Problem) { p.Pairs[0].Input = "a\n\nb" }, "empty line"},
		"too few true ones": {func(p *Problem) { p.True = p.Pairs[:1] }, "1 true pairs"},
	} {
		p := problem()
		c.change(&p)
		if err := experiment(10, .05, p).Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func FuzzParsePair(f *testing.F) {
	for _, s := range []string{" rain fog\nLabel: red", "\nLabel:", " a\nLabel: b\nLabel: c", "a\n\nb\nLabel: c", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l := layouts[suite.InputLabel]
		p, ok := l.parse(s)
		if !ok {
			return
		}
		// What is laid out is read back.
		if q, ok := l.parse(strings.TrimPrefix(strings.TrimSuffix(l.text([]exact.Pair{p}), "\n\n"), "Input:")); !ok ||
			q != p {
			t.Fatalf("%q: %q, then %q", s, p, q)
		}
	})
}
