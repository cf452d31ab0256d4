package consistency

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/stat"
)

// Options of Analyze; start from DefaultOptions.
type Options struct {
	Tau             float64 // a case with SC >= Tau is prompt-agnostic; in [0, 1], read as the decimal it prints as
	WithReplacement bool    // SC draws its two variants with replacement
	ExcludeDefault  bool    // variant 0 is not one of the r (it still gives Accuracy.Default)
	CommonR         int     // the r of AmbiguityAtR; 0: the fewest variants of any case
	Level           float64 // confidence of the intervals
	PerQuestion     bool
}

// DefaultOptions returns tau .8, pairs without replacement, intervals at 95 %.
func DefaultOptions() Options { return Options{Tau: .8, Level: .95} }

// PC returns the paraphrase consistency of a case whose answers fall into classes of the given counts,
//
//	PC@k = max_a c_a / k,  k = Σ c_a
//
// in [1/k, 1], and false if there is no answer. It does not change counts. Source: arXiv:2601.07058, on answers as classes.
func PC(counts []int) (pc float64, ok bool) {
	k, most := 0, 0
	for _, c := range counts {
		k += c
		most = max(most, c)
	}
	if k == 0 {
		return 0, false
	}
	return float64(most) / float64(k), true
}

// SC returns the self-consistency of a case whose answers fall into classes of the given counts: the chance that two of its r variants
// agree,
//
//	SC = Σ_a c_a (c_a - 1) / (r (r - 1)),  or Σ_a (c_a / r)² with replacement
//
// in [0, 1] ([1/r, 1] with replacement), and false if r < 2. It does not change counts. Source: Cooper et al., AAAI 2024, for the first form;
// the definition in the prompt-multiplicity paper allows both.
func SC(counts []int, withReplacement bool) (sc float64, ok bool) {
	num, den := scFraction(counts, withReplacement)
	if den == 0 {
		return 0, false
	}
	return float64(num) / float64(den), true
}

// scFraction returns SC as a fraction; den is 0 if it is not defined.
func scFraction(counts []int, withReplacement bool) (num, den int64) {
	var r, sq int64
	for _, c := range counts {
		r += int64(c)
		sq += int64(c) * int64(c)
	}
	switch {
	case r < 2:
		return 0, 0
	case withReplacement:
		return sq, r * r
	}
	return sq - r, r * (r - 1)
}

// AmbiguityAt returns the chance that m answers, drawn without replacement from classes of the given counts, are not all equal,
//
//	1 - Σ_a C(c_a, m) / C(r, m)
//
// in [0, 1]; 0 at m = 1; false if m < 1 or m > r. It does not change counts. Source: the hypergeometric law; ambiguity (Cooper et al. 2024) is
// its value at m = r rounded up to 0 or 1.
func AmbiguityAt(counts []int, m int) (chance float64, ok bool) {
	r := 0
	for _, c := range counts {
		r += c
	}
	if m < 1 || m > r {
		return 0, false
	}
	var same float64
	for _, c := range counts {
		p := 1.
		for i := 0; i < m && p > 0; i++ {
			p *= float64(max(0, c-i)) / float64(r-i)
		}
		same += p
	}
	return max(0, 1-same), true
}

// Decompose splits the zero-one error of one case into bias and variance. counts are the classes' counts, and gold, of the same
// length, says which are right: these count as one class.
//
//	bias² = ½[(1 - p_g)² + Σ_{a≠g} p_a²],  variance = ½(1 - Σ_a p_a²),  p_a = c_a / r
//
// Range: error and bias² in [0, 1], variance in [0, ½]; bias² + variance = error = 1 - p_g but for rounding. False if there is no answer. It
// changes nothing. Source: Kohavi and Wolpert, ICML 1996, without noise, as the gold is one class.
func Decompose(counts []int, gold []bool) (errorRate, biasSquared, variance float64, ok bool) {
	var r, right, wrongSq int64
	for a, c := range counts {
		r += int64(c)
		if gold[a] {
			right += int64(c)
		} else {
			wrongSq += int64(c) * int64(c)
		}
	}
	if r == 0 {
		return 0, 0, 0, false
	}
	sq := float64(r) * float64(r)
	wrong := r - right
	return float64(wrong) / float64(r), float64(wrong*wrong+wrongSq) / (2 * sq), float64(r*r-right*right-wrongSq) / (2 * sq), true
}

// Entropy returns the entropy of the answers in nats, -Σ p_a ln p_a, p_a = c_a/r: the plug-in estimate, in [0, ln r], biased down for
// small r; false if there is no answer. On sampled answers it is the predictive entropy over classes. It does not change counts.
// Source: Shannon 1948; on classes of equal answers, Kuhn et al., ICLR 2023.
func Entropy(counts []int) (nats float64, ok bool) {
	r := 0
	for _, c := range counts {
		r += c
	}
	if r == 0 {
		return 0, false
	}
	for _, c := range counts {
		if c > 0 {
			p := float64(c) / float64(r)
			nats -= p * math.Log(p)
		}
	}
	return max(0, nats), true
}

// Analyze computes every figure of the method from the cases, in whatever order they come. Cases with fewer than two scored variants
// count as not asked. It is an error if tau is outside [0, 1], the level outside (0, 1), or an id there twice. It does not change cases.
func Analyze(cases []*Case, opt Options) (Result, error) {
	if !(opt.Tau >= 0 && opt.Tau <= 1) {
		return Result{}, fmt.Errorf("tau %v is outside [0, 1]", opt.Tau)
	}
	if !(opt.Level > 0 && opt.Level < 1) {
		return Result{}, fmt.Errorf("confidence level %v is not between 0 and 1", opt.Level)
	}
	tau, _ := new(big.Rat).SetString(strconv.FormatFloat(opt.Tau, 'g', -1, 64))
	cases = slices.Clone(cases)
	slices.SortFunc(cases, func(a, b *Case) int { return cmp.Compare(a.ID, b.ID) })
	a := analysis{opt: opt, tau: tau, res: Result{Tau: opt.Tau, Level: opt.Level, Warnings: []string{}}, perVariant: make(map[int32]*hits)}
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
	counts           []int
	hasGold          bool
	accuracy         float64
	modeRight        bool
	modeDeclined     bool
	stable           bool
	hasDefault       bool
	defaultRight     bool
	docs, top, atK   bool // documents known for two variants; two different best ones; two different sets
	error, bias, dev float64
}

func (r row) category() string {
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

type analysis struct {
	opt        Options
	tau        *big.Rat
	res        Result
	rows       []row
	perVariant map[int32]*hits
	pcByR      map[int]*[2]int64 // r: Σ of the modes' counts, cases

	declinedAnswers int
	declinedKnown   bool
	longSingletons  int
	below, atLeast  int
	ambiguous       int
	documentsK      int
}

func (a *analysis) add(c *Case) {
	a.res.Unscored += c.Unscored
	a.declinedKnown = a.declinedKnown || c.GoldDeclined
	t := c.tally(a.opt.ExcludeDefault)
	for _, k := range t.class {
		a.declinedKnown = a.declinedKnown || k.kind == Declined
	}
	if t.r < 2 {
		a.res.NotAsked++
		return
	}
	a.res.N += t.r
	if a.res.Questions++; a.res.Questions == 1 {
		a.res.Variants = Span{t.r, t.r}
	}
	a.res.Variants = Span{min(a.res.Variants.Min, t.r), max(a.res.Variants.Max, t.r)}

	r := row{counts: t.count, hasGold: c.HasGold(), modeDeclined: t.class[t.mode].kind == Declined}
	most := t.count[t.mode]
	r.pc = float64(most) / float64(t.r)
	if a.pcByR == nil {
		a.pcByR = make(map[int]*[2]int64)
	}
	modes := a.pcByR[t.r]
	if modes == nil {
		modes = new([2]int64)
		a.pcByR[t.r] = modes
	}
	modes[0] += int64(most)
	modes[1]++
	if 2*most < t.r {
		a.below++
	}
	if 5*most >= 4*t.r {
		a.atLeast++
	}
	if len(t.class) > 1 {
		a.ambiguous++
	}
	num, den := scFraction(t.count, a.opt.WithReplacement)
	r.sc = float64(num) / float64(den)
	r.stable = big.NewRat(num, den).Cmp(a.tau) >= 0

	gold := make([]bool, len(t.class))
	for i, k := range t.class {
		gold[i] = c.isGold(k)
		switch {
		case k.kind == Unread:
			a.res.Unread += t.count[i]
		case k.kind == Declined:
			a.declinedAnswers += t.count[i]
		case t.count[i] == 1 && isLong(k.form):
			a.longSingletons++
		}
	}
	if r.hasGold {
		r.error, r.bias, r.dev, _ = Decompose(t.count, gold)
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
	a.documents(&r, t)
	a.rows = append(a.rows, r)
	if a.opt.PerQuestion {
		a.res.PerQuestion = append(a.res.PerQuestion, question(c, t, r))
	}
}

// isLong reports whether a form has more than eight words: then it is prose, which equal forms rarely catch.
func isLong(form string) bool {
	words := 0
	for range strings.FieldsSeq(form) {
		if words++; words > 8 {
			return true
		}
	}
	return false
}

// documents compares what was retrieved for the variants of a case.
func (a *analysis) documents(r *row, t tally) {
	var first []string
	known := 0
	for _, docs := range t.docs {
		if docs == nil {
			continue
		}
		a.documentsK = max(a.documentsK, len(docs))
		if known++; known == 1 {
			first = docs
			continue
		}
		r.top = r.top || best(docs) != best(first)
		r.atK = r.atK || !sameSet(docs, first)
	}
	r.docs = known > 1
}

func best(docs []string) string {
	if len(docs) == 0 {
		return ""
	}
	return docs[0]
}

func sameSet(a, b []string) bool {
	if slices.Equal(a, b) {
		return true
	}
	return slices.Equal(sortedSet(a), sortedSet(b))
}

func sortedSet(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return slices.Compact(s)
}

func question(c *Case, t tally, r row) Question {
	q := Question{ID: c.ID, R: t.r, PC: r.pc, SC: r.sc, Ambiguous: len(t.class) > 1, Mode: c.label(t.class[t.mode]), Category: r.category(),
		Stable: r.stable, Variance: r.dev}
	if r.hasGold {
		q.Correct = &r.modeRight
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
	res, n, level := &a.res, len(a.rows), a.opt.Level
	if res.NotAsked > 0 {
		a.warn("%d questions have fewer than two scored variants and are left out", res.NotAsked)
	}
	if n == 0 {
		a.warn("no question has two scored variants, so there is nothing to compare")
		return
	}
	if n < 100 {
		a.warn("the figures rest on %d questions: at least 100 are recommended", n)
	}
	if res.Variants.Min < 10 {
		a.warn("some questions have only %d scored variants: 10 are recommended", res.Variants.Min)
	}

	a.stability()
	res.Ambiguity = stat.Wilson(a.ambiguous, n, level).Interval()
	res.PCBelowHalf = share(a.below, n)
	res.PCAtLeast80 = share(a.atLeast, n)
	res.PCIntervals = &PCIntervals{stat.Wilson(a.below, n, level).Interval(), stat.Wilson(a.atLeast, n, level).Interval()}
	res.SelfConsistency = a.mean(func(r row) float64 { return r.sc })

	m := cmp.Or(a.opt.CommonR, res.Variants.Min)
	if m >= 1 && m <= res.Variants.Min {
		at := a.mean(func(r row) float64 { v, _ := AmbiguityAt(r.counts, m); return v })
		res.AmbiguityAtR = &AmbiguityAtR{m, at.Mean, at.Lo, at.Hi}
	} else {
		a.warn("ambiguity at %d variants cannot be had: some questions have only %d", m, res.Variants.Min)
	}
	var entropy sum
	sensitive := 0
	for _, r := range a.rows {
		h, _ := Entropy(r.counts)
		entropy.add(h)
		if !r.stable {
			sensitive++
		}
	}
	nats := entropy.value() / float64(n)
	res.AnswerEntropy = &nats
	res.PromptSensitive = stat.Wilson(sensitive, n, level).Interval()

	var withGold []row
	for _, r := range a.rows {
		if r.hasGold {
			withGold = append(withGold, r)
		}
	}
	if len(withGold) == 0 {
		a.warn("accuracy was not measured, as no question has a gold answer: stable answers may be wrong")
	} else {
		if len(withGold) < n {
			a.warn("%d of %d questions have a gold answer: accuracy, taxonomy and decomposition are over these", len(withGold), n)
		}
		a.correctness(withGold)
	}
	if a.declinedKnown {
		res.Declined = &DeclinedShares{Share: float64(a.declinedAnswers) / float64(res.N)}
		errs, declined := 0, 0
		for _, r := range withGold {
			if r.category() == PromptAgnosticError {
				errs++
				if r.modeDeclined {
					declined++
				}
			}
		}
		if errs > 0 {
			res.Declined.OfPromptAgnosticErrs = share(declined, errs)
		}
	}
	a.retrieval()
}

// stability fills in SS and its level. SS is summed exactly, so that .9 is .9 at a boundary of the levels.
func (a *analysis) stability() {
	res := &a.res
	total, floor := new(big.Rat), new(big.Rat)
	rs := make([]int, 0, len(a.pcByR))
	for r := range a.pcByR {
		rs = append(rs, r)
	}
	slices.Sort(rs)
	for _, r := range rs {
		total.Add(total, big.NewRat(a.pcByR[r][0], int64(r)))
		floor.Add(floor, big.NewRat(a.pcByR[r][1], int64(r)))
	}
	n := big.NewRat(int64(len(a.rows)), 1)
	total.Quo(total, n)
	ss, _ := total.Float64()
	least, _ := floor.Quo(floor, n).Float64()
	e := a.mean(func(r row) float64 { return r.pc })
	res.SemanticStability = &stat.Interval{Estimate: ss, Lo: min(e.Lo, ss), Hi: max(e.Hi, ss)}
	res.PCFloor = &least
	if 2*a.longSingletons > res.N {
		a.warn("over half of the answers are long and like no other: no robustness level is given, as this equality does not read prose; choose one that does")
		return
	}
	res.RobustnessLevel = levelOf(total)
	lo, hi := levelOf(new(big.Rat).SetFloat64(res.SemanticStability.Lo)), levelOf(new(big.Rat).SetFloat64(res.SemanticStability.Hi))
	if lo != hi {
		a.warn("the interval of semantic stability reaches from level %s to %s: more questions would decide", lo, hi)
	}
}

var bounds = []struct {
	below *big.Rat
	level string
}{{big.NewRat(3, 10), "insufficient"}, {big.NewRat(6, 10), "limited"}}

// levelOf gives the robustness level: [0, .3), [.3, .6), [.6, .9], (.9, 1].
func levelOf(ss *big.Rat) string {
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

// correctness fills in what needs gold.
func (a *analysis) correctness(rows []row) {
	res, n, level := &a.res, len(rows), a.opt.Level
	nf := float64(n)
	var wrong, bias, variance sum
	var q Quadrants
	accuracy := make([]float64, n)
	count := make(map[string]int)
	modeWrong := 0
	var factual, atDefault []float64
	for i, r := range rows {
		accuracy[i] = r.accuracy
		wrong.add(r.error)
		bias.add(r.bias)
		variance.add(r.dev)
		if !r.modeRight {
			modeWrong++
		}
		count[r.category()]++
		switch {
		case r.stable && r.modeRight:
			q.StableCorrect++
		case r.stable:
			q.StableWrong++
		case r.modeRight:
			q.UnstableCorrect++
		default:
			q.UnstableWrong++
		}
		if r.hasDefault {
			factual = append(factual, one(r.category() == PromptAgnosticFactual))
			atDefault = append(atDefault, one(r.defaultRight))
		}
	}
	res.Decomposition = &Decomposition{wrong.value() / nf, bias.value() / nf, variance.value() / nf, float64(modeWrong) / nf}
	res.Quadrants = &Quadrants{q.StableCorrect / nf, q.StableWrong / nf, q.UnstableCorrect / nf, q.UnstableWrong / nf}

	wilson := func(category string) *stat.Interval { return stat.Wilson(count[category], n, level).Interval() }
	res.TaxonomyIntervals = &TaxonomyIntervals{wilson(PromptAgnosticFactual), wilson(PromptAgnosticError), wilson(Randomness)}
	res.Taxonomy = &Taxonomy{res.TaxonomyIntervals.Factual.Estimate, res.TaxonomyIntervals.Error.Estimate, res.TaxonomyIntervals.Randomness.Estimate}

	e := stat.Mean(accuracy, level)
	res.Accuracy = &Accuracy{Mean: e.Value, Lo: e.Lo, Hi: e.Hi, SD: a.deviation(), Questions: n}
	if len(atDefault) == 0 {
		a.warn("no question with a gold answer has a scored variant 0, so there is no accuracy on the default prompt")
		return
	}
	right := 0
	for _, v := range atDefault {
		right += int(v)
	}
	res.Accuracy.Default = share(right, len(atDefault))
	res.Overstatement = stat.PairedDifference(factual, atDefault, level).Interval()
}

// deviation is the sample standard deviation over variants of each variant's accuracy over the cases that have it.
func (a *analysis) deviation() float64 {
	variants := make([]int32, 0, len(a.perVariant))
	for v := range a.perVariant {
		variants = append(variants, v)
	}
	slices.Sort(variants)
	var mean, sq float64
	for _, v := range variants {
		mean += a.perVariant[v].share()
	}
	mean /= float64(len(variants))
	for _, v := range variants {
		d := a.perVariant[v].share() - mean
		sq += float64(d * d)
	}
	return math.Sqrt(sq / float64(len(variants)-1)) // a used case has two variants
}

// retrieval fills in Documents if any case has them.
func (a *analysis) retrieval() {
	var all, top, atK int
	in, topIn := make(map[string]int), make(map[string]int)
	for _, r := range a.rows {
		if !r.docs {
			continue
		}
		all++
		in[r.category()]++
		if r.top {
			top++
			topIn[r.category()]++
		}
		if r.atK {
			atK++
		}
	}
	if all == 0 {
		return
	}
	d := &Documents{Questions: all, K: a.documentsK, Ambiguity: stat.Wilson(top, all, a.opt.Level).Interval(), AmbiguityAtK: stat.Wilson(atK, all, a.opt.Level).Interval()}
	for _, category := range []string{PromptAgnosticFactual, PromptAgnosticError, Randomness} {
		if in[category] > 0 {
			if d.ByCategory == nil {
				d.ByCategory = make(map[string]*stat.Interval)
			}
			d.ByCategory[category] = stat.Wilson(topIn[category], in[category], a.opt.Level).Interval()
		}
	}
	a.res.Documents = d
}

func (a *analysis) mean(value func(row) float64) *Mean {
	xs := make([]float64, len(a.rows))
	for i, r := range a.rows {
		xs[i] = value(r)
	}
	e := stat.Mean(xs, a.opt.Level)
	return &Mean{e.Value, e.Lo, e.Hi}
}

// A sum adds with Neumaier's compensation, so that parts over many cases still add up to the whole.
type sum struct{ total, lost float64 }

func (s *sum) add(x float64) {
	t := s.total + x
	if math.Abs(s.total) >= math.Abs(x) {
		s.lost += (s.total - t) + x
	} else {
		s.lost += (x - t) + s.total
	}
	s.total = t
}

func (s *sum) value() float64 { return s.total + s.lost }

func share(k, n int) *float64 {
	s := float64(k) / float64(n)
	return &s
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
