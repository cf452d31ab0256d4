// Package rubric turns an answer into a grade on the four axes: it has the
// case's oracle read it, applies the rules that the case's class and tags
// bear, and says why. Source: Hallucination Testing, 2025, with the readings of
// this project where it is silent; they stand at the rules.
package rubric

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/answer"
	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/grade/oracle"
	"hallmark/internal/identifier"
	"hallmark/internal/quantity"
	"hallmark/internal/suite"
)

// A Rubric grades answers to the cases of one suite. It is safe for concurrent use.
type Rubric struct {
	cases map[string]*compiled
	asOf  quantity.Date
}

// Settings are the switches that hold for one case, resolved: the suite's, under those of its class, under those of its tags; of several
// tags the first in the case's order that sets a switch.
type Settings struct {
	FormatIsGating  bool
	StrictRetrieval bool
	Weights         suite.Weights
}

// compiled is a case made ready.
type compiled struct {
	c        *suite.Case
	oracle   oracle.Oracle // nil where the case has neither oracle nor gold
	rules    map[string]bool
	settings Settings
	passages []evidence.Passage
	question map[string]bool // words of the prompts
	words    map[string]bool // words of prompts, system prompt, context and accepted answers
	stems    map[string]bool // their first letters, stem of them each
	dates    []quantity.Date // their dates to the month or day
	ids      map[string]bool // identifiers that an answer may name: of the oracle, the prompt and the context
	texts    map[string]bool // what the oracle accepts, in small letters
	urls     bool            // an address is among what is accepted
	facts    [][]string
	date     string // precision of the date asked for, "" if none
	reject   [][]string
}

// New compiles the oracles of a suite. asOf is the day that counts as today, as 2026-11-01, or "". The error, for an oracle that cannot be
// made, starts with the place of its case.
func New(s *suite.Suite, asOf string) (*Rubric, error) {
	r := &Rubric{cases: make(map[string]*compiled, len(s.Cases))}
	if asOf != "" {
		d, ok := quantity.ParseDate(asOf)
		if !ok || d.Day == 0 {
			return nil, fmt.Errorf("as-of date %q is no date; write it as 2026-11-01", asOf)
		}
		r.asOf = d
	}
	for i := range s.Cases {
		k, err := compile(s, &s.Cases[i], r.asOf)
		if err != nil {
			return nil, err
		}
		r.cases[s.Cases[i].ID] = k
	}
	return r, nil
}

func compile(s *suite.Suite, c *suite.Case, asOf quantity.Date) (*compiled, error) {
	k := &compiled{c: c, rules: rulesOf(c), settings: settings(s, c), date: askedDate(c), facts: evidence.Phrases(c.Requires.Facts)}
	if err := k.makeOracle(s, asOf); err != nil {
		return nil, err
	}
	k.gather()
	return k, nil
}

// rulesOf returns the names by which rules apply: the class and the tags, and what stands for several of them.
func rulesOf(c *suite.Case) map[string]bool {
	rules := map[string]bool{}
	for _, name := range append([]string{c.Class}, c.Tags...) {
		rules[name] = true
		if strings.HasPrefix(name, "time-shift-") {
			rules["time-shift"] = true
		}
		if name == "url-fabrication" {
			rules["id-precision"] = true
		}
	}
	return rules
}

func (k *compiled) makeOracle(s *suite.Suite, asOf quantity.Date) error {
	c := *k.c
	if s.ExactMatch(k.c) && c.Match == "" { // the suite's word
		c.Match = suite.Exact
	}
	if k.rules["instruction-conflict"] && c.Oracle != nil {
		// What is rejected there is a tone, which reciprocity judges; facts decide truth.
		for _, o := range parts(c.Oracle) {
			k.reject = append(k.reject, evidence.Phrases(o.Reject)...)
		}
		c.Oracle = withoutReject(c.Oracle)
	}
	if c.Oracle == nil && c.Gold.IsZero() && !c.Decline {
		return nil
	}
	o, err := oracle.NewAsOf(&c, asOf)
	if err != nil {
		return err
	}
	if k.rules["ambiguity"] && !hasType(k.c.Oracle, "clarification") {
		o = oracle.Ambiguous(&c, o)
	}
	k.oracle = o
	return nil
}

// gather collects what the prompts, the context and the reference answers hold.
func (k *compiled) gather() {
	k.question, k.words, k.stems, k.ids, k.texts = map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, p := range prompts(k.c) {
		for _, w := range evidence.Phrase(p) {
			k.question[w] = true
		}
	}
	golds := append(accepted(k.c.Oracle), k.c.Gold.Texts...)
	texts := slices.Concat(prompts(k.c), []string{k.c.System}, golds)
	for _, p := range k.c.Context {
		k.passages = append(k.passages, evidence.NewPassage(p.ID, p.Text))
		texts = append(texts, p.ID, p.Text)
	}
	for _, text := range texts {
		for _, w := range evidence.Read(text).Words {
			k.words[w.Fold] = true
			if n := evidence.Counted[w.Fold]; n != "" {
				k.words[n] = true
			}
			if len(w.Fold) >= stem {
				k.stems[w.Fold[:stem]] = true
			}
		}
		for _, d := range quantity.Dates(text) {
			if d.Month > 0 {
				k.dates = append(k.dates, d)
			}
		}
	}
	for _, o := range parts(k.c.Oracle) {
		if o.Type == "identifier" { // entries of other things that the index lists: they are wrong and not made up
			texts = append(texts, o.Reject...)
		}
	}
	for _, text := range texts {
		for _, id := range identifier.Find(text) {
			k.ids[id.Key] = true
		}
	}
	for _, text := range golds {
		k.texts[strings.ToLower(text)] = true
		k.urls = k.urls || slices.ContainsFunc(identifier.Find(text), func(id identifier.Identifier) bool { return id.Kind == "url" })
	}
}

func prompts(c *suite.Case) []string { return append([]string{c.Prompt}, c.Phrasings...) }

// stem is how many letters two words share that count as forms of one: Norway and Norwegian.
const stem = 4

// parts returns an oracle, its parts and theirs; nothing of none.
func parts(o *suite.Oracle) []*suite.Oracle {
	if o == nil {
		return nil
	}
	all := []*suite.Oracle{o}
	for i := range o.Of {
		all = append(all, parts(&o.Of[i])...)
	}
	return all
}

// withoutReject returns a copy of an oracle in which nothing is rejected.
func withoutReject(o *suite.Oracle) *suite.Oracle {
	spec := *o
	spec.Reject, spec.Of = nil, slices.Clone(o.Of)
	for i := range spec.Of {
		spec.Of[i] = *withoutReject(&spec.Of[i])
	}
	return &spec
}

// hasType reports whether an oracle or a part of it is of the type.
func hasType(o *suite.Oracle, name string) bool {
	return slices.ContainsFunc(parts(o), func(part *suite.Oracle) bool { return part.Type == name })
}

// accepted returns the texts that an oracle and its parts accept.
func accepted(o *suite.Oracle) (texts []string) {
	for _, part := range parts(o) {
		texts = append(texts, part.Accept...)
		for _, h := range part.Holders {
			texts = append(append(texts, h.Value), h.Also...)
		}
		for _, s := range append(slices.Concat(part.Parts...), part.Steps...) {
			if !strings.HasPrefix(s, "/") {
				texts = append(texts, s)
			}
		}
	}
	return texts
}

func settings(s *suite.Suite, c *suite.Case) Settings {
	set := Settings{Weights: suite.DefaultWeights}
	switches := []suite.Switches{s.Switches} // a later one is stronger
	if c.Class != "" {
		switches = append(switches, s.ByClass[c.Class])
	}
	for _, t := range slices.Backward(c.Tags) {
		switches = append(switches, s.ByTag[t])
	}
	for _, w := range switches {
		if w.FormatIsGating != nil {
			set.FormatIsGating = *w.FormatIsGating
		}
		if w.StrictRetrieval != nil {
			set.StrictRetrieval = *w.StrictRetrieval
		}
		if w.Weights != nil {
			set.Weights = *w.Weights
		}
	}
	return set
}

// askedDate returns the precision of the date that the case asks for: what it requires, else what its prompt says, for cases of
// time shift.
func askedDate(c *suite.Case) string {
	if c.Requires.Date != "" || !rulesOf(c)["time-shift"] {
		return c.Requires.Date
	}
	for _, precision := range []string{"month", "day", "year"} {
		if holdsAny(c.Prompt, evidence.Listed("asks "+precision)) {
			return precision
		}
	}
	return ""
}

// holdsAny reports whether a text holds one of the phrases, in capitals or not.
func holdsAny(text string, phrases map[string]bool) bool {
	text = strings.ToLower(text)
	for p := range phrases {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// of returns the case made ready, nil where it is not of the suite or has nothing to grade by.
func (r *Rubric) of(c *suite.Case) *compiled {
	if k := r.cases[c.ID]; k != nil && k.oracle != nil {
		return k
	}
	return nil
}

// Gradable reports whether the case has something to grade by: an oracle, a gold, or that declining is right.
func (r *Rubric) Gradable(c *suite.Case) bool { return r.of(c) != nil }

// Answerable reports whether the case calls for an answer, so that declining would be over-refusal: not where declining, asking
// or putting a premise right is called for, nor under the rules by which a decline is as good as the exact answer
// (nonexistent-citation, id-precision, url-fabrication, rare-entity).
func (r *Rubric) Answerable(c *suite.Case) bool {
	k := r.of(c)
	return k != nil && k.answerable()
}

// Golds returns the forms that count as right where answers to the case are compared over variants under rel, "" for the case's
// Equality: every text that the oracle accepts, in the form of Grade.Normal, and grade.RightAct where not answering can be right.
func (r *Rubric) Golds(c *suite.Case, rel answer.Relation) []string {
	k := r.of(c)
	if k == nil {
		return nil
	}
	if rel == "" {
		rel = Equality(c)
	}
	var golds []string
	for _, g := range k.oracle.Golds() {
		if n := oracle.Normal(rel, g); n != "" && !slices.Contains(golds, n) {
			golds = append(golds, n)
		}
	}
	if !k.oracle.Answerable() || k.mayDecline() || k.rules["near-duplicate"] || k.rules["entity-conflation"] {
		golds = append(golds, grade.RightAct)
	}
	return golds
}

// References returns the texts that the oracle of the case accepts, as they are written; none where it lists none.
func (r *Rubric) References(c *suite.Case) []string {
	k := r.of(c)
	if k == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(k.oracle.Golds()), func(g string) bool { return g == oracle.AcceptedByJudge })
}

// Settings returns the switches that hold for a case.
func (r *Rubric) Settings(c *suite.Case) Settings {
	if k := r.cases[c.ID]; k != nil {
		return k.settings
	}
	return Settings{Weights: suite.DefaultWeights}
}

// HasFormat reports whether the case asks for a structure, a date or steps.
func HasFormat(c *suite.Case) bool {
	return hasFormat(c, askedDate(c))
}

func hasFormat(c *suite.Case, date string) bool {
	return !c.Format.IsZero() || c.Requires.Steps > 0 || date != ""
}

// Equality returns the relation under which answers to the case are compared by default: numbers by value, all else by
// its words. Options are compared by content.
func Equality(c *suite.Case) answer.Relation {
	if c.AnswerType == suite.Numeric || c.Oracle != nil && (c.Oracle.Type == "numeric" || c.Oracle.Type == "calc") {
		return answer.Numeric
	}
	return answer.Normalized
}

func (k *compiled) answerable() bool {
	return k.oracle.Answerable() && !k.mayDecline() && !k.rules["false-premise"]
}

func (k *compiled) mayDecline() bool {
	return k.rules["nonexistent-citation"] || k.rules["id-precision"] || k.rules["rare-entity"]
}

// Judged reports whether a judge has a part in deciding the case, so that it does not count as graded automatically.
func (r *Rubric) Judged(c *suite.Case) bool { return hasType(c.Oracle, "judge") }

// Questions returns what a judge is to be asked before an answer to the case can be graded; none where none has a part in it.
func (r *Rubric) Questions(c *suite.Case, a grade.Answer) []string {
	k := r.of(c)
	if k == nil || !r.Judged(c) || a.Missing() != "" {
		return nil
	}
	asker, ok := k.oracle.(oracle.Asker)
	if !ok {
		return nil
	}
	text, _ := answerText(c, a)
	return asker.Questions(oracle.Reading{Text: evidence.Read(text), Option: a.Option, Order: a.Order})
}

// answerText returns the text of an answer, or of the option that it prefers, and false where there is no such option.
func answerText(c *suite.Case, a grade.Answer) (text string, ok bool) {
	switch {
	case a.Option == nil:
		return *a.Text, true
	case *a.Option < 0 || *a.Option >= len(c.Options):
		return "", false
	}
	return c.Options[*a.Option], true
}

// Grade grades one answer to a case of the suite. It never fails: what cannot be graded is unscored with its reason.
func (r *Rubric) Grade(c *suite.Case, a grade.Answer) grade.Grade {
	k := r.cases[c.ID]
	switch {
	case k == nil:
		return unscored("the case is not of this suite")
	case k.oracle == nil:
		return unscored("the case has neither an oracle nor a gold")
	}
	if why := a.Missing(); why != "" {
		return unscored(why)
	}
	text, ok := answerText(c, a)
	if !ok {
		return unscored(fmt.Sprintf("option %d is preferred, of %d", *a.Option, len(c.Options)))
	}
	t := evidence.Read(text)
	f := k.oracle.Judge(oracle.Reading{Text: t, Option: a.Option, Order: a.Order, Opinions: a.Opinions})
	if f.Unscored() {
		g := unscored(f.Truth.Rule + ": " + f.Truth.Evidence)
		g.Truth, g.Decidability, g.Reciprocity, g.Format = f.Truth, f.Truth, f.Truth, f.Truth
		return g
	}
	if a.Finish == "length" && (f.Act == grade.Unreadable || f.Act == grade.Empty || t.Open) {
		return unscored("cut off at the token limit before an answer")
	}
	if a.Option == nil {
		k.apply(t, &f)
	}
	g := grade.Grade{Truth: f.Truth, Decidability: f.Decidability, Reciprocity: f.Reciprocity, Act: f.Act, Lapse: f.Lapse, Credit: f.Credit}
	g.Format = k.format(r, t, f)
	if k.date != "" && k.rules["time-shift"] && f.Act == grade.Answered && !f.Right {
		if j, ok := k.dated(r, t); !ok {
			g.Lapse = g.Lapse || g.Decidability.Verdict == grade.Pass
			g.Decidability = fails(g.Decidability, "time-shift: no date as asked", j.Evidence)
		}
	}
	g.Grader, g.Confidence = "rules", cmp.Or(f.Confidence, 1)
	g.Kind = k.kind(g, f)
	g.Normal, g.Answer = k.normal(f), f.Answer
	return g
}

func unscored(why string) grade.Grade {
	j := grade.Judgment{Verdict: grade.Unscored, Rule: "nothing to grade", Evidence: why}
	return grade.Grade{Truth: j, Decidability: j, Reciprocity: j, Format: j, Reason: why}
}

// kind sorts a failure by what the answer did.
func (k *compiled) kind(g grade.Grade, f oracle.Finding) grade.Kind {
	if h, scored := g.Hallucinated(k.settings.FormatIsGating); !h || !scored {
		return grade.None
	}
	switch f.Act {
	case grade.Declined, grade.Asked:
		if k.answerable() && !f.Right {
			return grade.OverRefusal
		}
		return grade.Undecided
	case grade.Hedged, grade.Unreadable, grade.Empty:
		return grade.Undecided
	}
	return grade.Commission
}

// normal returns the answer as compared over variants.
func (k *compiled) normal(f oracle.Finding) string {
	switch {
	case f.Right:
		return grade.RightAct
	case f.Act == grade.Declined || f.Act == grade.Asked:
		return grade.DeclinedText
	case f.Act == grade.Empty:
		return grade.EmptyText
	case f.Act == grade.Unreadable || f.Act == grade.Hedged || f.Answer == "":
		return grade.UnreadText
	}
	if n := oracle.Normal(Equality(k.c), f.Answer); n != "" {
		return n
	}
	return grade.UnreadText
}
