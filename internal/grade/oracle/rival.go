package oracle

import (
	"strings"

	"hallmark/internal/evidence"
)

// pastWords are words by which a question asks for what was.
var pastWords = strings.Fields("was were did had used former formerly first original originally initially before until once ended when year")

// superseded reports whether the text gives m as what was, and something else as what is: "It was Paris until 1940; today it is Vichy". It
// is false where the question asks for what was.
func (o *exact) superseded(t *evidence.Text, m evidence.Span) bool {
	for _, w := range pastWords {
		if o.question[w] {
			return false
		}
	}
	clause, sentence := t.Words[m.Start].Clause, t.Words[m.Start].Sentence
	gone := false
	for i := m.Start - 1; i >= 0 && t.Words[i].Clause == clause; i-- {
		switch t.Words[i].Fold {
		case "used", "once", "formerly", "originally", "initially", "historically":
			gone = true
		case "was", "were": // "it was Paris", but not "it was made by Picasso"
			gone = gone || m.Start-i <= 2
		case "has", "have", "not":
			return false
		}
	}
	i := m.End
	for ; i < len(t.Words) && t.Words[i].Clause == clause; i++ {
		switch t.Words[i].Fold {
		case "until", "till":
			gone = true
		}
	}
	if !gone {
		return false
	}
	now := false
	for ; i < len(t.Words) && t.Words[i].Sentence <= sentence+1; i++ {
		switch t.Words[i].Fold {
		case "now", "today", "nowadays", "currently", "presently":
			now = true
		}
		for _, a := range o.accept {
			if t.Words[i].Fold == a.words[0] {
				return false
			}
		}
	}
	return now
}

// correction returns the answer behind the last "wait, I mean" or its like: a short rest of its sentence, or the next, that holds a name or
// number which the question does not.
func (o *exact) correction(t *evidence.Text) (evidence.Span, bool) {
	const most = 6
	for i := len(t.Words) - 2; i > 0; i-- { // "Paris, no, Lyon"
		before, w, next := t.Words[i-1], t.Words[i], t.Words[i+1]
		if w.Fold == "no" && before.Clause != w.Clause && next.Clause != w.Clause && before.Sentence == w.Sentence && next.Sentence == w.Sentence {
			rest := evidence.Span{Start: i + 1, End: t.Sentences[w.Sentence].Words.End}
			if rest.End-rest.Start <= most && o.names(t, i+1) {
				return rest, true
			}
			break
		}
	}
	for k := len(t.Cues) - 1; k >= 0; k-- {
		c := t.Cues[k]
		if c.Sense != evidence.Corrects {
			continue
		}
		s := int(t.Words[c.Words.Start].Sentence)
		rest := evidence.Span{Start: c.Words.End, End: t.Sentences[s].Words.End}
		if rest.Start == rest.End && s+1 < len(t.Sentences) {
			rest = t.Sentences[s+1].Words
		}
		if rest.End-rest.Start > most {
			return evidence.Span{}, false
		}
		for i := rest.Start; i < rest.End; i++ {
			if o.names(t, i) {
				return rest, true
			}
		}
		return evidence.Span{}, false
	}
	return evidence.Span{}, false
}

// names reports whether the word is a name or number that the question does not hold.
func (e *env) names(t *evidence.Text, i int) bool {
	w := t.Words[i]
	c := t.Plain[w.Start]
	return (capital(t, i) || c >= '0' && c <= '9') && !e.question[w.Fold] && !evidence.Stop[w.Fold] && !openers[w.Fold]
}

// joined returns the sentence where it is nothing but the accepted answer and other names, joined by "and" or a sign for it.
func (o *exact) joined(t *evidence.Text, accepted []mention) (evidence.Span, bool) {
	for _, m := range accepted {
		s := t.Sentences[t.Words[m.words.Start].Sentence].Words
		if s.End-s.Start > 12 {
			continue
		}
		held := make([]bool, s.End-s.Start)
		for _, a := range accepted {
			for i := max(s.Start, a.words.Start); i < min(s.End, a.words.End); i++ {
				held[i-s.Start] = true
			}
		}
		beside, other := false, true
		for i := s.Start; i < s.End && other; i++ {
			if i > s.Start && held[i-s.Start] != held[i-1-s.Start] && strings.ContainsAny(t.Plain[min(t.Words[i-1].End, t.Words[i].Start):t.Words[i].Start], "&/;") {
				beside = true
			}
			switch {
			case held[i-s.Start]:
			case t.Words[i].Fold == "and" && i > s.Start && i+1 < s.End:
				beside = beside || held[i-1-s.Start] != held[i+1-s.Start]
			default:
				other = o.names(t, i)
			}
		}
		if other && beside {
			return s, true
		}
	}
	return evidence.Span{}, false
}

// rival returns another name that the text gives as what the question asks for: "Lyon is the capital, Paris is the largest city", "the
// capital is Lyon, whose rival is Paris". What is said of the accepted answer in the same words counts against no one.
func (o *exact) rival(t *evidence.Text, good evidence.Span) (evidence.Span, bool) {
	clause, sentence := t.Words[good.Start].Clause, t.Words[good.Start].Sentence
	if claim, ok := t.Claim(o.question); ok && claim.End <= good.Start && t.Words[claim.Start].Sentence == sentence {
		switch first := t.Words[claim.End]; {
		case first.Clause != clause:
		case first.Fold == "whose" || first.Fold == "while" || first.Fold == "whereas" || first.Fold == "unlike":
			return claim, true
		}
	}
	if name, ok := o.itIs(t, good); ok {
		return name, true
	}
	said := map[string]bool{} // of the accepted answer
	for i := t.Sentences[sentence].Words.Start; i < t.Sentences[sentence].Words.End; i++ {
		if t.Words[i].Clause == clause {
			said[t.Words[i].Fold] = true
		}
	}
	for i := t.Sentences[sentence].Words.Start; i < good.Start; {
		start := i
		for i < good.Start && t.Words[i].Clause == t.Words[start].Clause && o.names(t, i) {
			i++
		}
		if name := (evidence.Span{Start: start, End: i}); i > start && t.Words[start].Clause != clause && i < good.Start && t.Words[i].Fold == "is" {
			i++
			for i < good.Start && t.Words[i].Clause == t.Words[start].Clause && evidence.Stop[t.Words[i].Fold] {
				i++
			}
			if w := t.Words[i]; w.Clause == t.Words[start].Clause && o.question[w.Fold] && !evidence.Stop[w.Fold] && !capital(t, i) && !said[w.Fold] && t.Stance(name) == evidence.Asserted {
				return name, true
			}
		}
		for i < good.Start && t.Words[i].Clause == t.Words[start].Clause {
			i++
		}
	}
	return evidence.Span{}, false
}

// itIs returns another name behind "it is" in the sentence of the accepted answer: after a "but", or before it where what follows only speaks of
// the accepted answer: "It is Lyon, despite Paris being larger".
func (o *exact) itIs(t *evidence.Text, good evidence.Span) (evidence.Span, bool) {
	s := t.Sentences[t.Words[good.Start].Sentence].Words
	turned := false
	for i := s.Start; i+2 < s.End; i++ {
		if i >= good.End && (t.Words[i].Fold == "but" || t.Words[i].Fold == "though") {
			turned = true
		}
		if t.Words[i].Fold != "it" || !isCopula(t.Words[i+1].Fold) || i+2 == good.Start || !o.names(t, i+2) {
			continue
		}
		end := i + 3
		for end < s.End && t.Words[end].Clause == t.Words[i].Clause && o.names(t, end) {
			end++
		}
		name := evidence.Span{Start: i + 2, End: end}
		if end < s.End && t.Words[end].Clause == t.Words[i].Clause || t.Stance(name) != evidence.Asserted {
			continue
		}
		switch {
		case i >= good.End:
			if turned {
				return name, true
			}
		case end <= good.Start && t.Words[end].Clause == t.Words[good.Start].Clause:
			first := t.Words[end].Fold
			aside := first == "despite" || first == "although" || first == "though" || first == "while"
			if !aside && end == good.Start && good.End < s.End {
				aside = t.Words[good.End].Fold == "was" || t.Words[good.End].Fold == "being"
			}
			if aside {
				return name, true
			}
		}
	}
	return evidence.Span{}, false
}

// states of the USA, by whose names places elsewhere are told from their namesakes.
var usStates = func() map[string]bool {
	m := map[string]bool{}
	for _, s := range strings.Split(`alabama,alaska,arizona,arkansas,california,colorado,connecticut,delaware,florida,georgia,hawaii,idaho,illinois,indiana,iowa,kansas,kentucky,louisiana,maine,maryland,massachusetts,michigan,minnesota,mississippi,missouri,montana,nebraska,nevada,new hampshire,new jersey,new mexico,new york,north carolina,north dakota,ohio,oklahoma,oregon,pennsylvania,rhode island,south carolina,south dakota,tennessee,texas,utah,vermont,virginia,washington,west virginia,wisconsin,wyoming`, ",") {
		m[s] = true
	}
	return m
}()

// elsewhere returns the accepted place with a state of the USA behind it, "Paris, Texas", where the question asks for the capital, city or
// town of a country that is another.
func (o *exact) elsewhere(t *evidence.Text, good evidence.Span) (evidence.Span, bool) {
	p := evidence.Read(o.c.Prompt)
	abroad := false
	for i := 2; i < len(p.Words); i++ {
		switch p.Words[i-2].Fold {
		case "capital", "city", "town":
			if w := p.Words[i-1].Fold; w == "of" || w == "in" {
				abroad = abroad || capital(p, i) && !home[p.Words[i].Fold] && !usStates[p.Words[i].Fold]
			}
		}
	}
	if !abroad || good.End == len(t.Words) || t.Words[good.End].Sentence != t.Words[good.Start].Sentence || t.Plain[t.Words[good.End-1].End] != ',' {
		return evidence.Span{}, false
	}
	for n := 1; n <= 2 && good.End+n <= len(t.Words); n++ {
		if usStates[strings.ToLower(t.Slice(evidence.Span{Start: good.End, End: good.End + n}))] {
			return evidence.Span{Start: good.Start, End: good.End + n}, true
		}
	}
	return evidence.Span{}, false
}

// home are words that open a name of the USA, or of a state of two words.
var home = map[string]bool{"the": true, "america": true, "usa": true, "us": true, "u.s": true, "united": true, "new": true, "north": true, "south": true, "west": true, "rhode": true, "american": true}
