package consistency

import (
	"hallmark/internal/stat"

	"hallmark/internal/stat/figure"
)

// MeanAmbiguityAt returns the mean over cases of AmbiguityAt: the ambiguity expected if each had m variants, by
// stat.MeanByCluster with the clusters of the cases, nil for none. It is exact: no subset is drawn. It returns nil if
// there is no case, or one with fewer than m answers. It does not change counts. Source: as AmbiguityAt.
func MeanAmbiguityAt(counts [][]int, cluster []int32, m int, level float64) *AmbiguityAtR {
	values := make([]float64, len(counts))
	for i, c := range counts {
		v, ok := AmbiguityAt(c, m)
		if !ok {
			return nil
		}
		values[i] = v
	}
	e := stat.MeanByCluster(values, cluster, level)
	if !e.OK() {
		return nil
	}
	return &AmbiguityAtR{m, e}
}

// Right returns how many of a case's answers are right, and how many were scored.
func (c *Case) Right() (right, scored int) {
	for _, v := range c.votes {
		if c.isGold(c.classes[v.class]) {
			right++
		}
	}
	return right, len(c.votes)
}

// A PassAtK is the mean over cases of pass@K.
type PassAtK struct {
	K     int `json:"k"`
	Cases int `json:"cases"`
	stat.Estimate
}

// passes are the K that are given, as far as the draws go.
var passes = []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}

// PassesAt returns the mean over the cases with gold of pass@k, for k = 1, 2, 5, 10 and so on up to the fewest scored
// draws of any, all over the same cases; nil if none has gold and a draw. Their answers are draws of one prompt. The
// interval is stat.MeanByCluster's, as PassAt is unbiased for each case. It changes nothing. Source: as PassAt.
func PassesAt(cases []*Case, level float64) []PassAtK {
	var right, drawn []int
	var cluster []int32
	fewest := 0
	for _, c := range cases {
		k, n := c.Right()
		if !c.HasGold() || n == 0 {
			continue
		}
		right, drawn, cluster = append(right, k), append(drawn, n), append(cluster, c.Cluster)
		if fewest == 0 || n < fewest {
			fewest = n
		}
	}
	var out []PassAtK
	for _, k := range passes {
		if k > fewest {
			break
		}
		values := make([]float64, len(right))
		for i := range right {
			values[i], _ = PassAt(drawn[i], right[i], k)
		}
		e := stat.MeanByCluster(values, cluster, level)
		out = append(out, PassAtK{k, e.N, e})
	}
	return out
}

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
		stat.Warn(&e.Warnings, "identical prompts got equal answers in only %s of pairs: the model is not "+
			"deterministic, and part of the instability is not the variants'", figure.Decimal(e.Value))
	}
	return e
}
