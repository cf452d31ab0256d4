package oracle

import (
	"fmt"
	"math/big"
	"strings"

	"hallmark/internal/answer"
	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/suite"
)

// numeric accepts a number within a tolerance, in the unit asked for or one that converts to it. calc is the same on the value of an
// expression, and does not let a wrong intermediate value pass.
type numeric struct {
	*env
	name      string // numeric or calc
	value     *big.Rat
	tolerance *big.Rat
	unit      string
	steps     []*big.Rat
	inPrompt  []*big.Rat      // numbers of the question, which are rarely the answer
	last      map[string]bool // words of content of the question's last sentence
	year      bool            // the value is a year, so only years are candidates
	percent   bool            // the question or the value speaks of percent
	chance    bool            // the question asks for a probability, and the value is at most 1
	share     bool            // the question asks for a share, so that percent may stand for hundredths or for themselves
	year4     bool            // the value could be a year
}

var unity = big.NewRat(1, 1)

func (e *env) numeric(s *suite.Oracle) (Oracle, error) {
	o := &numeric{env: e, name: s.Type, unit: s.Unit, tolerance: new(big.Rat)}
	text := s.Value
	if text == "" && s.Type == "calc" && s.Expression != "" {
		v, err := evidence.Eval(s.Expression)
		if err != nil {
			return nil, fmt.Errorf("expression %q: %v", s.Expression, err)
		}
		o.value = v
	} else {
		if golds := e.c.Answers(); text == "" && len(golds) > 0 {
			text = golds[0]
		}
		if text == "" {
			return nil, fmt.Errorf("a %s oracle needs value:%s, or a gold", s.Type, map[bool]string{true: ", expression:"}[s.Type == "calc"])
		}
		v, ok := answer.Number(text)
		if !ok {
			return nil, fmt.Errorf("value %q is no number; write it as 1234.5 or 3/4", text)
		}
		o.value = v
		if s.Expression != "" {
			w, err := evidence.Eval(s.Expression)
			if err != nil {
				return nil, fmt.Errorf("expression %q: %v", s.Expression, err)
			}
			if w.Cmp(v) != 0 {
				return nil, fmt.Errorf("expression %q is %s and not the value %s", s.Expression, w.RatString(), text)
			}
		}
	}
	if s.Tolerance != "" {
		v, ok := answer.Number(s.Tolerance)
		if !ok || v.Sign() < 0 {
			return nil, fmt.Errorf("tolerance %q is no number from 0 up", s.Tolerance)
		}
		o.tolerance = v
	}
	for _, step := range s.Steps {
		v, ok := answer.Number(step)
		if !ok {
			var err error
			if v, err = evidence.Eval(step); err != nil {
				return nil, fmt.Errorf("step %q is no number: %v", step, err)
			}
		}
		o.steps = append(o.steps, v)
	}
	for _, p := range append([]string{e.c.Prompt}, e.c.Phrasings...) {
		for _, n := range evidence.Numbers(p, evidence.Span{Start: 0, End: len(p)}) {
			if n.Value != nil {
				o.inPrompt = append(o.inPrompt, n.Value)
			}
		}
		o.percent = o.percent || strings.Contains(p, "%") || strings.Contains(strings.ToLower(p), "percent")
	}
	o.last = map[string]bool{}
	if t := evidence.Read(e.c.Prompt); len(t.Sentences) > 0 {
		for s := t.Sentences[len(t.Sentences)-1].Words; s.Start < s.End; s.Start++ {
			if w := t.Words[s.Start].Fold; !evidence.Stop[w] {
				o.last[w] = true
			}
		}
	}
	for _, w := range []string{"probability", "chance", "likelihood"} {
		o.chance = o.chance || e.question[w] && o.value.Cmp(unity) <= 0
	}
	for w := range e.question {
		o.share = o.share || shares[w]
	}
	o.percent = o.percent || strings.Contains(text, "%")
	asked := " " + strings.Join(evidence.Phrase(e.c.Prompt), " ") + " "
	asks := strings.Contains(asked, " what year ") || strings.Contains(asked, " which year ") || strings.HasPrefix(asked, " when ")
	o.year4 = o.value.IsInt() && o.value.Cmp(big.NewRat(1000, 1)) >= 0 && o.value.Cmp(big.NewRat(2999, 1)) <= 0
	o.year = asks && o.year4
	return o, nil
}

func (o *numeric) Answerable() bool { return true }

func (o *numeric) Golds() []string { return []string{o.render(o.value)} }

func (o *numeric) Judge(r Reading) Finding {
	if len(r.Words) == 0 {
		return unread("an empty answer", r.Text)
	}
	r.Text = numerals(r.Text)
	if words, ok := spelledOut(r.Text); ok {
		r.Text = words
	}
	n, ok := o.writtenShare(r.Text)
	if !ok {
		n, ok = o.choose(r.Text)
	}
	if !ok && o.value.Sign() == 0 && len(r.Words) == 1 && r.Words[0].Fold == "none" {
		return answered(pass(o.name+": the right value", quoted(r.Plain)), o.render(o.value))
	}
	if ok {
		if c, declined := r.Declines(); declined && r.Words[c.Words.Start].Start < n.Start && o.onlyAsked(r.Text) { // "I can't compute 17 × 23"
			ok = false
		}
	}
	if !ok {
		if f, ok := o.withheld(r.Text); ok {
			return f
		}
		if c, ok := evades(r.Text); ok {
			return hedged(cueEvidence(r.Text, c))
		}
		return unread(o.name+": no number", r.Text)
	}
	text := r.Plain[n.Start:n.End]
	if n.Value == nil {
		return answered(fail(o.name+": a number beyond all bounds", quoted(text)), evidence.Excerpt(text, 40))
	}
	if alt, ok := writtenRange(r.Text, n); ok {
		return hedged(quoted(alt))
	}
	if alt, ok := o.second(r.Text, n); ok {
		return hedged(quoted(alt))
	}
	v, unit := n.In(o.unit)
	if unit == evidence.UnitOther && unitless(n.Unit, o.unit) {
		unit = evidence.UnitAbsent
	}
	if total, end, more := compound(r.Text, n, o.unit); more {
		v, text = total, r.Plain[n.Start:end]
		n.Unit = ""
	}
	if c, ok := temperature(n, o.unit); ok {
		v, unit = c, evidence.UnitSame
	}
	if !o.right(n, v) {
		if m, ok := o.restated(r.Text, n); ok {
			n, text = m, r.Text.Plain[m.Start:m.End]
			v, unit = m.In(o.unit)
		}
	}
	shown := evidence.Excerpt(strings.TrimSpace(text+" "+n.Unit), 80)
	f := answered(grade.Judgment{}, o.render(v))
	want := o.render(o.value)
	if o.unit != "" {
		want += " " + o.unit
	}
	switch {
	case o.unit != "" && unit == evidence.UnitOther:
		f.Truth = fail(o.name+": another unit", fmt.Sprintf("“%s” where %s is asked for", shown, o.unit))
	case o.right(n, v):
		f.Truth = pass(o.name+": the right value", quoted(shown))
		f.Answer = o.render(o.value)
	default:
		f.Truth = fail(o.name+": another value", fmt.Sprintf("“%s”, expected %s", shown, want))
	}
	if o.name == "calc" && f.Truth.Verdict == grade.Pass {
		if rule, ev, wrong := o.wrongStep(r.Text); wrong {
			f.Truth = fail(rule, ev)
		}
	}
	return f
}

// onlyAsked reports whether a text of at most two sentences has no number that the question does not hold.
func (o *numeric) onlyAsked(t *evidence.Text) bool {
	if len(t.Sentences) > 2 {
		return false
	}
	for _, n := range evidence.Numbers(t.Plain, evidence.Span{Start: 0, End: len(t.Plain)}) {
		if !isOne(n.Value, o.inPrompt) {
			return false
		}
	}
	return true
}

// wrongStep finds an intermediate value that is wrong: an equality that does not hold, or, where as many steps are shown as the case
// lists, one whose result is another.
func (o *numeric) wrongStep(t *evidence.Text) (rule, ev string, wrong bool) {
	for _, e := range evidence.Equalities(t.Plain) {
		if !e.Holds {
			return "calc: a wrong intermediate value", quoted(e.Text), true
		}
	}
	if len(o.steps) == 0 {
		return "", "", false
	}
	shown := t.Steps()
	if len(shown) != len(o.steps) {
		return "", "", false
	}
	for i, s := range shown {
		ns := evidence.Numbers(s, evidence.Span{Start: 0, End: len(s)})
		if len(ns) == 0 {
			continue
		}
		found := false
		for _, n := range ns {
			found = found || n.Value != nil && n.Value.Cmp(o.steps[i]) == 0
		}
		if !found {
			return "calc: a wrong intermediate value", fmt.Sprintf("step %d is %s, expected %s", i+1, quoted(s), o.render(o.steps[i])), true
		}
	}
	return "", "", false
}
