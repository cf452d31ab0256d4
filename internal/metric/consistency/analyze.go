package consistency

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"hallmark/internal/stat"
	"hallmark/internal/text/answer"
)

// Options of Analyze; start from DefaultOptions.
type Options struct {
	Tau             float64 // a case with SC >= Tau is prompt-agnostic; in [0, 1], read as the decimal it prints as
	WithReplacement bool    // SC draws its two variants with replacement
	ExcludeDefault  bool    // variant 0 is not one of the r (it still gives Accuracy.Default)
	CommonR         int     // the r of AmbiguityAtR; 0: the fewest variants of any case
	Level           float64 // confidence of the intervals
	PerQuestion     bool
	Taus            bool // give the taxonomy at other thresholds too
}

// DefaultOptions returns tau .8, pairs without replacement, intervals at 95 %.
func DefaultOptions() Options { return Options{Tau: .8, Level: .95} }

// Analyze computes every figure of the method from the cases, in whatever order they come. Cases with fewer than
// two scored variants count as not asked. Where cases are of clusters the intervals take these as the units. It is
// an error if tau is outside [0, 1], the level outside (0, 1), or an id there twice. It does not change cases.
func Analyze(cases []*Case, opt Options) (Result, error) {
	if !(opt.Tau >= 0 && opt.Tau <= 1) {
		return Result{}, fmt.Errorf("tau %v is outside [0, 1]", opt.Tau)
	}
	if !(opt.Level > 0 && opt.Level < 1) {
		return Result{}, fmt.Errorf("confidence level %v is not between 0 and 1", opt.Level)
	}
	cases = slices.Clone(cases)
	slices.SortFunc(cases, func(a, b *Case) int { return cmp.Compare(a.ID, b.ID) })
	a := analysis{opt: opt, tau: decimal(opt.Tau), res: Result{Tau: opt.Tau, Level: opt.Level, Warnings: []string{}},
		perVariant: make(map[int32]*hits), pcByR: make(map[int][2]int64)}
	for i, c := range cases {
		if i > 0 && cases[i-1].ID == c.ID {
			return Result{}, fmt.Errorf("id %q is there twice", c.ID)
		}
		a.add(c)
	}
	a.finish()
	return a.res, nil
}

type hits struct{ right, all int }

func (h hits) share() float64 { return float64(h.right) / float64(h.all) }

// A row is what one used case adds to the estimates.
type row struct {
	pc, sc           float64
	num, den         int64 // SC as a fraction in lowest terms
	counts           []int
	hasGold          bool
	accuracy         float64
	modeRight        bool
	modeDeclined     bool
	stable           bool
	hasDefault       bool
	defaultRight     bool
	docs, top, atK   bool // documents known for two variants; two different best ones; two different sets
	cluster          int32
	below, atLeast   bool // PC is below ½, and at least .8
	error            float64
	unbiased, plugIn Pair[float64]
}

func (r *row) category() string {
	switch {
	case !r.hasGold:
		return ""
	case !r.stable:
		return Randomness
	case r.modeRight:
		return PromptAgnosticFactual
	}
	return PromptAgnosticError
}

func (r *row) quadrant() string {
	switch {
	case !r.hasGold:
		return ""
	case r.stable && r.modeRight:
		return StableCorrect
	case r.stable:
		return StableWrong
	case r.modeRight:
		return UnstableCorrect
	}
	return UnstableWrong
}

type analysis struct {
	opt        Options
	tau        *big.Rat
	res        Result
	rows       []row
	perVariant map[int32]*hits
	pcByR      map[int][2]int64 // r: Σ of the modes' counts, cases

	came            int // answers that came back, of all cases
	declinedAnswers int
	declinedKnown   bool
	longSingletons  int
	documentsK      int
	bounds          bounding
}

func (a *analysis) add(c *Case) {
	a.res.Unscored += c.Unscored
	a.declinedKnown = a.declinedKnown || c.GoldDeclined
	t := c.tally(a.opt.ExcludeDefault)
	a.bounds.add(a, c, t)
	for _, k := range t.class {
		a.declinedKnown = a.declinedKnown || c.declines(k)
	}
	if t.r < 2 {
		a.res.NotAsked++
		return
	}
	a.res.N += t.r
	if a.res.Questions++; a.res.Questions == 1 {
		a.res.Variants = Extremes{t.r, t.r}
	}
	a.res.Variants = Extremes{min(a.res.Variants.Min, t.r), max(a.res.Variants.Max, t.r)}

	r := row{counts: t.count, cluster: c.Cluster, hasGold: c.HasGold(), modeDeclined: c.declines(t.class[t.mode])}
	most := t.count[t.mode]
	r.pc = float64(most) / float64(t.r)
	modes := a.pcByR[t.r]
	a.pcByR[t.r] = [2]int64{modes[0] + int64(most), modes[1] + 1}
	r.below, r.atLeast = 2*most < t.r, 5*most >= 4*t.r
	num, den := scFraction(t.count, a.opt.WithReplacement)
	sc := big.NewRat(num, den)
	r.num, r.den, r.sc = sc.Num().Int64(), sc.Denom().Int64(), float64(num)/float64(den)
	r.stable = sc.Cmp(a.tau) >= 0

	gold := make([]bool, len(t.class))
	for i, k := range t.class {
		gold[i] = c.isGold(k)
		switch {
		case c.declines(k):
			a.declinedAnswers += t.count[i]
		case t.count[i] == 1 && !c.ReadsProse && isLong(k):
			a.longSingletons++
		}
	}
	if r.hasGold {
		a.correct(&r, c, t, gold)
	}
	a.documents(&r, t)
	a.rows = append(a.rows, r)
	if a.opt.PerQuestion {
		a.res.PerQuestion = append(a.res.PerQuestion, question(c, t, r))
	}
}

// correct holds a question against its gold: of its classes, those that are right.
func (a *analysis) correct(r *row, c *Case, t tally, gold []bool) {
	r.error, r.unbiased, r.plugIn, _ = Decompose(t.count, gold)
	r.accuracy = 1 - r.error
	r.modeRight = gold[t.mode]
	for i, v := range t.votes {
		h := a.perVariant[v.variant]
		if h == nil {
			h = new(hits)
			a.perVariant[v.variant] = h
		}
		h.all++
		if gold[t.byVote[i]] {
			h.right++
		}
	}
	for _, v := range c.votes {
		if v.variant == 0 {
			r.hasDefault, r.defaultRight = true, c.isGold(c.classes[v.class])
		}
	}
}

// isLong reports whether a form has more than eight words: then it is prose, which equal forms rarely catch.
func isLong(form answer.Form) bool {
	value, _ := form.Value()
	words := 0
	for range strings.FieldsSeq(value) {
		if words++; words > 8 {
			return true
		}
	}
	return false
}

func question(c *Case, t tally, r row) Question {
	q := Question{Standing: Standing{c.ID, t.r, r.pc, r.sc, len(t.class) > 1, r.cluster, -1, r.unbiased},
		Mode: c.label(t.class[t.mode]), Category: r.category(), Quadrant: r.quadrant(), Stable: r.stable,
		Declined: r.modeDeclined}
	if r.hasGold {
		q.Correct, q.Right = &r.modeRight, int(math.Round(r.accuracy*float64(t.r)))
	}
	for i, k := range t.class {
		q.Answers = append(q.Answers, Count{c.label(k), t.count[i]})
	}
	slices.SortStableFunc(q.Answers, func(a, b Count) int { return cmp.Compare(b.Count, a.Count) })
	return q
}

func (a *analysis) warn(format string, args ...any) {
	a.res.Warnings = append(a.res.Warnings, fmt.Sprintf(format, args...))
}

func (a *analysis) finish() {
	res, n := &a.res, len(a.rows)
	a.ungradable()
	if res.NotAsked > 0 {
		a.warn("%d questions have fewer than two scored variants and are left out", res.NotAsked)
	}
	if n == 0 {
		a.warn("no question has two scored variants, so there is nothing to compare")
		return
	}
	res.Clusters = stat.Clusters(clustersOf(a.rows))
	switch few := cmp.Or(res.Clusters, n) < 100; {
	case res.Clusters > 0:
		a.warn("%s", stat.Clustered(n, "questions", res.Clusters, "intervals"))
		if few {
			a.warn("the figures rest on %d clusters: at least 100 are recommended", res.Clusters)
		}
	case few:
		a.warn("the figures rest on %d questions: at least 100 are recommended", n)
	}
	if res.Variants.Min < 10 {
		a.warn("some questions have only %d scored variants: 10 are recommended", res.Variants.Min)
	}

	a.stability()
	res.Ambiguity = a.share(a.rows, func(r *row) bool { return len(r.counts) > 1 })
	res.PCIntervals = &PCShares{
		a.share(a.rows, func(r *row) bool { return r.below }), a.share(a.rows, func(r *row) bool { return r.atLeast }),
	}
	res.PCBelowHalf, res.PCAtLeast80 = &res.PCIntervals.BelowHalf.Value, &res.PCIntervals.AtLeast80.Value
	res.SelfConsistency = new(stat.Average(a.mean(a.rows, func(r *row) float64 { return r.sc })))

	m := cmp.Or(a.opt.CommonR, res.Variants.Min)
	if m >= 1 && m <= res.Variants.Min {
		counts := column(a.rows, func(r *row) []int { return r.counts })
		res.AmbiguityAtR = MeanAmbiguityAt(counts, clustersOf(a.rows), m, a.opt.Level)
	} else {
		a.warn("ambiguity at %d variants cannot be had: some questions have only %d", m, res.Variants.Min)
	}
	if a.opt.Taus {
		res.Taus = a.taus()
	}
	a.unrest()

	withGold := kept(a.rows, func(r *row) bool { return r.hasGold })
	if len(withGold) == 0 {
		a.warn("accuracy was not measured, as no question has a gold answer: stable answers may be wrong")
	} else {
		if len(withGold) < n {
			a.warn("%d of %d questions have a gold answer: accuracy, taxonomy and decomposition are over these",
				len(withGold), n)
		}
		a.correctness(withGold)
	}
	if a.declinedKnown {
		a.declines(withGold)
	}
	a.retrieval()
}

// unrest is the entropy of the answers, and the share of questions whose answer moves.
func (a *analysis) unrest() {
	var entropy sum
	for _, r := range a.rows {
		h, _ := Entropy(r.counts)
		entropy.add(h)
	}
	a.res.AnswerEntropy = new(entropy.value() / float64(len(a.rows)))
	a.res.PromptSensitive = a.share(a.rows, func(r *row) bool { return !r.stable })
}

// declines says which part of the answers, and of the stable errors, declined.
func (a *analysis) declines(withGold []row) {
	a.res.Declined = &DeclinedShares{Share: float64(a.declinedAnswers) / float64(a.res.N)}
	errs := kept(withGold, func(r *row) bool { return r.category() == PromptAgnosticError })
	if len(errs) > 0 {
		declined := kept(errs, func(r *row) bool { return r.modeDeclined })
		a.res.Declined.OfPromptAgnosticErrs = new(float64(len(declined)) / float64(len(errs)))
	}
}

// mean estimates the mean of a value in [0, 1] over rows.
func (a *analysis) mean(rows []row, value func(*row) float64) stat.Estimate {
	return stat.MeanByCluster(column(rows, value), clustersOf(rows), a.opt.Level)
}

// share estimates the share of rows that are such; nil without rows.
func (a *analysis) share(rows []row, such func(*row) bool) *stat.Estimate {
	values := column(rows, func(r *row) float64 { return stat.Bit(such(r)) })
	return stat.ShareByCluster(values, clustersOf(rows), a.opt.Level).Known()
}

// column returns something of each row.
func column[T any](rows []row, of func(*row) T) []T {
	out := make([]T, len(rows))
	for i := range rows {
		out[i] = of(&rows[i])
	}
	return out
}

func clustersOf(rows []row) []int32 { return column(rows, func(r *row) int32 { return r.cluster }) }

// kept returns the rows that are such.
func kept(rows []row, such func(*row) bool) (out []row) {
	for i := range rows {
		if such(&rows[i]) {
			out = append(out, rows[i])
		}
	}
	return out
}

// stability fills in SS and its level. SS is summed exactly, so that .9 is .9 at a boundary of the levels.
func (a *analysis) stability() {
	res := &a.res
	total, floor := new(big.Rat), new(big.Rat)
	for r := range a.pcByR {
		total.Add(total, big.NewRat(a.pcByR[r][0], int64(r)))
		floor.Add(floor, big.NewRat(a.pcByR[r][1], int64(r)))
	}
	n := big.NewRat(int64(len(a.rows)), 1)
	total.Quo(total, n)
	ss, _ := total.Float64()
	least, _ := floor.Quo(floor, n).Float64()
	e := a.mean(a.rows, func(r *row) float64 { return r.pc })
	e.Value, e.Lo, e.Hi = ss, min(e.Lo, ss), max(e.Hi, ss)
	res.SemanticStability = &e
	res.LeastPC = &least
	if 2*a.longSingletons > res.N {
		a.warn("over half of the answers are long and like no other: no robustness level is given, as this " +
			"equality does not read prose; choose one that does")
		return
	}
	of := func(ss float64) string { return robustnessOf(new(big.Rat).SetFloat64(ss)) }
	if r := res.Range; r != nil && of(r.SemanticStability.Lo) != of(r.SemanticStability.Hi) {
		a.warn("no robustness level is given, as the answers that could not be graded would decide it")
		return
	}
	res.RobustnessLevel = robustnessOf(total)
	if lo, hi := of(res.SemanticStability.Lo), of(res.SemanticStability.Hi); lo != hi {
		a.warn("the interval of semantic stability reaches from level %s to %s: more questions would decide", lo, hi)
	}
}

var bounds = []struct {
	below *big.Rat
	level string
}{{big.NewRat(3, 10), "insufficient"}, {big.NewRat(6, 10), "limited"}}

// robustnessOf gives the robustness level: [0, .3), [.3, .6), [.6, .9], (.9, 1].
func robustnessOf(ss *big.Rat) string {
	for _, b := range bounds {
		if ss.Cmp(b.below) < 0 {
			return b.level
		}
	}
	if ss.Cmp(big.NewRat(9, 10)) <= 0 {
		return "substantial"
	}
	return "high"
}
