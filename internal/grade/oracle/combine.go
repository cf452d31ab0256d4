package oracle

import (
	"maps"
	"slices"

	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/suite"
)

// Ambiguous returns an oracle for an ambiguous question whose answers o reads: asking back passes, and so does an answer under at least
// two of the readings, the answers that o accepts. One reading is a guess, on whose truth o decides. An accepted answer that itself asks
// or says that there are several readings is no guess. Where options are scored, which leaves no room to ask, o decides alone.
func Ambiguous(c *suite.Case, o Oracle) Oracle {
	a := &ambiguous{inner: o, acts: map[string]bool{}, options: len(c.Options) > 0}
	var readings []string
	for _, g := range o.Golds() {
		t := evidence.Read(g)
		_, asks := t.Asks()
		_, told := t.Cue(evidence.Span{Start: 0, End: len(t.Words)}, evidence.Ambiguous, evidence.Insufficient, evidence.Unknown, evidence.Evades)
		if asks || told {
			a.acts[g] = true
		} else {
			readings = append(readings, g)
		}
	}
	a.clarification = newEnv(c).clarification(readings, nil)
	return a
}

type ambiguous struct {
	*clarification
	inner   Oracle
	acts    map[string]bool // accepted answers that are right acts
	options bool
}

// Golds are the options that scoring may prefer; written answers pass as acts alone.
func (o *ambiguous) Golds() []string {
	if o.options {
		return o.inner.Golds()
	}
	return nil
}

func (o *ambiguous) Judge(r Reading) Finding {
	if g, ok := identical(r.Text, slices.Sorted(maps.Keys(o.acts))); ok {
		return rightAct(grade.Asked, "ambiguity: the accepted answer that says so", quoted(g))
	}
	f := o.inner.Judge(r)
	switch {
	case r.Option != nil || f.Right || f.Unscored() || len(r.Words) == 0 && f.Act == grade.Unreadable:
		return f
	case f.Passes() && o.acts[f.Answer]:
		return rightAct(grade.Asked, "ambiguity: the accepted answer that says so", f.Truth.Evidence)
	}
	g := o.clarification.Judge(r)
	if f.Act == grade.Answered && !g.Right && g.Act != grade.Declined {
		f.Decidability = fail("ambiguity: a guess", f.Truth.Evidence)
		return f
	}
	return g
}

// allOf passes where every part does.
type allOf struct{ parts []Oracle }

func (o *allOf) Answerable() bool {
	for _, p := range o.parts {
		if !p.Answerable() {
			return false
		}
	}
	return true
}

// Golds are those of the first part that has any, whose answer stands for all.
func (o *allOf) Golds() []string {
	for _, p := range o.parts {
		if g := p.Golds(); len(g) > 0 {
			return g
		}
	}
	return nil
}

func (o *allOf) Judge(r Reading) Finding {
	f := o.parts[0].Judge(r)
	for _, p := range o.parts[1:] {
		g := p.Judge(r)
		if open := grade.Ungradable; f.Truth.Verdict == open && g.Truth.Verdict == grade.Fail {
			f.Decidability = g.Decidability // one part that fails decides
		} else if f.Truth.Verdict != grade.Fail || g.Truth.Verdict != open {
			f.Decidability = worse(f.Decidability, g.Decidability)
		}
		f.Truth, f.Reciprocity = worse(f.Truth, g.Truth), worse(f.Reciprocity, g.Reciprocity)
		// One part that reads an answer makes it one.
		if f.Act != grade.Answered && g.Act == grade.Answered || f.Act == grade.NoAnswer {
			f.Act, f.Right, f.Answer, f.Option = g.Act, g.Right, g.Answer, g.Option
		}
		f.Right = f.Right && g.Right
	}
	if f.Truth.Verdict == grade.Ungradable && f.Act == grade.Answered {
		return unread("all: a part is missing or cannot be told", r.Text)
	}
	return f
}

// worse returns the worse of two judgments, the first where equal; in order Fail, Unread, Unscored, Pass, NotApplicable.
func worse(a, b grade.Judgment) grade.Judgment {
	rank := map[grade.Verdict]int{grade.Fail: 0, grade.Ungradable: 1, grade.Unscored: 2, grade.Pass: 3, grade.NotApplicable: 4}
	if rank[b.Verdict] < rank[a.Verdict] {
		return b
	}
	return a
}

// anyOf passes where one part does.
type anyOf struct{ parts []Oracle }

// Answerable reports whether no part is content with a decline.
func (o *anyOf) Answerable() bool { return (&allOf{o.parts}).Answerable() }

func (o *anyOf) Golds() []string {
	var golds []string
	for _, p := range o.parts {
		golds = append(golds, p.Golds()...)
	}
	return golds
}

func (o *anyOf) Judge(r Reading) Finding {
	var best Finding
	for i, p := range o.parts {
		f := p.Judge(r)
		if f.Passes() {
			return f
		}
		if best.Unscored() && i > 0 {
			continue // a part that could not decide might have passed
		}
		if f.Unscored() {
			best = f
			continue
		}
		// Of failures the one that read an answer says most, and of those the first.
		if i == 0 || best.Act != grade.Answered && f.Act == grade.Answered {
			best = f
		}
	}
	return best
}
