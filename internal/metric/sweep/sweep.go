// Package sweep compares models of one family along one axis, such as the stages of a compression by how much was
// removed. It says how stability, accuracy, bias and variance change against the first of them, the dense model; where
// stability is highest, and how sure that is; which answers became stable and wrong; and whether bias² and variance of
// probabilities predict which of the models has fewer errors on other prompts.
//
// The case is the unit, each of the probes is by itself, and every figure has an interval. Source:
// arXiv:2601.07058, sections 2, 5, 6, 8.
package sweep

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
)

// A Stage is what one model of a sweep gave on the cases of one probe.
type Stage struct {
	Name     string
	Sparsity float64             // share removed, in [0, 1); that of the first stage, the dense model, is 0
	Cases    []*consistency.Case // its answers to the variants
	Answers  []consistency.Likelihood
	Scored   []Scored           // cases whose options were scored
	PHR      map[string]float64 // posterior hallucination rates by case, in [0, 1]
}

// Options of Analyze; start from DefaultOptions.
type Options struct {
	Consistency consistency.Options // of the figures of each stage
	Seed        uint64              // of the resamples and of the halves
	Name        []string            // of their streams, such as suite and probe
	Resamples   int                 // of the cases, for the peak
}

// DefaultOptions returns intervals at 95 % and 2,000 resamples.
func DefaultOptions() Options {
	return Options{Consistency: consistency.DefaultOptions(), Seed: 1, Resamples: 2000}
}

// Recommended sizes of a probe.
const (
	LeastCases    = 50
	LeastVariants = 10
)

// A Result is a sweep on one probe.
type Result struct {
	Stages []Row `json:"stages"` // in the order given; the first is the dense model
	// Peak says where stability is highest; null where no case is shared by all stages.
	Peak *Peak `json:"peak"`
	// Condition is there where cases with scored options were asked in several variants.
	Condition *Condition `json:"condition,omitempty"`
	Warnings  []string   `json:"warnings"`
}

// A Row holds the figures of one stage. What needs gold is null without it.
type Row struct {
	Stage     string               `json:"stage"`
	Sparsity  float64              `json:"sparsity"`
	Questions int                  `json:"questions"`          // with two scored variants at least
	Clusters  int                  `json:"clusters,omitempty"` // as of its consistency
	Variants  consistency.Extremes `json:"variants"`
	Unscored  int                  `json:"unscored"`

	SemanticStability *stat.Estimate `json:"semantic_stability"`
	PCBelowHalf       *stat.Estimate `json:"pc_below_0.5"`
	PCAtLeast80       *stat.Estimate `json:"pc_at_least_0.8"`
	Accuracy          *stat.Estimate `json:"accuracy"` // over the variants
	BiasSquared       *stat.Estimate `json:"bias_squared"`
	Variance          *stat.Estimate `json:"variance"`
	Net               *stat.Estimate `json:"net"` // bias² + variance, which is the error
	ModeError         *stat.Estimate `json:"mode_error"`
	// Perplexity is that of the model's own answers to the default prompts, where their log-probabilities are known.
	Perplexity *consistency.Perplexity `json:"perplexity,omitempty"`
	PHR        *stat.Estimate          `json:"phr,omitempty"`

	Against *Against `json:"against_dense,omitempty"` // null for the dense model
	// Regime is that of METHODS 5 against the dense model, "" for it and without gold.
	Regime string `json:"regime,omitempty"`
	// Optimal: its stability cannot be told from that of the peak.
	Optimal bool `json:"optimal"`
	// BelowPeak is its stability less that of the peak over the cases of all stages, at the level of Peak; null at
	// the peak.
	BelowPeak *stat.Estimate `json:"below_peak,omitempty"`
	// PeakShare is the share of resamples of the cases in which this stage is the peak; of several the share is parted.
	PeakShare float64    `json:"peak_share"`
	Collapsed *Collapsed `json:"collapsed,omitempty"`

	standings []consistency.Standing
	questions []consistency.Question
}

// Optimal is the phase of stages whose stability cannot be told from the peak's.
const Optimal = "optimal"

// Against holds the paired differences of a stage from the dense model, over the cases that both asked in two
// variants at least.
type Against struct {
	*consistency.Paired
	PCBelowHalf *stat.Estimate               `json:"pc_below_0.5"`
	PCAtLeast80 *stat.Estimate               `json:"pc_at_least_0.8"`
	Perplexity  *consistency.PerplexityRatio `json:"perplexity,omitempty"`
	PHR         *stat.Estimate               `json:"phr,omitempty"`
}

// Analyze computes the sweep on one probe. Each stage's figures are those of consistency.Analyze, its differences those
// of consistency.Compare, and its regime consistency's, in the order of METHODS 5. It is an error to give fewer than
// two stages, or what consistency.Analyze refuses. It does not change its arguments; equal arguments give equal bits.
func Analyze(stages []Stage, opt Options) (*Result, error) {
	if len(stages) < 2 {
		return nil, fmt.Errorf("a sweep of %d models: it takes two at least", len(stages))
	}
	opt.Consistency.PerQuestion, opt.Consistency.Taus = true, false
	res := &Result{Warnings: []string{}}
	for _, s := range stages {
		row, err := opt.row(s)
		if err != nil {
			return nil, fmt.Errorf("stage %s: %w", s.Name, err)
		}
		res.Stages = append(res.Stages, row)
	}
	level := opt.Consistency.Level
	dense := &res.Stages[0]
	for i := 1; i < len(stages); i++ {
		row := &res.Stages[i]
		row.Against = against(dense, row, stages[0], stages[i], level)
		if d := row.Against.Decomposition; d != nil {
			row.Regime = d.Regime
		}
		row.Collapsed = collapsed(dense, row, level)
	}
	res.Peak = opt.peak(res.Stages)
	res.Condition = condition(stages, opt)
	res.warn()
	return res, nil
}

func (o Options) row(s Stage) (Row, error) {
	row := Row{Stage: s.Name, Sparsity: s.Sparsity}
	c, err := consistency.Analyze(s.Cases, o.Consistency)
	if err != nil {
		return row, err
	}
	row.Questions, row.Clusters, row.Variants, row.Unscored = c.Questions, c.Clusters, c.Variants, c.Unscored
	row.SemanticStability = c.SemanticStability
	if c.PCIntervals != nil {
		row.PCBelowHalf, row.PCAtLeast80 = c.PCIntervals.BelowHalf, c.PCIntervals.AtLeast80
	}
	if a := c.Accuracy; a != nil {
		row.Accuracy = new(stat.Estimate(a.Average))
	}
	if d := c.DecompositionIntervals; d != nil {
		row.BiasSquared, row.Variance, row.Net, row.ModeError = d.BiasSquared, d.Variance, d.Error, d.ModeError
	}
	row.Perplexity = consistency.PerplexityOver(s.Answers, o.Consistency.Level)
	row.PHR = stat.Mean(slices.Collect(maps.Values(s.PHR)), o.Consistency.Level).Known()
	row.standings, row.questions = consistency.StandingsOf(c), c.PerQuestion
	return row, nil
}

func against(dense, row *Row, base, other Stage, level float64) *Against {
	a := &Against{Paired: consistency.Compare(dense.standings, row.standings, level),
		Perplexity: consistency.RatioOver(base.Answers, other.Answers, level)}
	shared, _ := consistency.Shared(dense.questions, row.questions)
	share := func(of func(*consistency.Question) bool) *stat.Estimate {
		v, cluster := consistency.Values(func(q *consistency.Question) (float64, bool) {
			return stat.Bit(of(q)), true
		}, shared, 2)
		return stat.Paired(v[0], v[1], cluster, level).Known()
	}
	a.PCBelowHalf = share(func(q *consistency.Question) bool { return 2*q.Answers[0].Count < q.R })
	a.PCAtLeast80 = share(func(q *consistency.Question) bool { return 5*q.Answers[0].Count >= 4*q.R })
	a.PHR = phr(dense, base.PHR, other.PHR, level)
	return a
}

// phr is other - base of the posterior rates of the cases that both have, with the clusters of dense.
func phr(dense *Row, base, other map[string]float64, level float64) *stat.Estimate {
	clusters := map[string]int32{}
	for _, q := range dense.questions {
		clusters[q.ID] = q.Cluster
	}
	var b, o []float64
	var cluster []int32
	for _, id := range slices.Sorted(maps.Keys(base)) {
		if x, ok := other[id]; ok {
			b, o, cluster = append(b, base[id]), append(o, x), append(cluster, clusters[id])
		}
	}
	return stat.Paired(b, o, cluster, level).Known()
}

// warn says what makes the figures weak.
func (r *Result) warn() {
	fewest, least := r.Stages[0].Questions, 0
	for _, s := range r.Stages {
		fewest = min(fewest, s.Questions)
		if s.Questions > 0 && (least == 0 || s.Variants.Min < least) {
			least = s.Variants.Min
		}
	}
	if fewest < LeastCases {
		stat.Warn(&r.Warnings, "the figures rest on %d questions: at least %d are recommended", fewest, LeastCases)
	}
	if least > 0 && least < LeastVariants {
		stat.Warn(&r.Warnings, "some questions have only %d scored variants: %d are recommended", least, LeastVariants)
	}
	if r.Stages[0].Accuracy == nil {
		r.Warnings = append(r.Warnings,
			"no question has a gold answer, so there is no accuracy and no regime: what is stable may be wrong")
	}
	for _, s := range r.Stages[1:] {
		for _, w := range s.Against.Warnings {
			r.Warnings = append(r.Warnings, s.Stage+" against "+r.Stages[0].Stage+": "+w)
		}
	}
}

// Collapsed are the cases that a stage answers more steadily than the dense model, and wrong by most of its answers.
type Collapsed struct {
	Cases int `json:"cases"`
	N     int `json:"n"` // cases with gold in both
	// Share is Cases of N.
	Share *stat.Estimate `json:"share"`
	// Lost counts those of Cases that the dense model answers right by most of its answers.
	Lost int `json:"lost"`
	// Declined counts those of Cases that the stage declines by most of its answers: these are wrong, and assert
	// nothing.
	Declined int `json:"declined"`
	// those that were lost first, of these those that assert something, then by how much steadier they are
	Listed []Collapse `json:"listed"`
}

// A Collapse is one such case with the answers of both.
type Collapse struct {
	ID     string `json:"id"`
	Prompt string `json:"prompt,omitempty"` // filled in by whoever knows it
	Gold   string `json:"gold,omitempty"`   // likewise
	Dense  Votes  `json:"dense"`
	Stage  Votes  `json:"stage"`
}

// Votes are the answers of one model to the variants of one case.
type Votes struct {
	PC      float64             `json:"pc"`
	Right   bool                `json:"mode_right"`
	Decline bool                `json:"mode_declined,omitempty"`
	Answers []consistency.Count `json:"answers"`          // commonest first, ten at most, each cut at 200 characters
	Others  int                 `json:"others,omitempty"` // further answers
}

// Bounds on what a list of collapsed cases holds.
const (
	maxListed = 20 // cases
	maxVotes  = 10
	maxAnswer = 200
)

// collapsed finds the cases whose PC is above that of the dense model and whose mode is wrong. It is nil without
// gold in both. Source: arXiv:2601.07058, section 8 ("What is the largest planet?").
func collapsed(dense, row *Row, level float64) *Collapsed {
	out := &Collapsed{Listed: []Collapse{}}
	var share []float64
	var cluster []int32
	shared, _ := consistency.Shared(dense.questions, row.questions)
	for _, both := range shared {
		d, s := both[0], both[1]
		if d.Correct == nil || s.Correct == nil {
			continue
		}
		out.N++
		share, cluster = append(share, 0), append(cluster, s.Cluster)
		// Compared in whole numbers: a/b > c/d.
		if *s.Correct || s.Answers[0].Count*d.R <= d.Answers[0].Count*s.R {
			continue
		}
		out.Cases++
		share[len(share)-1] = 1
		if *d.Correct {
			out.Lost++
		}
		if s.Declined {
			out.Declined++
		}
		out.Listed = append(out.Listed, Collapse{ID: d.ID, Dense: votes(d), Stage: votes(s)})
	}
	if out.N == 0 {
		return nil
	}
	out.Share = stat.ShareByCluster(share, cluster, level).Known()
	slices.SortStableFunc(out.Listed, func(a, b Collapse) int {
		return cmp.Or(
			-cmp.Compare(stat.Bit(a.Dense.Right), stat.Bit(b.Dense.Right)),
			cmp.Compare(stat.Bit(a.Stage.Decline), stat.Bit(b.Stage.Decline)),
			-cmp.Compare(a.Stage.PC-a.Dense.PC, b.Stage.PC-b.Dense.PC),
			-cmp.Compare(a.Stage.PC, b.Stage.PC),
		)
	})
	out.Listed = out.Listed[:min(maxListed, len(out.Listed))]
	return out
}

func votes(q *consistency.Question) Votes {
	v := Votes{PC: q.PC, Right: *q.Correct, Decline: q.Declined, Others: max(0, len(q.Answers)-maxVotes)}
	for _, a := range q.Answers[:len(q.Answers)-v.Others] {
		if utf8.RuneCountInString(a.Answer) > maxAnswer {
			a.Answer = string([]rune(a.Answer)[:maxAnswer]) + "…"
		}
		v.Answers = append(v.Answers, a)
	}
	return v
}
