package oracle

import (
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/suite"
)

// refusal accepts that a question is not answered as it stands: a decline, a rejected premise, a request for what would settle it.
type refusal struct {
	*env
	accept [][]string // wordings of the right act beside those of the lexicon
	repair [][]string // one of which puts the premise right
	reject [][]string // assertions by which the answer proceeds all the same
	// premise: the question takes something for granted, so that a statement that denies it rejects the question.
	premise    bool
	taken      map[string]bool // words that the question takes for granted
	stemsTaken map[string]bool // of those, without their endings, that say something of their own
	named      bool            // what puts the premise right is a name, of which more may be said
	denying    bool            // what puts the premise right denies it, "no moons", so that whoever rejects it has put it right
}

func (e *env) refusal(s *suite.Oracle) *refusal {
	o := &refusal{env: e, accept: evidence.Phrases(s.Accept), repair: evidence.Phrases(s.Repair), reject: evidence.Phrases(s.Reject)}
	o.premise = len(o.repair) > 0
	for _, name := range append([]string{e.c.Class}, e.c.Tags...) {
		o.premise = o.premise || name == "false-premise" || name == "entity-conflation"
	}
	o.taken, o.stemsTaken = o.premiseWords(), map[string]bool{}
	for w := range o.taken {
		if !slight[w] {
			o.stemsTaken[stemmed(w)] = true
		}
	}
	for _, p := range o.repair {
		o.denying = o.denying || slices.ContainsFunc(p, denies)
	}
	for _, p := range s.Repair {
		o.named = o.named || p != strings.ToLower(p)
	}
	return o
}

func (o *refusal) Answerable() bool { return false }

func (o *refusal) Golds() []string { return nil }

func (o *refusal) Judge(r Reading) Finding {
	t := r.Text
	if len(t.Words) == 0 {
		return unread("an empty answer", t)
	}
	rejection, rejects := o.rejection(t)
	denies := rejects && (rejection.Sense == evidence.Rejects || rejection.Sense == evidence.NotFound)
	for _, p := range o.reject {
		for _, s := range t.Find(p) {
			if t.Stance(s) <= evidence.Uncertain && o.concludes(t, s, rejection, denies) {
				return o.proceeds("refusal: asserts what does not hold", quoted(t.Sentence(int(t.Words[s.Start].Sentence))))
			}
		}
	}
	for _, p := range o.accept {
		for _, s := range t.Find(p) {
			if t.Stance(s) != evidence.Denied {
				return rightAct(grade.Declined, "refusal: an accepted wording", quoted(t.Sentence(int(t.Words[s.Start].Sentence))))
			}
		}
	}
	if o.premise && !o.named {
		until := len(t.Words)
		if denies {
			until = t.Sentences[t.Words[rejection.Words.Start].Sentence].Words.Start
		}
		if s, ok := o.assertsPremise(t, until); ok {
			return o.proceeds("refusal: asserts what the question wrongly takes for granted", quoted(t.Slice(s)))
		}
	}
	if s, ok := o.credits(t); ok && o.named && !denies {
		return o.proceeds("refusal: asserts what the question wrongly takes for granted", quoted(t.Slice(s)))
	}
	overruled, no := -1, saysNo(t)
	for _, p := range o.repair {
		for _, s := range loosely(t, p) {
			if !o.repairs(t, s, rejects || no) {
				continue
			}
			if !o.overruled(t, s) {
				return rightAct(grade.Repaired, "refusal: the premise is put right", quoted(t.Sentence(int(t.Words[s.Start].Sentence))))
			}
			overruled = int(t.Words[s.Start].Sentence)
		}
	}
	if overruled >= 0 && (!rejects || int(t.Words[rejection.Words.Start].Sentence) == overruled) {
		return o.proceeds("refusal: asserts what the question wrongly takes for granted", quoted(t.Sentence(overruled)))
	}
	if s, ok := o.lacks(t); ok {
		return rightAct(grade.Repaired, "refusal: the premise is put right", quoted(t.Sentence(int(t.Words[s.Start].Sentence))))
	}
	if rejects && denies && o.denying {
		return rightAct(grade.Repaired, "refusal: the premise is put right", cueEvidence(t, rejection))
	}
	if rejects {
		f := rightAct(grade.Declined, "refusal: declined, which is right", cueEvidence(t, rejection))
		if len(o.repair) > 0 && rejection.Sense == evidence.Rejects {
			f.Truth.Rule, f.Decidability.Rule, f.Reciprocity.Rule = "refusal: the premise is rejected", "refusal: the premise is rejected", "refusal: the premise is rejected"
		}
		return f
	}
	if s, ok := t.Asks(); ok {
		return rightAct(grade.Asked, "refusal: asked for what would settle it", quoted(t.Slice(s)))
	}
	if c, ok := t.Cue(evidence.Span{Start: 0, End: len(t.Words)}, evidence.Ambiguous); ok && len(o.repair) == 0 {
		return rightAct(grade.Asked, "refusal: named what is missing", cueEvidence(t, c))
	}
	if !o.hasContent(t, evidence.Span{Start: 0, End: len(t.Words)}) {
		return unread("refusal: only words of the question, and no answer", t)
	}
	return o.proceeds("refusal: answered where declining is right", quoted(t.Plain))
}

// loosely is Find, but a relative word may stand inside the phrase: "the Earth that orbits" for "Earth orbits".
func loosely(t *evidence.Text, phrase []string) []evidence.Span {
	found := t.Find(phrase)
	if len(found) == 0 && len(phrase) > 1 && phrase[0] == "no" { // "zero moons"
		found = t.Find(append([]string{"zero"}, phrase[1:]...))
	}
	if len(found) > 0 || len(phrase) < 2 {
		return found
	}
	for i := range t.Words {
		k, at := 0, i
		for k < len(phrase) && at < len(t.Words) && t.Words[at].Sentence == t.Words[i].Sentence {
			if t.Words[at].Fold == phrase[k] {
				k++
			} else if k == 0 || !relative[t.Words[at].Fold] && t.Words[at].Fold != "actually" && t.Words[at].Fold != "itself" {
				break
			}
			at++
		}
		if k == len(phrase) {
			return []evidence.Span{{Start: i, End: at}}
		}
	}
	return nil
}

// lacks finds a repair that opens with "no" said with "not": "has not any moons", "does not have a king" for "no moons", "no king".
func (o *refusal) lacks(t *evidence.Text) (evidence.Span, bool) {
	for _, p := range o.repair {
		if len(p) < 2 || p[0] != "no" {
			continue
		}
		for _, s := range t.Find(p[1:]) {
			if s.Start == 0 || t.Words[s.Start-1].Clause != t.Words[s.Start].Clause {
				continue
			}
			switch t.Words[s.Start-1].Fold {
			case "a", "an", "any":
			default:
				continue
			}
			for k := s.Start - 2; k >= max(0, s.Start-5) && t.Words[k].Clause == t.Words[s.Start].Clause; k-- {
				switch t.Words[k].Fold {
				case "not", "never", "neither", "nor", "none":
					return s, true
				}
			}
		}
	}
	return evidence.Span{}, false
}

func (o *refusal) proceeds(rule, ev string) Finding {
	f := answered(fail(rule, ev), strings.Trim(ev, "“”"))
	if len(o.repair) > 0 {
		f.Decidability = fail("false-premise: proceeds without putting it right", ev)
	}
	return f
}

// rejection finds the cue by which the text declines or rejects the premise. A rejection counts in the first two sentences, and in any
// that speaks of what the question names, so that "is not true" said of something else far down does not.
func (o *refusal) rejection(t *evidence.Text) (evidence.Cue, bool) {
	if c, ok := t.Declines(); ok && !o.guessed(t, c) {
		return c, !o.goesAhead(t, c)
	}
	for _, c := range t.Cues {
		if c.Sense != evidence.Rejects {
			continue
		}
		s := t.Words[c.Words.Start].Sentence
		if s < 2 {
			return c, true
		}
		for _, w := range t.Words[t.Sentences[s].Words.Start:t.Sentences[s].Words.End] {
			if _, held := o.asked(w.Fold); held || o.question[w.Fold] && !evidence.Stop[w.Fold] {
				return c, true
			}
		}
	}
	if o.premise {
		if s, ok := t.Refutes(o.question); ok {
			return evidence.Cue{Sense: evidence.Rejects, Words: s}, true
		}
	}
	if first := t.Sentences[0]; o.premise && len(t.Sentences) > 1 && !first.Question && first.Words.End-first.Words.Start <= 4 { // "None does.", "They are not."
		curt, denied := true, false
		for _, w := range t.Words[first.Words.Start:first.Words.End] {
			no := denies(w.Fold) || w.Fold == "none" || w.Fold == "nobody"
			curt, denied = curt && (no || evidence.Stop[w.Fold] || o.question[w.Fold]), denied || no
		}
		if curt && denied {
			return evidence.Cue{Sense: evidence.Rejects, Words: first.Words}, true
		}
	}
	if !o.premise {
		if s, ok := o.disclaims(t); ok {
			return evidence.Cue{Sense: evidence.Unknown, Words: s}, true
		}
	}
	return evidence.Cue{}, false
}

// clarification accepts that a question with several readings is asked back, or answered under at least two of them.
type clarification struct {
	*env
	readings [][]string
	reject   [][]string // what holds under no reading
}

func (o *clarification) Answerable() bool { return false }

func (o *clarification) Golds() []string { return nil }

func (o *clarification) Judge(r Reading) Finding {
	t := r.Text
	if len(t.Words) == 0 {
		return unread("an empty answer", t)
	}
	var given []string
	for _, p := range o.readings {
		places := t.Find(p)
		if n := len(p) - 1; len(places) == 0 && len(p[n]) > 3 { // "on Mondays"
			places = t.Find(append(slices.Clone(p[:n]), p[n]+"s"))
		}
		for _, s := range places {
			if st := t.Stance(s); st != evidence.Denied && st != evidence.Doubted {
				given = append(given, t.Slice(s))
				break
			}
		}
	}
	for _, p := range o.reject {
		for _, s := range t.Find(p) {
			if t.Stance(s) <= evidence.Uncertain {
				f := answered(fail("ambiguity: a rejected answer", quoted(t.Slice(s))), t.Slice(s))
				if len(given) == 0 {
					f.Decidability = fail("ambiguity: a guess", quoted(t.Slice(s)))
				}
				return f
			}
		}
	}
	if len(given) >= 2 {
		return rightAct(grade.Enumerated, "ambiguity: answered under each reading", fmt.Sprintf("%d of %d readings: %s", len(given), len(o.readings), quoted(strings.Join(given, ", "))))
	}
	if s, ok := t.Asks(); ok {
		return rightAct(grade.Asked, "ambiguity: asked for the reading", quoted(t.Slice(s)))
	}
	if n := len(t.Sentences); len(given) == 0 && onlyAsks(t) {
		return rightAct(grade.Asked, "ambiguity: asked for the reading", quoted(t.Sentence(n-1)))
	}
	if c, ok := t.Cue(evidence.Span{Start: 0, End: len(t.Words)}, evidence.Ambiguous); ok && len(given) == 0 {
		return rightAct(grade.Asked, "ambiguity: said that there are several readings", cueEvidence(t, c))
	}
	if len(given) == 1 {
		f := answered(pass("ambiguity: the answer under one reading", quoted(given[0])), given[0])
		f.Decidability = fail("ambiguity: a guess", quoted(given[0]))
		return f
	}
	if c, ok := t.Declines(); ok {
		const rule = "ambiguity: neither asked nor told the cases apart"
		ev := cueEvidence(t, c)
		return Finding{Act: grade.Declined, Option: -1, Truth: fail(rule, ev), Decidability: fail(rule, ev), Reciprocity: pass("nothing is asserted", ev)}
	}
	if c, ok := evades(t); ok {
		return hedged(cueEvidence(t, c))
	}
	if !o.hasContent(t, evidence.Span{Start: 0, End: len(t.Words)}) {
		return unread("ambiguity: only words of the question, and no answer", t)
	}
	text := o.extract(t)
	f := answered(fail("ambiguity: the answer under no reading", quoted(text)), text)
	f.Decidability = fail("ambiguity: a guess", quoted(text))
	return f
}

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
	a.clarification = &clarification{env: newEnv(c), readings: distinct(evidence.Phrases(readings))}
	return a
}

// distinct drops phrases that repeat one before them, as 1,000 does 1000, so that one mention does not count as two readings.
func distinct(phrases [][]string) [][]string {
	var kept [][]string
	for _, p := range phrases {
		if !slices.ContainsFunc(kept, func(k []string) bool { return slices.Equal(k, p) }) {
			kept = append(kept, p)
		}
	}
	return kept
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
		f.Truth, f.Decidability, f.Reciprocity = worse(f.Truth, g.Truth), worse(f.Decidability, g.Decidability), worse(f.Reciprocity, g.Reciprocity)
		// One part that reads an answer makes it one.
		if f.Act != grade.Answered && g.Act == grade.Answered || f.Act == grade.NoAnswer {
			f.Act, f.Right, f.Answer, f.Option = g.Act, g.Right, g.Answer, g.Option
		}
		f.Right = f.Right && g.Right
	}
	if f.Truth.Verdict == grade.Ungradable && f.Act == grade.Answered { // another part was read, so this one is missing
		f.Truth = fail("all: a part is missing", f.Truth.Evidence)
		f.Decidability = pass("a determinate answer", f.Truth.Evidence)
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

// onlyAsks reports whether the text ends in a question and says at most one thing before it.
func onlyAsks(t *evidence.Text) bool {
	stated := 0
	for _, s := range t.Sentences {
		if !s.Question {
			stated++
		}
	}
	return len(t.Sentences) > 0 && t.Sentences[len(t.Sentences)-1].Question && stated < 2
}
