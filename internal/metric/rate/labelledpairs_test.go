package rate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"hallmark/internal/grade"
	double "hallmark/internal/stat/correct"
)

// A twoRuns is two runs whose truth is known, read by one grader: a share of the cases is as hard for one model as for the other.
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
	return fmt.Sprintf("n %d, labels %d, rates %.2f and %.2f, fw %.2f, fr %.2f, together %v", w.n, w.labels, w.base, w.other, w.fw, w.fr, w.together)
}

// draw returns the two runs, labelled, and by how much the share of wrong answers of other exceeds that of base.
func (w twoRuns) draw(r *rand.Rand) (base, other []Row, truth float64) {
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
		a, b := u < w.base, v < w.other
		if a {
			truth--
		}
		if b {
			truth++
		}
		base, other = append(base, make(a)), append(other, make(b))
	}
	return base, other, truth / float64(w.n)
}

// covered returns how often the interval of the corrected difference holds the true one, its mean width, and of how many runs raters could tell enough.
func (w twoRuns) covered(runs int, stream ...uint64) (share, width float64, n int) {
	r := rand.New(rand.NewPCG(stream[0], stream[1]))
	for range runs {
		base, other, truth := w.draw(r)
		var pairs []pair
		for i := range base {
			pairs = append(pairs, pair{&base[i], &other[i]})
		}
		labelBoth(pairs)
		sample := commonSample(pairs)
		if len(sample) < double.LeastLabels {
			continue // raters could not tell more than one in ten
		}
		n++
		d := double.Paired(cellsOf(pairs, sample, grade.Incorrect), .95, r.Uint64())
		if d.Lo <= truth+1e-12 && truth <= d.Hi+1e-12 {
			share++
		}
		width += d.Hi - d.Lo
	}
	return share / float64(n), width / float64(n), n
}

// TestPairedLabelsCover counts how often the interval of a corrected difference holds the true one. With HALLMARK_LONG the grid is run in full.
func TestPairedLabelsCover(t *testing.T) {
	long := os.Getenv("HALLMARK_LONG") == "1"
	const least = .93
	runs, cell := 15, 0
	if long {
		runs = 100
	}
	if k, err := strconv.Atoi(os.Getenv("HALLMARK_RUNS")); err == nil {
		runs = k
	}
	for _, n := range []int{200, 1000} {
		for _, labels := range []int{40, 150} {
			for _, rates := range [][2]float64{{.05, .05}, {.3, .2}, {.5, .3}} {
				for _, slips := range [][2]float64{{0, 0}, {.05, .1}, {.3, .3}} {
					for _, together := range []bool{false, true} {
						if cell++; !long && cell%14 != 0 {
							continue
						}
						w := twoRuns{n: n, labels: labels, base: rates[0], other: rates[1], alike: .5, fw: slips[0], fr: slips[1], open: .05, together: together, missing: .04, wrongIsOpen: true}
						share, width, n := w.covered(runs, uint64(cell), 1)
						if long && share < least { // once more, from another stream, and then that counts
							share, width, n = w.covered(1000, uint64(cell), 2)
						}
						if se := math.Sqrt(least * (1 - least) / float64(n)); share < least-2.5*se {
							t.Errorf("%v: %.3f of %d hold the true difference, want %.2f", w, share, n, least)
						}
						t.Logf("%v: %.3f of %d, width %.3f", w, share, n, width)
					}
				}
			}
		}
	}
}

// TestPairedLabels: labels that each run drew for itself correct no difference and say so; a common sample does, and nulls the reductions.
func TestPairedLabels(t *testing.T) {
	w := twoRuns{n: 300, labels: 100, base: .3, other: .2, alike: .5, fw: .1, fr: .2}
	r := rand.New(rand.NewPCG(1, 2))
	own := w
	own.ownSamples = true
	base, other, _ := own.draw(r)
	res := Compare(base, other, Options{})
	if g := res.Outcomes.Grading; g.State != AsRead || g.Labelled < 50 || g.Drawn >= 30 || res.Outcomes.Reduction.Incorrect == nil || !strings.Contains(strings.Join(res.Warnings, "\n"), "annotate export RUN --like OTHER") {
		t.Errorf("own samples: %+v, %v", g, res.Warnings)
	}
	base, other, _ = w.draw(r)
	res = Compare(base, other, Options{})
	if g := res.Outcomes.Grading; g.State != CorrectedByLabels || g.Labelled != 100 || g.Drawn != 100 || g.AsRead == nil || res.Outcomes.Reduction.Incorrect != nil {
		t.Errorf("a common sample: %+v", g)
	}
	plain := Compare(unlabelledRows(base), unlabelledRows(other), Options{})
	if was := res.Outcomes.Grading.AsRead; *was.Estimate != *plain.Outcomes.Difference.Incorrect.Estimate || was.Lo != plain.Outcomes.Difference.Incorrect.Lo || plain.Outcomes.Grading.State != AsRead || plain.Outcomes.Reduction.Incorrect == nil {
		t.Errorf("as read %+v, without labels %+v", was, plain.Outcomes.Difference.Incorrect)
	}
	// The order is that of the ids alone, so a run with more cases has the same sample.
	if a, b := Common([]string{"a", "b", "c", "d"}), Common([]string{"d", "x", "c", "b", "a", "y"}); strings.Join(a, "") != strings.NewReplacer("x", "", "y", "").Replace(strings.Join(b, "")) {
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
