package rate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/grade"
)

// sliced is a row with an outcome and tags.
func sliced(i int, o grade.Outcome, tags ...string) Row {
	g := &grade.Grade{Truth: grade.Judgment{Verdict: grade.Pass}, Decidability: grade.Judgment{Verdict: grade.Pass},
		Reciprocity: grade.Judgment{Verdict: grade.Pass}, Act: grade.Answered}
	switch o {
	case grade.Incorrect:
		g.Truth.Verdict = grade.Fail
	case grade.NotAttempted:
		g.Truth.Verdict, g.Act = grade.Fail, grade.Declined
	case grade.CannotGrade:
		g.Truth.Verdict, g.Act = grade.Ungradable, grade.Unreadable
	case grade.NoOutcome:
		g.Truth.Verdict = grade.Unscored
	}
	return Row{CaseID: fmt.Sprintf("q%05d", i), Tags: tags, Grade: g}
}

// topics are rows of which the first k of n of each topic are wrong.
func topics(of ...any) (rows []Row) {
	for i := 0; i < len(of); i += 3 {
		for j := range of[i+2].(int) {
			o := grade.Correct
			if j < of[i+1].(int) {
				o = grade.Incorrect
			}
			rows = append(rows, sliced(len(rows), o, "topic:"+of[i].(string)))
		}
	}
	return rows
}

// TestSlices has Fisher's p of scipy 1.17.1 and Holm's of statsmodels 0.15.0, multipletests(…, "holm"), run for this
// test: 12, 3 and 5 wrong of 40 each.
func TestSlices(t *testing.T) {
	rows := topics("geo", 12, 40, "history", 3, 40, "art", 5, 40, "rare", 1, 2, "odd", 0, 4)
	rows = rows[:120]
	s := Analyze(rows, Options{}).Slices
	if s.Tested != 3 || len(s.By) != 1 || len(s.LeftOut) != 0 {
		t.Fatalf("%+v", s)
	}
	for value, want := range map[string][2]float64{"geo": {0.00876115524211385, 0.02628347}, "history": {
		0.07039578554374519, 0.14079157}, "art": {0.44683840133049746, 0.4468384}} {
		d := s.By["topic"].Of[value].Difference
		if math.Abs(d.P-want[0]) > 1e-9 || math.Abs(d.PHolm-want[1]) > 1e-7 {
			t.Errorf("%s: p %.9f, Holm %.9f, want %v", value, d.P, d.PHolm, want)
		}
	}
	geo := s.By["topic"].Of["geo"]
	if geo.N != 40 || geo.Wrong != 12 || *geo.Incorrect.Rate != .3 || geo.Rest.N != 80 || *geo.Rest.Incorrect.Rate != .1 ||
		math.Abs(*geo.Difference.Estimate-.2) > 1e-12 || geo.Difference.Lo <= 0 {
		t.Errorf("geo: %+v", geo)
	}
}

// TestSlicesFewAndMany: few cases are pooled or named, many values are no slices, the same set has one test.
func TestSlicesFewAndMany(t *testing.T) {
	rows := topics("geo", 12, 40, "history", 3, 40, "rare", 1, 3, "odd", 0, 4)
	for i := range rows {
		rows[i].Class = "x"
		if i < 40 { // the same cases under three names
			rows[i].Class, rows[i].Tags = "multi-hop", append(rows[i].Tags, "multi-hop")
		}
		rows[i].Tags = append(rows[i].Tags, fmt.Sprintf("id:%d", i))
	}
	s := Analyze(rows, Options{}).Slices
	topic := s.By["topic"]
	if topic.Values != 4 || topic.Few != 2 || len(topic.Of) != 2 || topic.Other == nil || topic.Other.N != 7 {
		t.Errorf("topic: %+v", topic)
	}
	if _, has := s.By[Tagged]; has {
		t.Error("a tag that is a class by another name is a slice of its own")
	}
	// class multi-hop, class x and topic geo are the two sets of one test; history and the others are one each
	if s.Tested != 3 {
		t.Errorf("%d tests, want 3", s.Tested)
	}
	if want := []string{"id has 87 values, none of 5 cases"}; !slices.Equal(s.LeftOut, want) {
		t.Errorf("left out %q, want %q", s.LeftOut, want)
	}
	var many []Row
	for i := range 510 {
		many = append(many, sliced(i, grade.Correct, fmt.Sprintf("entity:%d", i%102)))
	}
	if s = Analyze(many, Options{}).Slices; len(s.By) != 0 || len(s.LeftOut) != 1 ||
		!strings.Contains(s.LeftOut[0], "entity has 102 values of 5 cases or more: over 100 are no slices") {
		t.Errorf("many values: %+v", s)
	}
	if s = Analyze(many[:4], Options{}).Slices; len(s.By) != 0 {
		t.Errorf("four cases: %+v", s)
	}
	if s = Analyze([]Row{sliced(1, grade.Correct)}, Options{}).Slices; s != nil {
		t.Errorf("without tags: %+v", s)
	}
}

// TestSlicesUngradable: answers that could not be graded make the difference a range, which is decided only where both
// of its ends are.
func TestSlicesUngradable(t *testing.T) {
	rows := topics("geo", 30, 40, "history", 3, 40)
	for i := range 8 {
		rows[40+39-i] = sliced(40+39-i, grade.CannotGrade, "topic:history")
	}
	d := Analyze(rows, Options{}).Slices.By["topic"].Of["geo"].Difference
	if d.Range == nil || math.Abs(d.Range.Lo-(.75-11./40)) > 1e-12 || math.Abs(d.Range.Hi-(.75-3./40)) > 1e-12 ||
		d.P > .05 || d.Lo <= 0 {
		t.Errorf("%+v", d)
	}
	for i := range 40 {
		rows[40+i] = sliced(40+i, grade.CannotGrade, "topic:history")
	}
	if d = Analyze(rows, Options{}).Slices.By["topic"].Of["geo"].Difference; d.P != 1 || d.Lo > 0 || d.Hi < 0 {
		t.Errorf("where nothing of one side could be graded: %+v", d)
	}
	for i := range rows {
		rows[i] = sliced(i, grade.NoOutcome, rows[i].Tags...)
	}
	s := Analyze(rows, Options{}).Slices
	if geo := s.By["topic"].Of["geo"]; geo.N != 0 || geo.Incorrect != nil || geo.Difference != nil || s.Tested != 0 {
		t.Errorf("where nothing came back: %+v", geo)
	}
}

// TestSlicesFamilyError draws suites in which no slice differs, of two dimensions with eight values of unequal sizes
// and a tag, with cases by themselves and in clusters that are alike: any difference is found, at Holm's .05, in no
// more than .05 of draws (and three standard errors). One slice that is wrong three times as often is found.
func TestSlicesFamilyError(t *testing.T) {
	for _, most := range []int{1, 4} {
		for _, wrong := range []float64{.1, .3} {
			draws := archtest.Draws(20, 400, 400)
			if most > 1 { // intervals by cluster take a minute
				draws = archtest.Draws(8, 100, 400)
			}
			any, power := 0, 0
			for d := range draws {
				rng := seed.Stream(11, "slices", fmt.Sprint(most, wrong, d))
				draw := func(times float64) *Slices {
					var rows []Row
					for c := range 240 / most {
						topic := fmt.Sprintf("topic:%d", int(8*rng.Float64()*rng.Float64()))
						rate := wrong
						if topic == "topic:0" {
							rate *= times
						}
						tags := []string{topic, fmt.Sprintf("source:%d", rng.IntN(8)), []string{"a", ""}[rng.IntN(2)]}
						o := grade.Correct
						if rng.Float64() < rate {
							o = grade.Incorrect
						}
						for range 1 + rng.IntN(most) {
							r := sliced(len(rows), o, tags...)
							r.Cluster = int32(c + 1)
							rows = append(rows, r)
						}
					}
					return slicesOf(sorted(rows), .95)
				}
				found := func(s *Slices, only string) bool {
					for _, dim := range s.By {
						for value, slice := range dim.Of {
							if x := slice.Difference; x != nil && x.PHolm < .05 && (only == "" || value == only) {
								return true
							}
						}
						if o := dim.Other; only == "" && o != nil && o.Difference != nil && o.Difference.PHolm < .05 {
							return true
						}
					}
					return false
				}
				if found(draw(1), "") {
					any++
				}
				if found(draw(3), "0") {
					power++
				}
			}
			t.Logf("clusters of up to %d, %.1f wrong: any in %.3f, that of three times in %.3f", most, wrong,
				float64(any)/float64(draws), float64(power)/float64(draws))
			if share := float64(any) / float64(draws); share > .05+3*math.Sqrt(.05*.95/float64(draws)) {
				t.Errorf("clusters of up to %d, %.1f wrong: a slice differs in %.3f of draws of none", most, wrong, share)
			}
			if share := float64(power) / float64(draws); most == 1 && share < .5 {
				t.Errorf("%.1f wrong: one that is wrong three times as often is found in %.3f of draws", wrong, share)
			}
		}
	}
}
