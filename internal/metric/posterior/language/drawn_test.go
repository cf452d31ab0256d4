package language

import (
	"context"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/archtest"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/metric/posterior/exact"
	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// byDraws is an experiment of the published estimator.
func byDraws(m, k int, eps float64, problems ...Problem) *Experiment {
	p := experiment(m, eps, problems...)
	p.Options.Estimator, p.Options.K, p.MaxLabel = posterior.Published, k, 1
	return p
}

// expected is what K draws give of the urn on average, by counting. After 3 red and 2 blue (a Beta(3, 2) belief) the
// extension has s red of n by the Beta-binomial. The rarer label of the extended belief, of probability q, is a
// hallucination if fewer than j = ⌈eps K⌉ of the K answers that make the quantile are it, so that the quantile is the
// likelier one's: the rate is then today's probability of the rarer. With q = 1/2 none is.
func expected(n, k int, eps float64) (rate, information float64) {
	now := [2]float64{.6, .4}
	entropy := func(p float64) float64 { return -p*math.Log(p) - (1-p)*math.Log(1-p) }
	information = entropy(.6)
	j := math.Ceil(eps * float64(k))
	lbeta := func(a, b float64) float64 {
		x, _ := math.Lgamma(a)
		y, _ := math.Lgamma(b)
		z, _ := math.Lgamma(a + b)
		return x + y - z
	}
	for s := 0; s <= n; s++ {
		c, _ := math.Lgamma(float64(n + 1))
		d, _ := math.Lgamma(float64(s + 1))
		e, _ := math.Lgamma(float64(n - s + 1))
		weight := math.Exp(c - d - e + lbeta(3+float64(s), 2+float64(n-s)) - lbeta(3, 2))
		p := (3 + float64(s)) / float64(5+n)
		information -= weight * entropy(p)
		rarer := 0
		if p > .5 {
			rarer = 1
		}
		if q := math.Min(p, 1-p); q < .5 {
			rate += weight * distuv.Binomial{N: float64(k), P: q}.CDF(j-1) * now[rarer]
		}
	}
	return rate, information
}

// The published estimator has its own expected value, which is not that of the sums: the K draws smooth the threshold.
func TestDrawnHasItsExpectedValue(t *testing.T) {
	for _, eps := range []float64{.3, .75}[:archtest.Draws(1, 2, 2)] {
		p := byDraws(120, 20, eps, problem())
		r, _ := ask(t, p, urn{alpha: 1}, inmemory.New(), 4)
		want, information := expected(5, 20, eps)
		se := math.Hypot(r.StandardError.Outer, r.StandardError.Inner)
		if math.Abs(r.PHR.Value-want) > 4*se || se > .05 {
			t.Errorf("eps %g: rate %.4f, want %.4f within four standard errors of %.4f", eps, r.PHR.Value, want, se)
		}
		half := (r.MutualInformation.Hi - r.MutualInformation.Lo) / 2
		if math.Abs(r.MutualInformation.Value-information) > 2*half {
			t.Errorf("information %.4f, want %.4f within %.4f", r.MutualInformation.Value, information, 2*half)
		}
		if h := -.6*math.Log(.6) - .4*math.Log(.4); math.Abs(r.Entropy.Value-h) > .02 ||
			math.Abs(*r.EntropyRandom-math.Ln2) > 1e-12 {
			t.Errorf("entropy %.4f, want %.4f; of a guess %.4f", r.Entropy.Value, h, *r.EntropyRandom)
		}
		if math.Abs(r.ErrorRate.Value-.5) > .03 || *r.Exchangeability > 1e-12 || *r.MartingaleGap > .08 || *r.OtherMass != 0 {
			t.Errorf("error %.4f, order %g, gap %g, other mass %g", r.ErrorRate.Value, *r.Exchangeability, *r.MartingaleGap,
				*r.OtherMass)
		}
		// 5 pairs for both queries, and for each of them 40 answers and a scoring after each extension, and one after
		// the context.
		if want := 120*5 + 2*(120*41+1); r.Calls != want || r.RedrawnAnswers != 0 {
			t.Errorf("%d calls, want %d; %d answers drawn again", r.Calls, want, r.RedrawnAnswers)
		}
	}
}

// The sums and the draws agree as K grows, and the rate after true pairs is the same function.
func TestDrawnMeetsSums(t *testing.T) {
	q := problem()
	q.True = []exact.Pair{{Input: "x", Label: "red"}, {Input: "y", Label: "red"}, {Input: "z", Label: "red"}}
	p := byDraws(20, archtest.Draws(200, 400, 400), .3, q)
	p.Options.Extend = 3
	drawn, _ := ask(t, p, urn{alpha: 1}, inmemory.New(), 4)
	p = experiment(20, .3, q)
	p.Options.Extend = 3
	sums, _ := ask(t, p, urn{alpha: 1}, inmemory.New(), 4)
	if math.Abs(drawn.PHR.Value-sums.PHR.Value) > .02 || math.Abs(*drawn.MHRSingle-*sums.MHRSingle) > .07 ||
		*sums.MHRSingle != .4 {
		t.Errorf("rates %.4f and %.4f, after true pairs %.4f and %.4f (6 of 8 are red, so blue is below .3)", drawn.PHR.Value,
			sums.PHR.Value, *drawn.MHRSingle, *sums.MHRSingle)
	}
}

// The result is the same bytes at any concurrency, after the waves were broken off, and with a model that always fails
// once all is there.
func TestDrawnSameBytes(t *testing.T) {
	p := byDraws(6, 5, .75, problem(), Problem{Name: "2", Labels: urnLabels, Pairs: problem().Pairs[1:],
		Queries: []Query{{Input: "f"}}, True: problem().Pairs})
	p.Options.Extend, p.AlsoEps = 3, []float64{.05, .3}
	odd := urn{alpha: 1, mangle: func(s int64) bool { return s%5 == 0 }}
	one, _ := ask(t, p, odd, inmemory.New(), 1)
	store := inmemory.New()
	w := p.Resample()
	for range 7 { // part of each of the first waves, and a new walk in between
		calls, err := w.Next(context.Background(), store)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Execute(context.Background(), store, map[string]model.Model{"urn": odd},
			slices.Values(calls[:(len(calls)+1)/2]), run.Options{}); err != nil {
			t.Fatal(err)
		}
		if len(calls) < 4 {
			w = p.Resample()
		}
	}
	other, _ := ask(t, p, odd, store, 8)
	again, err := p.Evaluate(context.Background(), store)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(one)
	for _, r := range []*Result{other, again} {
		if b, _ := json.Marshal(r); string(a) != string(b) {
			t.Errorf("%s\n%s", a, b)
		}
	}
	if one.Redrawn == 0 || one.RedrawnAnswers == 0 || len(one.Missing) > 0 {
		t.Errorf("%d pairs and %d answers drawn again, missing %v", one.Redrawn, one.RedrawnAnswers, one.Missing)
	}
	if one.ByN["2"] == nil || one.ByN["3"].ByEps["5"] == nil || one.ByEps["30"].PHR == nil || one.ByN["3"].N != 2 ||
		one.ByN["2"].MHRSingle == nil {
		t.Errorf("by n %v, by eps %v", one.ByN, one.ByEps)
	}
}

// Another eps reads the same answers as an experiment of that eps alone.
func TestAlsoEps(t *testing.T) {
	store := inmemory.New()
	p := experiment(20, .75, problem())
	p.AlsoEps = []float64{.3}
	both, _ := ask(t, p, urn{alpha: 1}, store, 4)
	p = experiment(20, .3, problem())
	alone, waves := ask(t, p, urn{alpha: 1}, store, 4)
	if waves != 0 || !reflect.DeepEqual(both.ByEps["30"].PHR, alone.PHR) || both.ByEps["30"].Eps != .3 || both.ByN != nil {
		t.Errorf("%d more waves; %+v, want %+v", waves, both.ByEps["30"].PHR, alone.PHR)
	}
}

// What failed once is asked again where that is wanted, each call once.
func TestRetry(t *testing.T) {
	store, p := inmemory.New(), byDraws(4, 3, .75, problem())
	broken := urn{alpha: 1, failing: func(prompt string) bool { return strings.HasSuffix(prompt, "Label:") }}
	r, _ := ask(t, p, broken, store, 2)
	if r.N != 0 || r.Unscored != 2 {
		t.Fatalf("%d scored by a broken model", r.N)
	}
	w := p.Resample()
	w.Retry = true
	waves := 0
	walk(t, w, urn{alpha: 1}, store, store, run.Options{RetryErrors: true}, func([]run.Call) {
		if waves++; waves > 10 {
			t.Fatal("the calls do not end")
		}
	})
	if r := evaluated(t, p, store); r.N != 2 || len(r.Missing) != 0 {
		t.Errorf("%d scored, missing %v", r.N, r.Missing)
	}
}

// A counted counts the keys that are looked up.
type counted struct {
	run.Store
	keys int
}

func (c *counted) Lookup(ctx context.Context, keys []run.Key) (map[run.Key]run.Record, error) {
	c.keys += len(keys)
	return c.Store.Lookup(ctx, keys)
}

// A walk looks each call up a few times, however many waves there are.
func TestResamplingIsLinear(t *testing.T) {
	for _, p := range []*Experiment{experiment(10, .75, problem()), byDraws(5, 4, .75, problem())} {
		p.Options.Extend = 30
		store := &counted{Store: inmemory.New()}
		calls := 0
		walk(t, p.Resample(), urn{alpha: 1}, store, store.Store, run.Options{}, func(wave []run.Call) { calls += len(wave) })
		if calls < 150 || store.keys > 4*calls {
			t.Errorf("%s: %d keys were looked up for %d calls", p.Options.Estimator, store.keys, calls)
		}
	}
}

// Text beyond all bounds is not taken for an answer or a pair.
func TestEndlessText(t *testing.T) {
	p := byDraws(4, 3, .75, problem())
	endless := modeltest.Says("urn", " x\nLabel: "+strings.Repeat("red ", 20_000))
	r, _ := ask(t, p, endless, inmemory.New(), 1)
	if r.N != 0 || len(r.Missing) == 0 || !strings.Contains(r.Missing[0].Reason, "over 64 KiB") {
		t.Errorf("%d scored, missing %v", r.N, r.Missing)
	}
}

// A speller is a model whose answers are of one, two or three tokens of known probability, whatever the context: "a",
// "b c", "d e f".
type speller struct{}

func (speller) Identity() string { return "urn" }

var spelled = []struct {
	text   string
	tokens []float64
}{{" a", []float64{.2}}, {" b c", []float64{.6, .9}}, {" d e f", []float64{.26, 1, 1}}}

func (speller) Generate(_ context.Context, req model.Request) (model.Response, error) {
	var out model.Response
	for _, o := range req.Options {
		for _, s := range spelled {
			if s.text == o {
				var lps []float64
				for _, p := range s.tokens {
					lps = append(lps, math.Log(p))
				}
				out.Options = append(out.Options, model.OptionScore{LogProbs: lps})
			}
		}
	}
	if len(req.Options) > 0 {
		return out, nil
	}
	text := " something\nLabel: a"
	if strings.HasSuffix(req.Prompt, "Label:") {
		x := float64(uint64(*req.Seed)%1000) / 1000
		text = spelled[2].text
		if x < .2 {
			text = spelled[0].text
		} else if x < .74 {
			text = spelled[1].text
		}
	}
	return model.Response{Text: &text}, nil
}

// Answers of several tokens are compared by their mean log-probability per token: "a" has .2, "d e f" .638, "b c" .735.
// Here the whole gives the same order; two texts where it does not are compared at the end.
func TestLongAnswers(t *testing.T) {
	p := byDraws(10, 200, .1, Problem{Name: "1", Pairs: []exact.Pair{{Input: "i", Label: "a"}},
		Queries: []Query{{Input: "j", Gold: "B  c."}}})
	p.MaxLabel = 10
	r := long(t, p)
	if math.Abs(r.ErrorRate.Value-.46) > .05 || r.ErrorRandom != nil || r.OtherMass != nil {
		t.Errorf("error %.4f, want .46: the right answer in other spelling; of a guess %v", r.ErrorRate.Value, r.ErrorRandom)
	}
	if r.PHR.Value != 0 {
		t.Errorf("rate %g: the rarest answer has .2, over eps", r.PHR.Value)
	}
	p.Options.Eps = .3 // the .3 quantile is "d e f", so "a" lies below it
	mean := long(t, p)
	p.Total = true
	whole := long(t, p)
	if math.Abs(mean.PHR.Value-.2) > .03 || mean.PHR.Value != whole.PHR.Value {
		t.Errorf("rates %.4f and %.4f, want .2", mean.PHR.Value, whole.PHR.Value)
	}
	values := func(p *Experiment) []float64 {
		l := logProbs{"short": {math.Log(.3)}, "long": {math.Log(.5), math.Log(.5)}}
		return p.values(l, &samples{texts: []string{"short", "long"}})
	}
	if v := values(p); v[0] < v[1] {
		t.Errorf("the whole: %v", v)
	}
	p.Total = false
	if v := values(p); v[0] > v[1] || math.Abs(v[1]-math.Log(.5)) > 1e-12 {
		t.Errorf("per token: %v", v)
	}
}

func long(t *testing.T, p *Experiment) *Result {
	t.Helper()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	store := inmemory.New()
	walk(t, p.Resample(), speller{}, store, store, run.Options{}, func(calls []run.Call) {
		for _, c := range calls {
			if strings.HasSuffix(c.Request.Prompt, "Label:") && len(c.Request.Options) == 0 &&
				(len(c.Request.Stop) != 1 || c.Request.Stop[0] != "\n" || c.Request.MaxTokens != 10) {
				t.Fatalf("an answer is asked with %+v", c.Request)
			}
		}
	})
	return evaluated(t, p, store)
}
