package oracle

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/evidence"
)

// premiseWords returns the words that the prompts take for granted: those of content that are no names, without the words that put the
// premise right.
func (o *refusal) premiseWords() map[string]bool {
	words := map[string]bool{}
	for _, p := range append([]string{o.c.Prompt}, o.c.Phrasings...) {
		t := evidence.Read(p)
		for _, w := range t.Words {
			if c := t.Plain[w.Start]; c >= 'a' && c <= 'z' && !evidence.Stop[w.Fold] && !openers[w.Fold] {
				words[w.Fold] = true
			}
		}
	}
	for _, p := range o.repair {
		for _, w := range p {
			delete(words, w)
			delete(words, strings.TrimSuffix(w, "s"))
		}
	}
	return words
}

// openers are words without content of their own that often open a sentence with a capital.
var openers = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`nobody none no neither since because while although though today currently modern instead every any such some many most after
		before under like unlike both all being having please note strictly technically now given if but however also rather still there even only not one`) {
		m[w] = true
	}
	return m
}()

// slight are words of a question that take nothing for granted by themselves.
var slight = set("first last year date day name names number kind main most many called")

// limits are words by which a clause says less than the premise does.
var limits = map[string]bool{"only": true, "just": true, "merely": true, "solely": true}

// past are words by which a sentence speaks of what no longer is.
var past = map[string]bool{"was": true, "were": true, "last": true, "former": true, "formerly": true, "until": true, "once": true, "had": true, "abolished": true, "ended": true, "overthrown": true, "executed": true, "abdicated": true}

// assertsPremise returns a sentence before the word until in which the text goes along with the premise: it names somebody or something that
// the question does not hold and speaks of what the question takes for granted, says more of it as the subject of a clause,
// or is a bare name. What is denied, asked or past is not asserted.
func (o *refusal) assertsPremise(t *evidence.Text, until int) (evidence.Span, bool) {
	repaired := make([]bool, len(t.Words)) // words of a repair, and the names beside them
	for _, p := range o.repair {
		for _, s := range t.Find(p) {
			for s.Start > 0 && t.Words[s.Start-1].Clause == t.Words[s.Start].Clause && capital(t, s.Start-1) && capital(t, s.Start) {
				s.Start--
			}
			for s.End < len(t.Words) && t.Words[s.End].Clause == t.Words[s.End-1].Clause && capital(t, s.End) && capital(t, s.End-1) {
				s.End++
			}
			for i := s.Start; i < s.End; i++ {
				repaired[i] = true
			}
		}
	}
	denied := deniedWords(t)
	last := -1 // the last word at which the premise is put right, once looked for
	mends := func(from int) bool {
		if last < 0 {
			last = o.lastRepair(t)
		}
		return last >= from
	}
	for k, s := range t.Sentences {
		if s.Words.Start >= until {
			break
		}
		if s.Question || k > 0 && until < len(t.Words) && t.Sentences[k-1].Question && o.hasContent(t, t.Sentences[k-1].Words) {
			continue // "Which countries have won it? Uruguay, Italy, …", before the premise is rejected
		}
		var premise, name, linked, gone, verb, said, more bool
		mended := slices.Contains(repaired[s.Words.Start:s.Words.End], true)
		for i := s.Words.Start; i < s.Words.End; i++ {
			w := t.Words[i].Fold
			gone = gone || past[w]
			verb = verb || isVerb(w)
			if denied[i] {
				continue
			}
			premise = premise || o.stemsTaken[stemmed(w)]
			if !repaired[i] && o.foreign(t, i, s.Words) {
				name = true
				beside := func(k int) bool {
					return k >= s.Words.Start && k < s.Words.End && (isCopula(t.Words[k].Fold) || t.Words[k].Fold == "was")
				}
				linked = linked || beside(i-1) || beside(i+1)
				said = said || i >= 2 && isCopula(t.Words[i-1].Fold) && pronouns[t.Words[i-2].Fold]
			}
			said = said || o.pointsOut(t, i, repaired)
			more = more || o.saysMore(t, i, repaired, denied)
		}
		if more && !said && !gone && !(name && premise) && mends(s.Words.End) {
			continue // "influenza is caused by a virus. Antibiotics only kill bacteria."
		}
		if !gone && (name && premise && (linked || !mended) || said || more) || name && !verb && !slices.Contains(denied[s.Words.Start:s.Words.End], true) {
			return s.Words, true
		}
	}
	return evidence.Span{}, false
}

// lastRepair returns the word at which a text last puts the premise right, 0 if it does not.
func (o *refusal) lastRepair(t *evidence.Text) int {
	last := 0
	for _, p := range o.repair {
		for _, m := range t.Find(p) {
			if m.Start > last && o.repairs(t, m, true) && !o.overruled(t, m) {
				last = m.Start
			}
		}
	}
	return last
}

// pointsOut reports whether the word is one of the premise behind "it is the" and a word of content that the question does not hold: "it's the portal
// chamber".
func (o *refusal) pointsOut(t *evidence.Text, i int, repaired []bool) bool {
	if !o.taken[t.Words[i].Fold] || repaired[i] {
		return false
	}
	more := false
	for k := i - 1; k > 0 && k >= i-4 && t.Words[k].Clause == t.Words[i].Clause; k-- {
		w := t.Words[k].Fold
		switch {
		case repaired[k]:
			return false
		case isCopula(w):
			return more && pronouns[t.Words[k-1].Fold] && (k == 1 || t.Words[k-2].Clause != t.Words[k].Clause)
		case w == "a" || w == "an" || limits[w]:
			return false
		case !evidence.Stop[w] && !o.question[w]:
			more = true
		}
	}
	return false
}

// saysMore reports whether the word opens a clause with the premise as its subject, and something follows that the question does not hold.
func (o *refusal) saysMore(t *evidence.Text, i int, repaired, denied []bool) bool {
	if !o.taken[t.Words[i].Fold] {
		return false
	}
	for k := i - 1; k >= 0 && t.Words[k].Clause == t.Words[i].Clause; k-- {
		if w := t.Words[k].Fold; !evidence.Stop[w] && !openers[w] {
			return false
		}
	}
	for k := i + 1; k < len(t.Words) && t.Words[k].Sentence == t.Words[i].Sentence; k++ {
		if repaired[k] && t.Words[k].Clause != t.Words[i].Clause {
			return false // "influenza is viral, and antibiotics only kill bacteria"
		}
	}
	more := false
	s := t.Sentences[t.Words[i].Sentence].Words
	elsewhere := slices.Contains(repaired[s.Start:s.End], true)
	for k := i + 1; k < len(t.Words) && t.Words[k].Clause == t.Words[i].Clause; k++ {
		if w := t.Words[k].Fold; repaired[k] || elsewhere && limits[w] {
			return false // "antibiotics only kill bacteria", or so with the repair in another clause: "influenza is viral, and …"
		} else if !evidence.Stop[w] && !o.question[w] && !denied[k] {
			more = true
		}
	}
	return more
}

// deniedWords tells of each word whether a denial or a doubt stands in its clause, or before it in its sentence with no "but" between.
func deniedWords(t *evidence.Text) []bool {
	denied := make([]bool, len(t.Words))
	next := 0
	for start := 0; start < len(t.Words); {
		end := start // of the clause
		for end < len(t.Words) && t.Words[end].Clause == t.Words[start].Clause && t.Words[end].Sentence == t.Words[start].Sentence {
			end++
		}
		carried := start > 0 && t.Words[start-1].Sentence == t.Words[start].Sentence && denied[start-1]
		turned, own := -1, false
		for ; next < len(t.Cues) && t.Cues[next].Words.Start < end; next++ {
			switch t.Cues[next].Sense {
			case evidence.Negates, evidence.Rejects, evidence.NotFound, evidence.Unknown, evidence.Insufficient, evidence.Refuses:
				own = true
			case evidence.Turns:
				turned = t.Cues[next].Words.End
				if own || carried {
					for i := start; i < turned && i < end; i++ {
						denied[i] = true
					}
				}
				own, carried, start = false, false, min(turned, end)
			}
		}
		for i := start; i < end; i++ {
			denied[i] = own || carried
		}
		start = end
	}
	return denied
}

func capital(t *evidence.Text, i int) bool {
	r, _ := utf8.DecodeRuneInString(t.Plain[t.Words[i].Start:])
	return unicode.IsUpper(r)
}

// foreign reports whether the word is a name that the question does not hold. A word that opens a sentence is one unless it is an opener or
// leads to a name of the question: "Modern France".
func (o *refusal) foreign(t *evidence.Text, i int, sentence evidence.Span) bool {
	w := t.Words[i]
	for q := range o.taken {
		if len(w.Fold) > 2 && len(q) > len(w.Fold)+2 && strings.Contains(q, w.Fold) {
			return false // "flu" for "influenza"
		}
	}
	if !capital(t, i) || w.End-w.Start < 2 || o.question[w.Fold] || o.question[strings.TrimSuffix(w.Fold, "s")] || evidence.Stop[w.Fold] {
		return false
	}
	if i > sentence.Start {
		return true
	}
	next := i+1 < sentence.End && t.Words[i+1].Clause == w.Clause
	return !openers[w.Fold] && !strings.HasSuffix(w.Fold, "ly") && !(next && capital(t, i+1) && o.question[t.Words[i+1].Fold])
}

// pronouns stand for what the question asks about: "he is Louis".
var pronouns = map[string]bool{"he": true, "she": true, "it": true, "that": true, "this": true, "they": true, "answer": true}

func isCopula(w string) bool { return w == "is" || w == "'s" || w == "are" }

// isVerb reports whether a word is likely a finite verb, or a pronoun that leads to one.
func isVerb(w string) bool {
	switch w {
	case "is", "was", "are", "were", "has", "have", "had", "does", "did", "do", "'s", "he", "she", "it", "they", "we", "there", "that", "this", "you", "won", "wrote", "made", "gave", "became":
		return true
	}
	return len(w) > 3 && strings.HasSuffix(w, "ed")
}

// states reports whether the words stand in a statement, and not alone.
func states(t *evidence.Text, m evidence.Span) bool {
	s := t.Sentences[t.Words[m.Start].Sentence].Words
	for i := s.Start; i < s.End; i++ {
		if (i < m.Start || i >= m.End) && (isVerb(t.Words[i].Fold) || s.End-s.Start > m.End-m.Start+1 && strings.HasSuffix(t.Words[i].Fold, "s") && !evidence.Stop[t.Words[i].Fold]) {
			return true
		}
	}
	return false
}

// rejectedPremise returns the words that the rejection denies: those of the question in its clause, but for those of the repair.
func (o *refusal) rejectedPremise(t *evidence.Text, rejection evidence.Span) []string {
	var words []string
	for i := rejection.Start; i < len(t.Words) && t.Words[i].Clause == t.Words[rejection.End-1].Clause; i++ {
		if o.taken[t.Words[i].Fold] {
			words = append(words, t.Words[i].Fold)
		}
	}
	return words
}

// concludes reports whether the sentence of m draws the premise's conclusion: it names, undenied, what was rejected before it. Where nothing
// was, every assertion does.
func (o *refusal) concludes(t *evidence.Text, m evidence.Span, rejection evidence.Cue, rejects bool) bool {
	if !rejects || rejection.Words.End > m.Start {
		return true
	}
	words := o.rejectedPremise(t, rejection.Words)
	s, denied := t.Sentences[t.Words[m.Start].Sentence].Words, deniedWords(t)
	for i := max(s.Start, rejection.Words.End); i < s.End; i++ {
		for _, w := range words {
			if t.Words[i].Fold == w && !denied[i] {
				return true
			}
		}
	}
	return len(words) == 0
}

// comparesOther reports whether a repair of one comparative is said of a thing that the question does not name: "lower pressure" for "lower".
func (o *refusal) comparesOther(t *evidence.Text, m evidence.Span) bool {
	if m.End-m.Start != 1 || !strings.HasSuffix(t.Words[m.Start].Fold, "er") || m.End == len(t.Words) || t.Words[m.End].Clause != t.Words[m.Start].Clause {
		return false
	}
	w := t.Words[m.End].Fold
	switch w {
	case "one", "value", "point", "figure", "level", "number", "amount", "degree", "there":
		return false
	}
	_, asked := o.asked(w)
	return !asked && !evidence.Stop[w] && len(w) > 3 && t.Plain[t.Words[m.End].Start] >= 'a' && !strings.HasSuffix(w, "ly")
}

// repairs reports whether a repair at m counts: it is put forward, or the reason for a rejection in another clause.
func (o *refusal) repairs(t *evidence.Text, m evidence.Span, rejects bool) bool {
	if o.comparesOther(t, m) {
		return false
	}
	switch t.Stance(m) {
	case evidence.Asserted, evidence.Uncertain, evidence.Contrasted:
		return rejects || states(t, m)
	case evidence.Doubted:
		sentence := t.Sentences[t.Words[m.Start].Sentence].Words
		u, unsure := t.Cue(evidence.Span{Start: sentence.Start, End: m.Start}, evidence.Unknown, evidence.Refuses, evidence.Insufficient)
		if unsure && t.Words[u.Words.End-1].Clause != t.Words[m.Start].Clause { // "no year can be given, for they have not won it yet"
			first := m.Start
			for first > u.Words.End && t.Words[first-1].Clause == t.Words[m.Start].Clause {
				first--
			}
			if w := t.Words[first].Fold; w == "for" || w == "as" || reasoning[w] {
				return true
			}
		}
		for k := u.Words.End; unsure && k < m.Start; k++ { // "I can't name a year because they haven't won"
			if reasoning[t.Words[k].Fold] {
				return true
			}
		}
		c, ok := t.Cue(evidence.Span{Start: sentence.Start, End: m.Start}, evidence.NotFound, evidence.Rejects)
		if k, itself := t.Cue(evidence.Span{Start: sentence.Start, End: m.End}, evidence.NotFound, evidence.Rejects); itself && !unsure && k.Words.End > m.Start {
			return true // the repair is what rejects: "there is no such prize"
		}
		return ok && !unsure && t.Words[c.Words.End-1].Clause != t.Words[m.Start].Clause
	}
	return false
}
