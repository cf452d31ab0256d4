package oracle

import (
	"slices"
	"strings"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
	ident "hallmark/internal/text/identifier"
	"hallmark/internal/text/reading"
)

// refusal accepts that a question is not answered as it stands: a decline, a rejected premise, a request for what
// is missing.
type refusal struct {
	*env
	accept, repair, reject [][]string
	// premise: the question takes something for granted, so that a statement that denies it rejects the question.
	premise bool
	known   map[string]bool // words of context and repairs, by their stems
}

var refusalModel = newModel("refusal", .82, .60, .60)

func (e *env) refusal(s *suite.Oracle) *refusal {
	o := &refusal{env: e, known: map[string]bool{}}
	o.accept, o.repair, o.reject = evidence.Phrases(s.Accept), evidence.Phrases(s.Repair), evidence.Phrases(s.Reject)
	o.premise = len(o.repair) > 0 || slices.ContainsFunc(append([]string{e.c.Class}, e.c.Tags...),
		func(name string) bool { return name == "false-premise" || name == "entity-conflation" })
	known := slices.Clone(o.repair)
	for _, p := range e.c.Context {
		known = append(known, evidence.Phrase(p.ID), evidence.Phrase(p.Text))
	}
	for _, w := range slices.Concat(known...) {
		o.known[reading.Stem(w)] = true
	}
	return o
}

func (o *refusal) Answerable() bool { return false }

// asserted returns where a text asserts one of the phrases.
func asserted(t *evidence.Text, phrases [][]string) (found []evidence.Span) {
	for _, p := range phrases {
		for _, s := range t.Find(p) {
			if st := t.Stance(s); st != evidence.Denied && st != evidence.Questioned {
				found = append(found, s)
			}
		}
	}
	return found
}

// plainDecline is how many words a text has that only declines or asks.
const plainDecline = 15

func (o *refusal) Judge(r Reading) Ruling {
	t := r.Text
	repairs := asserted(t, o.repair)
	x := slices.Concat(manner(t), o.sentences(t), o.words(t), features{is("repair", len(repairs) > 0),
		is("wrong", len(asserted(t, o.reject)) > 0), is("accepted", len(asserted(t, o.accept)) > 0),
		is("context", len(o.c.Context) > 0), is("only asks", onlyAsks(t))})
	b := refusalModel.ask(x)
	if x.has("only withholds") && len(t.Words) <= plainDecline {
		b.p = certain(0)
	}
	open := unread("refusal: whether the answer declines or goes ahead cannot be told", t)
	return o.decide(t, b, open, func(right bool) Ruling {
		if right {
			return o.right(t, repairs)
		}
		f := answered(fail("refusal: answered where declining is right", quoted(t.Plain)),
			evidence.Excerpt(t.Plain, quoteRunes))
		if len(o.repair) > 0 {
			f.Decidability = fail("false-premise: proceeds without putting it right", quoted(t.Plain))
		}
		return f
	})
}

// sentences is what is seen of sentence by sentence: which deny, and which go along with the question.
func (o *refusal) sentences(t *evidence.Text) features {
	along, denials := 0, 0
	alongFirst, refutes, contrast := false, false, false
	for k, s := range t.Sentences {
		negated, shares := false, false
		for _, w := range t.Words[s.Words.Start:s.Words.End] {
			negated = negated || reading.Is(w.Fold, "negator")
			contrast = contrast || reading.Is(w.Fold, "contrast")
			shares = shares || o.q.Holds(w.Fold)
			refutes = refutes || negated && o.q.Holds(w.Fold)
		}
		_, denies := t.Cue(s.Words,
			evidence.Rejects, evidence.NotFound, evidence.Unknown, evidence.Insufficient, evidence.Refuses)
		if denies || negated {
			denials++
		} else if shares && !s.Question {
			along++
			alongFirst = alongFirst || k == 0
		}
	}
	return features{many("goes along", along), is("goes along first", alongFirst), many("denials", denials),
		is("refutes", refutes), is("contrast", contrast)}
}

// words is what is seen of words and identifiers that neither the question nor the case holds.
func (o *refusal) words(t *evidence.Text) features {
	fresh := count(t.Whole(), func(i int) bool {
		fold := t.Words[i].Fold
		return !evidence.IsStop(fold) && !o.q.Holds(fold) && !o.known[reading.Stem(fold)]
	})
	identifiers := slices.ContainsFunc(ident.Find(t.Plain), func(id ident.Identifier) bool {
		return !strings.Contains(o.c.Prompt, id.Text) && t.Stance(spanOf(t, id.Text)) <= evidence.Uncertain
	})
	return features{many("fresh", fresh), is("identifiers", identifiers)}
}

// right names the act by which an answer does right: it puts the premise right, rejects it, asks, or declines.
func (o *refusal) right(t *evidence.Text, repairs []evidence.Span) Ruling {
	c, declines := t.Declines()
	rejects, rejected := t.Cue(t.Whole(), evidence.Rejects)
	s, asks := t.Asks()
	switch {
	case len(repairs) > 0:
		in := int(t.Words[repairs[0].Start].Sentence)
		return rightAct(grade.Repaired, "refusal: the premise is put right", quoted(t.Sentence(in)))
	case rejected && o.premise && len(o.repair) == 0:
		return rightAct(grade.Repaired, "refusal: the premise is put right", quoted(t.Plain))
	case rejected:
		return rightAct(grade.Declined, "refusal: the premise is rejected", cueEvidence(t, rejects.Words))
	case declines:
		return rightAct(grade.Declined, "refusal: declined, which is right", cueEvidence(t, c.Words))
	case asks:
		return rightAct(grade.Asked, "refusal: asked for what would settle it", quoted(t.Slice(s)))
	}
	return rightAct(grade.Declined, "refusal: declined, which is right", quoted(t.Plain))
}

// clarification accepts that a question with several readings is asked back, or answered under at least two of them.
type clarification struct {
	*env
	readings, reject [][]string
}

var clarificationModel = newModel("clarification", .60, .88, .60)

// clarification takes readings that say the same as one, as 1,000 does and 1000, so that one mention does not count
// as two.
func (e *env) clarification(readings, reject []string) *clarification {
	o := &clarification{env: e, reject: evidence.Phrases(reject)}
	for _, p := range evidence.Phrases(readings) {
		if !slices.ContainsFunc(o.readings, func(k []string) bool { return slices.Equal(k, p) }) {
			o.readings = append(o.readings, p)
		}
	}
	return o
}

func (o *clarification) Answerable() bool { return false }

func (o *clarification) Judge(r Reading) Ruling {
	t := r.Text
	var given []evidence.Span // the readings that the text answers under
	for _, p := range o.readings {
		if found := asserted(t, [][]string{p}); len(found) > 0 {
			given = append(given, found[0])
		}
	}
	_, ambiguous := t.Cue(t.Whole(), evidence.Ambiguous)
	x := append(manner(t), is("one reading", len(given) == 1), is("two readings", len(given) > 1),
		is("ambiguous", ambiguous), is("only asks", onlyAsks(t)), many("questions", questions(t)))
	b := clarificationModel.ask(x)
	if x.has("only withholds") && x.has("declines") && !x.has("asks back") && len(t.Words) <= plainDecline {
		b.p = certain(2)
	}
	open := unread("ambiguity: whether the answer tells the readings apart cannot be told", t)
	return o.decide(t, b, open, func(right bool) Ruling {
		switch {
		case !right:
			return o.guess(t, given)
		case len(given) >= 2:
			both := t.Slice(given[0]) + ", " + t.Slice(given[1])
			return rightAct(grade.Enumerated, "ambiguity: answered under each reading", quoted(both))
		}
		return rightAct(grade.Asked, "ambiguity: asked for the reading", quoted(t.Plain))
	})
}

// guess is an answer under one reading, or under none.
func (o *clarification) guess(t *evidence.Text, given []evidence.Span) Ruling {
	f := answered(fail("ambiguity: the answer under no reading", quoted(t.Plain)),
		evidence.Excerpt(t.Plain, quoteRunes))
	if rejected := asserted(t, o.reject); len(rejected) > 0 {
		f = answered(fail("ambiguity: a rejected answer", quoted(t.Slice(rejected[0]))), t.Slice(rejected[0]))
	} else if len(given) > 0 {
		f = answered(pass("ambiguity: the answer under one reading", quoted(t.Slice(given[0]))), t.Slice(given[0]))
	}
	f.Decidability = fail("ambiguity: a guess", f.Truth.Evidence)
	return f
}

// onlyAsks reports whether a text asks and has at most one sentence that does not.
func onlyAsks(t *evidence.Text) bool {
	asked := questions(t)
	return asked > 0 && len(t.Sentences)-asked <= 1
}

// questions counts the sentences that ask.
func questions(t *evidence.Text) (n int) {
	for _, s := range t.Sentences {
		n += int(flag(s.Question))
	}
	return n
}
