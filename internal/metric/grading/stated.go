package grading

import "hallmark/internal/grade"

// A Stated is a judgment as documents have it, beside the name of its axis.
type Stated struct {
	Verdict  string `json:"verdict"` // pass, fail, ungradable, unscored or n/a
	Rule     string `json:"rule,omitempty"`
	Evidence string `json:"evidence,omitempty"`
}

// StatedOf is a judgment as documents have it.
func StatedOf(j grade.Judgment) Stated { return Stated{j.Verdict.String(), j.Rule, j.Evidence} }

// An Axis is a judgment as lists in documents have it, with the name of its axis.
type Axis struct {
	Name     string `json:"axis"`
	Verdict  string `json:"verdict"`
	Rule     string `json:"rule"`
	Evidence string `json:"evidence,omitempty"`
}

// AxisNames are the names of the axes in documents, in the order of grade.Grade's Axes.
var AxisNames = [4]string{"truth", "decidability", "reciprocity", "format"}

// AxesOf are the judgments of a grade with the names of their axes.
func AxesOf(g *grade.Grade) (out [4]Axis) {
	for i, j := range g.Axes() {
		out[i] = Axis{AxisNames[i], j.Verdict.String(), j.Rule, j.Evidence}
	}
	return out
}
