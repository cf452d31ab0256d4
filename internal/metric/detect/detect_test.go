package detect

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hallmark/internal/archtest"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/seed"
	"hallmark/internal/model"
)

// By hand: perplexities 2 and 4 give p = (1/2, 1/4)/(3/4) = (2/3, 1/3); as published (1/3, 2/3), the same entropy of
// two options; of three, 1, 2 and 2: p = (1/2, 1/4, 1/4) and (1/5, 2/5, 2/5).
func TestScoresByHand(t *testing.T) {
	h := func(ps ...float64) (nats float64) {
		for _, p := range ps {
			nats -= p * math.Log(p)
		}
		return nats
	}
	lp := func(p float64) *float64 { x := math.Log(p); return &x }
	for _, c := range []struct {
		name string
		got  func() (float64, bool)
		want float64
		ok   bool
	}{
		{"perplexity", func() (float64, bool) { return PerplexityOf([]float64{math.Log(.5), math.Log(.125)}) }, 4, true},
		{"perplexity of nothing", func() (float64, bool) { return PerplexityOf(nil) }, 0, false},
		{"perplexity of the impossible", func() (float64, bool) { return PerplexityOf([]float64{math.Inf(-1)}) }, 0, false},
		{"entropy of two", func() (float64, bool) { return EntropyOf([]float64{2, 4}) }, h(2./3, 1./3), true},
		{"published of two", func() (float64, bool) { return EntropyOfPublished([]float64{2, 4}) }, h(2./3, 1./3), true},
		{"entropy of three", func() (float64, bool) { return EntropyOf([]float64{1, 2, 2}) }, h(.5, .25, .25), true},
		{"published of three", func() (float64, bool) { return EntropyOfPublished([]float64{1, 2, 2}) }, h(.2, .4, .4), true},
		{"entropy with an impossible option", func() (float64, bool) {
			return EntropyOf([]float64{2, math.Inf(1), 2})
		}, math.Log(2), true},
		{"published with an impossible option", func() (float64, bool) {
			return EntropyOfPublished([]float64{2, math.Inf(1)})
		}, 0, false},
		{"entropy of the impossible", func() (float64, bool) { return EntropyOf([]float64{math.Inf(1)}) }, 0, false},
		{"doubt", func() (float64, bool) { return DoubtOf(.3, .1) }, .25, true},
		{"no doubt without either", func() (float64, bool) { return DoubtOf(0, 0) }, 0, false},
		{"disagreement", func() (float64, bool) { return DisagreementOf("a", []string{"a", "b", "a", "c"}) }, .5, true},
		{"disagreement without draws", func() (float64, bool) { return DisagreementOf("a", nil) }, 0, false},
		{"token entropy", func() (float64, bool) {
			return TokenEntropyOf([]model.Token{
				{Top: []model.TopToken{{LogProb: math.Log(.5)}, {LogProb: math.Log(.25)}}}, // a rest of 1/4
				{Top: []model.TopToken{{LogProb: 0}}},
			})
		}, h(.5, .25, .25) / 2, true},
		{"token entropy without alternatives", func() (float64, bool) {
			return TokenEntropyOf([]model.Token{{LogProb: lp(.5)}})
		}, 0, false},
	} {
		if got, ok := c.got(); ok != c.ok || ok && !archtest.Near(got, c.want, 1e-12) {
			t.Errorf("%s: %v %v, want %v %v", c.name, got, ok, c.want, c.ok)
		}
	}
	if got := SurprisalOf(.25); got != .75 {
		t.Errorf("surprisal %v", got)
	}
}

// Whatever the perplexities, the entropies lie in [0, ln n], and the order of the options is no matter but for the last
// bits.
func TestEntropyProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ppl := rapid.SliceOfN(rapid.Float64Range(1, 1e6), 1, 8).Draw(t, "ppl")
		for _, f := range []func([]float64) (float64, bool){EntropyOf, EntropyOfPublished} {
			e, ok := f(ppl)
			if !ok || e < 0 || e > math.Log(float64(len(ppl)))+1e-12 {
				t.Fatalf("entropy %v of %d options", e, len(ppl))
			}
			if back, _ := f(rapid.Permutation(ppl).Draw(t, "order")); !(math.Abs(back-e) < 1e-9) {
				t.Fatalf("%v and, in another order, %v", e, back)
			}
		}
	})
}

// Two models by hand: m1's wrong answers score 3 and 4, its right ones 1 and 2 (AUROC 1, difference 2); m2's 1 and 5, 5
// and 2 (AUROC: 1 loses to both, 5 ties and wins: 1.5/4; difference 3 - 3.5). Signed ranks: 2 has rank 2, -.5 rank 1; W
// = 2 of 3, p = 2 P(W <= 1) = 2·2/4 = 1.
func TestModelsByHand(t *testing.T) {
	table, skipped, _, err := Read([]inputfile.Input{{Name: "a.jsonl", Reader: strings.NewReader(`
{"model": "m1", "id": "a", "detector": "d", "score": 3, "correct": false, "consistent": true}
{"model": "m1", "id": "b", "detector": "d", "score": 4, "correct": false}
{"model": "m1", "id": "c", "detector": "d", "score": 1, "correct": true, "more": [1]}
{"model": "m1", "id": "d", "detector": "d", "score": 2, "correct": true}
{"model": "m1", "id": "e", "detector": "d", "score": null, "correct": true}
{"model": "m1", "id": "f", "detector": "d", "score": 9}
`)}, {Name: "b.jsonl", Reader: strings.NewReader(`{"model": "m2", "id": "a", "detector": "d", "score": 1, "correct": false}
{"model": "m2", "id": "b", "detector": "d", "score": 5, "correct": false}
{"model": "m2", "id": "c", "detector": "d", "score": 5, "correct": true}
{"model": "m2", "id": "d", "detector": "d", "score": 2, "correct": true}`)}}, Contrast{}, false)
	if err != nil || skipped != 0 {
		t.Fatal(err, skipped)
	}
	r := table.Analyze(.95)
	c := r.Detectors["d"].Correctness
	if r.N != 9 || r.Unscored != 1 || r.Models != 2 || c.Models != 2 || c.Zeros != 0 || !c.Exact || c.Higher != 1 ||
		*c.P != 1 || *c.PHolm != 1 {
		t.Errorf("%+v, correctness %+v", r, c)
	}
	if a, b := c.AUROC["m1"], c.AUROC["m2"]; a.Value != 1 || b.Value != .375 || !(b.Lo < .375 && .375 < b.Hi) {
		t.Errorf("AUROC %+v and %+v", a, b)
	}
	if x := c.Classes["m2"]; x.Failing != 2 || x.Passing != 2 || *x.MeanFailing != 3 || *x.MeanPassing != 3.5 ||
		*x.Difference != -.5 {
		t.Errorf("classes %+v", x)
	}
	if k := r.Detectors["d"].Consistency; k.P != nil || k.Models != 0 || k.AUROC["m1"] != nil || len(k.Warnings) == 0 {
		t.Errorf("consistency %+v", k)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

// Scores that are all equal differ by exactly 0, which the test drops: rounding makes no difference of them.
func TestEqualScoresAreZeros(t *testing.T) {
	var table Table
	for m := range 3 {
		for i := range 50 {
			correct, x := i%3 == 0, .1
			if err := table.Add(Score{Model: fmt.Sprint(m), ID: fmt.Sprint(i), Detector: "d", Value: &x, Correct: &correct},
				Place{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := table.Analyze(.95).Detectors["d"].Correctness
	if c.Zeros != 3 || *c.P != 1 || c.AUROC["0"].Value != .5 {
		t.Errorf("%+v", c)
	}
}

// The published pattern of 16 models: the fifteen p values that are exact signed-rank p of 16 differences come out of
// rows of scores, not of differences only. Two cases for each model, one of each class, have the difference of the
// wanted sign and rank.
// Source: Figure 4 of arXiv:2602.00723; the values of W by hand.
func TestPublishedTable(t *testing.T) {
	for w, want := range map[int]float64{0: .00003, 1: .00006, 3: .00015, 5: .00031, 7: .00058, 13: .00269, 14: .00336,
		25: .02496, 28: .03864,
		31: .05768, 32: .06540, 44: .23120, 51: .40375, 62: .78195, 65: .89993} {
		var table Table
		left := w
		for rank := 16; rank >= 1; rank-- {
			d := -float64(rank)
			if rank <= left {
				d, left = float64(rank), left-rank
			}
			for _, correct := range []bool{true, false} {
				x := 100.
				if !correct {
					x += d
				}
				if err := table.Add(Score{Model: fmt.Sprint("m", rank), ID: fmt.Sprint(correct), Detector: "perplexity", Value: &x,
					Correct: &correct}, Place{}); err != nil {
					t.Fatal(err)
				}
			}
		}
		got := table.Analyze(.95).Detectors["perplexity"].Correctness
		if math.Abs(*got.P-want) > .000005 || got.Models != 16 || !got.Exact {
			t.Errorf("W = %d: p = %v, want %v", w, *got.P, want)
		}
	}
}

// A detector that sees consistency only is found to: over 200 draws of 8 models with 150 cases, scores that move with
// inconsistency give p below .05 on that axis nearly always, and on correctness, which is independent of it, in about
// one of twenty.
func TestSimulatedDetector(t *testing.T) {
	const draws = 200
	var rejected [2]int
	for n := range draws {
		var table Table
		r := seed.Stream(3, "detector", fmt.Sprint(n))
		for m := range 8 {
			for i := range 150 {
				correct, consistent := r.Float64() < .6, r.Float64() < .7
				x := r.NormFloat64()
				if !consistent {
					x++
				}
				if err := table.Add(Score{Model: fmt.Sprint(m), ID: fmt.Sprint(i), Detector: "d", Value: &x, Correct: &correct,
					Consistent: &consistent}, Place{}); err != nil {
					t.Fatal(err)
				}
			}
		}
		d := table.Analyze(.95).Detectors["d"]
		for i, x := range []*Test{d.Correctness, d.Consistency} {
			if *x.P < .05 {
				rejected[i]++
			}
		}
	}
	// The largest p below .05 of 8 differences is .0390625, so .039 of 200 is 7.8, with a standard error of 2.7.
	if rejected[0] > 17 || rejected[1] < 198 {
		t.Errorf("p below .05 in %d of %d draws on correctness, in %d on consistency", rejected[0], draws, rejected[1])
	}
}

func TestBadRows(t *testing.T) {
	const good = `{"model": "m", "id": "a", "detector": "d", "score": 1, "correct": true}` + "\n"
	for _, c := range []struct{ rows, want string }{
		{`{"id": "a", "detector": "d", "score": 1}`, `x.jsonl:1: model is missing; want {"model"`},
		{`{"model": "m", "id": "", "detector": "d", "score": 1}`, `x.jsonl:1: id is missing`},
		{good + `{"model": "m", "id": "b", "score": 1}`, `x.jsonl:2: detector is missing`},
		{good + "\n" + `{"model": "m", "id": "b", "detector": "d"}`, `x.jsonl:3: score is missing`},
		{good + `{"model": "m", "id": "b", "detector": "d", "score": "high"}`, `x.jsonl:2: score "high" is no number up to`},
		{good + `{"model": "m", "id": "b", "detector": "d", "score": 1e999}`, `x.jsonl:2: score 1e999 is no number up to`},
		{good + `{"model": "m", "id": "b", "detector": "d", "score": 1, "correct": "yes"}`,
			`x.jsonl:2: field "correct" is a string`},
		{good + `{"model": "m", "id": "a", "detector": "e", "score": 1, "correct": false}`,
			`x.jsonl:2: model "m", id "a": "correct" is another than at x.jsonl:1`},
		{good + `{"model": "m", "id": "b", "detector": "d", "score": 1}` + "\n" + good,
			`x.jsonl:3: model "m" has a score of detector "d" for this id already, at x.jsonl:1`},
		{"[1]", "x.jsonl:1: want a JSON object"},
		{"", "x.jsonl: no rows"},
	} {
		_, _, _, err := Read([]inputfile.Input{{Name: "x.jsonl", Reader: strings.NewReader(c.rows)}}, Contrast{}, false)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q:\n%v\nwant %s", c.rows, err, c.want)
		}
		if c.rows == "" {
			continue
		}
		table, skipped, reasons, err := Read([]inputfile.Input{{Name: "x.jsonl", Reader: strings.NewReader(c.rows)}},
			Contrast{}, true)
		if err != nil || skipped != 1 || len(reasons) != 1 || !strings.Contains(reasons[0], c.want) {
			t.Errorf("%q: %d skipped, %q, %v", c.rows, skipped, reasons, err)
		} else if r := table.Analyze(.95); r.N > 2 {
			t.Errorf("%q: n %d", c.rows, r.N)
		}
	}
}

// No input makes the reader panic, and what it takes can be analyzed and written.
func FuzzRead(f *testing.F) {
	f.Add(`{"model": "m", "id": "a", "detector": "d", "score": 1, "correct": true}` + "\n" +
		`{"model": "m", "id": "b", "detector": "d", "score": -2, "correct": false, "consistent": null}`)
	f.Add(`{"model": "m", "id": "a", "detector": "d", "score": null}`)
	f.Add(`{"model": "m", "id": "a", "detector": "d", "score": 1e308, "correct": true}` + "\n" +
		`{"model": "m", "id": "b", "detector": "d", "score": -1e308, "correct": true}`)
	f.Add("{}\n\xff")
	f.Fuzz(func(t *testing.T, rows string) {
		table, _, _, err := Read([]inputfile.Input{{Name: "x", Reader: strings.NewReader(rows)}}, Contrast{"x", "y"}, true)
		if err != nil {
			return
		}
		if _, err := json.Marshal(table.Analyze(.95)); err != nil {
			t.Fatal(err)
		}
	})
}

// Two tags set against each other: the coins score 3 and 1, the known 1 and 2, and what is of both or of none is left
// out.
func TestContrast(t *testing.T) {
	rows := `{"model": "m", "id": "a", "detector": "d", "score": 3, "tags": ["coin", "x"]}
{"model": "m", "id": "b", "detector": "d", "score": 1, "tags": ["coin"]}
{"model": "m", "id": "c", "detector": "d", "score": 1, "tags": ["known"]}
{"model": "m", "id": "d", "detector": "d", "score": 2, "tags": ["known"]}
{"model": "m", "id": "e", "detector": "d", "score": 9, "tags": ["known", "coin"]}
{"model": "m", "id": "f", "detector": "d", "score": 9}`
	table, _, _, err := Read([]inputfile.Input{{Name: "x", Reader: strings.NewReader(rows)}}, Contrast{"coin", "known"},
		false)
	if err != nil {
		t.Fatal(err)
	}
	c := table.Analyze(.95).Detectors["d"].Contrast
	if x := c.Classes["m"]; x.Failing != 2 || x.Passing != 2 || *x.Difference != .5 || c.AUROC["m"].Value != .625 {
		t.Errorf("%+v %+v", x, c.AUROC["m"])
	}
	table, _, _, err = Read([]inputfile.Input{{Name: "x", Reader: strings.NewReader(rows)}}, Contrast{}, false)
	if err != nil || table.Analyze(.95).Detectors["d"].Contrast != nil {
		t.Error("a contrast that nobody asked for", err)
	}
}
