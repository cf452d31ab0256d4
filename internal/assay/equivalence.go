package assay

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/assay/annotate"
	"hallmark/internal/grade"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/equivalence"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
)

// An EquivalenceResult says how the answers of a model to a suite were compared for semantic equivalence, and how far
// that errs.
type EquivalenceResult struct {
	Relation string `json:"relation"` // meaning
	Model    string `json:"model"`    // that compared
	Question string `json:"question"` // the version of what it was asked
	Score    bool   `json:"score"`    // its replies were scored, and not written

	Cases   int `json:"cases"`   // whose answers were compared for semantic equivalence
	Answers int `json:"answers"` // distinct in normal form, of these cases
	Classes int `json:"classes"` // of answers that say the same
	Pairs   int `json:"pairs"`   // to be compared, golds among them
	Equal   int `json:"equal"`   // pairs of which both directions hold
	OneWay  int `json:"one_way"` // pairs of which only the direction asked first holds
	// Violations are the pairs of one class whose own verdict is that they differ: the relation is not transitive,
	// and others joined them.
	Violations  int `json:"violations"`
	NotCompared int `json:"not_compared"` // pairs beyond the bound on a case; apart unless others join them
	Unscored    int `json:"unscored"`     // pairs without a verdict
	Unsettled   int `json:"unsettled"`    // cases whose classes depend on such pairs: left out of the figures that do

	// What its calls took, each counted once; the totals of the model whose answers were compared hold them too.
	Tokens Tokens  `json:"tokens"`
	USD    float64 `json:"usd"`

	// Check is the relation's error on the pairs of --equal-check, People that on pairs of this run that people judged.
	Check  *RelationError `json:"check,omitempty"`
	People *RelationError `json:"people,omitempty"`
	// Stability is semantic stability as the errors could have moved it; absent where they are not known.
	Stability *StabilityChange `json:"stability,omitempty"`

	Warnings []string `json:"warnings"`
}

// A RelationError is how often a relation errs on pairs.
type RelationError struct {
	Pairs      int        `json:"pairs"`    // on which it rests
	Unscored   int        `json:"unscored"` // pairs without a verdict of the relation, or on which people are split
	FalseSplit *stat.Rate `json:"false_split"`
	FalseMerge *stat.Rate `json:"false_merge"`
	// Joined and Apart are the pairs that ended in one class, and in two, with what people said of a sample; of
	// People only.
	Joined *SampledPairs `json:"joined,omitempty"`
	Apart  *SampledPairs `json:"apart,omitempty"`

	rates equivalence.Rates
}

// SampledPairs counts the pairs of a stratum and those that people judged.
type SampledPairs struct {
	Pairs  int        `json:"pairs"`
	Judged int        `json:"judged"`
	Wrong  *stat.Rate `json:"wrong"` // of the judged: different though joined, or equal though apart
}

// StabilityChange is semantic stability, and what a relation without error would make of it.
type StabilityChange struct {
	By        string   `json:"by"`        // whose rates: check or people
	Measured  *float64 `json:"measured"`  // semantic stability as it stands
	Corrected *float64 `json:"corrected"` // null where the rates are not known
	stat.Bounds
}

// equivalences is what one suite's comparison found.
type equivalences struct {
	EquivalenceResult
	of   map[int]*meant // by case
	took bill           // of its calls
}

// equate compares the answers for semantic equivalence, where the plan asks for it, and gives those that say the same
// one class: that of the gold where one is among them, else of the commonest. Pairs without a verdict are listed as
// unscored, and where the classes of a case depend on one, its answers are unscored in consistency.
func (x *sitting) equate(ctx context.Context) error {
	p := x.plan
	if x.given != nil || !x.cases.Has(p.semantic) {
		return nil
	}
	list := x.compared()
	var said []*comparison
	for _, m := range list {
		said = append(said, m.said...)
	}
	took, err := p.Equivalence.settle(ctx, x.store, said)
	if err != nil {
		return err
	}
	q := &equivalences{EquivalenceResult: EquivalenceResult{
		Relation: EqualSemantic, Model: p.Equivalence.Model.Ref, Question: p.Equivalence.Question,
		Score:    p.Equivalence.Score,
		Warnings: []string{},
	}, of: map[int]*meant{}, took: took}
	x.equivalences, x.out.Equivalence = q, &q.EquivalenceResult
	for _, m := range list {
		c := x.cases.At(m.item)
		q.of[m.item] = m
		m.classify(x.table[m.item])
		q.count(m)
		for _, u := range m.said {
			if u.outcome == equivalence.Unknown {
				x.lacks(Unscored{CaseID: c.ID, Axis: "equality",
					Reason: fmt.Sprintf("%.60q and %.60q: %s", u.first, u.second, u.reason)})
			}
		}
		x.pairs = append(x.pairs, x.pairItems(c, m)...)
	}
	if err := x.relationError(ctx); err != nil {
		return err
	}
	x.took = append(x.took, q.took...)
	q.Tokens, q.USD = q.took.sum()
	q.warn()
	return nil
}

// classify forms the classes, and gives them to the trials whose answers were compared.
func (m *meant) classify(trials []trial) {
	m.verdict = make([]equivalence.Outcome, len(m.said))
	for i, c := range m.said {
		m.verdict[i] = c.outcome
	}
	n := len(m.nodes)
	m.classes = equivalence.Union(n, m.pairs, m.verdict, false)
	hopeful := equivalence.Union(n, m.pairs, m.verdict, true)
	label, at := m.labels()
	for _, figure := range []purpose{forVariant, forSample, forRetest} {
		in := make([]bool, n) // the nodes that it is made from
		for i := range in {
			in[i] = figure != forRetest && m.nodes[i].Gold > 0
		}
		for i := range trials {
			x := &trials[i]
			if !x.more().form.IsZero() && (x.purpose == figure || figure == forRetest && x.first()) {
				in[at[x.more().form]] = true
			}
		}
		m.settled[figure] = equivalence.Same(m.classes, hopeful, func(i int) bool { return in[i] })
	}
	for i := range trials {
		x := &trials[i]
		switch {
		case !x.class.IsZero() && !m.settled[x.purpose]:
			x.class, x.own().open =
				answer.Form{}, "which answers say the same could not be told: a verdict on a pair is missing"
		case !x.more().form.IsZero():
			x.class = label[m.classes[at[x.more().form]]]
		}
	}
}

// labels names the classes, each at its first node: by the first gold in it, or else the first form. It also
// returns the nodes of forms.
func (m *meant) labels() (label []answer.Form, at map[answer.Form]int) {
	label, at = make([]answer.Form, len(m.nodes)), map[answer.Form]int{}
	best := make([]int, len(m.nodes))
	for i, node := range m.nodes {
		at[node.Form] = i
		c := m.classes[i]
		switch {
		case node.Gold > 0 && (best[c] == 0 || node.Gold < best[c]):
			best[c], label[c] = node.Gold, node.Form
		case label[c].IsZero():
			label[c] = node.Form
		}
	}
	return label, at
}

// count adds a case to the totals.
func (q *equivalences) count(m *meant) {
	q.Cases++
	classes := map[int]bool{}
	for i, n := range m.nodes {
		if n.Count > 0 {
			q.Answers++
			classes[m.classes[i]] = true
		}
	}
	q.Classes += len(classes)
	q.Pairs += len(m.pairs)
	q.NotCompared += m.left
	q.Violations += m.classes.Violations(m.pairs, m.verdict)
	for i, o := range m.verdict {
		switch {
		case o == equivalence.Equal:
			q.Equal++
		case o == equivalence.Unknown:
			q.Unscored++
		case m.said[i].oneWay:
			q.OneWay++
		}
	}
	if !m.settled[forVariant] || !m.settled[forSample] {
		q.Unsettled++
	}
}

// relationError fills in what is known of the relation's error.
func (x *sitting) relationError(ctx context.Context) error {
	q := x.equivalences
	if check := x.plan.Equivalence.Check; len(check) > 0 {
		asked, at := x.plan.Equivalence.known()
		took, err := x.plan.Equivalence.settle(ctx, x.store, asked)
		if err != nil {
			return err
		}
		q.took = append(q.took, took...)
		q.check(check, asked, at)
	}
	said, err := annotate.Said(x.pairs, x.annotations)
	if err != nil || len(said) == 0 {
		return err
	}
	q.judged(x.pairs, said)
	return nil
}

// check takes the error from known pairs, of which some were asked about: those that stand at the given places.
func (q *equivalences) check(check []KnownPair, asked []*comparison, at []int) {
	// of those that are equal in normal form
	outcome := slices.Repeat([]equivalence.Outcome{equivalence.Equal}, len(check))
	for i, c := range asked {
		outcome[at[i]] = c.outcome
	}
	var known equivalence.Known
	r := &RelationError{}
	for i, k := range check {
		known.Add(k.Equal, outcome[i])
		if outcome[i] == equivalence.Unknown {
			r.Unscored++
		}
	}
	r.set(equivalence.Rates{Split: known.FalseSplit(level), Merge: known.FalseMerge(level)}, len(check)-r.Unscored)
	q.Check = r
	q.Warnings = append(q.Warnings, known.Warn()...)
	if r.Unscored > 0 {
		note(&q.Warnings, "%d of the %d known pairs got no verdict", r.Unscored, len(check))
	}
}

// judged takes the error from what people said of pairs.
func (q *equivalences) judged(pairs []annotate.Item, said map[string]float64) {
	r := &RelationError{}
	var strata [2]equivalence.Sampled
	var wrong [2]int
	judged := 0
	for i := range pairs {
		u := &pairs[i]
		s, is := 0, equivalence.Equal
		if u.Stratum == annotate.PairApart {
			s = 1
		}
		if u.Grade.Truth.Verdict == grade.Fail {
			is = equivalence.Different
		}
		strata[s].Pairs++
		different, ok := said[u.ID]
		switch {
		case !ok:
			continue
		case different == .5:
			r.Unscored++
			continue
		}
		judged++
		equal := different < .5
		strata[s].Add(equal, is)
		if equal == (s == 1) {
			wrong[s]++
		}
	}
	split, merge := equivalence.FromSample(strata[0], strata[1], level)
	r.set(equivalence.Rates{Split: split, Merge: merge}, judged)
	for s, to := range []**SampledPairs{&r.Joined, &r.Apart} {
		x := strata[s]
		n := x.EqualJoined + x.EqualApart + x.DifferentJoined + x.DifferentApart
		*to = &SampledPairs{Pairs: x.Pairs, Judged: n, Wrong: stat.Wilson(wrong[s], n, level).Rate()}
	}
	q.People = r
	if !split.OK() || !merge.OK() {
		q.Warnings = append(q.Warnings, "people judged too few pairs for the relation's error: some of those "+
			"joined and some of those apart are wanted, 50 or more of each")
	}
}

func (r *RelationError) set(rates equivalence.Rates, pairs int) {
	r.rates, r.Pairs = rates, pairs
	r.FalseSplit, r.FalseMerge = rates.Split.Rate(), rates.Merge.Rate()
}

func (q *equivalences) warn() {
	if q.Violations > 0 {
		note(&q.Warnings, "%d of %d pairs stand in one class though they were held to differ: the relation is not "+
			"transitive here, and one false merge joins whole classes", q.Violations, q.Pairs)
	}
	if q.NotCompared > 0 {
		note(&q.Warnings, "%d pairs of answers were not compared, as their cases have more different answers than "+
			"--equal-most", q.NotCompared)
	}
	if q.Unsettled > 0 {
		note(&q.Warnings, "%d cases are left out of consistency: which of their answers say the same depends on "+
			"pairs without a verdict", q.Unsettled)
	}
}

// pairItems returns the compared pairs of a case as people are shown them: the second answer is to be held against
// the first as its reference.
func (x *sitting) pairItems(c *suite.Case, m *meant) (items []annotate.Item) {
	for i, pair := range m.pairs {
		said := m.said[i]
		if said.outcome == equivalence.Unknown {
			continue
		}
		u := annotate.Item{
			ID: annotate.ItemID(x.id, x.model.Identity, x.suite.Name,
				strings.Join([]string{c.ID, "pair", m.nodes[pair[0]].Form.Text(), m.nodes[pair[1]].Form.Text()},
					"\x00")),
			Model: x.model.Name(), Stratum: annotate.PairApart,
			Shown: annotate.Shown{Suite: x.suite.Name, CaseID: c.ID, System: annotate.PairTask, Prompt: c.Prompt,
				Reference: said.first, Answer: said.second},
			Grade: grade.Grade{Truth: grade.Judgment{Verdict: grade.Fail, Rule: "meaning: different"}},
		}
		if said.outcome == equivalence.Equal {
			u.Grade.Truth = grade.Judgment{Verdict: grade.Pass, Rule: "meaning: equal"}
		}
		if m.classes[pair[0]] == m.classes[pair[1]] {
			u.Stratum = annotate.PairJoined
		}
		items = append(items, u)
	}
	return items
}

// moved says how far semantic stability could move by the relation's error: by people's rates where they judged
// pairs, else by those of the check.
func (x *sitting) moved(res consistency.Result) {
	q := x.equivalences
	if q == nil || q.Check == nil && q.People == nil {
		return
	}
	by, rates := "check", equivalence.Rates{}
	if q.Check != nil {
		rates = q.Check.rates
	}
	if q.People != nil && q.People.rates.Split.OK() && q.People.rates.Merge.OK() {
		by, rates = "people", q.People.rates
	}
	q.Stability = &StabilityChange{By: by}
	if res.SemanticStability == nil {
		return
	}
	q.Stability.Measured = &res.SemanticStability.Value
	var list []equivalence.Case
	for ci := range x.cases.Len() {
		if _, ok := x.byGreedy[x.cases.ID(ci)]; ok {
			list = append(list, q.partition(ci, x.table[ci], x.plan.ExcludeDefault))
		}
	}
	e := equivalence.Correct(list, rates, level, x.plan.Seed, x.suite.Name)
	if q.Stability.Corrected, q.Stability.Bounds = e.Bounds(); !e.OK() {
		q.Warnings = append(q.Warnings, "how far semantic stability could move is not known: the relation's rates "+
			"cannot be had, or say nothing as they sum to 1 or more, or there are too many different answers")
	}
}

// partition returns the greedy answers of a case as the correction sees them: the nodes that were compared, without
// those that only samples gave, and a node for each class that no model compares.
func (q *equivalences) partition(item int, trials []trial, excludeDefault bool) (c equivalence.Case) {
	at := map[counted]int{}
	if m := q.of[item]; m != nil {
		c = m.greedy(trials, at)
	}
	for i := range trials {
		x := &trials[i]
		if x.purpose != forVariant || !x.class.Compares() || excludeDefault && x.variant.Number == 0 {
			continue
		}
		key := counted{form: x.class}
		if form := x.more().form; !form.IsZero() {
			key = counted{true, form}
		}
		if _, ok := at[key]; !ok {
			at[key] = len(c.Counts)
			c.Counts = append(c.Counts, 0)
		}
		c.Counts[at[key]]++
	}
	return c
}

// counted is what the correction counts answers by: their node, or their class where no model compares them.
type counted struct {
	node bool
	form answer.Form
}

// greedy returns the nodes that greedy answers or golds gave, with the pairs among them, and notes the place of
// each by its form.
func (m *meant) greedy(trials []trial, at map[counted]int) (c equivalence.Case) {
	given := map[answer.Form]bool{}
	for i := range trials {
		form := trials[i].more().form
		given[form] = given[form] || trials[i].purpose == forVariant
	}
	to := make([]int, len(m.nodes)) // the new index of a node, or -1
	for i, n := range m.nodes {
		if to[i] = -1; given[n.Form] || n.Gold > 0 {
			to[i] = len(c.Counts)
			at[counted{true, n.Form}] = to[i]
			c.Counts = append(c.Counts, 0)
		}
	}
	for k, pair := range m.pairs {
		if i, j := to[pair[0]], to[pair[1]]; i >= 0 && j >= 0 {
			c.Pairs, c.Verdict = append(c.Pairs, equivalence.Pair{i, j}), append(c.Verdict, m.verdict[k])
		}
	}
	return c
}
