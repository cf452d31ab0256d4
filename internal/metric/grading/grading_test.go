package grading

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/grade"
	"hallmark/internal/suite"
)

// Short names of outcomes: correct, incorrect, not attempted, ungradable, unscored.
var named = map[byte]grade.Outcome{'c': grade.Correct, 'i': grade.Incorrect, 'n': grade.NotAttempted,
	'u': grade.CannotGrade, '-': grade.NoOutcome}

// rowsOf makes rows of words such as "ci*3": truly correct and read as incorrect, three of them. Each is to a case of
// its own.
func rowsOf(words string) (rows []Row) {
	for _, w := range strings.Fields(words) {
		pair, times, _ := strings.Cut(w, "*")
		n := 1
		fmt.Sscan(times, &n)
		for range n {
			id := fmt.Sprint("q", len(rows))
			rows = append(rows, Row{Key: Key{CaseID: id}, Truth: named[pair[0]], Read: named[pair[1]], Gold: "name",
				Length: UpTo5, Grader: "rules", Confidence: .9, Text: id})
		}
	}
	return rows
}

func (s *Share) text() string {
	if s == nil {
		return "nil"
	}
	return fmt.Sprintf("%d/%d", s.K, s.N)
}

// The matrix of 40 answers, counted by hand:
//
//	truly           correct  incorrect  not attempted  ungradable     n  decided
//	correct              14          2              1           3    20       17
//	incorrect             1          9              1           1    12       11
//	not attempted         0          1              6           1     8        7
func TestHandCounted(t *testing.T) {
	rows := rowsOf("cc*14 ci*2 cn cu*3 ic ii*9 in iu ni nn*6 nu c-*2")
	r := Analyze(rows, Options{Level: .95, List: 2})
	if got, want := r.Matrix, (Matrix[int]{Reads[int]{14, 2, 1, 3}, Reads[int]{1, 9, 1, 1},
		Reads[int]{0, 1, 6, 1}}); got != want {
		t.Errorf("matrix %v, want %v", got, want)
	}
	for _, tt := range []struct {
		name string
		got  *Share
		want string
	}{
		{"decided", r.Decided, "35/40"}, {"agreement", r.Agreement, "29/35"},
		{"fw", r.FW, "3/24"}, // 2 + 1 of 17 + 7
		{"fr", r.FR, "2/11"}, // 1 + 1 of 11
		{"coverage of correct", r.Coverage.Correct, "17/20"}, {"of incorrect", r.Coverage.Incorrect, "11/12"},
		{"of not attempted", r.Coverage.NotAttempted, "7/8"},
		{"read as incorrect given correct", r.GivenTrue.Correct.Incorrect, "2/20"},
		{"ungradable given incorrect", r.GivenTrue.Incorrect.Ungradable, "1/12"},
	} {
		if got := tt.got.text(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	// hallmark analyze wilson 3 24: .125 [.0434, .3100]
	if r.Unit != ByAnswer || math.Abs(r.FW.Lo-.0434) > 5e-5 || math.Abs(r.FW.Hi-.3100) > 5e-5 {
		t.Errorf("unit %s, fw %+v", r.Unit, *r.FW)
	}
	var cells []string
	for _, c := range r.OffDiagonal {
		cells = append(cells, fmt.Sprintf("%c%c %s", c.Truth[0], c.Read[0], c.Share.text()))
	}
	if got, want := strings.Join(cells, ", "), "ci 2/35, cn 1/35, ic 1/35, in 1/35, nc 0/35, ni 1/35"; got != want {
		t.Errorf("cells %s, want %s", got, want)
	}
	if r.Unscored != 2 || r.N != 40 || r.Disagreed != 6 || len(r.Disagreements) != 2 ||
		r.Disagreements[0].CaseID != "q14" {
		t.Errorf("unscored %d, n %d, misread %d, listed %v", r.Unscored, r.N, r.Disagreed, r.Disagreements)
	}
	// Of 35 answers with confidence .9, 29 are right: Brier (29·.01 + 6·.81)/35, calibration error |.9 - 29/35|.
	if c := r.Calibration; c.N != 35 || math.Abs(c.Brier-(29*.01+6*.81)/35) > 1e-12 ||
		math.Abs(c.ECE-(.9-29./35)) > 1e-12 || len(c.Bins) != 1 || c.Bins[0].From != .9 {
		t.Errorf("calibration %+v", c)
	}
	reversed := slices.Clone(rows)
	slices.Reverse(reversed)
	if a, b := fmt.Sprintf("%+v", *r.FW), fmt.Sprintf("%+v", *Analyze(reversed, Options{Level: .95}).FW); a != b {
		t.Errorf("in another order fw is %s, not %s", b, a)
	}
}

// Answers that are the same within each case tell no more than one answer a case: the interval is that of the cases,
// and the design effect is the number of answers of each, but for C/(C-1).
func TestSeveralAnswersOfACase(t *testing.T) {
	var rows []Row
	for i, row := range rowsOf("cc*18 ci*2") {
		for repeat := range 3 {
			row.CaseID, row.Repeat = fmt.Sprint(i), repeat
			rows = append(rows, row)
		}
	}
	r := Analyze(rows, Options{Level: .95})
	if r.Unit != ByCase || r.Cases != 20 || r.FW.text() != "6/60" {
		t.Fatalf("unit %s, cases %d, fw %s", r.Unit, r.Cases, r.FW.text())
	}
	if want := 3 * 20. / 19; math.Abs(*r.DesignEffect-want) > 1e-12 {
		t.Errorf("design effect %v, want %v", *r.DesignEffect, want)
	}
	if one := Analyze(rowsOf("cc*18 ci*2"), Options{Level: .95}); r.FW.Hi < one.FW.Hi || one.DesignEffect != nil {
		t.Errorf("three copies: up to %.3f, one of each: up to %.3f", r.FW.Hi, one.FW.Hi)
	}
}

func TestNothingToGrade(t *testing.T) {
	for _, rows := range [][]Row{nil, rowsOf("c- i-"), rowsOf("cu iu")} {
		r := Analyze(rows, Options{Level: .95})
		if r.FW != nil || r.FR != nil || r.Agreement != nil || r.Calibration != nil || len(r.Warnings) == 0 {
			t.Errorf("%d rows: %+v", len(rows), r)
		}
	}
}

func TestExcerptIsBoundedAndShown(t *testing.T) {
	row := rowsOf("ci")[0]
	row.Text = "\x1b[2J" + strings.Repeat("é ", 500)
	r := Analyze([]Row{row}, Options{Level: .95, List: 1, Show: func(s string) string {
		return strings.ReplaceAll(s, "\x1b", "␛")
	}})
	if got := r.Disagreements[0].Excerpt; len([]rune(got)) != excerptRunes+1 || !strings.HasPrefix(got, "␛[2J") {
		t.Errorf("excerpt %q", got)
	}
}

func TestKinds(t *testing.T) {
	gold := func(s string) suite.Gold { return suite.Gold{Texts: []string{s}} }
	for _, tt := range []struct {
		c    suite.Case
		want string
	}{
		{suite.Case{Gold: gold("Paris")}, "name"}, {suite.Case{Gold: gold("Yes")}, "yes_no"},
		{suite.Case{Gold: gold("3.5 km")}, "number"}, {suite.Case{Gold: gold("$5 million")}, "number"},
		{suite.Case{Gold: gold("Apollo 11")}, "name"}, {suite.Case{Gold: gold("4 July 1776")}, "date"},
		{suite.Case{Gold: gold("May 1945")}, "date"}, {suite.Case{Gold: gold("1776")}, "number"},
		{suite.Case{Gold: gold("because the light of the sun is scattered by air")}, "sentence"},
		{suite.Case{Decline: true}, "no_answer"},
		{suite.Case{Options: []string{"a", "b"}, Gold: gold("a")}, "choice"},
		{suite.Case{Gold: gold("x"), AnswerType: suite.Numeric}, "number"},
		{suite.Case{Oracle: &suite.Oracle{Type: "clarification"}}, "no_answer"},
		{suite.Case{Oracle: &suite.Oracle{Type: "exact", Accept: []string{"no"}}}, "yes_no"},
		{suite.Case{Oracle: &suite.Oracle{Type: "identifier"}}, "identifier"},
	} {
		if got := GoldOf(&tt.c); got != tt.want {
			t.Errorf("%v %v: %s, want %s", tt.c.Gold, tt.c.Oracle, got, tt.want)
		}
	}
	for n, want := range map[int]Length{0: UpTo5, 5: UpTo5, 6: UpTo25, 25: UpTo25, 26: UpTo80, 80: UpTo80, 81: Over80} {
		if got := LengthOf(strings.Repeat("word ", n)); got != want {
			t.Errorf("%d words: %s, want %s", n, got, want)
		}
	}
}

// Intervals of fw and fr hold the true share in at least 93 % of checks, also where the answers of a case are misread
// together.
func TestIntervalsCover(t *testing.T) {
	archtest.OneGoroutine(t)
	runs := archtest.Draws(25, 400, 4000)
	for _, tt := range []struct {
		cases, each int
		fw, fr, rho float64 // rho: chance that an answer is misread as the first of its case is
	}{{150, 1, .05, .10, 0}, {300, 1, .02, .05, 0}, {300, 1, .20, .30, 0}, {60, 3, .10, .10, .6}, {100, 3, .05, .20, .9},
		{100, 2, .30, .05, .3}} {
		name := fmt.Sprintf("%+v", tt)
		r := seed.Stream(1, "grading covers", name)
		heldW, heldR := 0, 0
		for range runs {
			got := Analyze(simulated(tt.cases, tt.each, tt.fw, tt.fr, tt.rho, r), Options{Level: .95})
			if got.FW.Lo <= tt.fw && tt.fw <= got.FW.Hi {
				heldW++
			}
			if got.FR.Lo <= tt.fr && tt.fr <= got.FR.Hi {
				heldR++
			}
		}
		slack := 2.5 * math.Sqrt(.93*.07/float64(runs))
		w, f := float64(heldW)/float64(runs), float64(heldR)/float64(runs)
		if full {
			fmt.Printf("%s: fw %.3f, fr %.3f\n", name, w, f)
			slack = 0
		}
		if w < .93-slack || f < .93-slack {
			t.Errorf("%s: fw covered %.3f, fr %.3f", name, w, f)
		}
	}
}

// simulated draws labelled answers, as many to each case; two thirds of the cases have right answers.
func simulated(cases, each int, fw, fr, rho float64, r *rand.Rand) (rows []Row) {
	for c := range cases {
		truth, wrong, p := grade.Correct, grade.Incorrect, fw
		if c%3 == 0 {
			truth, wrong, p = grade.Incorrect, grade.Correct, fr
		}
		first := r.Float64() < p
		for repeat := range each {
			misread := first
			if repeat > 0 && r.Float64() >= rho {
				misread = r.Float64() < p
			}
			row := Row{Key: Key{CaseID: fmt.Sprint(c), Repeat: repeat}, Truth: truth, Read: truth}
			if misread {
				row.Read = wrong
			}
			rows = append(rows, row)
		}
	}
	return rows
}
