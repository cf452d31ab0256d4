package sweep

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/text/answer"
)

// caseOf is a case with one answer for each letter; the gold is g.
func caseOf(t testing.TB, id, answers string) *consistency.Case {
	t.Helper()
	c := &consistency.Case{ID: id, Gold: []answer.Form{answer.Value("g")}}
	for i, a := range answers {
		if err := c.Add(i, consistency.Answer{Form: answer.Value(string(a))}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// stageOf has n cases with the same answers.
func stageOf(t testing.TB, name string, sparsity float64, n int, answers string) Stage {
	s := Stage{Name: name, Sparsity: sparsity}
	for i := range n {
		s.Cases = append(s.Cases, caseOf(t, fmt.Sprintf("q%03d", i), answers))
	}
	return s
}

// By hand. Dense, q1: g twice, and three others once: PC .4, 2 of 20 pairs agree: variance ½(1 - .1) = .45, bias² .6
// - .45 = .15. R1, q1: x four times and g once: PC .8, 12 of 20 pairs agree: variance ½(1 - .6) = .2, bias² .8 - .2 =
// .6. On q2 both always say g.
func TestByHand(t *testing.T) {
	dense := Stage{Name: "dense", Cases: []*consistency.Case{caseOf(t, "q1", "gnsgu"), caseOf(t, "q2", "ggggg")}}
	r1 := Stage{Name: "R1", Sparsity: .3, Cases: []*consistency.Case{caseOf(t, "q2", "ggggg"), caseOf(t, "q1", "xxxgx")}}
	dense.PHR, r1.PHR = map[string]float64{"q1": .2, "q2": .4}, map[string]float64{"q1": .1, "q2": .1}
	res, err := Analyze([]Stage{dense, r1}, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	d, s := res.Stages[0], res.Stages[1]
	archtest.IsNear(t, "SS dense", d.SemanticStability.Value, .7, 1e-12)
	archtest.IsNear(t, "SS R1", s.SemanticStability.Value, .9, 1e-12)
	archtest.IsNear(t, "difference", s.Against.SemanticStability.Difference.Value, .2, 1e-12)
	archtest.IsNear(t, "accuracy", s.Accuracy.Value, .6, 1e-12)
	archtest.IsNear(t, "bias² dense", d.BiasSquared.Value, .075, 1e-12)
	archtest.IsNear(t, "variance dense", d.Variance.Value, .225, 1e-12)
	archtest.IsNear(t, "net dense", d.Net.Value, .3, 1e-12)
	archtest.IsNear(t, "bias² R1", s.BiasSquared.Value, .3, 1e-12)
	archtest.IsNear(t, "Δ bias²", s.Against.Decomposition.BiasSquared.Difference.Value, .225, 1e-12)
	archtest.IsNear(t, "Δ variance", s.Against.Decomposition.Variance.Difference.Value, -.125, 1e-12)
	archtest.IsNear(t, "Δ net", s.Against.Decomposition.OtherBeatsBase.Difference.Value, .1, 1e-12)
	archtest.IsNear(t, "PC < .5 dense", d.PCBelowHalf.Value, .5, 1e-12)
	archtest.IsNear(t, "Δ PC < .5", s.Against.PCBelowHalf.Value, -.5, 1e-12)
	archtest.IsNear(t, "Δ PC >= .8", s.Against.PCAtLeast80.Value, .5, 1e-12)
	archtest.IsNear(t, "PHR", d.PHR.Value, .3, 1e-12)
	archtest.IsNear(t, "Δ PHR", s.Against.PHR.Value, -.2, 1e-12)
	if d.Against != nil || d.Regime != "" || s.Regime != consistency.Undecided {
		t.Errorf("regimes %q and %q, against %v", d.Regime, s.Regime, d.Against)
	}
	c := s.Collapsed
	if c.Cases != 1 || c.N != 2 || c.Lost != 1 || len(c.Listed) != 1 || c.Listed[0].ID != "q1" ||
		!c.Listed[0].Dense.Right || c.Listed[0].Stage.Right ||
		fmt.Sprint(c.Listed[0].Dense.Answers, c.Listed[0].Stage.Answers) != "[{g 2} {n 1} {s 1} {u 1}] [{x 4} {g 1}]" {
		t.Errorf("collapsed %+v", c)
	}
	// Of two cases drawn from two, R1 is ahead unless both are q2, one in four, where the stages tie.
	if p := res.Peak; p.Stage != "R1" || p.N != 2 || math.Abs(p.Share-.875) > .02 ||
		fmt.Sprint(p.Optimal) != "[dense R1]" {
		t.Errorf("peak %+v", p)
	}
	archtest.IsNear(t, "shares", d.PeakShare+s.PeakShare, 1, 1e-12)
	if !slices.ContainsFunc(res.Warnings, func(w string) bool {
		return strings.Contains(w, "rest on 2 questions: at least 50")
	}) ||
		!slices.ContainsFunc(res.Warnings, func(w string) bool {
			return strings.Contains(w, "only 5 scored variants: 10 are")
		}) {
		t.Errorf("warnings %q", res.Warnings)
	}
}

// By hand, cases all alike. Dense gggabcdefh: 6 of 90 pairs agree, so variance 42/90 and bias² 63/90 - 42/90 = 21/90.
// ggggxxxxxx: 24/90 and 30/90, so bias² grew by 9/90 and variance fell by 18/90. xxxxxxxxxx: bias² 1 and variance 0.
// abcdefhijk: ½ and ½. gggggggggg: 0 and 0.
func TestRegimes(t *testing.T) {
	const n = 400
	stages := []Stage{
		stageOf(t, "dense", 0, n, "gggabcdefh"), stageOf(t, "R1", .1, n, "ggggxxxxxx"), stageOf(t, "R2", .2, n, "abcdefhijk"),
		stageOf(t, "R3", .3, n, "gggggggggg"), stageOf(t, "R4", .4, n, "xxxxxxxxxx"), stageOf(t, "R5", .5, n, "hgggabcdef"),
	}
	res, err := Analyze(stages, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	var regimes, phases []string
	for i := range res.Stages {
		regime := res.Stages[i].Regime
		phase := regime
		if res.Stages[i].Optimal {
			phase = Optimal
		}
		regimes, phases = append(regimes, regime), append(phases, phase)
	}
	if got, want := fmt.Sprint(regimes),
		"[ variance_dominated both_worse both_better bias_dominated undecided]"; got != want {
		t.Errorf("regimes %v, want %v", got, want)
	}
	// R3 and R4 are both wholly stable, one right and one wrong: both are green.
	if got, want := fmt.Sprint(phases), "[ variance_dominated both_worse optimal optimal undecided]"; got != want {
		t.Errorf("phases %v, want %v", got, want)
	}
	if p := res.Peak; p.Stage != "R3" || p.Share != .5 || res.Stages[4].PeakShare != .5 {
		t.Errorf("of two equal stages the first is the peak, and they part the resamples: %+v", p)
	}
	if c := res.Stages[4].Collapsed; c.Cases != n || c.Lost != n || len(c.Listed) != 20 {
		t.Errorf("collapsed %d, lost %d, listed %d", c.Cases, c.Lost, len(c.Listed))
	}
	if c := res.Stages[3].Collapsed; c.Cases != 0 || len(c.Listed) != 0 {
		t.Errorf("right answers collapsed: %+v", c)
	}
}

func TestSameBytesAndBadArguments(t *testing.T) {
	stages := []Stage{stageOf(t, "dense", 0, 9, "ggab"), stageOf(t, "R1", .1, 9, "gxxx"), stageOf(t, "R2", .2, 9, "xxxx")}
	marshal := func() string {
		res, err := Analyze(stages, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if a, b := marshal(), marshal(); a != b {
		t.Error("equal arguments give other bytes")
	}
	if _, err := Analyze(stages[:1], DefaultOptions()); err == nil {
		t.Error("a sweep of one model passed")
	}
	twice := stages[0]
	twice.Cases = append(slices.Clone(twice.Cases), twice.Cases[0])
	if _, err := Analyze([]Stage{twice, stages[1]}, DefaultOptions()); err == nil ||
		!strings.Contains(err.Error(), "stage dense") {
		t.Errorf("an id twice: %v", err)
	}
	// Nothing asked, and nothing shared.
	res, err := Analyze([]Stage{{Name: "dense"}, {Name: "R1", Sparsity: .5}}, DefaultOptions())
	if err != nil || res.Peak != nil || res.Stages[1].SemanticStability != nil {
		t.Errorf("of nothing: %+v, %v", res, err)
	}
	res, err = Analyze([]Stage{stageOf(t, "dense", 0, 2, "gg"),
		{Name: "R1", Sparsity: .5, Cases: []*consistency.Case{caseOf(t, "other", "gg")}}}, DefaultOptions())
	if err != nil || res.Peak != nil || res.Stages[1].Against.N != 0 {
		t.Errorf("of nothing shared: %+v, %v", res, err)
	}
}

// Without gold there is stability and no regime.
func TestWithoutGold(t *testing.T) {
	stages := []Stage{stageOf(t, "dense", 0, 3, "abc"), stageOf(t, "R1", .1, 3, "aaa")}
	for _, s := range stages {
		for _, c := range s.Cases {
			c.Gold = nil
		}
	}
	res, err := Analyze(stages, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if s := res.Stages[1]; s.Regime != "" || s.Accuracy != nil || s.Collapsed != nil || res.Peak.Stage != "R1" {
		t.Errorf("%+v", s)
	}
	if !slices.ContainsFunc(res.Warnings, func(w string) bool {
		return strings.Contains(w, "what is stable may be wrong")
	}) {
		t.Errorf("warnings %q", res.Warnings)
	}
}

// What collapsed onto a decline asserts nothing: it is counted apart, and stands after what asserts.
func TestCollapsedOntoDeclining(t *testing.T) {
	stages := []Stage{stageOf(t, "dense", 0, 2, "ggab"),
		{Name: "R1", Sparsity: .1, Cases: []*consistency.Case{{ID: "q000", Gold: []answer.Form{answer.Value("g")}},
			caseOf(t, "q001", "xxxg")}}}
	for i := range 4 {
		if err := stages[1].Cases[0].Add(i, consistency.Answer{Form: answer.Declined}); err != nil {
			t.Fatal(err)
		}
	}
	res, err := Analyze(stages, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	c := res.Stages[1].Collapsed
	if c.Cases != 2 || c.Lost != 2 || c.Declined != 1 || c.Listed[0].ID != "q001" || c.Listed[0].Stage.Decline ||
		!c.Listed[1].Stage.Decline {
		t.Errorf("%+v", c)
	}
}

// A long answer is cut, and so is the list of answers.
func TestVotesAreBounded(t *testing.T) {
	c := &consistency.Case{ID: "q", Gold: []answer.Form{answer.Value("g")}}
	d := &consistency.Case{ID: "q", Gold: []answer.Form{answer.Value("g")}}
	for i := range 30 {
		form := "same"
		if i > 12 {
			form = strings.Repeat("é", 1000) + fmt.Sprint(i)
		}
		if err := c.Add(i, consistency.Answer{Form: answer.Value(form)}); err != nil {
			t.Fatal(err)
		}
		if err := d.Add(i, consistency.Answer{Form: answer.Value(fmt.Sprint(i))}); err != nil {
			t.Fatal(err)
		}
	}
	res, err := Analyze([]Stage{{Name: "dense", Cases: []*consistency.Case{d}},
		{Name: "R1", Sparsity: .1, Cases: []*consistency.Case{c}}}, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	v := res.Stages[1].Collapsed.Listed[0].Stage
	if len(v.Answers) != 10 || v.Others != 8 || len([]rune(v.Answers[1].Answer)) != 201 {
		t.Errorf("%d answers, %d others, %d characters", len(v.Answers), v.Others, len([]rune(v.Answers[1].Answer)))
	}
}
