package rate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/grade"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/grading"
)

// A twoRuns is two runs whose truth is known, read by one grader: a share of the cases is as hard for one model as for
// the other.
type twoRuns struct {
	n, labels   int
	base, other float64 // the true rates of wrong answers
	alike       float64 // of the cases whose two answers are wrong together as far as the rates allow
	fw, fr      float64 // of right answers read as wrong, and of wrong ones read as right
	open        float64 // of the answers that cannot be graded
	together    bool    // misread cases are misread in both runs
	missing     float64 // of the sample, that raters could not tell
	ownSamples  bool    // labels are of half of the cases, other ones in each run
	wrongIsOpen bool    // wrong answers are open three times as often
}

func (w twoRuns) String() string {
	return fmt.Sprintf("n %d, labels %d, rates %.2f and %.2f, fw %.2f, fr %.2f, together %v", w.n, w.labels, w.base,
		w.other, w.fw, w.fr, w.together)
}

// draw returns the two runs, labelled.
func (w twoRuns) draw(r *rand.Rand) (base, other []Row) {
	inSample := map[string]bool{}
	var ids []string
	for i := range w.n {
		ids = append(ids, fmt.Sprintf("c%04d", i))
	}
	for _, id := range Common(ids)[:w.labels] {
		inSample[id] = r.Float64() >= w.missing
	}
	said := map[bool]grade.Outcome{true: grade.Incorrect, false: grade.Correct}
	for _, id := range ids {
		u, v := r.Float64(), r.Float64()
		if r.Float64() < w.alike {
			v = u
		}
		slip := r.Float64()
		make := func(wrong bool) Row {
			s := slip
			if !w.together {
				s = r.Float64()
			}
			read := wrong
			if wrong && s < w.fr || !wrong && s < w.fw {
				read = !wrong
			}
			open := w.open
			if w.wrongIsOpen && wrong {
				open *= 3
			}
			o := byte('c')
			switch {
			case r.Float64() < open:
				o = 'u'
			case read:
				o = 'i'
			}
			row := outcomeRow(id, o, fmt.Sprint(r.Uint64()))
			if w.ownSamples && r.Float64() < .5 || !w.ownSamples && inSample[id] {
				row.Label = said[wrong]
			}
			return row
		}
		base, other = append(base, make(u < w.base)), append(other, make(v < w.other))
	}
	return base, other
}

// covered returns how often the interval of the corrected difference holds that of the rates, and of how many runs
// raters could tell enough.
func (w twoRuns) covered(runs int, stream uint64) (share float64, n int) {
	r := rand.New(rand.NewPCG(stream, 1))
	held := 0
	for range runs {
		base, other := w.draw(r)
		pairs, _ := consistency.Shared(base, other)
		d := compareOutcomes(pairs, Options{Seed: r.Uint64()})
		if d.Grading.State != CorrectedByLabels {
			continue // raters could not tell more than one in ten
		}
		n++
		if x := d.Difference.Incorrect; x.Lo <= w.other-w.base && w.other-w.base <= x.Hi {
			held++
		}
	}
	return float64(held) / float64(n), n
}

// TestPairedLabelsCover counts how often the interval of a corrected difference holds the true one, the whole way from
// rows to document. The grid of the interval itself is in internal/stat/correct.
func TestPairedLabelsCover(t *testing.T) {
	const least = .93
	runs := archtest.Draws(5, 60, 300)
	for i, w := range []twoRuns{
		{n: 200, labels: 60, base: .02, other: .05},
		{n: 200, labels: 40, base: .05, other: .05, fw: .05, fr: .1, open: .05, wrongIsOpen: true, missing: .04},
		{n: 2000, labels: 60, base: .02, other: .05, fw: .01, fr: .05, open: .05, wrongIsOpen: true, missing: .04},
		{n: 1000, labels: 150, base: .3, other: .2, fw: .3, fr: .3, open: .05, together: true, missing: .04},
	} {
		if w.n == 2000 && !archtest.Long() {
			continue
		}
		w.alike = .5
		share, n := w.covered(runs, uint64(i))
		if floor := least - 2.5*math.Sqrt(least*(1-least)/float64(n)); n < runs/2 || share < floor {
			t.Errorf("%v: %.3f of %d hold the true difference, want %.2f", w, share, n, floor)
		}
		t.Logf("%v: %.3f of %d", w, share, n)
	}
}

// TestDifferencesSumToNothing: what one outcome gains the others lose, by labels too.
func TestDifferencesSumToNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	outcomes := []grade.Outcome{grade.Correct, grade.Incorrect, grade.NotAttempted}
	var base, other []Row
	for i := range 300 {
		id := fmt.Sprintf("c%04d", i)
		for _, rows := range []*[]Row{&base, &other} {
			row := outcomeRow(id, "cciinu"[r.IntN(6)], fmt.Sprint(i))
			row.Label = outcomes[r.IntN(3)]
			*rows = append(*rows, row)
		}
	}
	in := map[string]bool{}
	for i, id := range Common(ids(base)) {
		in[id] = i < 40
	}
	for _, rows := range [][]Row{base, other} {
		for i := range rows {
			if !in[rows[i].CaseID] {
				rows[i].Label = ""
			}
		}
	}
	d := Compare(base, other, Options{}).Outcomes
	if sum := *d.Difference.Correct.Estimate + *d.Difference.Incorrect.Estimate +
		*d.Difference.NotAttempted.Estimate; d.Grading.State != CorrectedByLabels || math.Abs(sum) > 1e-12 {
		t.Errorf("%s, the differences sum to %v", d.Grading.State, sum)
	}
}

func ids(rows []Row) (out []string) {
	for _, r := range rows {
		out = append(out, r.CaseID)
	}
	return out
}

// TestPairedLabels: labels that each run drew for itself correct no difference and say so; a common sample does, and
// nulls the reductions.
func TestPairedLabels(t *testing.T) {
	w := twoRuns{n: 300, labels: 100, base: .3, other: .2, alike: .5, fw: .1, fr: .2}
	r := rand.New(rand.NewPCG(1, 2))
	own := w
	own.ownSamples = true
	base, other := own.draw(r)
	res := Compare(base, other, Options{})
	if g := res.Outcomes.Grading; g.State != AsRead || g.Labelled < 50 || g.Drawn >= 30 ||
		res.Outcomes.Reduction.Incorrect == nil || !strings.Contains(strings.Join(res.Warnings, "\n"),
		"annotate export RUN --like OTHER") {
		t.Errorf("own samples: %+v, %v", g, res.Warnings)
	}
	base, other = w.draw(r)
	res = Compare(base, other, Options{})
	if g := res.Outcomes.Grading; g.State != CorrectedByLabels || g.Labelled != 100 || g.Drawn != 100 || g.AsRead == nil ||
		g.Read.Correct == nil || res.Outcomes.Reduction.Incorrect != nil {
		t.Errorf("a common sample: %+v", g)
	}
	plain := Compare(unlabelledRows(base), unlabelledRows(other), Options{})
	if was := res.Outcomes.Grading.AsRead; *was.Estimate != *plain.Outcomes.Difference.Incorrect.Estimate ||
		was.Lo != plain.Outcomes.Difference.Incorrect.Lo || plain.Outcomes.Grading.State != AsRead ||
		plain.Outcomes.Reduction.Incorrect == nil {
		t.Errorf("as read %+v, without labels %+v", was, plain.Outcomes.Difference.Incorrect)
	}
	// The order is that of the ids alone, so a run with more cases has the same sample.
	if a, b := Common([]string{"a", "b", "c", "d"}), Common([]string{"d", "x", "c", "b", "a", "y"}); strings.Join(a,
		"") != strings.NewReplacer("x", "", "y", "").Replace(strings.Join(b, "")) {
		t.Errorf("%v and %v", a, b)
	}
}

func unlabelledRows(rows []Row) []Row {
	out := append([]Row(nil), rows...)
	for i := range out {
		out[i].Label = ""
	}
	return out
}

// Answers that grew longer are named, as the difference may be the grader's.
func TestLengths(t *testing.T) {
	rows := func(band grading.Length, few int) (out []Row) {
		for i := range 60 {
			r := outcomeRow(fmt.Sprintf("c%02d", i), "ci"[i%2], "x")
			if r.Words = grading.Lengths[0]; i >= few {
				r.Words = band
			}
			out = append(out, r)
		}
		return out
	}
	warned := func(base, other []Row) bool {
		return strings.Contains(strings.Join(Compare(base, other, Options{}).Warnings, "\n"), "differ in length")
	}
	short := rows(grading.Lengths[0], 0)
	if !warned(short, rows(grading.Lengths[2], 30)) || !warned(rows(grading.Lengths[3], 0), short) {
		t.Error("longer answers are not named")
	}
	if warned(short, short) || warned(short, rows(grading.Lengths[2], 55)) {
		t.Error("like lengths are named")
	}
}

// Five cases of each question correct as the question does: the interval is as wide as that of one case of each, and it
// takes as many questions as it takes cases.
func TestPairedLabelsOfClusters(t *testing.T) {
	w := twoRuns{n: 100, labels: 100, base: .3, other: .2, alike: .5, fw: .1, fr: .2}
	base, other := w.draw(rand.New(rand.NewPCG(3, 2)))
	five := func(rows []Row) (out []Row) {
		for i, r := range rows {
			for k := range 5 {
				r.CaseID, r.Cluster = fmt.Sprintf("c%04d-%d", i, k), int32(i+1)
				out = append(out, r)
			}
		}
		return out
	}
	width := func(r Reduction) float64 {
		return r.Outcomes.Difference.Incorrect.Hi - r.Outcomes.Difference.Incorrect.Lo
	}
	one, many := Compare(base, other, Options{}), Compare(five(base), five(other), Options{})
	if g := many.Outcomes.Grading; g.State != CorrectedByLabels || g.Drawn != 500 || g.DrawnClusters != 100 ||
		one.Outcomes.Grading.DrawnClusters != 0 {
		t.Errorf("%+v", g)
	}
	if a, b := width(one), width(many); math.Abs(a-b) > .02 ||
		*one.Outcomes.Difference.Incorrect.Estimate-*many.Outcomes.Difference.Incorrect.Estimate > 1e-12 {
		t.Errorf("%.3f wide by case, %.3f by cluster", a, b)
	}
	few := Compare(five(base[:20]), five(other[:20]), Options{})
	if g := few.Outcomes.Grading; g.State != AsRead || !strings.Contains(strings.Join(few.Warnings, "\n"),
		"100 in 20 clusters") {
		t.Errorf("%+v: %q", g, few.Warnings)
	}
}
