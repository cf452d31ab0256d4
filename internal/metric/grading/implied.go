package grading

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"

	"hallmark/internal/grade"
	"hallmark/internal/seed"
	"hallmark/internal/stat"
	"hallmark/internal/stat/correct"
)

// A Check is what one version of the graders made of labelled answers: see docs/grading.md.
type Check struct {
	GradingVersion string `json:"grading_version"`
	Date           string `json:"date"` // when the lots were read, as 2026-11-20
	Lots           []Lot  `json:"lots"`
	// Judges are the identities of those that had a part in it, asked of every answer where All is set; none for rules alone.
	Judges []string `json:"judges,omitempty"`
	All    bool     `json:"judge_all,omitempty"`
}

// A Lot is a set of answers that was written and labelled before any of it was graded. Of what grade check --json prints it keeps what
//
//	jq '{name: .suite.name, n, cases, by_length: (.by_length | map_values({n, matrix, design_effect}))}'
//
// leaves.
type Lot struct {
	Name     string             `json:"name"`
	N        int                `json:"n"`
	Cases    int                `json:"cases"`
	ByLength map[Length]LotBand `json:"by_length"`
}

// A LotBand is the part of a lot whose answers are of one length.
type LotBand struct {
	N            int         `json:"n"`
	Matrix       Matrix[int] `json:"matrix"`
	DesignEffect *float64    `json:"design_effect,omitempty"` // see Group
}

//go:embed shipped.json
var shipped []byte

// Shipped returns the check of the graders in this binary. Its N is 0 where none was made of them.
var Shipped = sync.OnceValue(func() *Check {
	c := new(Check)
	if err := json.Unmarshal(shipped, c); err != nil {
		panic("grading: shipped.json: " + err.Error())
	}
	return c
})

// ShippedFor returns the check of the graders in this binary if it was made of the grading version that is named, else
// nil: it says nothing of the verdicts of another one.
func ShippedFor(version string) *Check {
	if c := Shipped(); c.GradingVersion == version && c.N() > 0 {
		return c
	}
	return nil
}

// N returns the number of labelled answers.
func (c *Check) N() (n int) {
	for _, lot := range c.Lots {
		n += lot.N
	}
	return n
}

// Counts returns the matrix of a length over all lots.
func (c *Check) Counts(l Length) (m Matrix[int]) {
	for _, lot := range c.Lots {
		band := lot.ByLength[l]
		for _, truth := range Truths {
			for _, read := range grade.Outcomes {
				*m.Of(truth).Of(read) += *band.Matrix.Of(truth).Of(read)
			}
		}
	}
	return m
}

// Group returns the figures of the check over the lengths, all of them where none is named. Intervals are Wilson's at as many answers as the lots'
// design effects leave, rounded down. Cases stays 0: one case has answers of several lengths.
func (c *Check) Group(level float64, lengths ...Length) Group {
	if len(lengths) == 0 {
		lengths = Lengths
	}
	var g Group
	left := 0.
	for _, l := range lengths {
		m, e := c.Counts(l), c.effective(l)
		for i, truth := range Truths {
			for _, read := range grade.Outcomes {
				*g.Matrix.Of(truth).Of(read) += *m.Of(truth).Of(read)
			}
			left += sum(e[i][:])
		}
	}
	if g.N = Sum(g.Matrix); g.N == 0 {
		return g
	}
	share := func(k, n int) *Share {
		if n == 0 {
			return nil
		}
		w := left / float64(g.N)
		m := max(1, int(w*float64(n)+1e-9))
		e := stat.Wilson(int(math.Round(float64(k)/float64(n)*float64(m))), m, level)
		rate := float64(k) / float64(n)
		return &Share{k, n, rate, min(e.Lo, rate), max(e.Hi, rate)}
	}
	of := func(truth grade.Outcome) (decided, n, wrong, right int) {
		r := *g.Matrix.Of(truth)
		return Total(r) - r.Ungradable, Total(r), r.Incorrect, *r.Of(truth)
	}
	dc, nc, wc, rc := of(grade.Correct)
	di, ni, _, ri := of(grade.Incorrect)
	dn, nn, wn, rn := of(grade.NotAttempted)
	g.Decided, g.Agreement = share(dc+di+dn, g.N), share(rc+ri+rn, dc+di+dn)
	g.FW, g.FR = share(wc+wn, dc+dn), share(di-ri, di)
	g.Coverage = Coverage{share(dc, nc), share(di, ni), share(dn, nn)}
	return g
}

// A matrix and a reads are of three true outcomes and four readings, in the order of Truths and grade.Outcomes.
type (
	matrix [3][4]float64
	reads  [4]float64
)

// effective returns the counts of a length, each lot's divided by its design effect where that is above 1: answers of one case
// tell less than as many of different cases.
func (c *Check) effective(l Length) (m matrix) {
	for _, lot := range c.Lots {
		band := lot.ByLength[l]
		weight := 1.
		if band.DesignEffect != nil {
			weight /= max(1, *band.DesignEffect)
		}
		for i, truth := range Truths {
			for j, read := range grade.Outcomes {
				m[i][j] += float64(weight * float64(*band.Matrix.Of(truth).Of(read)))
			}
		}
	}
	return m
}

// An Implied is what a check implies for the answers of a run.
type Implied struct {
	// Incorrect is the share of the run's answers that is truly incorrect; documents have null where the check does not
	// carry over to them.
	Incorrect      *stat.Rate `json:"incorrect"`
	N              int        `json:"n"`       // answers of the run
	CheckN         int        `json:"check_n"` // labelled answers behind it
	GradingVersion string     `json:"grading_version,omitempty"`
	Date           string     `json:"date,omitempty"`
	Lots           []string   `json:"lots,omitempty"`
	// FitP is the chance of a misfit as large as seen if answers are read here as in the check, null where it cannot be had; Fits says that it is at least .05. Where it is
	// not, the check does not carry over, and Incorrect is not to be used.
	FitP     *float64 `json:"fit_p"`
	Fits     bool     `json:"fits"`
	Warnings []string `json:"warnings"`
	// Read counts the run's answers by length and by how they were read: what all of this is computed from. Lengths
	// without answers are absent.
	Read map[Length]Reads[int] `json:"read"`
}

// How many samples make an interval and a test.
const (
	impliedDraws = 2000
	fitDraws     = 199
)

// Implied returns what the check implies for the share of incorrect answers in a run whose answers were read as the counts say, by their
// length; nil where check or run is empty. With n_ij the counts of the check and x_j those of the run at one length, and w its share of the
// run's answers,
//
//	M_i ~ Dirichlet(n_i + 1/2),  q ~ Dirichlet(x + a),  π = argmin over the simplex of KL(q, π M),  incorrect = Σ w π_incorrect
//
// for each of 2000 samples from the stream (seed, "grading implied"); n_i is divided by the lot's design effect where that is above 1. q and w
// are drawn jointly over the lengths that the run has, a = 1/2 over their number, so that the prior always weighs two answers. π is found by EM. The rate is the median, Lo and Hi the quantiles at the level; Lo is
// 0 where it is less than half an answer.
//
// Test of fit: four readings for three truths leave one degree of freedom a length. The likelihood of check and run together
// under π M, against that without a bond between them, is compared with 199 samples from the fitted model: FitP = (1 + number
// that fit no better)/200.
//
// Range: [0, 1]. A length without labelled answers leaves its part of the rate open, which widens the interval, and warns. It
// assumes that answers of one true outcome and length are read here as in the check. It changes nothing. Source: GRADING 4.
//
// Coverage is simulated by TestImpliedCovers; docs/grading.md has what it found.
func (c *Check) Implied(read map[Length]Reads[int], seedValue uint64, level float64) *Implied {
	out := &Implied{
		CheckN: c.N(), GradingVersion: c.GradingVersion, Date: c.Date, Warnings: []string{}, Read: map[Length]Reads[int]{},
	}
	for _, lot := range c.Lots {
		out.Lots = append(out.Lots, lot.Name)
	}
	var bands []band
	for _, l := range Lengths {
		r := read[l]
		n := Total(r)
		if n == 0 {
			continue
		}
		b := band{check: c.effective(l), n: float64(n)}
		for j, o := range grade.Outcomes {
			b.run[j] = float64(*r.Of(o))
		}
		if Sum(c.Counts(l)) == 0 {
			out.Warnings = append(out.Warnings, fmt.Sprintf("%d answers are of a length (%s words) of which the check has none", n, LengthWords(l)))
		}
		out.N += n
		out.Read[l] = r
		bands = append(bands, b)
	}
	if out.N == 0 || out.CheckN == 0 {
		return nil
	}
	draws := implied(bands, seed.Stream(seedValue, "grading implied"))
	tail := (1 - level) / 2
	out.Incorrect = &stat.Rate{Value: quantile(draws, .5), Lo: quantile(draws, tail), Hi: quantile(draws, 1-tail)}
	if out.Incorrect.Lo < .5/float64(out.N) {
		out.Incorrect.Lo = 0
	}
	p := fits(bands, seed.Stream(seedValue, "grading fit"))
	out.FitP, out.Fits = &p, p >= .05
	if !out.Fits {
		out.Warnings = append(out.Warnings, fmt.Sprintf("these answers are not read as those of the check were "+
			"(test of fit: p = %.3g), so that nothing follows from it: label some of them", p))
	}
	return out
}

// An Inversion is the shares of the outcomes of a run's answers, corrected by a check of the same grader on others.
type Inversion struct {
	Correct, Incorrect, NotAttempted *stat.Rate // which sum to 1; nil where the check does not carry over
	FitP                             float64    // see Implied
}

// Fits reports whether the check carries over to the answers.
func (v *Inversion) Fits() bool { return v.FitP >= .05 }

// Invert returns the shares of all outcomes that the check implies for answers that were read as the counts say, by their length, by correct.Invert;
// nil where check or run is empty. Counts of a lot are divided by its design effect where that is above 1. Source: GRADING 4.
func (c *Check) Invert(read map[Length]Reads[int], seedValue uint64, level float64) *Inversion {
	var strata []correct.Counts
	var checks []correct.Check
	for _, l := range Lengths {
		r := read[l]
		if Total(r) == 0 {
			continue
		}
		for _, o := range grade.Outcomes {
			strata = append(strata, correct.Counts{N: *r.Of(o), Labels: make([]int, len(Truths))})
		}
		var check correct.Check
		for _, row := range c.effective(l) {
			check = append(check, slices.Clone(row[:]))
		}
		checks = append(checks, check)
	}
	if len(checks) == 0 || c.N() == 0 {
		return nil
	}
	x := correct.Invert(correct.Counted(strata), checks, level, seedValue)
	out := &Inversion{FitP: x.FitP}
	if x.Fits() {
		out.Correct, out.Incorrect, out.NotAttempted = x.Rates[0].Rate(), x.Rates[1].Rate(), x.Rates[2].Rate()
	}
	return out
}

// LengthWords returns a band as people read it, in words of the answer.
func LengthWords(l Length) string {
	return map[Length]string{UpTo5: "up to 5", UpTo25: "6 to 25", UpTo80: "26 to 80", Over80: "over 80"}[l]
}

// A band is the answers of one length: how those of the check and those of the run were read.
type band struct {
	check matrix
	run   reads
	n     float64 // of the run
}

// implied returns samples of the share of incorrect answers, sorted.
func implied(bands []band, r *rand.Rand) []float64 {
	prior := .5 / float64(len(bands))
	draws := make([]float64, impliedDraws)
	for d := range draws {
		var wrong, all float64
		for _, b := range bands {
			var m matrix
			for i := range m {
				dirichlet(m[i][:], b.check[i][:], .5, r)
			}
			var q reads
			size := dirichlet(q[:], b.run[:], prior, r)
			pi := invert(m, q)
			wrong += float64(size * pi[1])
			all += size
		}
		draws[d] = wrong / all
	}
	slices.Sort(draws)
	return draws
}

// dirichlet fills p with a sample of Dirichlet(counts + prior), and returns the sum of the Gamma variates that it is made of.
func dirichlet(p, counts []float64, prior float64, r *rand.Rand) (sum float64) {
	for j := range p {
		p[j] = distuv.Gamma{Alpha: counts[j] + prior, Beta: 1, Src: r}.Rand()
		sum += p[j]
	}
	for j := range p {
		p[j] /= sum
	}
	return sum
}

// mostSteps bounds EM, which has all but stopped long before where the rows of the matrix differ.
const mostSteps = 400

// invert returns the shares π whose mixture of the rows of m is nearest to q in the sense of KL(q, π M), by EM from equal shares.
func invert(m matrix, q reads) (pi [3]float64) {
	pi = [3]float64{1. / 3, 1. / 3, 1. / 3}
	for range mostSteps {
		var next [3]float64
		for j := range q {
			mix := float64(pi[0]*m[0][j]) + float64(pi[1]*m[1][j]) + float64(pi[2]*m[2][j])
			if mix == 0 {
				continue
			}
			for i := range next {
				next[i] += float64(pi[i] * m[i][j] * q[j] / mix)
			}
		}
		moved := 0.
		for i := range next {
			moved = max(moved, math.Abs(next[i]-pi[i]))
		}
		if pi = next; moved < 1e-7 {
			break
		}
	}
	return pi
}

// fits returns the p-value of the test of fit of Implied.
func fits(bands []band, r *rand.Rand) float64 {
	seen := 0.
	models := make([]matrix, len(bands))
	mixes := make([]reads, len(bands))
	for i, b := range bands {
		var misfit float64
		models[i], mixes[i], misfit = together(b)
		seen += misfit
	}
	worse := 1
	for range fitDraws {
		misfit := 0.
		for i, b := range bands {
			sample := band{}
			for k := range sample.check {
				multinomial(sample.check[k][:], models[i][k][:], sum(b.check[k][:]), r)
			}
			multinomial(sample.run[:], mixes[i][:], sum(b.run[:]), r)
			_, _, m := together(sample)
			misfit += m
		}
		if misfit >= seen-1e-9 {
			worse++
		}
	}
	return float64(worse) / (fitDraws + 1)
}

// together fits one matrix to the check and, mixed, to the run, by EM over what the run's answers truly are, and returns it, the mixture of
// its rows, and twice the logarithm of the likelihood that the bond costs.
func together(b band) (m matrix, mix reads, misfit float64) {
	pi := [3]float64{1. / 3, 1. / 3, 1. / 3}
	for i := range m {
		n := sum(b.check[i][:])
		for j := range m[i] {
			m[i][j] = (b.check[i][j] + .5) / (n + 2)
		}
	}
	for range mostSteps {
		var counts matrix
		var truly [3]float64
		for j := range mix {
			mix[j] = float64(pi[0]*m[0][j]) + float64(pi[1]*m[1][j]) + float64(pi[2]*m[2][j])
			for i := range m {
				share := 0.
				if mix[j] > 0 {
					share = b.run[j] * pi[i] * m[i][j] / mix[j]
				}
				counts[i][j] = b.check[i][j] + share
				truly[i] += share
			}
		}
		moved, n := 0., sum(b.run[:])
		for i := range m {
			if n > 0 {
				moved = max(moved, math.Abs(truly[i]/n-pi[i]))
				pi[i] = truly[i] / n
			}
			total := sum(counts[i][:])
			for j := range m[i] {
				if total > 0 {
					moved = max(moved, math.Abs(counts[i][j]/total-m[i][j]))
					m[i][j] = counts[i][j] / total
				}
			}
		}
		if moved < 1e-6 {
			break
		}
	}
	for j := range mix {
		mix[j] = float64(pi[0]*m[0][j]) + float64(pi[1]*m[1][j]) + float64(pi[2]*m[2][j])
	}
	misfit = deviance(b.run[:], mix[:])
	for i := range m {
		misfit += deviance(b.check[i][:], m[i][:])
	}
	return m, mix, misfit
}

// deviance returns twice the logarithm of the likelihood that counts lose to their own shares under p.
func deviance(counts, p []float64) (d float64) {
	n := sum(counts)
	for j, k := range counts {
		if k > 0 {
			d += float64(2 * k * math.Log(k/n/p[j]))
		}
	}
	return d
}

// multinomial fills counts with a sample of about n draws by the shares p; n need not be whole, as counts divided by a design effect are not.
func multinomial(counts, p []float64, n float64, r *rand.Rand) {
	clear(counts)
	for range int(math.Round(n)) {
		u := r.Float64()
		j := 0
		for j < len(p)-1 && u >= p[j] {
			u -= p[j]
			j++
		}
		counts[j]++
	}
}

func sum(xs []float64) (total float64) {
	for _, x := range xs {
		total += x
	}
	return total
}

// quantile returns the q-quantile of sorted values, between two of them by the line that joins them.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}
