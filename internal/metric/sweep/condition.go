package sweep

import (
	"maps"
	"slices"

	"hallmark/internal/base/seed"
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
	bias, variance, wrong float64
	cluster               int32
}

func (p parts) net() float64        { return p.bias + p.variance }
func (p parts) ofBias() float64     { return p.bias }
func (p parts) ofVariance() float64 { return p.variance }
func (p parts) ofWrong() float64    { return p.wrong }

// condition estimates and tests. Half of the shared cases, drawn by the seed, are estimated on; of an odd number the
// other half has one more. Differences are stat.Paired's of values halved, as bias² + variance is at most 2. It is
// nil where no case was scored in two variants at every stage. Source: METHODS 5; arXiv:2601.07058, equation 5, and
// its general form with a teacher that has a bias of its own.
func condition(stages []Stage, o Options) *Condition {
	f := figuresOf(stages, o.Consistency.Level)
	ids := f.shared()
	if len(ids) < 2 {
		return nil
	}
	half := make([]string, 0, len(ids))
	for _, i := range seed.Stream(o.Seed, append([]string{"sweep", "half"}, o.Name...)...).Perm(len(ids)) {
		half = append(half, ids[i])
	}
	first, second := half[:len(ids)/2], half[len(ids)/2:]
	c := &Condition{
		Cases: len(ids), Estimated: len(first), Tested: len(second),
		Right: &Hits{}, RightDecided: &Hits{}, RightAnswers: &Hits{}, AsPublished: &Hits{}, Warnings: []string{},
	}
	for s := range stages {
		x := ConditionStage{
			Stage: stages[s].Name, BiasSquared: f.mean(ids, s, 2, parts.ofBias),
			Variance: f.mean(ids, s, 1, parts.ofVariance),
		}
		if s > 0 {
			f.predict(&x, s, first, second)
			c.count(x)
		}
		c.Stages = append(c.Stages, x)
	}
	for _, h := range []*Hits{c.Right, c.RightDecided, c.RightAnswers, c.AsPublished} {
		h.Share = stat.Wilson(h.Right, h.N, f.level).Known()
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

// figures are what is known of each stage's cases that were scored in two variants, by the case's id.
type figures struct {
	at    []map[string]parts
	level float64
}

func figuresOf(stages []Stage, level float64) figures {
	f := figures{make([]map[string]parts, len(stages)), level}
	for i, s := range stages {
		f.at[i] = map[string]parts{}
		for _, x := range s.Scored {
			if bias, variance, ok := x.Parts(); ok {
				f.at[i][x.ID] = parts{bias, variance, 1 - x.right(), x.Cluster}
			}
		}
	}
	return f
}

// shared are the cases that every stage has, sorted.
func (f figures) shared() (ids []string) {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f.at[0])), func(id string) bool {
		return slices.ContainsFunc(f.at, func(m map[string]parts) bool { _, ok := m[id]; return !ok })
	})
}

// predict says of stage s what the first cases foretell and what the second ones show.
func (f figures) predict(x *ConditionStage, s int, first, second []string) {
	x.Estimated, x.Tested = f.difference(first, s, 2, parts.net), f.difference(second, s, 2, parts.net)
	x.Answers = f.difference(second, s, 1, parts.ofWrong)
	beats := x.Estimated.Value < 0
	if x.Predicted = DoesNot; beats {
		x.Predicted = Beats
	}
	right := beats == (x.Tested.Value < 0)
	published := f.sum(first, s, parts.net) < f.sum(first, 0, parts.ofVariance)
	x.Right, x.PublishedHolds, x.Decided = &right, &published, x.Tested.Lo > 0 || x.Tested.Hi < 0
	x.CasesRight = &Hits{}
	var came []float64
	var of []string
	for _, id := range second {
		if d := f.at[s][id].net() - f.at[0][id].net(); d != 0 {
			right := beats == (d < 0)
			x.CasesRight.add(right)
			came, of = append(came, stat.Bit(right)), append(of, id)
		}
	}
	x.CasesRight.Share = stat.ShareByCluster(came, f.clusters(of), f.level).Known()
}

// difference estimates stage s less the dense model of a figure that is at most most.
func (f figures) difference(ids []string, s int, most float64, of func(parts) float64) *stat.Estimate {
	d := stat.Paired(f.values(ids, 0, most, of), f.values(ids, s, most, of), f.clusters(ids), f.level).Known()
	return &stat.Estimate{Value: most * d.Value, Lo: most * d.Lo, Hi: most * d.Hi}
}

func (f figures) mean(ids []string, s int, most float64, of func(parts) float64) *stat.Estimate {
	m := stat.MeanByCluster(f.values(ids, s, most, of), f.clusters(ids), f.level).Known()
	return &stat.Estimate{Value: most * m.Value, Lo: most * m.Lo, Hi: most * m.Hi}
}

// values are the figures of stage s as shares of the most that they can be.
func (f figures) values(ids []string, s int, most float64, of func(parts) float64) (x []float64) {
	for _, id := range ids {
		x = append(x, min(1, of(f.at[s][id])/most))
	}
	return x
}

func (f figures) clusters(ids []string) (of []int32) {
	for _, id := range ids {
		of = append(of, f.at[0][id].cluster)
	}
	return of
}

func (f figures) sum(ids []string, s int, of func(parts) float64) (total float64) {
	for _, id := range ids {
		total += of(f.at[s][id])
	}
	return total
}
