package grading

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/grade"
	"hallmark/internal/stat"
)

// judged are rows of a judge that reads wrong answers as correct with the chance .1 + slope for each doubling of their
// length beyond 32 characters; right answers are longer, which is no bias.
func judged(seedName string, n int, slope float64) (rows []Row) {
	rng := seed.Stream(2, "judge bias", seedName)
	for i := range n {
		doublings := 5 * rng.Float64()
		r := Row{Key: Key{CaseID: fmt.Sprint("q", i/2)}, Grader: "judge", Truth: grade.Incorrect, Read: grade.Incorrect}
		accept := .1 + slope*doublings
		if i%2 == 0 {
			r.Truth, doublings, accept = grade.Correct, doublings+2, .9
		}
		r.Text = strings.Repeat("x", int(32*math.Exp2(doublings)))
		if rng.Float64() < accept {
			r.Read = grade.Correct
		}
		rows = append(rows, r)
	}
	return rows
}

// TestBiases has a judge that favours long answers, among rows that rules decided, and one that does not.
func TestBiases(t *testing.T) {
	rows := judged("long", 600, .15)
	rows = append(rows, Row{Grader: "rules", Truth: grade.Correct, Read: grade.Incorrect, Text: "x"},
		Row{Grader: "judge", Truth: grade.Correct, Read: grade.CannotGrade, Text: "x"})
	e := Share{25, 30, stat.Rate{Value: 25. / 30, Lo: .66, Hi: .93}}
	b := NewBiases(rows, &e, nil, .95)
	// right answers have no slope: half of .15 for all
	if b.Judged != 600 || b.Length.Lo > .075 || b.Length.Hi < .075 || b.Length.Lo <= 0 {
		t.Errorf("%d judged, length %+v", b.Judged, b.Length)
	}
	if o := b.Order; o.K != 5 || math.Abs(o.Value-5./30) > 1e-12 || math.Abs(o.Lo-.07) > 1e-12 ||
		math.Abs(o.Hi-.34) > 1e-12 {
		t.Errorf("order %+v", o)
	}
	if NewBiases([]Row{{Grader: "rules", Read: grade.Correct, Truth: grade.Correct, Text: "x"}}, nil, nil, .95) != nil {
		t.Error("rules have the biases of a judge")
	}
	few := NewBiases(judged("few", 2, 0), nil, nil, .95)
	if few.Length != nil || !strings.Contains(few.Says(), "is not known") {
		t.Errorf("of two answers: %+v", few.Length)
	}
}

// TestBiasesCover: of judges without a bias, though right answers are four times as long as wrong ones, at most one in
// twenty is found to have one, within three standard errors.
func TestBiasesCover(t *testing.T) {
	const draws = 400
	low := 0
	for i := range draws {
		if b := NewBiases(judged(fmt.Sprint(i), 200, 0), nil, nil, .95); b.Length.P < .05 {
			low++
		}
	}
	if rate := float64(low) / draws; rate > .05+3*math.Sqrt(.05*.95/draws) || rate < .01 {
		t.Errorf("%.3f of unbiased judges have p < .05", rate)
	}
}

// ofFamilies are rows of a judge of the family gpt that reads wrong answers as correct with the chance .15, and own
// more where a model of its family gave them; right answers with the chance .9. Its own family is right twice as often
// and writes more, which is no bias, though the judge likes long answers too.
func ofFamilies(seedName string, n int, own float64) (rows []Row) {
	rng := seed.Stream(3, "judge bias", seedName)
	for i := range n {
		r := Row{Key: Key{CaseID: fmt.Sprint("q", i/2)}, Grader: "judge", Truth: grade.Incorrect, Read: grade.Incorrect,
			Model: "gpt-4o", Text: "one two"}
		more, right, long := own, .6, .7
		if i%2 == 0 {
			r.Model, more, right, long = "openai/claude-haiku", 0, .3, .3
		}
		accept := .15 + more
		if rng.Float64() < right {
			r.Truth, accept = grade.Correct, .8+more
		}
		if rng.Float64() < long {
			r.Text, accept = strings.Repeat("word ", 20), accept+.1
		}
		if rng.Float64() < accept {
			r.Read = grade.Correct
		}
		rows = append(rows, r)
	}
	return rows
}

// TestFamilyBias has a judge that favours its own by a tenth, one that does not, and rows that say nothing.
func TestFamilyBias(t *testing.T) {
	families := []string{"gpt"}
	rows := append(ofFamilies("own", 4000, .1), Row{Grader: "judge", Truth: grade.Correct, Read: grade.Correct, Text: "x"})
	f := NewBiases(rows, nil, families, .95).Family
	if f.Own != 2000 || f.Others != 2000 || f.N != 4000 || f.Lo > .1 || f.Hi < .1 || f.Lo <= 0 {
		t.Errorf("%+v", f)
	}
	if say := f.Says(); !strings.Contains(say, "a model of the family gpt answered (2000 answers), against others "+
		"(2000): ") {
		t.Error(say)
	}
	// By hand: four answers of others, of one outcome and band, of which 1 is accepted, and four of its own of which 3
	// are: the slope is 3/4 - 1/4.
	rows = nil
	for i := range 8 {
		r := Row{Key: Key{CaseID: fmt.Sprint(i)}, Grader: "judge", Truth: grade.Incorrect, Read: grade.Incorrect, Text: "x",
			Model: []string{"llama3:8b", "openai:gpt-4o-mini"}[i%2]}
		if i == 0 || i == 1 || i == 3 || i == 5 {
			r.Read = grade.Correct
		}
		rows = append(rows, r)
	}
	if f := NewBiases(rows, nil, families, .95).Family; math.Abs(f.Value-.5) > 1e-12 || f.Own != 4 {
		t.Errorf("by hand: %+v", f)
	}
	for i := range rows {
		rows[i].Model = "gpt-4o"
	}
	if f := NewBiases(rows, nil, families, .95).Family; f != nil {
		t.Errorf("all its own: %+v", f)
	}
	if f := NewBiases(judged("none", 100, 0), nil, families, .95).Family; f != nil {
		t.Errorf("of nobody: %+v", f)
	}
}

// TestFamilyBiasCovers: the interval has the true difference, of none and of a tenth, 95 times in a hundred within
// three standard errors.
func TestFamilyBiasCovers(t *testing.T) {
	draws := archtest.Draws(50, 500, 500)
	for _, own := range []float64{0, .1} {
		held, sum := 0, 0.
		for i := range draws {
			f := NewBiases(ofFamilies(fmt.Sprint(own, i), 300, own), nil, []string{"gpt"}, .95).Family
			sum += f.Value
			if f.Lo <= own && own <= f.Hi {
				held++
			}
		}
		if rate := float64(held) / float64(draws); math.Abs(rate-.95) > .95-archtest.Least(.95, draws) {
			t.Errorf("of %v, %.3f of the intervals have it", own, rate)
		}
		if mean := sum / float64(draws); math.Abs(mean-own) > .01*math.Sqrt(500/float64(draws)) {
			t.Errorf("of %v, %.4f is found on average", own, mean)
		}
	}
}
