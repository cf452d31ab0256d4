package grading

import (
	"math"
	"unicode/utf8"

	"hallmark/internal/figure"
	"hallmark/internal/grade"
	"hallmark/internal/stat"
)

// Biases are what a judge's verdicts depend on beside what is true.
type Biases struct {
	// Length is by how much oftener the judge reads an answer as correct for each doubling of its length in characters,
	// of answers of the same true outcome: stat.SlopeWithin on the logarithms to base 2, by cases. 0 is no bias; above 0
	// it favours long answers. Null where lengths do not differ within an outcome, or verdicts never do.
	Length *stat.Tested `json:"length"`
	// Judged are the answers that a judge decided.
	Judged int `json:"judged"`
	// Order is how often its verdict is another when the references stand in the other order, of questions that have
	// several; nil where none was asked so.
	Order *Share `json:"order,omitempty"`
}

// NewBiases returns the biases of what judges decided among rows; nil of nothing. agreement is how often they gave the
// same outcome to references in another order, nil where that was not asked. It changes nothing.
func NewBiases(rows []Row, agreement *Share, level float64) *Biases {
	b := &Biases{}
	var length, accepted []float64
	var stratum []int
	var cluster []int32
	cases := map[string]int32{}
	for _, r := range rows {
		if r.Grader == "rules" || r.Grader == "" || r.Read == grade.CannotGrade || r.Read == grade.NoOutcome || r.Text == "" {
			continue
		}
		b.Judged++
		if cases[r.CaseID] == 0 {
			cases[r.CaseID] = int32(len(cases) + 1)
		}
		length = append(length, math.Log2(float64(utf8.RuneCountInString(r.Text))))
		accepted, cluster = append(accepted, one(r.Read == grade.Correct)), append(cluster, cases[r.CaseID])
		at := 0
		for i, truth := range Truths {
			if r.Truth == truth {
				at = i
			}
		}
		stratum = append(stratum, at)
	}
	if b.Judged == 0 {
		return nil
	}
	if t := stat.SlopeWithin(length, accepted, stratum, cluster, level); t.OK() {
		b.Length = &t
	}
	if agreement != nil {
		other := Share{K: agreement.N - agreement.K, N: agreement.N, Rate: 1 - agreement.Rate, Lo: 1 - agreement.Hi,
			Hi: 1 - agreement.Lo}
		b.Order = &other
	}
	return b
}

// Says writes the bias of length in words.
func (b *Biases) Says() string {
	t := b.Length
	if t == nil {
		return "whether it favours long answers cannot be said: too few, or of one length"
	}
	points := figure.Hundredfold(func(x float64) string { return figure.Fixed(x, 1) })
	return "read as correct for each doubling of the length: " + figure.Bracketed(points, "", t.Value, t.Lo, t.Hi) +
		" points, p " + figure.Probability(t.P)
}
