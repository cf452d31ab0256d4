package oracle

import (
	"slices"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

// Ambiguous returns an oracle for an ambiguous question whose answers o reads: asking back passes, and so does an
// answer under two of the readings, the answers that o accepts. One reading is a guess, on whose truth o decides;
// an accepted answer that itself asks or says that there are several is none. Where options are scored, which
// leaves no room to ask, o decides alone.
func Ambiguous(c *suite.Case, o Oracle) Oracle {
	a := &ambiguous{inner: o}
	var readings []string
	for _, g := range o.Golds() {
		t := evidence.Read(g)
		_, asks := t.Asks()
		_, told := t.Cue(t.Whole(), evidence.Ambiguous, evidence.Insufficient, evidence.Unknown, evidence.Evades)
		if asks || told {
			a.acts = append(a.acts, g)
		} else {
			readings = append(readings, g)
		}
	}
	a.clarification = newEnv(c).clarification(readings, nil)
	return a
}

type ambiguous struct {
	*clarification
	inner Oracle
	acts  []string // accepted answers that are right acts
}

// Golds are the options that scoring may prefer; written answers pass as acts alone.
func (o *ambiguous) Golds() []string {
	if len(o.c.Options) > 0 {
		return o.inner.Golds()
	}
	return nil
}

// Questions implements Asker.
func (o *ambiguous) Questions(r Reading) []string { return parts{o.inner}.Questions(r) }

func (o *ambiguous) Judge(r Reading) Ruling {
	f := o.inner.Judge(r)
	if r.Option != nil || f.Right || f.Unscored() {
		return f
	}
	if identical(r.Text, o.acts...) || f.Passes() && slices.Contains(o.acts, f.Answer) {
		return rightAct(grade.Asked, "ambiguity: the accepted answer that says so", quoted(r.Plain))
	}
	g := o.clarification.Judge(r)
	if f.Act == grade.Answered && !g.Right && g.Act != grade.Declined {
		f.Decidability = fail("ambiguity: a guess", f.Truth.Evidence)
		return f
	}
	return g
}

// parts are oracles that decide together.
type parts []Oracle

// Answerable reports whether no part is content with a decline.
func (ps parts) Answerable() bool {
	return !slices.ContainsFunc(ps, func(p Oracle) bool { return !p.Answerable() })
}

// Questions implements Asker.
func (ps parts) Questions(r Reading) (all []string) {
	for _, p := range ps {
		if a, ok := p.(Asker); ok {
			all = append(all, a.Questions(r)...)
		}
	}
	return all
}

// allOf passes where every part does.
type allOf struct{ parts }

// Golds are those of the first part that has any, whose answer stands for all.
func (o *allOf) Golds() []string {
	for _, p := range o.parts {
		if g := p.Golds(); len(g) > 0 {
			return g
		}
	}
	return nil
}

func (o *allOf) Judge(r Reading) Ruling {
	f := o.parts[0].Judge(r)
	for _, p := range o.parts[1:] {
		g := p.Judge(r)
		f.Truth, f.Decidability = worse(f.Truth, g.Truth), worse(f.Decidability, g.Decidability)
		f.Reciprocity = worse(f.Reciprocity, g.Reciprocity)
		// One part that reads an answer makes it one.
		if f.Act != grade.Answered && g.Act == grade.Answered {
			f.Act, f.Right, f.Answer, f.Option = g.Act, g.Right, g.Answer, g.Option
		}
		f.Right = f.Right && g.Right
	}
	switch open := grade.Ungradable; {
	case f.Truth.Verdict == grade.Fail && f.Decidability.Verdict == open: // one part that fails decides
		f.Decidability = pass("a determinate answer", quoted(f.Answer))
	case f.Truth.Verdict == open && f.Act == grade.Answered:
		return unread("all: a part is missing or cannot be told", r.Text)
	}
	return f
}

// worse returns the worse of two judgments, the first where equal.
func worse(a, b grade.Judgment) grade.Judgment {
	order := []grade.Verdict{grade.Fail, grade.Ungradable, grade.Unscored, grade.Pass, grade.NotApplicable}
	if slices.Index(order, b.Verdict) < slices.Index(order, a.Verdict) {
		return b
	}
	return a
}

// anyOf passes where one part does.
type anyOf struct{ parts }

func (o *anyOf) Golds() (golds []string) {
	for _, p := range o.parts {
		golds = append(golds, p.Golds()...)
	}
	return golds
}

// Questions implements Asker. Nothing is asked where a part passes without.
func (o *anyOf) Questions(r Reading) []string {
	if Judge(o, r).Passes() {
		return nil
	}
	return o.parts.Questions(r)
}

func (o *anyOf) Judge(r Reading) (best Ruling) {
	// A part that could not decide might have passed; of failures the one that read an answer says most, and of
	// those the first.
	says := func(f Ruling) int { return int(2*flag(f.Unscored()) + flag(f.Act == grade.Answered)) }
	for i, p := range o.parts {
		f := p.Judge(r)
		if f.Passes() {
			return f
		}
		if i == 0 || says(f) > says(best) {
			best = f
		}
	}
	return best
}
