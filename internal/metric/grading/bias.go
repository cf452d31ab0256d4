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
	var length, own sample
	cases := stat.Numbering[string]{}
	for _, r := range rows {
		if r.Grader == "rules" || r.Grader == "" || r.Read == grade.CannotGrade || r.Read == grade.NoOutcome ||
			r.Text == "" {
			continue
		}
		b.Judged++
		yes, at := stat.Bit(r.Read == grade.Correct), max(0, slices.Index(Truths, r.Truth))
		length.add(math.Log2(float64(utf8.RuneCountInString(r.Text))), yes, at, cases.Of(r.CaseID))
		if r.Model != "" && len(families) > 0 {
			own.add(stat.Bit(slices.Contains(families, model.Family(r.Model))), yes,
				at*len(Lengths)+slices.Index(Lengths, LengthOf(r.Text)), cases.Of(r.CaseID))
		}
	}
	if b.Judged == 0 {
		return nil
	}
	if t := length.slope(level); t.OK() {
		b.Length = &t
	}
	if t := own.slope(level); t.OK() {
		b.Family = &FamilyBias{Tested: t, Families: families}
		b.Family.Own = int(stat.Sum(own.x))
		b.Family.Others = len(own.x) - b.Family.Own
	}
	if agreement != nil {
		b.Order = &Share{agreement.N - agreement.K, agreement.N, stat.Rate(stat.Estimate(agreement.Rate).Rest())}
	}
	return b
}

// A sample is what a slope is of.
type sample struct {
	x, y    []float64
	stratum []int
	cluster []int32
}

func (s *sample) add(x, y float64, stratum int, cluster int32) {
	s.x, s.y = append(s.x, x), append(s.y, y)
	s.stratum, s.cluster = append(s.stratum, stratum), append(s.cluster, cluster)
}

func (s *sample) slope(level float64) stat.Tested {
	return stat.SlopeWithin(s.x, s.y, s.stratum, s.cluster, level)
}

// Says writes the bias of length in words.
func (b *Biases) Says() string {
	t := b.Length
	if t == nil {
		return "whether it favours long answers is not known: too few, or of one length"
	}
	return "read as correct for each doubling of the length: " + inPoints(t)
}

// Says writes the bias towards its own family in words.
func (b *FamilyBias) Says() string {
	return fmt.Sprintf("read as correct where a model of the family %s answered (%d answers), against others (%d): %s",
		strings.Join(b.Families, " or "), b.Own, b.Others, inPoints(&b.Tested))
}

func inPoints(t *stat.Tested) string {
	return bracketed("", t.Estimate) + " points, p " + figure.Probability(t.P)
}
