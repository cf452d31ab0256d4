package sweep

import (
	"slices"

	"hallmark/internal/base/lists"
	"hallmark/internal/base/seed"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
)

// Scored is a case whose options a model scored in several variants.
type Scored struct {
	ID      string
	Cluster int32 // as consistency.Case.Cluster
	// Variants holds for each variant the probabilities of the classes of answers, which sum to 1: first that of
	// the gold answers together, then the others. All have the same classes.
	Variants [][]float64
}

// Parts returns bias² and variance of a case in probability space,
//
//	bias² = |mean_v p_v - y|²,   variance = mean_v |p_v - mean_v p_v|²
//
// with y the one-hot gold, class 0. Bias² is in [0, 2], variance in [0, 1), and they sum to the mean over variants of
// |p_v - y|², the Brier score. false without two variants. It changes nothing. Source: METHODS 5; the squared-error
// form of Geman, Bienenstock and Doursat, Neural Computation 4 (1992) 1-58, that arXiv:2601.07058 rests on.
func (s Scored) Parts() (bias, variance float64, ok bool) {
	n := float64(len(s.Variants))
	if n < 2 {
		return 0, 0, false
	}
	mean := make([]float64, len(s.Variants[0]))
	for _, p := range s.Variants {
		for i, x := range p {
			mean[i] += x / n
		}
	}
	for i, m := range mean {
		d := m
		if i == 0 {
			d = m - 1
		}
		bias += float64(d * d)
	}
	for _, p := range s.Variants {
		for i, x := range p {
			d := x - mean[i]
			variance += float64(d*d) / n
		}
	}
	return bias, variance, true
}

// right is the share of variants in which the gold is the likeliest class.
func (s Scored) right() float64 {
	k := 0
	for _, p := range s.Variants {
		if p[0] == slices.Max(p) {
			k++
		}
	}
	return float64(k) / float64(len(s.Variants))
}

// A Condition tests whether bias² + variance of probabilities, estimated on half of the cases, foretells on the
// other half which stages err less than the dense model.
type Condition struct {
	Cases     int              `json:"cases"`     // with scored options in every stage
	Estimated int              `json:"estimated"` // of them in the half that the prediction is made from
	Tested    int              `json:"tested"`
	Stages    []ConditionStage `json:"stages"`
	// Right is the share of stages whose error on the other half moved to the side that was predicted; RightDecided
	// is over those alone whose movement there is told from 0. The stages share their cases, so that these
	// intervals, of independent stages, are too narrow.
	Right        *Hits `json:"right"`
	RightDecided *Hits `json:"right_decided"`
	// RightAnswers is against the error of the answers, 1 - accuracy over the variants, on the other half; stages
	// that kept it are left out.
	RightAnswers *Hits `json:"right_answers"`
	// AsPublished is the share for the source's inequality, bias²_s + variance_s < variance_t, against the side of
	// the same error.
	AsPublished *Hits    `json:"right_as_published"`
	Warnings    []string `json:"warnings"`
}

// Hits is a share of predictions that came true.
type Hits struct {
	Right int            `json:"right"`
	N     int            `json:"n"`
	Share *stat.Estimate `json:"share"` // null where N is 0
}

func (h *Hits) add(right bool) {
	h.N++
	if right {
		h.Right++
	}
}

// A ConditionStage is the prediction for one stage and what came of it.
type ConditionStage struct {
	Stage string `json:"stage"`
	// BiasSquared and Variance in probability space, over all cases.
	BiasSquared *stat.Estimate `json:"bias_squared"`
	Variance    *stat.Estimate `json:"variance"`
	// The rest is null for the dense model. Estimated is bias² + variance less the dense model's on the one half,
	// Tested on the other.
	Estimated *stat.Estimate `json:"estimated,omitempty"`
	Predicted string         `json:"predicted,omitempty"` // beats or does_not, by the sign of Estimated
	Tested    *stat.Estimate `json:"tested,omitempty"`
	Right     *bool          `json:"right,omitempty"` // Tested has the sign that was predicted
	Decided   bool           `json:"decided,omitempty"`
	// Answers is the error of the answers less the dense model's on the other half.
	Answers *stat.Estimate `json:"answers,omitempty"`
	// PublishedHolds is the source's inequality on the one half.
	PublishedHolds *bool `json:"published_holds,omitempty"`
	// CasesRight is the share of cases of the other half on which the error moved to the predicted side, of those
	// where it moved.
	CasesRight *Hits `json:"cases_right,omitempty"`
}

// What is predicted of a stage.
const (
	Beats   = "beats"
	DoesNot = "does_not"
)

// parts are a case's figures at one stage.
type parts struct {
	id                    string
	bias, variance, wrong float64
	cluster               int32
}

// Unit names the case, and numbers what it is an observation of.
func (p parts) Unit() (id string, cluster int32) { return p.id, p.cluster }

func (p parts) net() float64        { return p.bias + p.variance }
func (p parts) ofBias() float64     { return p.bias }
func (p parts) ofVariance() float64 { return p.variance }
func (p parts) ofWrong() float64    { return p.wrong }

// condition estimates and tests. Half of the shared cases, drawn by the seed, are estimated on; of an odd number the
// other half has one more. Differences are stat.Paired's of values halved, as bias² + variance is at most 2. It is
// nil where no case was scored in two variants at every stage. Source: METHODS 5; arXiv:2601.07058, equation 5, and
// its general form with a teacher that has a bias of its own.
func condition(stages []Stage, o Options) *Condition {
	all, level := sharedBy(stages), o.Consistency.Level
	if len(all) < 2 {
		return nil
	}
	order := seed.Stream(o.Seed, append([]string{"sweep", "half"}, o.Name...)...).Perm(len(all))
	half := cases(lists.Map(order, func(i int) []*parts { return all[i] }))
	first, second := half[:len(all)/2], half[len(all)/2:]
	c := &Condition{
		Cases: len(all), Estimated: len(first), Tested: len(second),
		Right: &Hits{}, RightDecided: &Hits{}, RightAnswers: &Hits{}, AsPublished: &Hits{}, Warnings: []string{},
	}
	for s := range stages {
		x := ConditionStage{
			Stage: stages[s].Name, BiasSquared: all.mean(s, 2, parts.ofBias, level),
			Variance: all.mean(s, 1, parts.ofVariance, level),
		}
		if s > 0 {
			x.predict(s, first, second, level)
			c.count(x)
		}
		c.Stages = append(c.Stages, x)
	}
	for _, h := range []*Hits{c.Right, c.RightDecided, c.RightAnswers, c.AsPublished} {
		h.Share = stat.Wilson(h.Right, h.N, level).Known()
	}
	if len(stages) > 2 {
		c.Warnings = append(c.Warnings, "the stages share their questions, so that intervals over stages, as if "+
			"these were independent, are too narrow")
	}
	if len(second) < LeastCases/2 {
		stat.Warn(&c.Warnings, "the prediction is tested on %d cases: with fewer than %d few differences are told "+
			"from 0", len(second), LeastCases/2)
	}
	return c
}

// count adds what came of the prediction for a stage.
func (c *Condition) count(x ConditionStage) {
	beats, fell := x.Predicted == Beats, x.Tested.Value < 0
	c.Right.add(*x.Right)
	c.AsPublished.add(*x.PublishedHolds == fell)
	if x.Decided {
		c.RightDecided.add(*x.Right)
	}
	if x.Answers.Value != 0 {
		c.RightAnswers.add(beats == (x.Answers.Value < 0))
	}
}

// A cases is cases that every stage has, each with its figures by stage.
type cases [][]*parts

// sharedBy returns the cases that were scored in two variants at every stage, in the order of their ids.
func sharedBy(stages []Stage) cases {
	runs := make([][]parts, len(stages))
	for i, s := range stages {
		for _, x := range s.Scored {
			if bias, variance, ok := x.Parts(); ok {
				runs[i] = append(runs[i], parts{x.ID, bias, variance, 1 - x.right(), x.Cluster})
			}
		}
	}
	all, _ := consistency.Shared(runs...)
	return all
}

// predict says of stage s what the first cases foretell and what the second ones show.
func (x *ConditionStage) predict(s int, first, second cases, level float64) {
	x.Estimated, x.Tested = first.difference(s, 2, parts.net, level), second.difference(s, 2, parts.net, level)
	x.Answers = second.difference(s, 1, parts.ofWrong, level)
	beats := x.Estimated.Value < 0
	if x.Predicted = DoesNot; beats {
		x.Predicted = Beats
	}
	right := beats == (x.Tested.Value < 0)
	published := first.sum(s, parts.net) < first.sum(0, parts.ofVariance)
	x.Right, x.PublishedHolds, x.Decided = &right, &published, x.Tested.Lo > 0 || x.Tested.Hi < 0
	x.CasesRight = &Hits{}
	var came []float64
	var moved cases
	for _, c := range second {
		if d := c[s].net() - c[0].net(); d != 0 {
			right := beats == (d < 0)
			x.CasesRight.add(right)
			came, moved = append(came, stat.Bit(right)), append(moved, c)
		}
	}
	x.CasesRight.Share = stat.ShareByCluster(came, consistency.ClustersOf(moved), level).Known()
}

// difference estimates stage s less the dense model of a figure that is at most most.
func (c cases) difference(s int, most float64, of func(parts) float64, level float64) *stat.Estimate {
	d := stat.Paired(c.values(0, most, of), c.values(s, most, of), consistency.ClustersOf(c), level)
	return new(d.Times(most))
}

func (c cases) mean(s int, most float64, of func(parts) float64, level float64) *stat.Estimate {
	return new(stat.MeanByCluster(c.values(s, most, of), consistency.ClustersOf(c), level).Times(most))
}

// values are the figures of stage s as shares of the most that they can be.
func (c cases) values(s int, most float64, of func(parts) float64) []float64 {
	return lists.Map(c, func(stages []*parts) float64 { return min(1, of(*stages[s])/most) })
}

func (c cases) sum(s int, of func(parts) float64) (total float64) {
	for _, stages := range c {
		total += of(*stages[s])
	}
	return total
}
