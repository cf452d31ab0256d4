package sweep

import (
	"math"
	"slices"

	"hallmark/internal/base/seed"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
)

// A Peak is the stage of highest semantic stability.
type Peak struct {
	Stage    string  `json:"stage"`
	Sparsity float64 `json:"sparsity"`
	N        int     `json:"n"` // cases that every stage asked in two variants at least, over which stages are ranked
	// Clusters counts the questions, or clusters of cases, that intervals are by; 0 where every case is one of its own.
	Clusters int `json:"clusters,omitempty"`
	// SemanticStability is that of the peak over these.
	SemanticStability *stat.Estimate `json:"semantic_stability"`
	Share             float64        `json:"share"` // of the resamples in which it is the peak: how sure it is
	Resamples         int            `json:"resamples"`
	Optimal           []string       `json:"optimal"` // the stages that cannot be told from it, itself among them
	// Level is that of each comparison with the peak: the stages are compared at once, so that all hold together at
	// the level of the run.
	Level float64 `json:"level"`
}

// peak finds the stage of highest stability and how sure it is, and marks the stages that cannot be told from it.
//
// The peak is the stage with the highest mean PC over the shared cases, of equal ones the first. A stage is optimal
// where the interval of its paired difference from the peak holds 0, each at the level 1 - (1-level)/(stages-1)
// (Bonferroni), so that the true best stage is among them at the level of the run, though which one the peak is was
// seen in the same answers (TestOptimalHoldsTheBest). PeakShare is over resamples of the cases, drawn with
// replacement, all stages on the same ones; stages that tie part a resample. PC are whole numbers of 1/lcm of the
// numbers of variants, so that ties are exact. Edge case: nil without a shared case.
func (o Options) peak(stages []Row) *Peak {
	runs := make([][]consistency.Standing, len(stages))
	for i := range stages {
		runs[i] = stages[i].standings
	}
	rows, _ := consistency.Shared(runs...)
	if len(rows) == 0 {
		return nil
	}
	unit := unitOf(rows)
	level, cluster := o.Consistency.Level, consistency.ClustersOf(rows)
	whole := make([][]float64, len(stages)) // PC in units, by stage and then by case, or cluster of cases
	values := make([][]float64, len(stages))
	total := make([]float64, len(stages))
	for s := range stages {
		for _, row := range rows {
			values[s] = append(values[s], row[s].PC)
			whole[s] = append(whole[s], math.Round(row[s].PC*float64(unit)))
		}
		whole[s], _ = stat.Together(whole[s], whole[s], cluster)
		total[s] = stat.Sum(whole[s])
	}
	at := slices.Index(total, slices.Max(total))
	shares := o.shares(whole)
	p := &Peak{
		Stage: stages[at].Stage, Sparsity: stages[at].Sparsity, N: len(rows), Clusters: stat.Clusters(cluster),
		SemanticStability: stat.MeanByCluster(values[at], cluster, level).Known(),
		Share:             shares[at], Resamples: o.Resamples, Level: 1 - (1-level)/float64(len(stages)-1),
	}
	for s := range stages {
		stages[s].PeakShare = shares[s]
		if s != at {
			stages[s].BelowPeak = stat.Paired(values[at], values[s], cluster, p.Level).Known()
		}
		d := stages[s].BelowPeak
		if stages[s].Optimal = d == nil || d.Lo <= 0 && d.Hi >= 0; stages[s].Optimal {
			p.Optimal = append(p.Optimal, stages[s].Stage)
		}
	}
	return p
}

// shares returns for each stage the share of resamples of the cases, or of the sums of their clusters, in which its
// sum is the highest.
func (o Options) shares(whole [][]float64) []float64 {
	out := make([]float64, len(whole))
	if o.Resamples < 1 {
		return out
	}
	rng := seed.Stream(o.Seed, append([]string{"sweep", "peak"}, o.Name...)...)
	sums := make([]float64, len(whole))
	for range o.Resamples {
		clear(sums)
		for range whole[0] {
			drawn := rng.IntN(len(whole[0]))
			for s := range sums {
				sums[s] += whole[s][drawn]
			}
		}
		best, tied := slices.Max(sums), 0.
		for _, x := range sums {
			tied += stat.Bit(x == best)
		}
		for s, x := range sums {
			if x == best {
				out[s] += 1 / tied
			}
		}
	}
	for s := range out {
		out[s] /= float64(o.Resamples)
	}
	return out
}

// unitOf returns a number that makes every PC of the rows whole, or 2^20, to which they are rounded.
func unitOf(rows [][]*consistency.Standing) int64 {
	unit := int64(1)
	for _, row := range rows {
		for _, s := range row {
			if unit = stat.LCM(unit, int64(s.R)); unit > 1<<20 {
				return 1 << 20
			}
		}
	}
	return unit
}
