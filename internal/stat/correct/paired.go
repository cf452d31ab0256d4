package correct

import (
	"fmt"
	"maps"
	"slices"

	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
)

// A Pair is the cases whose two answers, by models A and B, were read alike in an outcome: both or neither of it,
// only A's, only B's, or any of them ungradable. Of some, drawn at random, both answers were labelled. Read and
// Labels count by the difference d of B to A: -1 where only A has the outcome, 0, or 1 where only B has.
type Pair struct {
	N      int    // cases
	Read   [3]int // of all cases by what was read; none where answers are ungradable
	Labels [3]int // of the labelled cases by what people say
}

func (p *Pair) labelled() int { return p.Labels[0] + p.Labels[1] + p.Labels[2] }

// prior is added to the labels: 1/6 of each difference, and half a label that says what was read, each of so many
// cases.
func (p *Pair) prior(size float64) (add [3]float64) {
	read := p.Read[0] + p.Read[1] + p.Read[2]
	for d := range add {
		if add[d] = 1. / 6; read > 0 {
			add[d] += .5 * float64(p.Read[d]) / float64(read)
		}
		add[d] *= size
	}
	return add
}

// mean is that of the difference: of the labels, or of the prior where there are none; pulled is how far it is
// above that of labels and prior together.
func (p *Pair) mean(size float64) (mean, pulled float64) {
	add, k := p.prior(size), float64(p.labelled())
	more := float64(p.Labels[2] - p.Labels[0])
	both := (more + add[2] - add[0]) / (k + add[0] + add[1] + add[2])
	if k == 0 {
		return both, 0
	}
	return more / k, more/k - both
}

// pairedDraws is how many samples make the bounds of Paired: shares of -1 in small cells have long tails, and 4,000
// leave the second digit open.
const pairedDraws = 20_000

// Paired returns by how much the share of an outcome of model B exceeds that of A on the same cases. With n_s of n
// cases in cell s, and d in {-1, 0, 1} for each of its labelled ones,
//
//	Δ = Σ_s (n_s/n) mean(d in s),   bounds: quantiles at the level of Σ_s w_s (D_s3 - D_s1),
//	w ~ Dirichlet(n_s + 1/2),  D_s ~ Dirichlet(labels of s + 1/6 + read_s/2)
//
// over 20,000 samples, with read_s the shares of -1, 0 and 1 as the cases of s were read (0 where they could not
// be). The priors pull Δ by Σ_s (n_s/n) (mean(d in s) - mean of the samples in s): the bound that is farther in
// that direction is moved by as much. A cell without labels has the mean of its prior. Range: [-1, 1]; Δ lies
// within its bounds. Edge cases: no case, no value; cells without cases are left out. It panics where a cell has
// more labels than cases. Source: GRADING 4; the half label, and that no cells are joined, were chosen by
// simulation (docs/decisions/0029).
func Paired(pairs []Pair, level float64, seedValue uint64) stat.Estimate {
	return paired(pairs, level, pairedDraws, seedValue)
}

func paired(pairs []Pair, level float64, draws int, seedValue uint64) stat.Estimate {
	pairs = slices.DeleteFunc(slices.Clone(pairs), func(p Pair) bool { return p.N == 0 })
	return estimated(pairs, func(int) float64 { return 1 }, level, func() []float64 {
		r := seed.Stream(seedValue, "correct", "paired")
		out := make([]float64, draws)
		for i := range out {
			var sum, all float64
			for _, p := range pairs {
				w := gamma(float64(p.N)+.5, r)
				var x [3]float64
				for d, add := range p.prior(1) {
					x[d] = gamma(float64(p.Labels[d])+add, r)
				}
				sum += float64(w * (x[2] - x[0]) / (x[0] + x[1] + x[2]))
				all += w
			}
			out[i] = sum / all
		}
		return out
	})
}

// estimated returns Δ of cells with the bounds of draws; size is the cases of a label of the prior of each cell.
func estimated(pairs []Pair, size func(cell int) float64, level float64, draws func() []float64) stat.Estimate {
	e := stat.Estimate{Level: level, Method: "double sampling, paired"}
	for _, p := range pairs {
		if p.labelled() > p.N {
			panic("correct: a cell of pairs has more labels than cases")
		}
		e.N += p.N
	}
	if e.N == 0 {
		return stat.Estimate{Level: level}
	}
	pulled := 0.
	for i, p := range pairs {
		share := float64(p.N) / float64(e.N)
		mean, by := p.mean(size(i))
		e.Value += float64(share * mean)
		pulled += float64(share * by)
	}
	lo, hi := bounds(draws(), level)
	lo, hi = lo+min(0, pulled), hi+max(0, pulled)
	e.Lo, e.Hi = max(-1, min(e.Value, lo)), min(1, max(e.Value, hi))
	return e
}

// PairedByCluster is Paired of cases in clusters that go together, each of them its cases by cell: cells stand in
// all of them in one order. It is Paired of the cells, to the bit, where no cluster has two cases.
//
// Formula: Δ as there. The bounds are by the Bayesian bootstrap over clusters: with n_cs the cases of cluster c in
// cell s, l_csd its labels of difference d, and g_c ~ Exponential(1),
//
//	w_s ∝ Σ_c g_c n_cs + Gamma(1/2) m,   D_sd ∝ Σ_c g_c l_csd + Gamma(1/6 + read_sd/2) m_s
//
// with m the cases of the largest cluster and m_s the most labels of one in s: where each cluster is a case that is
// the distribution of Paired, and what is added is worth a cluster. Range, edge cases and panics: as Paired. It
// changes nothing; the order of clusters changes no bit. Coverage: TestPairedByClusterCovers. Source: Rubin, Ann.
// Statist. 9 (1981) 130, for the bootstrap; its use here is this project's.
func PairedByCluster(clusters [][]Pair, level float64, seedValue uint64) stat.Estimate {
	return pairedByCluster(clusters, level, pairedDraws, seedValue)
}

func pairedByCluster(clusters [][]Pair, level float64, draws int, seedValue uint64) stat.Estimate {
	var cells []Pair
	made := map[string][]Pair{} // clusters that are alike, by what they are
	count := map[string]float64{}
	var largest float64
	var sizes []float64 // the most labels of a cluster by cell, at least 1
	for _, c := range clusters {
		if cells == nil {
			cells, sizes = make([]Pair, len(c)), slices.Repeat([]float64{1}, len(c))
		}
		n := 0
		for s, p := range c {
			n += p.N
			cells[s].N += p.N
			for d := range p.Labels {
				cells[s].Read[d] += p.Read[d]
				cells[s].Labels[d] += p.Labels[d]
			}
			sizes[s] = max(sizes[s], float64(p.labelled()))
		}
		key := fmt.Sprint(c)
		made[key] = c
		count[key]++
		largest = max(largest, float64(n))
	}
	if largest <= 1 {
		return paired(cells, level, draws, seedValue)
	}
	keys := slices.Sorted(maps.Keys(made))
	e := estimated(cells, func(s int) float64 { return sizes[s] }, level, func() []float64 {
		r := seed.Stream(seedValue, "correct", "paired")
		out := make([]float64, draws)
		w, x := make([]float64, len(cells)), make([][3]float64, len(cells))
		for i := range out {
			for s, p := range cells {
				w[s] = 0
				for d, add := range p.prior(1) {
					if x[s][d] = 0; p.N > 0 {
						x[s][d] = gamma(add, r) * sizes[s]
					}
				}
				if p.N > 0 {
					w[s] = gamma(.5, r) * largest
				}
			}
			for _, key := range keys {
				g := gamma(count[key], r)
				for s, p := range made[key] {
					w[s] += float64(g * float64(p.N))
					for d, k := range p.Labels {
						x[s][d] += float64(g * float64(k))
					}
				}
			}
			var sum, total float64
			for s := range cells {
				if w[s] > 0 {
					sum += float64(w[s] * (x[s][2] - x[s][0]) / (x[s][0] + x[s][1] + x[s][2]))
					total += w[s]
				}
			}
			out[i] = sum / total
		}
		return out
	})
	e.Method = "double sampling, paired, by cluster"
	return e
}
