package detect

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hallmark/internal/stat"
)

// AcrossGain sets the two axes of one detector side by side over models: of each model that has both AUROCs, that
// on consistency less that on correctness, and Wilcoxon's two-sided signed-rank test that these differences are
// symmetric about 0.
type AcrossGain struct {
	P      *float64 `json:"p"`      // null where no model has both
	PHolm  *float64 `json:"p_holm"` // adjusted for the detectors
	Models int      `json:"models"`
	Zeros  int      `json:"zeros"`  // differences of exactly 0, which the test drops
	Higher int      `json:"higher"` // models in which consistency is told better
	Mean   *float64 `json:"mean"`   // of the differences
}

// gainOf compares the axes of a technique.
func gainOf(t *Technique) *AcrossGain {
	g := &AcrossGain{}
	var differences []float64
	sum := 0.
	for _, name := range slices.Sorted(maps.Keys(t.Consistency.AUROC)) {
		moves, wrong := t.Consistency.AUROC[name], t.Correctness.AUROC[name]
		if moves == nil || wrong == nil {
			continue
		}
		d := moves.Value - wrong.Value
		differences = append(differences, d)
		sum += d
		if d > 0 {
			g.Higher++
		}
	}
	if g.Models = len(differences); g.Models > 0 {
		w := stat.SignedRank(differences)
		g.P, g.Zeros, g.Mean = &w.P, w.Zeros, new(sum/float64(g.Models))
	}
	return g
}

// significant is the level at which findings over models are made, after Holm's adjustment.
const significant = .05

// says puts the tests over models into words: which detectors tell each axis, and whether they tell consistency
// better than correctness, as arXiv:2602.00723 found. It returns none with one model.
func (r *Result) says() []string {
	if r.Models < 2 {
		return nil
	}
	var wrong, moves, above, below []string
	tested, most := 0, 0
	for _, name := range slices.Sorted(maps.Keys(r.Detectors)) {
		t := r.Detectors[name]
		told := func(x *Test) bool { return x.PHolm != nil && *x.PHolm < significant && 2*x.Higher > x.Models }
		if told(t.Correctness) {
			wrong = append(wrong, name)
		}
		if told(t.Consistency) {
			moves = append(moves, name)
		}
		g := t.Gain
		if g.P == nil {
			continue
		}
		tested++
		most = max(most, g.Models-g.Zeros)
		switch {
		case !(*g.PHolm < significant):
		case *g.Mean > 0:
			above = append(above, name)
		default:
			below = append(below, name)
		}
	}
	list := func(names []string) string { return strings.Join(names, ", ") }
	pooled := ""
	if n := len(r.suites); n > 0 {
		pooled = fmt.Sprintf(" and %d suites pooled", n)
	}
	out := []string{fmt.Sprintf("Over %d models%s, by the mean scores (p by Holm below %g): %s of %d detectors tell "+
		"whether an answer moves with the prompt, %s whether it is wrong.",
		r.Models, pooled, significant, counted(moves), len(r.Detectors), counted(wrong))}
	switch {
	case tested == 0:
		out = append(out, "Whether detectors tell consistency better than correctness cannot be said: no model "+
			"has an AUROC on both axes.")
	case len(above) > 0 && len(below) == 0:
		out = append(out, fmt.Sprintf("Consistency is told better than correctness, as the source found: by their "+
			"AUROC, %d of %d detectors do so over the models (%s), and none the other way.",
			len(above), tested, list(above)))
	case len(below) > 0 && len(above) == 0:
		out = append(out, fmt.Sprintf("Correctness is told better than consistency, against what the source "+
			"found: by their AUROC, %d of %d detectors do so over the models (%s), and none the other way.",
			len(below), tested, list(below)))
	case len(above) > 0:
		out = append(out, fmt.Sprintf("Detectors differ: by their AUROC over the models, %s tell consistency "+
			"better than correctness, and %s correctness better.", list(above), list(below)))
	default:
		out = append(out, fmt.Sprintf("Whether detectors tell consistency better than correctness cannot be said: no "+
			"AUROC of %d detectors differs for sure between the two over %d models (p by Holm).", tested, most))
	}
	return out
}

// counted is the number of the names, with the names.
func counted(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d (%s)", len(names), strings.Join(names, ", "))
}
