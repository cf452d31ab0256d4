package grading

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/grade"
)

// long asks for enough runs to tell .93 from .95; without it fewer catch gross errors.
var full = archtest.Full()

// drawn fills reads with a sample of n by shares.
func drawn(n int, shares [4]float64, r *rand.Rand) (out Reads[int]) {
	for range n {
		u, j := r.Float64(), 0
		for ; j < len(shares)-1 && u >= shares[j]; j++ {
			u -= shares[j]
		}
		*out.Of(grade.Outcomes[j])++
	}
	return out
}

func mixed(pi [3]float64, m [3][4]float64) (q [4]float64) {
	for i := range m {
		for j := range q {
			q[j] += pi[i] * m[i][j]
		}
	}
	return q
}

// A grader of the aims of GRADING 7, and one as bad as the first.
var (
	good = [3][4]float64{{.80, .02, .005, .175}, {.02, .72, .01, .25}, {.005, .015, .83, .15}}
	poor = [3][4]float64{{.60, .20, .01, .19}, {.08, .60, .02, .30}, {.02, .20, .60, .18}}
)

// The interval holds the true share of incorrect answers as often as it says, for rates from a few percent up, one
// length and two.
func TestImpliedCovers(t *testing.T) {
	archtest.OneGoroutine(t)
	runs := archtest.Draws(6, 100, 1000)
	lengths := []Length{UpTo5, UpTo80}
	for _, tt := range []struct {
		name     string
		m        [3][4]float64
		pi       [3]float64
		check, n int
		bands    int
	}{
		{"good grader, 1 %", good, [3]float64{.94, .01, .05}, 400, 300, 1},
		{"good grader, 5 %", good, [3]float64{.85, .05, .10}, 400, 300, 1},
		{"good grader, 25 %", good, [3]float64{.65, .25, .10}, 400, 300, 1},
		{"poor grader, 10 %", poor, [3]float64{.80, .10, .10}, 400, 300, 1},
		{"poor grader, 40 %", poor, [3]float64{.50, .40, .10}, 200, 500, 1},
		{"good grader, 10 %, two lengths", good, [3]float64{.75, .10, .15}, 300, 200, 2},
		{"poor grader, 25 %, two lengths", poor, [3]float64{.65, .25, .10}, 300, 200, 2},
	} {
		r := seed.Stream(1, "implied covers", tt.name)
		held, misfits, width, bias := 0, 0, 0., 0.
		for range runs {
			c := &Check{Lots: []Lot{{N: tt.check * tt.bands, ByLength: map[Length]LotBand{}}}}
			run := map[Length]Reads[int]{}
			for _, l := range lengths[:tt.bands] {
				b := LotBand{N: tt.check}
				for i, truth := range Truths { // half of a check is correct, a third incorrect
					*b.Matrix.Of(truth) = drawn([3]int{tt.check / 2, tt.check / 3, tt.check / 6}[i], tt.m[i], r)
				}
				c.Lots[0].ByLength[l] = b
				run[l] = drawn(tt.n, mixed(tt.pi, tt.m), r)
			}
			got := c.Implied(run, r.Uint64(), .95)
			if got.Incorrect.Lo <= tt.pi[1] && tt.pi[1] <= got.Incorrect.Hi {
				held++
			}
			if !got.Fits {
				misfits++
			}
			width += (got.Incorrect.Hi - got.Incorrect.Lo) / float64(runs)
			bias += (got.Incorrect.Value - tt.pi[1]) / float64(runs)
		}
		share, refused := float64(held)/float64(runs), float64(misfits)/float64(runs)
		if full {
			fmt.Printf("%-32s covered %.3f, width %.3f, bias %+.4f, refused %.3f\n", tt.name, share, width, bias, refused)
		}
		slack := 3 * math.Sqrt(.05*.95/float64(runs))
		if share < .95-slack-.01 || full && share > .985 {
			t.Errorf("%s: covered %.3f", tt.name, share)
		}
		if refused > .05+slack+.01 {
			t.Errorf("%s: the test of fit refused %.3f of what fits", tt.name, refused)
		}
	}
}

// checkOf is a check of one lot with one matrix, its counts made of the shares as they are.
func checkOf(n int, m [3][4]float64, lengths ...Length) *Check {
	lot := Lot{Name: "lot", N: 3 * n * len(lengths), ByLength: map[Length]LotBand{}}
	for _, l := range lengths {
		b := LotBand{N: 3 * n}
		for i, truth := range Truths {
			for j, read := range grade.Outcomes {
				*b.Matrix.Of(truth).Of(read) = int(math.Round(float64(n) * m[i][j]))
			}
		}
		lot.ByLength[l] = b
	}
	return &Check{GradingVersion: "1", Date: "2026-11-20", Lots: []Lot{lot}}
}

// 1,000 answers read by a grader that calls every tenth right one wrong: as read 19 %, and the check tells that it is
// 10 %.
func TestImpliedCorrects(t *testing.T) {
	m := [3][4]float64{{.9, .1, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}
	run := map[Length]Reads[int]{UpTo5: {Correct: 810, Incorrect: 190}}
	got := checkOf(1000, m, UpTo5).Implied(run, 1, .95)
	if len(got.Read) != 1 || got.Read[UpTo5] != run[UpTo5] {
		t.Errorf("read %v", got.Read)
	}
	if r := got.Incorrect; math.Abs(r.Value-.10) > .01 || r.Lo > .10 || r.Hi < .10 || r.Hi > .15 || !got.Fits ||
		got.N != 1000 || got.CheckN != 3000 || got.Lots[0] != "lot" {
		t.Errorf("%+v %+v", got, *r)
	}
	again := checkOf(1000, m, UpTo5).Implied(run, 1, .95)
	if !reflect.DeepEqual(again.Incorrect, got.Incorrect) || *again.FitP != *got.FitP {
		t.Error("the same seed gives another interval")
	}
	if other := checkOf(1000, m, UpTo5).Implied(run, 2, .95); reflect.DeepEqual(other.Incorrect, got.Incorrect) {
		t.Error("another seed gives the same interval")
	}
}

// Where most answers cannot be graded, as none of the check's was, no mixture of its rows can be what was read.
func TestMisfitIsFound(t *testing.T) {
	m := [3][4]float64{{.9, .05, 0, .05}, {.05, .9, 0, .05}, {0, 0, .95, .05}}
	got := checkOf(100, m, UpTo5).Implied(map[Length]Reads[int]{UpTo5: {Correct: 60, Incorrect: 20, Ungradable: 40}}, 1,
		.95)
	if got.Fits || *got.FitP > .01 || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0],
		"not read as those of the check") {
		t.Errorf("p = %v: %v", *got.FitP, got.Warnings)
	}
}

func TestImpliedOfNothing(t *testing.T) {
	c := checkOf(50, good, UpTo5)
	if c.Implied(nil, 1, .95) != nil || new(Check).Implied(map[Length]Reads[int]{UpTo5: {Correct: 9}}, 1, .95) != nil {
		t.Error("something is implied by nothing")
	}
	got := c.Implied(map[Length]Reads[int]{Over80: {Correct: 90, Incorrect: 10}}, 1, .95)
	if got.Incorrect.Hi-got.Incorrect.Lo < .5 || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0],
		"100 answers are of a length (over 80 words)") {
		t.Errorf("a length without labels: %+v, %v", *got.Incorrect, got.Warnings)
	}
}

// A check whose answers err together by case tells as much as one with fewer answers.
func TestDesignEffectWidens(t *testing.T) {
	run := map[Length]Reads[int]{UpTo5: {Correct: 700, Incorrect: 200, NotAttempted: 100}}
	plain := checkOf(60, poor, UpTo5)
	clustered := checkOf(60, poor, UpTo5)
	effect, b := 3., clustered.Lots[0].ByLength[UpTo5]
	b.DesignEffect = &effect
	clustered.Lots[0].ByLength[UpTo5] = b
	p, c := plain.Implied(run, 1, .95).Incorrect, clustered.Implied(run, 1, .95).Incorrect
	if c.Hi-c.Lo < 1.2*(p.Hi-p.Lo) {
		t.Errorf("with a design effect of 3 [%.3f, %.3f], without [%.3f, %.3f]", c.Lo, c.Hi, p.Lo, p.Hi)
	}
}

// The figures of a check are those that Analyze gives of its answers.
func TestCheckGroup(t *testing.T) {
	want := Analyze(rowsOf("cc*14 ci*2 cn cu*3 ic ii*9 in iu ni nn*6 nu"), Options{Level: .95}).Group
	c := &Check{Lots: []Lot{{Name: "a", N: want.N, ByLength: map[Length]LotBand{UpTo5: {N: want.N, Matrix: want.Matrix}}}}}
	got := c.Group(.95)
	want.Cases = 0
	if a, b := fmt.Sprint(*got.FW, *got.FR, *got.Decided, *got.Agreement, *got.Coverage.Correct, *got.Coverage.Incorrect,
		*got.Coverage.NotAttempted), fmt.Sprint(*want.FW, *want.FR, *want.Decided, *want.Agreement, *want.Coverage.Correct,
		*want.Coverage.Incorrect, *want.Coverage.NotAttempted); a != b || got.Matrix != want.Matrix {
		t.Errorf("%s, want %s", a, b)
	}
	if g := c.Group(.95, Over80); g.N != 0 || g.FW != nil {
		t.Errorf("of no answers: %+v", g)
	}
}

// The shipped check is of one grading version, and says nothing of others.
func TestShippedFor(t *testing.T) {
	c := Shipped()
	if c.N() > 0 && ShippedFor(c.GradingVersion) != c {
		t.Errorf("no check of version %q", c.GradingVersion)
	}
	for _, other := range []string{"", "0", c.GradingVersion + "0"} {
		if ShippedFor(other) != nil {
			t.Errorf("a check of version %q", other)
		}
	}
}

// The shipped check adds up.
func TestShipped(t *testing.T) {
	c := Shipped()
	for _, lot := range c.Lots {
		n := 0
		for l, b := range lot.ByLength {
			if !slices.Contains(Lengths, l) || Sum(b.Matrix) != b.N {
				t.Errorf("%s, %s: %d answers, the matrix has %d", lot.Name, l, b.N, Sum(b.Matrix))
			}
			n += b.N
		}
		if n != lot.N || lot.Name == "" || lot.Cases == 0 || c.GradingVersion == "" || c.Date == "" {
			t.Errorf("lot %q: %d answers, by length %d", lot.Name, lot.N, n)
		}
	}
}
