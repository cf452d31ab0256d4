package scored

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/metric/method"
	"hallmark/internal/model"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
	"hallmark/internal/suite/imported"
)

// said is an answer that this reading found right or not, and what another tool scored it.
func said(right bool, scores string) method.Answer {
	g := grade.Grade{Truth: grade.Judgment{Verdict: grade.Fail}, Decidability: grade.Judgment{Verdict: grade.Pass},
		Act: grade.Answered}
	if right {
		g.Truth.Verdict = grade.Pass
	}
	a := method.Answer{Grade: &g, Text: "x", Response: &model.Response{}}
	if scores != "" {
		a.Response.Raw = []byte(scores)
	}
	return a
}

func of(a method.Answer, use string, variant, repeat int) method.Answer {
	a.Use, a.Variant, a.Repeat = use, variant, repeat
	return a
}

func estimate(t *testing.T, cases ...method.Case) *Result {
	t.Helper()
	result, err := Method{}.Estimate(&method.Table{Level: .95, Scores: []string{"s"}, Cases: slices.Values(cases)})
	if err != nil {
		t.Fatal(err)
	}
	return result.(*Result)
}

// Means are over questions of the mean of a question's draws, agreement is over answers; by hand.
func TestScores(t *testing.T) {
	at := func(id string, answers ...method.Answer) method.Case {
		return method.Case{Case: &suite.Case{ID: id}, Answers: answers}
	}
	r := estimate(t,
		at("a", of(said(true, `{"s":1}`), "", 0, 0), of(said(true, `{"s":1}`), "sample", 0, 0),
			of(said(false, `{"s":1}`), "sample", 0, 1),
			of(said(true, `{"s":0}`), "", 1, 0)),
		at("b", of(said(false, `{"s":0,"len":7}`), "", 0, 0)),
		at("c", of(said(true, `{"s":true,"part":0.5}`), "", 0, 0)),
		at("d", of(said(true, ""), "", 0, 0)))
	s := r.ByName["s"]
	// default prompt: a (1 + 1)/2, b 0, c 1: 2/3; all prompts: a (1 + 1 + 0)/3, b 0, c 1: 5/9
	if s.N != 5 || s.Cases != 3 || s.Average != 2./3 || s.Mean.Value != 2./3 ||
		math.Abs(s.OverVariants.Value-5./9) > 1e-15 {
		t.Errorf("%+v, mean %v, over variants %v", s, s.Mean, s.OverVariants)
	}
	// agreed: a 1 of 3, b, c: 3 of 5
	if g := s.Agreement; g.N != 5 || math.Abs(g.Value-.6) > 1e-15 || g.RightHereOnly != 1 || g.RightThereOnly != 1 ||
		!(0 < g.Lo && g.Lo < .6 && .6 < g.Hi && g.Hi < 1) {
		t.Errorf("agreement %+v", g)
	}
	if want := []Difference{{"a", 0, 1, 1, "incorrect", "x"}, {"a", 1, 0, 0, "correct", "x"}}; !slices.Equal(s.Differ,
		want) {
		t.Errorf("differ %+v", s.Differ)
	}
	if p := r.ByName["part"]; p.Agreement != nil || p.Mean.Value != .5 || len(p.Differ) != 0 {
		t.Errorf("a score of one half: %+v", p)
	}
	if l := r.ByName["len"]; l.Mean != nil || l.Average != 7 || len(r.Warnings) != 1 {
		t.Errorf("a score of 7: %+v, %q", l, r.Warnings)
	}
	b, err := json.Marshal(s)
	var keys map[string]json.RawMessage
	if err != nil || json.Unmarshal(b, &keys) != nil || keys["agreement"] == nil || keys["mean"] == nil {
		t.Errorf("%s, %v", b, err)
	}
}

// Questions of one cluster are one observation, scores of 0 and 1 that are alone get Wilson's interval, a verdict is
// not held against itself, and before anything was answered there are the names alone.
func TestScoresByCluster(t *testing.T) {
	var alone, together []method.Case
	values := []float64{}
	for i := range 12 {
		score, x := `{"s":0}`, 0.
		if i%3 == 0 {
			score, x = `{"s":1}`, 1
		}
		values = append(values, x)
		c := method.Case{Case: &suite.Case{ID: string(rune('a' + i)), Options: imported.Verdicts},
			Answers: []method.Answer{said(true, score)}}
		alone = append(alone, c)
		c.Cluster = int32(i%2) + 1
		together = append(together, c)
	}
	one, two := estimate(t, alone...).ByName["s"], estimate(t, together...).ByName["s"]
	if want := stat.Wilson(4, 12, .95); one.Mean.Lo != want.Lo || one.Mean.Hi != want.Hi || one.Agreement != nil {
		t.Errorf("%+v, want %v", one.Mean, want)
	}
	clusters := []int32{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}
	if want := stat.ShareByCluster(values, clusters, .95); two.Mean.Lo != want.Lo || two.Mean.Hi != want.Hi ||
		two.Mean.Hi == one.Mean.Hi {
		t.Errorf("%+v, want %v", two.Mean, want)
	}
	if none := estimate(t).ByName["s"]; none == nil || none.Mean != nil || none.N != 0 {
		t.Errorf("%+v", none)
	}
}
