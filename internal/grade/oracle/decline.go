package oracle

import (
	"slices"
	"strings"

	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	ident "hallmark/internal/identifier"
	"hallmark/internal/reading"
	"hallmark/internal/suite"
)

// refusal accepts that a question is not answered as it stands: a decline, a rejected premise, a request for what would settle it.
type refusal struct {
	*env
	q                      *reading.Question
	accept, repair, reject [][]string
	// premise: the question takes something for granted, so that a statement that denies it rejects the question.
	premise bool
	given   map[string]bool // words of question, context and repairs, by their stems
}

var refusalNames = append(slices.Clone(mannerNames),
	"unknown", "not found", "insufficient", "refuses", // of what kind the decline is
	"refutes",            // a denial of the question's words
	"repair",             // what puts the premise right is asserted
	"repair denied",      // or mentioned and denied
	"repair first",       // in the first sentence
	"wrong",              // a wording by which an answer proceeds is asserted
	"accepted",           // an accepted wording of the right act
	"goes along",         // how many sentences use the question's words and deny nothing
	"goes along first",   // the first sentence does
	"fresh",              // how many words of content are in neither question nor context
	"fresh share",        // their share
	"fresh names",        // how many of those are capitalised
	"fresh numbers",      // how many numbers
	"identifiers",        // an identifier that the case does not hold
	"ambiguous",          // says that there are several readings
	"denials",            // how many negations
	"guess after",        // a guess is announced behind the decline
	"premise", "repairs", // the case is of a false premise; lists what puts it right
	"context", // the case has passages
	"contrast", "bare name", "attribution",
	"repair and denial", // what puts the premise right, with a negation or a contrast in its sentence
)

var refusalModel = newModel("refusal", refusalNames, .80, .60, .60)

func (e *env) refusal(s *suite.Oracle) *refusal {
	o := &refusal{env: e, accept: evidence.Phrases(s.Accept), repair: evidence.Phrases(s.Repair), reject: evidence.Phrases(s.Reject), given: map[string]bool{}}
	o.q = reading.NewQuestion(append([]string{e.c.Prompt}, e.c.Phrasings...)...)
	o.premise = len(o.repair) > 0
	for _, name := range append([]string{e.c.Class}, e.c.Tags...) {
		o.premise = o.premise || name == "false-premise" || name == "entity-conflation"
	}
	for w := range e.told {
		o.given[reading.Stem(w)] = true
	}
	for _, p := range o.repair {
		for _, w := range p {
			o.given[reading.Stem(w)] = true
		}
	}
	return o
}

func (o *refusal) Answerable() bool { return false }

func (o *refusal) Golds() []string { return nil }

// A denialCount is what one sentence of an answer to a question without a right answer does.
type stanceOf struct{ denies, shares, contrasts bool }

func (o *refusal) sentence(t *evidence.Text, s evidence.Span) (is stanceOf) {
	for i := s.Start; i < s.End; i++ {
		w := t.Words[i].Fold
		is.denies = is.denies || reading.Negates(w)
		is.contrasts = is.contrasts || reading.Contrasts(w)
		is.shares = is.shares || o.q.Holds(w)
	}
	_, cue := t.Cue(s, evidence.Rejects, evidence.NotFound, evidence.Unknown, evidence.Insufficient, evidence.Refuses)
	is.denies = is.denies || cue
	return is
}

// asserted counts the phrases that a text asserts, tells whether one stands in its first sentence, and whether one is denied.
func asserted(t *evidence.Text, phrases [][]string) (found []evidence.Span, first, denied bool) {
	for _, p := range phrases {
		for _, s := range t.Find(p) {
			if st := t.Stance(s); st == evidence.Denied || st == evidence.Questioned {
				denied = true
				continue
			}
			found = append(found, s)
			first = first || t.Words[s.Start].Sentence == 0
		}
	}
	return found, first, denied
}

func (o *refusal) Judge(r Reading) Finding {
	t := r.Text
	if len(t.Words) == 0 {
		return unread("an empty answer", t)
	}
	repairs, repairFirst, repairDenied := asserted(t, o.repair)
	b := refusalModel.ask(o.look(t, repairs, repairFirst, repairDenied))
	what, p, sure := b.best()
	f := unread("refusal: whether the answer declines or goes ahead cannot be told", t)
	switch {
	case mannerOf(t).only && len(t.Words) <= plainDecline:
		f, p = o.right(t, repairs), max(p, .97)
	case !sure:
	case what == grade.Correct:
		f = o.right(t, repairs)
	case what == grade.Incorrect:
		f = o.proceeds("refusal: answered where declining is right", quoted(t.Plain))
	default:
		f = o.notAttempted(t)
	}
	f.Confidence = p
	return f
}

// plainDecline is how many words a text has that only declines or asks.
const plainDecline = 15

func (o *refusal) look(t *evidence.Text, repairs []evidence.Span, repairFirst, repairDenied bool) []float64 {
	x := append(make([]float64, 0, len(refusalNames)), mannerOf(t).features()...)
	var kind [4]float64
	after := false
	if c, ok := t.Declines(); ok {
		if k := int(c.Sense - evidence.Unknown); k < len(kind) {
			kind[k] = 1
		}
		_, after = t.Cue(evidence.Span{Start: c.Words.End, End: len(t.Words)}, evidence.Guesses)
	}
	_, refutes := t.Refutes(o.question)
	wrong, _, _ := asserted(t, o.reject)
	accepted, _, _ := asserted(t, o.accept)
	along, alongFirst, denials, contrast, attributed, both := 0, false, 0, false, false, false
	for k, s := range t.Sentences {
		is := o.sentence(t, s.Words)
		denials += int(flag(is.denies))
		contrast = contrast || is.contrasts
		if is.shares && !is.denies && !s.Question {
			along++
			alongFirst = alongFirst || k == 0
		}
		for _, m := range repairs {
			both = both || (is.denies || is.contrasts) && m.Start >= s.Words.Start && m.Start < s.Words.End
		}
	}
	fresh, content, names, numbers := 0, 0, 0, 0
	for i, w := range t.Words {
		attributed = attributed || reading.Attributes(w.Fold)
		if evidence.Stop[w.Fold] {
			continue
		}
		content++
		if o.q.Holds(w.Fold) || o.given[reading.Stem(w.Fold)] {
			continue
		}
		fresh++
		names += int(flag(isUpper(t.Plain[w.Start]) && i > t.Sentences[w.Sentence].Words.Start))
		numbers += int(flag(isDigit(t.Plain[w.Start])))
	}
	identifiers := false
	for _, id := range ident.Find(t.Plain) {
		identifiers = identifiers || !strings.Contains(o.c.Prompt, id.Text) && t.Stance(spanOf(t, id.Text)) <= evidence.Uncertain
	}
	_, ambiguous := t.Cue(evidence.Span{Start: 0, End: len(t.Words)}, evidence.Ambiguous)
	x = append(append(x, kind[:]...), flag(refutes), flag(len(repairs) > 0), flag(repairDenied), flag(repairFirst), flag(len(wrong) > 0), flag(len(accepted) > 0),
		count(along), flag(alongFirst), count(fresh), float64(fresh)/float64(max(1, content)), count(names), count(numbers), flag(identifiers), flag(ambiguous), count(denials), flag(after),
		flag(o.premise), flag(len(o.repair) > 0), flag(len(o.c.Context) > 0), flag(contrast), flag(fresh <= 4 && names > 0 && denials == 0), flag(attributed), flag(both))
	return x
}

// right names the act by which an answer does right: it puts the premise right, rejects it, asks, or declines.
func (o *refusal) right(t *evidence.Text, repairs []evidence.Span) Finding {
	all := evidence.Span{Start: 0, End: len(t.Words)}
	c, declines := t.Declines()
	rejects, rejected := t.Cue(all, evidence.Rejects)
	s, asks := t.Asks()
	switch {
	case len(repairs) > 0 || o.premise && len(o.repair) == 0 && rejected:
		ev := quoted(t.Plain)
		if len(repairs) > 0 {
			ev = quoted(t.Sentence(int(t.Words[repairs[0].Start].Sentence)))
		}
		return rightAct(grade.Repaired, "refusal: the premise is put right", ev)
	case rejected:
		return rightAct(grade.Declined, "refusal: the premise is rejected", cueEvidence(t, rejects))
	case declines:
		return rightAct(grade.Declined, "refusal: declined, which is right", cueEvidence(t, c))
	case asks:
		return rightAct(grade.Asked, "refusal: asked for what would settle it", quoted(t.Slice(s)))
	}
	return rightAct(grade.Declined, "refusal: declined, which is right", quoted(t.Plain))
}

func (o *refusal) proceeds(rule, ev string) Finding {
	f := answered(fail(rule, ev), strings.Trim(ev, "“”"))
	if len(o.repair) > 0 {
		f.Decidability = fail("false-premise: proceeds without putting it right", ev)
	}
	return f
}

// clarification accepts that a question with several readings is asked back, or answered under at least two of them.
type clarification struct {
	*env
	readings, reject [][]string
}

var clarificationNames = append(slices.Clone(mannerNames), "one reading", "two readings", "ambiguous", "ends asking", "only asks", "rejected", "fresh numbers", "fresh names", "questions", "reading denied", "both in one sentence", "depends")

var clarificationModel = newModel("clarification", clarificationNames, .60, .60, .60)

func (o *clarification) Answerable() bool { return false }

func (o *clarification) Golds() []string { return nil }

// given returns the readings that a text answers under, and whether it denies one.
func (o *clarification) given(t *evidence.Text) (given []evidence.Span, denied bool) {
	for _, p := range o.readings {
		found, _, no := asserted(t, [][]string{p})
		denied = denied || no
		if len(found) > 0 {
			given = append(given, found[0])
		}
	}
	return given, denied
}

func (o *clarification) Judge(r Reading) Finding {
	t := r.Text
	if len(t.Words) == 0 {
		return unread("an empty answer", t)
	}
	if m := mannerOf(t); m.only && m.declines && !m.asks && len(t.Words) <= plainDecline {
		return o.notAttempted(t)
	}
	given, denied := o.given(t)
	rejected, _, _ := asserted(t, o.reject)
	what, p, sure := clarificationModel.ask(o.look(t, given, denied, len(rejected) > 0)).best()
	f := unread("ambiguity: whether the answer tells the readings apart cannot be told", t)
	switch {
	case !sure:
	case what == grade.Correct && len(given) >= 2:
		f = rightAct(grade.Enumerated, "ambiguity: answered under each reading", quoted(t.Slice(given[0])+", "+t.Slice(given[1])))
	case what == grade.Correct:
		f = rightAct(grade.Asked, "ambiguity: asked for the reading", quoted(t.Plain))
	case what == grade.Incorrect:
		f = o.guess(t, given, rejected)
	default:
		f = o.notAttempted(t)
	}
	f.Confidence = p
	return f
}

// guess is an answer under one reading, or under none.
func (o *clarification) guess(t *evidence.Text, given, rejected []evidence.Span) Finding {
	f := answered(fail("ambiguity: the answer under no reading", quoted(t.Plain)), evidence.Excerpt(t.Plain, quoteRunes))
	switch {
	case len(rejected) > 0:
		f = answered(fail("ambiguity: a rejected answer", quoted(t.Slice(rejected[0]))), t.Slice(rejected[0]))
	case len(given) > 0:
		f = answered(pass("ambiguity: the answer under one reading", quoted(t.Slice(given[0]))), t.Slice(given[0]))
	}
	f.Decidability = fail("ambiguity: a guess", f.Truth.Evidence)
	return f
}

func (o *clarification) look(t *evidence.Text, given []evidence.Span, denied, rejected bool) []float64 {
	all := evidence.Span{Start: 0, End: len(t.Words)}
	_, ambiguous := t.Cue(all, evidence.Ambiguous)
	_, depends := t.Cue(all, evidence.Evades)
	questions, numbers, names := 0, 0, 0
	for _, s := range t.Sentences {
		questions += int(flag(s.Question))
	}
	for i, w := range t.Words {
		if o.question[w.Fold] || o.told[w.Fold] {
			continue
		}
		numbers += int(flag(isDigit(t.Plain[w.Start]) && !o.isReading(t, given, i)))
		names += int(flag(t.Name(i)))
	}
	ends := t.Sentences[len(t.Sentences)-1].Question
	one := len(given) >= 2 && t.Words[given[0].Start].Sentence == t.Words[given[1].Start].Sentence
	return append(mannerOf(t).features(), flag(len(given) == 1), flag(len(given) > 1), flag(ambiguous), flag(ends), flag(questions > 0 && len(t.Sentences)-questions <= 1), flag(rejected),
		count(numbers), count(names), count(questions), flag(denied), flag(one), flag(depends))
}

func (o *clarification) isReading(t *evidence.Text, given []evidence.Span, i int) bool {
	return slices.ContainsFunc(given, func(s evidence.Span) bool { return i >= s.Start && i < s.End })
}
