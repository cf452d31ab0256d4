package rate

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/grade"
	"hallmark/internal/stat"
	"hallmark/internal/suite"

	"pgregory.net/rapid"
)

// row makes a row from verdicts on truth, decidability, reciprocity and format as P, F, U, - and n.
func row(id, class, verdicts string, kind grade.Kind) Row {
	v := func(i int) grade.Judgment {
		return grade.Judgment{Verdict: map[byte]grade.Verdict{'P': grade.Pass, 'F': grade.Fail, 'U': grade.Ungradable,
			'-': grade.Unscored, 'n': grade.NotApplicable}[verdicts[i]], Rule: "test"}
	}
	act := grade.Answered
	switch {
	case verdicts[0] == 'U':
		act = grade.Unreadable
	case kind == grade.OverRefusal:
		act = grade.Declined
	case kind == grade.Undecided:
		act = grade.Hedged
	}
	return Row{CaseID: id, Class: class, Domain: "civic", Tags: []string{"calc", "mine"}, Weights: suite.DefaultWeights,
		Answerable: true, HasFormat: verdicts[3] != 'n',
		Grade: &grade.Grade{Truth: v(0), Decidability: v(1), Reciprocity: v(2), Format: v(3), Kind: kind, Act: act,
			Grader: "rules"}}
}

// ten are ten rows whose figures are counted by hand: of 8 with H scored, 3 hallucinate; one cannot be graded, one did
// not come back.
func ten() []Row {
	return []Row{
		row("a", "x", "PPPn", ""), row("b", "x", "PPPP", ""), row("c", "x", "FPPF", grade.Commission),
		row("d", "x", "FFPn", grade.OverRefusal), row("e", "y", "UUPn", ""),
		row("f", "y", "PPFn", grade.Commission), row("g", "y", "PPPn", ""), row("h", "y", "---n", ""),
		row("i", "", "PPPP", ""), row("j", "", "PPPF", ""),
	}
}

// TestAnalyze compares with counts by hand; the Wilson bounds of 3/8 are by hand from METHODS 2 with z = 1.959964:
// centre (3/8 + .240091)/1.480182 = 0.415551, half-width (1.959964/1.480182) sqrt(.234375/8 + .015007) = 0.278707.
func TestAnalyze(t *testing.T) {
	r := Analyze(ten(), Options{})
	if r.N != 8 || r.Unscored != 1 || r.Ungradable != 1 || r.Outcomes.N != 9 {
		t.Errorf("n %d, unscored %d, unread %d", r.N, r.Unscored, r.Ungradable)
	}
	if s := r.UngradableShare; s == nil ||
		!archtest.Near(s.Value, 1./9, 5e-7) { // one of the nine answers that came back
		t.Errorf("unread share %+v", s)
	}
	for _, c := range []struct {
		name string
		got  float64
		want float64
	}{
		{"H", r.Hallucination.Value, 3. / 8}, {"e_T", r.TruthError.Value, 2. / 8},
		{"e_D", r.DecidabilityError.Value, 1. / 8}, {"e_R", r.ReciprocityError.Value, 1. / 9},
		{"commission", r.Commission.Value, 2. / 8}, {"over-refusal", r.OverRefusal.Value, 1. / 8},
		{"undecided", r.Undecided.Value, 0},
		{"errors per case", *r.ErrorsPerCase, 2./8 + 1./8 + 1./9},
		// S over the eight rows with truth read: 5 of 1, .40 (c), .15 (d), .85 (f).
		{"S", r.WeightedQuality.Value, (5 + .4 + .15 + .85) / 8},
		{"1 - S", r.WeightedHallucination.Value, 1 - (5+.4+.15+.85)/8},
		{"F", r.FormatCompliance.Value, 2. / 4}, {"H of x", r.ByClass["x"].Hallucination.Value, 2. / 4},
		{"H of y", r.ByClass["y"].Hallucination.Value, 1. / 2},
		{"lo", r.Hallucination.Lo, 0.136844}, {"hi", r.Hallucination.Hi, 0.694258},
	} {
		if !archtest.Near(c.got, c.want, 5e-7) {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
	if len(r.ByClass) != 2 || len(r.ByDomain) != 1 || len(r.ByTag) != 2 || r.ByTag["mine"].N != 8 {
		t.Errorf("groups: %d classes, %d domains, %d tags", len(r.ByClass), len(r.ByDomain), len(r.ByTag))
	}
}

// TestWilsonOfNone checks the vector of METHODS 2: 0/10 gives [0, .277533].
func TestWilsonOfNone(t *testing.T) {
	var rows []Row
	for i := range 10 {
		rows = append(rows, row(fmt.Sprint(i), "x", "PPPn", ""))
	}
	h := Analyze(rows, Options{}).Hallucination
	if h.Value != 0 || h.Lo != 0 || !archtest.Near(h.Hi, .277533, 5e-7) {
		t.Errorf("0/10 gives %+v", h)
	}
}

func TestNothingIsNull(t *testing.T) {
	b, err := json.Marshal(Analyze([]Row{row("a", "x", "---n", "")}, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"n":0`, `"hallucination":null`, `"weighted_quality":null`, `"errors_per_case":null`,
		`"format_compliance":null`, `"unscored":1`, `"warnings":["no answer came back that could be scored"]`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s is not in %s", want, b)
		}
	}
}

func TestGating(t *testing.T) {
	r := row("a", "x", "PPPF", grade.Commission)
	if got := Analyze([]Row{r}, Options{}).Hallucination.Value; got != 0 {
		t.Errorf("format flips H without gating: %v", got)
	}
	r.Gates = true
	if got := Analyze([]Row{r}, Options{}).Hallucination.Value; got != 1 {
		t.Errorf("format does not flip H under gating: %v", got)
	}
}

func draw(t *rapid.T) []Row {
	var rows []Row
	for i, n := 0, rapid.IntRange(1, 30).Draw(t, "n"); i < n; i++ {
		v := rapid.SampledFrom([]string{"PPPn", "FPPP", "FFPF", "UUPn", "UUFn", "PFPn", "PPFP", "---n", "FFFF",
			"P-Pn"}).Draw(t, "verdicts")
		k := grade.None
		if strings.Contains(v[:3], "F") {
			k = rapid.SampledFrom([]grade.Kind{grade.Commission, grade.OverRefusal, grade.Undecided}).Draw(t, "kind")
		}
		rows = append(rows, row(fmt.Sprint("c", i), rapid.SampledFrom([]string{"x", "y", ""}).Draw(t, "class"), v, k))
	}
	return rows
}

// TestProperties: the kinds partition H; the order of rows moves no byte; every interval holds its rate.
func TestProperties(t *testing.T) {
	archtest.Checks(t, 25)
	rapid.Check(t, func(t *rapid.T) {
		rows := draw(t)
		r := Analyze(rows, Options{Variants: rows})
		if r.Hallucination != nil {
			if sum := r.Commission.Value + r.OverRefusal.Value + r.Undecided.Value; !archtest.Near(sum, r.Hallucination.Value, 5e-7) {
				t.Fatalf("kinds sum to %v, H is %v", sum, r.Hallucination.Value)
			}
			if h := r.Hallucination; h.Value < h.Lo || h.Value > h.Hi {
				t.Fatalf("%+v", h)
			}
			// With one variant each the second figure is the first.
			if !archtest.Near(r.OverVariants.Hallucination.Value, r.Hallucination.Value, 5e-7) {
				t.Fatalf("over variants %v, H %v", r.OverVariants.Hallucination.Value, r.Hallucination.Value)
			}
		}
		ungradable := 0 // and R does not fail either, so that H cannot be graded
		for i := range rows {
			ungradable += int(stat.Bit(rows[i].Grade.Truth.Verdict == grade.Ungradable &&
				rows[i].Grade.Reciprocity.Verdict != grade.Fail))
		}
		if r.N+r.Unscored+ungradable != len(rows) {
			t.Fatalf("%d + %d + %d of %d rows", r.N, r.Unscored, ungradable, len(rows))
		}
		checkOutcomes(t, r.Outcomes, rows)
		a, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		shuffled := append([]Row{}, rows...)
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) {
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		})
		b, _ := json.Marshal(Analyze(shuffled, Options{Variants: shuffled}))
		if string(a) != string(b) {
			t.Fatalf("order matters:\n%s\n%s", a, b)
		}
		other := draw(t)
		c := Compare(rows, other, Options{})
		total := 0
		for _, to := range c.Transitions {
			for _, n := range to {
				total += n
			}
		}
		if total != min(len(rows), len(other)) || c.N+c.Unscored+c.Ungradable != total {
			t.Fatalf("%d transitions, n %d, unscored %d, ungradable %d", total, c.N, c.Unscored, c.Ungradable)
		}
		if c.McNemarP <= 0 || c.McNemarP > 1 {
			t.Fatalf("p = %v", c.McNemarP)
		}
		if _, err := json.Marshal(c); err != nil {
			t.Fatal(err)
		}
	})
}

// TestCompare is the source's example: 25 % of errors to 5 % is a reduction of 80 %. By hand: of 100 cases base fails
// 25, other 5, all among the 25, so b = 20, c = 0 and p = 2/2^20.
func TestCompare(t *testing.T) {
	var base, other []Row
	for i := range 100 {
		v := func(fails bool) (string, grade.Kind) {
			if fails {
				return "FPPn", grade.Commission
			}
			return "PPPn", ""
		}
		id := fmt.Sprintf("c%03d", i)
		b, kb := v(i < 25)
		o, ko := v(i < 5)
		base, other = append(base, row(id, "x", b, kb)), append(other, row(id, "x", o, ko))
	}
	c := Compare(base, other, Options{})
	if c.N != 100 || !archtest.Near(c.Reduction.Hallucination.Value, .8, 5e-7) ||
		!archtest.Near(c.Reduction.TruthError.Value, .8, 5e-7) ||
		!archtest.Near(c.CommissionReduction.Value, .8, 5e-7) ||
		!archtest.Near(c.Reduction.QualityLoss.Value, .8, 5e-7) {
		t.Errorf("n %d, reductions %+v", c.N, c.Reduction)
	}
	if c.OnlyBaseFailed != 20 || c.OnlyOtherFailed != 0 || math.Abs(c.McNemarP-2/math.Pow(2, 20)) > 1e-12 {
		t.Errorf("%d and %d discordant, p %v", c.OnlyBaseFailed, c.OnlyOtherFailed, c.McNemarP)
	}
	if c.Reduction.DecidabilityError != nil || !strings.Contains(strings.Join(c.Warnings, "\n"),
		"decidability_error: the base is 0") {
		t.Errorf("a base of 0: %+v, %q", c.Reduction.DecidabilityError, c.Warnings)
	}
	if !archtest.Near(c.QualityDifference.Value, .2*.6, 5e-7) || c.Transitions["commission"]["pass"] != 20 ||
		c.Transitions["pass"]["pass"] != 75 || c.Transitions["commission"]["commission"] != 5 {
		t.Errorf("difference %+v, transitions %v", c.QualityDifference, c.Transitions)
	}
	if x := c.ByClass["x"]; x.N != 100 || x.McNemarPHolm != c.McNemarP || x.OnlyBaseFailed != 20 {
		t.Errorf("class x: %+v", x)
	}
}

// A rate over variants weighs cases alike: of one case one answer came back and failed, of the other two did of which
// one failed.
func TestCasesWeighTheSame(t *testing.T) {
	a, b, c := row("a", "x", "FPPn", grade.Commission), row("b", "x", "FPPn", grade.Commission),
		row("b", "x", "PPPn", grade.None)
	r := Analyze([]Row{a, b}, Options{Variants: []Row{a, b, c}}).OverVariants
	if r.Answers != 3 || !archtest.Near(r.Hallucination.Value, .75, 5e-7) ||
		!archtest.Near(r.WeightedQuality.Value, (.4+.7)/2, 5e-7) {
		t.Errorf("%+v: H %v, S %v", r, r.Hallucination, r.WeightedQuality)
	}
	u := row("b", "x", "UUPn", "") // two of eleven answers, with a share of .1
	if r := Analyze([]Row{a, b}, Options{Variants: []Row{a, b, b, b, b, b, b, b, b, u,
		u}}).OverVariants; r.Ungradable != 2 || !archtest.Near(r.UngradableShare.Value, .1, 5e-7) {
		t.Errorf("%d ungradable answers, a share of %v", r.Ungradable, r.UngradableShare)
	}
}

// TestMeansOfManyTags: where tags are many, most hold the same values, and the interval of a mean is made once for
// these.
func TestMeansOfManyTags(t *testing.T) {
	var rows []*Row
	for i := range 50 {
		r := row(fmt.Sprintf("c%02d", i), "x", []string{"PPPn", "FPPn"}[i%2], grade.None)
		r.Tags = nil
		for k := range 100 {
			r.Tags = append(r.Tags, fmt.Sprintf("t%d", i*100+k))
		}
		rows = append(rows, &r)
	}
	known := means{}
	groups := by(rows, .95, known, ofTags)
	if len(groups) != 5000 || len(known) != 2 {
		t.Errorf("%d means of %d groups", len(known), len(groups))
	}
	for _, tag := range []string{"t0", "t100", "t4900"} {
		if got, want := groups[tag], group(tagged(rows, tag), .95, means{}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", tag, got, want)
		}
	}
}

// tagged returns the rows with a tag.
func tagged(rows []*Row, tag string) (some []*Row) {
	for _, r := range rows {
		if slices.Contains(r.Tags, tag) {
			some = append(some, r)
		}
	}
	return some
}

// TestQuality is S = .60 T + .25 D + .15 R, by hand.
func TestQuality(t *testing.T) {
	for _, c := range []struct {
		verdicts string
		want     float64
		ok       bool
	}{
		{"PPPF", 1, true}, {"FPPP", .4, true}, {"PFPP", .75, true}, {"PPFP", .85, true}, {"FFPP", .15, true},
		{"FFFP", 0, true},
		{"UFPP", 0, false}, {"P-PP", 0, false}, {"nPPP", 0, false},
	} {
		r := row("", "", c.verdicts, grade.None)
		r.Weights = suite.Weights{Truth: .6, Decidability: .25, Reciprocity: .15}
		if s, ok := r.Quality(); math.Abs(s-c.want) > 1e-12 || ok != c.ok {
			t.Errorf("%s: %v, %v; want %v, %v", c.verdicts, s, ok, c.want, c.ok)
		}
	}
}
