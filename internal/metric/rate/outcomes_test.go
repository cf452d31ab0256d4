package rate

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/grade"
	"hallmark/internal/stat"

	"pgregory.net/rapid"
)

// outcomeRow makes a row with an outcome: c, i, n, u, or - for one that did not come back. Text is the answer where it
// could not be graded.
func outcomeRow(id string, outcome byte, text string) Row {
	switch outcome {
	case 'c':
		return row(id, "x", "PPPn", "")
	case 's': // correct, without the evidence asked for
		return row(id, "x", "PPFn", grade.Commission)
	case 'i':
		return row(id, "x", "FPPn", grade.Commission)
	case 'n':
		return row(id, "x", "FFPn", grade.OverRefusal)
	case 'u':
		r := row(id, "x", "UUPn", "")
		r.Answer = text
		return r
	}
	return row(id, "x", "---n", "")
}

func outcomeRows(outcomes string) (rows []Row) {
	for i := range len(outcomes) {
		rows = append(rows, outcomeRow(fmt.Sprintf("c%03d", i), outcomes[i], fmt.Sprint("text ", i)))
	}
	return rows
}

// TestOutcomes counts by hand: of 10 answers that came back 4 are correct (one of them unsupported), 2 incorrect, 1 not
// attempted and 3 could not be graded.
func TestOutcomes(t *testing.T) {
	o := Analyze(outcomeRows("cccsiinuuu-"), Options{}).Outcomes
	if o.N != 10 || o.Grading.State != AsRead || o.Grading.Graders["rules"].N != 10 || o.Grading.FW != nil {
		t.Errorf("n %d, grading %+v", o.N, o.Grading)
	}
	for _, c := range []struct {
		name   string
		share  *Share
		lo, hi float64 // as read
		k      [2]int  // the counts whose Wilson bounds are outermost
		n      int
	}{
		{"correct", o.Correct, .4, .7, [2]int{4, 7}, 10},
		{"incorrect", o.Incorrect, .2, .5, [2]int{2, 5}, 10},
		{"not attempted", o.NotAttempted, .1, .4, [2]int{1, 4}, 10},
		{"ungradable", o.Ungradable, .3, .3, [2]int{3, 3}, 10},
		{"as read", o.Grading.AsRead, .2, .5, [2]int{2, 5}, 10},
		{"incorrect given attempted: all right, all wrong", o.IncorrectGivenAttempted, 2. / 9, 5. / 9, [2]int{2, 5}, 9},
		{"unsupported: all supported, none", o.Unsupported, 1. / 7, 4. / 7, [2]int{1, 4}, 7},
	} {
		lo, hi := c.share.Ends()
		if !archtest.Near(lo, c.lo, 5e-7) || !archtest.Near(hi, c.hi, 5e-7) || (c.share.Rate == nil) == (c.lo == c.hi) {
			t.Errorf("%s: %v to %v, want %v to %v; rate %v", c.name, lo, hi, c.lo, c.hi, c.share.Rate)
		}
		if l, h := stat.Wilson(c.k[0], c.n, .95), stat.Wilson(c.k[1], c.n, .95); !archtest.Near(c.share.Lo, l.Lo, 5e-7) ||
			!archtest.Near(c.share.Hi, h.Hi, 5e-7) {
			t.Errorf("%s: bounds %v, %v; want %v, %v", c.name, c.share.Lo, c.share.Hi, l.Lo, h.Hi)
		}
	}
}

// A class is named where it is wrong more often than all for sure. Of twelve classes that err alike one in twenty
// draws or fewer names any, and fewer than by bounds of 95 % each.
func TestMostWrong(t *testing.T) {
	of := func(class string, wrong, n int) (rows []Row) {
		for i := range n {
			verdicts := "PPPn"
			if i < wrong {
				verdicts = "FPPn"
			}
			rows = append(rows, row(fmt.Sprintf("%s%03d", class, i), class, verdicts, ""))
		}
		return rows
	}
	// Wilson at 1 - .05/3: 30 of 40 from .5593, 40 of 140 to .3831.
	m := Analyze(append(of("a", 10, 100), of("b", 30, 40)...), Options{}).MostWrong
	if m == nil || m.Class != "b" || m.Classes != 2 || math.Abs(m.Lo-stat.Wilson(30, 40, 1-.05/3).Lo) > 1e-12 ||
		math.Abs(m.Above-stat.Wilson(40, 140, 1-.05/3).Hi) > 1e-12 {
		t.Errorf("%+v", m)
	}
	if m := Analyze(of("b", 30, 40), Options{}).MostWrong; m != nil {
		t.Errorf("the only class: %+v", m)
	}
	r := seed.Stream(1, "most wrong")
	const classes = 12
	draws := archtest.Draws(50, 300, 300)
	named, alone := 0, 0
	for range draws {
		var rows []Row
		for c := range classes {
			wrong := 0
			for range 30 {
				if r.Float64() < .2 {
					wrong++
				}
			}
			rows = append(rows, of(fmt.Sprintf("c%02d-", c), wrong, 30)...)
		}
		res := Analyze(rows, Options{})
		if res.MostWrong != nil {
			named++
		}
		for _, g := range res.ByClass {
			if g.Outcomes.Incorrect.Lo > res.Outcomes.Incorrect.Hi {
				alone++
				break
			}
		}
	}
	t.Logf("of %d draws %d name a class, and %d by bounds of 95 %% each", draws, named, alone)
	if named > draws/20+9 || named >= alone {
		t.Errorf("%d of %d draws name a class where all err alike", named, draws)
	}
}

// TestOutcomesGraded has no ungradable answer: rates, and no range in the file.
func TestOutcomesGraded(t *testing.T) {
	r := Analyze(outcomeRows("cccin"), Options{Variants: outcomeRows("cccin")})
	b, err := json.Marshal([]any{r.Outcomes, r.OverVariants.Outcomes})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "range") || !archtest.Near(*r.Outcomes.Incorrect.Rate, .2, 5e-7) ||
		!archtest.Near(*r.Outcomes.IncorrectGivenAttempted.Rate, .25, 5e-7) ||
		!archtest.Near(*r.OverVariants.Outcomes.NotAttempted.Rate, .2, 5e-7) {
		t.Errorf("%s", b)
	}
}

// TestNoneGradable: every share but ungradable may be all or nothing, and H has no value.
func TestNoneGradable(t *testing.T) {
	r := Analyze(outcomeRows("uuuu"), Options{})
	if lo, hi := r.Outcomes.Incorrect.Ends(); lo != 0 || hi != 1 || *r.Outcomes.Ungradable.Rate != 1 ||
		r.Hallucination != nil || r.Unscored != 0 || r.Ungradable != 4 {
		t.Errorf("%+v", r.Group)
	}
	if lo, hi := r.Outcomes.IncorrectGivenAttempted.Ends(); lo != 0 || hi != 1 {
		t.Errorf("incorrect given attempted %v to %v", lo, hi)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "none of the 4 answers could be graded") {
		t.Errorf("%q", r.Warnings)
	}
}

// checkOutcomes: the ends hold every share that some grading of the ungradable answers would give, and the shares sum
// to 1 where all are graded.
func checkOutcomes(t *rapid.T, o Outcomes, rows []Row) {
	if o.N == 0 {
		return
	}
	choice := rapid.SliceOfN(rapid.SampledFrom([]byte("csin")), len(rows), len(rows)).Draw(t, "graded as")
	graded := slices.Clone(rows)
	for i := range graded {
		if graded[i].Grade.Outcome() == grade.CannotGrade {
			graded[i].Grade = outcomeRow("", choice[i], "").Grade
		}
	}
	as := Analyze(graded, Options{}).Outcomes
	if sum := *as.Correct.Rate + *as.Incorrect.Rate + *as.NotAttempted.Rate + *as.Ungradable.Rate; !archtest.Near(sum, 1, 5e-7) ||
		*as.Ungradable.Rate != 0 {
		t.Fatalf("the shares sum to %v", sum)
	}
	for _, s := range []struct{ open, graded *Share }{
		{o.Correct, as.Correct}, {o.Incorrect, as.Incorrect}, {o.NotAttempted, as.NotAttempted},
		{o.IncorrectGivenAttempted, as.IncorrectGivenAttempted}, {o.Unsupported, as.Unsupported},
	} {
		if s.graded == nil {
			continue
		}
		lo, hi := s.open.Ends()
		if *s.graded.Rate < lo-1e-9 || *s.graded.Rate > hi+1e-9 || s.open.Lo > s.graded.Lo+1e-9 ||
			s.open.Hi < s.graded.Hi-1e-9 {
			t.Fatalf("%+v does not hold %+v", *s.open, *s.graded)
		}
	}
}

// TestCompareOutcomes counts by hand. Base: 5 of 10 incorrect, 1 ungradable; other: 1 incorrect, 2 ungradable. By the
// formula the difference lies in [1 - 5 - 1, 1 + 2 - 5]/10.
func TestCompareOutcomes(t *testing.T) {
	base, other := outcomeRows("iiiiiccccu"), outcomeRows("icccccccuu")
	for _, c := range []struct {
		text   string // of the last answer of other; that of base is "text 9"
		lo, hi float64
	}{
		{"another", -.5, -.2},
		{"text 9", -.4, -.3}, // the same in both, so it cancels
	} {
		other[9].Answer = c.text
		d := Compare(base, other, Options{}).Outcomes.Difference.Incorrect
		if d.Range == nil || !archtest.Near(d.Range.Lo, c.lo, 5e-7) || !archtest.Near(d.Range.Hi, c.hi, 5e-7) ||
			d.Lo > d.Range.Lo || d.Hi < d.Range.Hi {
			t.Errorf("%s: %+v %+v", c.text, d, d.Range)
		}
	}
	r := Compare(base, other, Options{})
	if u := r.Outcomes.Difference.Ungradable; u.Estimate == nil || !archtest.Near(*u.Estimate, .1, 5e-7) {
		t.Errorf("ungradable: %+v", u)
	}
	// With the last case right in both, 1 - 2/5 at least and 1 - 1/5 at most; with it wrong in both, 1 - 3/6 and 1 -
	// 2/6.
	if x := r.Outcomes.Reduction.Incorrect; x.Range == nil || !archtest.Near(x.Range.Lo, 1-3./6, 5e-7) ||
		!archtest.Near(x.Range.Hi, 1-1./5, 5e-7) {
		t.Errorf("reduction: %+v %+v", x, x.Range)
	}
	if r.N != 8 || r.Ungradable != 2 || r.Unscored != 0 || r.Outcomes.Base.N != 10 || r.Base.Outcomes.N != 10 ||
		r.Base.N != 8 {
		t.Errorf("n %d, ungradable %d, unscored %d, base %d and %d", r.N, r.Ungradable, r.Unscored, r.Base.Outcomes.N,
			r.Base.N)
	}
}

func TestVerdict(t *testing.T) {
	wrong := func(k int) string { return strings.Repeat("i", k) + strings.Repeat("c", 200-k) }
	for _, c := range []struct {
		base, other string
		margin      float64
		want        string
	}{
		{wrong(60), wrong(10), 0, Fell}, {wrong(10), wrong(60), 0, Rose}, {wrong(10), wrong(11), 0, Undecided},
		{wrong(10), wrong(11), .05, Equivalent},
		{wrong(60), wrong(10)[:100] + strings.Repeat("u", 100), 0, Undecided},
		{"", "", 0, Undecided},
	} {
		o := Compare(outcomeRows(c.base), outcomeRows(c.other), Options{Margin: c.margin}).Outcomes
		if o.Verdict != c.want {
			t.Errorf("%.10s, %.10s: %s, want %s", c.base, c.other, o.Verdict, c.want)
		}
		if (o.Equivalence != nil) != (c.margin > 0) {
			t.Errorf("a margin of %v: %+v", c.margin, o.Equivalence)
		}
	}
	// The tests are of one side each: at 1 - 2α, 90 %, which is within where 95 % is not.
	base, other := outcomeRows(wrong(10)), outcomeRows(wrong(12))
	wide := Compare(base, other, Options{}).Outcomes.Difference.Incorrect
	narrow := Compare(base, other, Options{Level: .9}).Outcomes.Difference.Incorrect
	margin := (wide.Hi + narrow.Hi) / 2
	e := Compare(base, other, Options{Margin: margin}).Outcomes.Equivalence
	if !e.Within || e.Lo != narrow.Lo || e.Hi != narrow.Hi || !archtest.Near(e.Level, .9, 5e-7) || wide.Hi < margin {
		t.Errorf("%+v of %+v and %+v", e, wide, narrow)
	}
	// A fall that is told from 0 and lies within the margin is both.
	o := Compare(outcomeRows(wrong(60)), outcomeRows(wrong(50)), Options{Margin: .2}).Outcomes
	if o.Verdict != Fell || !o.Equivalence.Within {
		t.Errorf("%s, %+v", o.Verdict, o.Equivalence)
	}
}

// TestDifferenceHolds: any grading of the ungradable answers gives a difference inside the range.
func TestDifferenceHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, other := draw(t), draw(t)
		var pairs []pair
		for i := range min(len(base), len(other)) {
			pairs = append(pairs, pair{&base[i], &other[i]})
		}
		pairs = allCameBack(pairs)
		d := ends(pairs, incorrect).difference(.95)
		if d == nil {
			return
		}
		as := rapid.SliceOfN(rapid.SampledFrom([]byte("cin")), 60, 60).Draw(t, "graded as")
		for i := range base {
			if base[i].Grade.Outcome() == grade.CannotGrade {
				base[i].Grade = outcomeRow("", as[i], "").Grade
			}
		}
		for i := range other {
			if other[i].Grade.Outcome() == grade.CannotGrade {
				other[i].Grade = outcomeRow("", as[30+i], "").Grade
			}
		}
		g := ends(pairs, incorrect).difference(.95)
		lo, hi := d.Lo, d.Hi
		if d.Range != nil {
			lo, hi = d.Range.Lo, d.Range.Hi
		}
		if *g.Estimate < lo-1e-9 || *g.Estimate > hi+1e-9 || math.IsNaN(d.Lo) {
			t.Fatalf("%v is not in %v to %v", *g.Estimate, lo, hi)
		}
	})
}

// Labels count in a comparison where both answers of a case have one, and in no series.
func TestLabelsInComparisons(t *testing.T) {
	row := func(id string, truth grade.Verdict, label grade.Outcome) Row {
		j := func(v grade.Verdict) grade.Judgment { return grade.Judgment{Verdict: v} }
		return Row{CaseID: id, Label: label, Grade: &grade.Grade{Truth: j(truth), Decidability: j(grade.Pass),
			Reciprocity: j(grade.Pass), Act: grade.Answered, Grader: "rules"}}
	}
	base := []Row{row("a", grade.Fail, grade.Correct), row("b", grade.Fail, grade.Correct), row("c", grade.Pass, "")}
	other := []Row{row("a", grade.Fail, grade.Correct), row("b", grade.Fail, ""), row("c", grade.Pass, "")}
	r := Compare(base, other, Options{})
	if *r.Outcomes.Base.Incorrect.Rate != 1./3 || *r.Outcomes.Other.Incorrect.Rate != 1./3 ||
		*r.Outcomes.Difference.Incorrect.Estimate != 0 {
		t.Errorf("%+v, %+v", r.Outcomes.Base.Incorrect, r.Outcomes.Difference.Incorrect)
	}
	if !slices.ContainsFunc(r.Warnings, func(w string) bool {
		return strings.HasPrefix(w, "labels of 1 cases count in no comparison")
	}) {
		t.Errorf("%q", r.Warnings)
	}
	if base[1].Label != grade.Correct {
		t.Error("a comparison changes what it compares")
	}
	s := NewSeries([]SeriesRun{{Run: "1"}, {Run: "2"}}, [][]Row{base, other}, Options{})
	if !slices.ContainsFunc(s.Warnings, func(w string) bool {
		return strings.HasPrefix(w, "3 labels count in no series")
	}) {
		t.Errorf("%q", s.Warnings)
	}
}
