package consistency

import (
	"fmt"

	"hallmark/internal/stat"
)

// minRepeatAgreement is the agreement below which repeats of one prompt are no longer called deterministic.
const minRepeatAgreement = .98

// RepeatAgreement returns the floor under every stability figure: how often a model agrees with itself when the
// identical prompt is asked again. repeats[i] holds the class counts of the answers to one prompt of case i, and
// cluster[i] its cluster, or cluster is nil.
//
// Formula: the mean over cases of SC without replacement, by stat.MeanByCluster. Range: [0, 1]. Edge cases: cases with
// fewer than two answers count as Unscored; none left gives no value; a value below .98 carries a warning, as
// "temperature 0" then was not deterministic and part of the instability is not the prompt's. It does not change
// repeats. Source: METHODS 3; 3 repeats by default.
func RepeatAgreement(repeats [][]int, cluster []int32, level float64) stat.Estimate {
	var values []float64
	var of []int32
	for i, counts := range repeats {
		if sc, ok := SC(counts, false); ok {
			if values = append(values, sc); cluster != nil {
				of = append(of, cluster[i])
			}
		}
	}
	e := stat.MeanByCluster(values, of, level)
	e.Unscored = len(repeats) - len(values)
	if e.OK() && e.Value < minRepeatAgreement {
		e.Warnings = append(e.Warnings, fmt.Sprintf("identical prompts got equal answers in only %.3f of pairs: "+
			"the model is not deterministic, and part of the instability is not the variants'", e.Value))
	}
	return e
}
