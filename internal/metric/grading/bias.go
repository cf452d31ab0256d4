package grading

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"hallmark/internal/grade"
	"hallmark/internal/model"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// Biases are what a judge's verdicts depend on beside what is true.
type Biases struct {
	// Length is by how much oftener the judge reads an answer as correct for each doubling of its length in characters,
	// of answers of the same true outcome: stat.SlopeWithin on the logarithms to base 2, by cases. 0 is no bias; above
	// 0 it favours long answers. Null where lengths do not differ within an outcome, or verdicts never do.
	Length *stat.Tested `json:"length"`
	// Family is by how much oftener the judge reads an answer as correct that a model of a judge's own family gave than
	// one of another model, of answers of the same true outcome and the same band of length (Lengths):
	// stat.SlopeWithin on 1 and 0, by cases. 0 is no bias; above 0 it favours its own. Nil where rows do not say whose
	// they are, or all are its own, or none.
	Family *FamilyBias `json:"family,omitempty"`
	// Judged are the answers that a judge decided.
	Judged int `json:"judged"`
	// Order is how often its verdict is another when the references stand in the other order, of questions that have
	// several; nil where none was asked so.
	Order *Share `json:"order,omitempty"`
}

// A FamilyBias is what a judge makes of answers of models of its own family, beside those of others.
type FamilyBias struct {
	stat.Tested
	Families []string `json:"families"` // of the judges
	Own      int      `json:"own"`      // answers of models of these families
	Others   int      `json:"others"`
}

// NewBiases returns the biases of what judges decided among rows; nil of nothing. agreement is how often they gave the
// same outcome to references in another order, nil where that was not asked; families are those of the judges
// (model.Family). It changes nothing.
func NewBiases(rows []Row, agreement *Share, families []string, level float64) *Biases {
	b := &Biases{}
	var length, accepted []float64
	var stratum []int
	var cluster []int32
	cases := map[string]int32{}
	var own, ownAccepted []float64
	var ownStratum []int
	var ownCluster []int32
	for _, r := range rows {
		if r.Grader == "rules" || r.Grader == "" || r.Read == grade.CannotGrade || r.Read == grade.NoOutcome ||
			r.Text == "" {
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
		if r.Model != "" && len(families) > 0 {
			own = append(own, one(slices.Contains(families, model.Family(r.Model))))
			ownAccepted, ownCluster = append(ownAccepted, one(r.Read == grade.Correct)),
				append(ownCluster, cases[r.CaseID])
			ownStratum = append(ownStratum, at*len(Lengths)+slices.Index(Lengths, LengthOf(r.Text)))
		}
	}
	if b.Judged == 0 {
		return nil
	}
	if t := stat.SlopeWithin(length, accepted, stratum, cluster, level); t.OK() {
		b.Length = &t
	}
	if t := stat.SlopeWithin(own, ownAccepted, ownStratum, ownCluster, level); t.OK() {
		b.Family = &FamilyBias{Tested: t, Families: families}
		for _, x := range own {
			b.Family.Own += int(x)
		}
		b.Family.Others = len(own) - b.Family.Own
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
	return "read as correct for each doubling of the length: " + inPoints(t)
}

// Says writes the bias towards its own family in words.
func (b *FamilyBias) Says() string {
	return fmt.Sprintf("read as correct where a model of the family %s answered (%d answers), against others (%d): %s",
		strings.Join(b.Families, " or "), b.Own, b.Others, inPoints(&b.Tested))
}

func inPoints(t *stat.Tested) string {
	points := figure.Hundredfold(func(x float64) string { return figure.Fixed(x, 1) })
	return figure.Bracketed(points, "", t.Value, t.Lo, t.Hi) + " points, p " + figure.Probability(t.P)
}
