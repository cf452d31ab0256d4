package assay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/grade"
	"hallmark/internal/grade/oracle"
	"hallmark/internal/grade/rubric"
	"hallmark/internal/metric/equivalence"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
)

// EqualSemantic is the equality of answers of which a model holds that each implies the other.
const EqualSemantic = "meaning"

// an Equivalence says how answers are compared for semantic equivalence. All of it decides results, so all of it is in
// a run's id.
type Equivalence struct {
	Model    UnderTest   `json:"model"`    // that is asked about pairs of answers
	Question string      `json:"question"` // the version of what it is asked: equivalence.Version
	Score    bool        `json:"score"`    // its replies are scored by their log-probability, and not written
	Most     int         `json:"most"`     // answers of a case that are compared with all others: see equivalence.Pairs
	Check    []KnownPair `json:"check,omitempty"`
}

// A KnownPair is two answers to a question of which it is known whether they say the same.
type KnownPair struct {
	Question string `json:"question"`
	A        string `json:"a"`
	B        string `json:"b"`
	Equal    bool   `json:"equal"`
}

// Bounds on what is compared for semantic equivalence.
const (
	MostCompared = 1000     // of Equivalence.Most
	MostKnown    = 100_000  // pairs of Equivalence.Check
	MostPairText = 64 << 10 // bytes of a text of such a pair
)

// equalAmiss is what is wrong with the equality of the plan, which leaves the reader's empty.
func (p *Plan) equalAmiss() string {
	_, err := answer.ParseRelation(p.Equal)
	return wanted(p.Equal == "" || p.Equal == EqualSemantic || err == nil,
		fmt.Sprintf("equality %q is unknown: reader, exact, normalized, numeric, choice or meaning", p.Equal))
}

// check reports what no resolved plan has.
func (m *Equivalence) check() error {
	switch {
	case m == nil:
		return nil
	case m.Question != equivalence.Version:
		return fmt.Errorf("meaning is asked by question %q; this release asks %q", m.Question, equivalence.Version)
	case len(m.Check) > MostKnown:
		return fmt.Errorf("%d known pairs; want at most %d", len(m.Check), MostKnown)
	}
	for i, k := range m.Check {
		if max(len(k.Question), len(k.A), len(k.B)) > MostPairText {
			return fmt.Errorf("known pair %d has a text of more than %d KiB", i+1, MostPairText>>10)
		}
	}
	return nil
}

// A keyedEquivalence is what a run's id holds of an Equivalence.
type keyedEquivalence struct {
	Model    string `json:"model"`
	Question string `json:"question"`
	Score    bool   `json:"score"`
	Most     int    `json:"most"`
	Check    string `json:"check,omitempty"`
}

func (m *Equivalence) keyed() *keyedEquivalence {
	if m == nil {
		return nil
	}
	k := &keyedEquivalence{m.Model.Identity, m.Question, m.Score, m.Most, ""}
	if len(m.Check) > 0 {
		k.Check = hashed(m.Check)
	}
	return k
}

// relation returns the normal form that all answers of the plan are compared by, "" where the reader, or a model,
// compares them.
func (p *Plan) relation() answer.Relation {
	if p.Equal == EqualSemantic {
		return ""
	}
	return answer.Relation(p.Equal)
}

// Wordy reports whether answers to a case are words that a model may compare: they are written, and no number.
func Wordy(c *suite.Case) bool { return len(c.Options) == 0 && rubric.Relation(c) != answer.Numeric }

// semantic reports whether the answers to a case are compared for semantic equivalence: all that are words under
// --equal meaning, and prose where the equality goes by the type of the answer.
func (p *Plan) semantic(c *suite.Case) bool {
	return p.Equivalence != nil && p.Has(Consistency) && Wordy(c) &&
		(p.Equal == EqualSemantic || p.Equal == "" && c.AnswerType == suite.Prose)
}

// equalNotes says what a reader has to know of the equality, and is an error where it cannot read a suite.
func (p *Plan) equalNotes() (notes []string, err error) {
	if !p.Has(Consistency) {
		return nil, nil
	}
	if err := p.Equivalence.check(); err != nil {
		return nil, err
	}
	if p.Equal == EqualSemantic && p.Equivalence == nil {
		return nil, fmt.Errorf(
			"--equal meaning: no model compares the answers; name one with --entailment, or with --judge")
	}
	for _, s := range p.Suites {
		for _, c := range p.Covered(s).Pass() {
			if err := p.readable(c); err != nil {
				return nil, err
			}
		}
		prose := countCases(p.Covered(s), func(c *suite.Case) bool { return c.AnswerType == suite.Prose && Wordy(c) })
		words := countCases(p.Covered(s), p.semantic)
		switch {
		case p.Equal == EqualSemantic && words == 0:
			return nil, fmt.Errorf("--equal meaning: no case of suite %s is answered in words, all are multiple "+
				"choice or numbers; leave --equal out, which compares by the type of the answer", s.Name)
		case words > 0 && len(p.Equivalence.Check) == 0:
			note(&notes, "suite %s: %s compares the answers to %d of %d cases by meaning; how often it errs is not "+
				"known without --equal-check, or pairs that people judged", s.Name, p.Equivalence.Model.Ref, words,
				p.Covered(s).Len())
		case p.Equal == "" && prose > 0:
			note(&notes, "suite %s: %d of %d cases are answered in prose, which is compared by the value that is "+
				"read where it can be graded, and else left out: stability says little of these; --entailment or "+
				"--judge names a model that compares what they mean", s.Name, prose, p.Covered(s).Len())
		}
	}
	return notes, nil
}

// readable reports that the plan's equality cannot read any gold of a case.
func (p *Plan) readable(c *suite.Case) error {
	rel := p.relation()
	texts := c.Answers()
	reads := func(text string) bool { return answer.Normalize(rel, text) != "" }
	if rel == "" || len(texts) == 0 || slices.ContainsFunc(texts, reads) {
		return nil
	}
	place := c.Place
	if place != "" {
		place += ": "
	}
	return fmt.Errorf("%scase %q: its gold %.60q cannot be read under --equal %s; leave --equal out, which "+
		"compares by the type of the answer, or use normalized", place, c.ID, texts[0], rel)
}

// A comparison is a pair of answers to one question, and what the model said of it.
type comparison struct {
	question      string
	first, second string
	outcome       equivalence.Outcome
	held          bool   // the first direction holds
	oneWay        bool   // and only that
	reason        string // why the outcome is unknown
}

// newComparison sets two answers in an order that does not depend on which came first, so that equal pairs are
// asked once.
func newComparison(question, a, b string) *comparison {
	if b < a {
		a, b = b, a
	}
	return &comparison{question: question, first: a, second: b}
}

// direction is the call that asks whether the first answer of a pair implies the second or, on the way back, the
// second the first.
func (m *Equivalence) direction(c *comparison, back bool) run.Call {
	from, to := c.first, c.second
	if back {
		from, to = to, from
	}
	question := equivalence.Question(c.question, from, to)
	if m.Score {
		return run.Call{Model: m.Model.Identity, Request: model.Request{Prompt: question, Options: equivalence.Replies}}
	}
	return JudgeCall(&m.Model, question, 0)
}

// implied reads the record of one direction.
func implied(r *run.Record) (yes bool, reason string) {
	switch reason = missing(r); {
	case reason != "":
		return false, reason
	case len(r.Response.Options) > 0:
		yes, err := equivalence.Scored(r.Response.Options)
		return yes, reasonOf(err, "")
	case r.Response.Text == nil:
		return false, "the response has no text"
	}
	yes, err := equivalence.Verdict(*r.Response.Text)
	return yes, reasonOf(err, *r.Response.Text)
}

func reasonOf(err error, reply string) string {
	switch {
	case err == nil:
		return ""
	case reply == "":
		return err.Error()
	}
	return fmt.Sprintf("%v: %.80q", err, reply)
}

// settle reads the verdicts on pairs from the store, and returns what their calls took. The way back is asked only
// of pairs whose way there holds.
func (m *Equivalence) settle(ctx context.Context, store run.Store, list []*comparison) (took bill, err error) {
	read := func(list []*comparison, back bool, verdict func(c *comparison, yes bool)) error {
		calls := make([]run.Call, len(list))
		for i, c := range list {
			calls[i] = m.direction(c, back)
		}
		records, err := run.Records(ctx, store, calls)
		for i, r := range records {
			took.note(calls[i].Key(), r)
			yes, reason := implied(r)
			if list[i].reason = reason; reason == "" {
				verdict(list[i], yes)
			}
		}
		return err
	}
	var open []*comparison
	err = read(list, false, func(c *comparison, yes bool) {
		if c.held = yes; yes {
			open = append(open, c)
		} else {
			c.outcome = equivalence.Different
		}
	})
	if err != nil {
		return nil, err
	}
	return took, read(open, true, func(c *comparison, yes bool) {
		if c.outcome, c.oneWay = equivalence.Equal, !yes; !yes {
			c.outcome = equivalence.Different
		}
	})
}

// rubric returns what grades answers to a suite, with the passages that were shown with them.
func (p *Plan) rubric(s *suite.Suite) (*rubric.Rubric, error) {
	supplied, err := p.supplied(s)
	if err != nil {
		return nil, err
	}
	rub, err := rubric.Of(supplied, p.asOf(s))
	if err == nil {
		rub.Bench, rub.Contract = rubric.Bench{Judges: len(p.judges()), All: p.JudgeAll}, p.AnswerContract
	}
	return rub, err
}

// A meant is a case whose answers are compared for semantic equivalence.
type meant struct {
	item  int
	nodes []equivalence.Node
	pairs []equivalence.Pair
	left  int
	said  []*comparison // of pairs

	verdict []equivalence.Outcome
	classes equivalence.Classes
	settled [3]bool // by purpose: whether no unknown pair could change what is compared there
}

// meantOf lays out what is to be compared of one case. Its trials are read.
func (p *Plan) meantOf(rub *rubric.Rubric, c *suite.Case, item int, golds []answer.Form, trials []trial) *meant {
	m := &meant{item: item}
	at := map[answer.Form]int{}
	node := func(form answer.Form) *equivalence.Node {
		i, ok := at[form]
		if !ok {
			i = len(m.nodes)
			at[form] = i
			m.nodes = append(m.nodes, equivalence.Node{Form: form})
		}
		return &m.nodes[i]
	}
	for i, g := range rub.References(c) {
		form := oracle.Normal(rubric.Relation(c), g)
		if form.IsZero() {
			continue
		}
		if n := node(form); n.Gold == 0 {
			n.Text, n.Gold = strings.TrimSpace(g), i+1
		}
	}
	for i := range trials {
		trial := &trials[i]
		form := formOf(c, golds, trial)
		if form.IsZero() {
			continue
		}
		trial.own().form = form
		n := node(form)
		n.Count++
		if text := strings.TrimSpace(trial.said()); n.Gold == 0 &&
			(n.Text == "" || cmp.Or(cmp.Compare(len(text), len(n.Text)), strings.Compare(text, n.Text)) < 0) {
			n.Text = text // the shortest stands for all: it says the least beside the answer
		}
	}
	equivalence.Sort(m.nodes)
	m.pairs, m.left = equivalence.Pairs(m.nodes, p.Equivalence.Most)
	for _, pair := range m.pairs {
		m.said = append(m.said, newComparison(c.Prompt, m.nodes[pair[0]].Text, m.nodes[pair[1]].Text))
	}
	return m
}

// formOf returns the form by which an answer is a node, zero where it is an act, a hedge, blank or missing, which
// no model compares. An answer that an oracle passes is the gold's: nothing is asked about it.
func formOf(c *suite.Case, golds []answer.Form, trial *trial) answer.Form {
	g := trial.grade
	switch {
	case g.Reason != "" || trial.class.IsZero():
		return answer.Form{}
	case g.Normal == answer.RightAct, g.Normal == answer.Declined, g.Normal == answer.Empty, g.Act == grade.Hedged:
		return answer.Form{}
	case trial.class != g.Normal || slices.Contains(golds, trial.class):
		if trial.class == oracle.Normal(rubric.Relation(c), oracle.AcceptedByJudge) {
			return answer.Form{}
		}
		return trial.class // an oracle passes it
	case g.Normal == answer.Ungradable || c.AnswerType == suite.Prose:
		return answer.Value(answer.Words(trial.said())) // what no rule can grade, a model may compare
	}
	return g.Normal
}

// compared lays out the cases that are compared for semantic equivalence. It reads their trials.
func (x *sitting) compared() (list []*meant) {
	for ci, c := range x.cases.All() {
		if !x.plan.semantic(c) {
			continue
		}
		golds := x.rub.Golds(c, "")
		for i := range x.table[ci] {
			x.read(x.rub, c, golds, &x.table[ci][i])
		}
		list = append(list, x.plan.meantOf(x.rub, c, ci, golds, x.table[ci]))
	}
	return list
}

// known returns the pairs of the plan's check that a model is asked about; the others are equal in normal form.
func (m *Equivalence) known() (asked []*comparison, at []int) {
	for i, k := range m.Check {
		if answer.Words(k.A) == answer.Words(k.B) {
			continue
		}
		asked = append(asked, newComparison(k.Question, strings.TrimSpace(k.A), strings.TrimSpace(k.B)))
		at = append(at, i)
	}
	return asked, at
}

// How the reply of a model that compares answers is had.
const (
	ReplyText   = "text"  // it writes one, which is read
	ReplyScored = "score" // yes or no, by their log-probability
)
