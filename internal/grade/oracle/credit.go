package oracle

import (
	"slices"
	"strings"

	"hallmark/internal/evidence"
)

// overruled reports whether a repair at m is only what others believe, "many think that Venus has no moons", or is conceded, "although there are
// infinitely many", and the rest of the sentence goes along with the premise; or whether the repair joins a thing to that of the premise: "bacteria
// and viruses alike".
func (o *refusal) overruled(t *evidence.Text, m evidence.Span) bool {
	s := t.Sentences[t.Words[m.Start].Sentence].Words
	if m.End+1 < s.End && t.Words[m.End].Fold == "and" && m.End-m.Start == 1 && o.takenForm(t.Words[m.End+1].Fold) && !deniedWords(t)[m.Start] && !limited(t, s.Start, m.Start) {
		return true
	}
	if beforehand(t, m) {
		return true
	}
	believed, conceded := -1, false
	for i := s.Start; i < m.Start; i++ {
		w := t.Words[i].Fold
		switch {
		case w == "but" || w == "yet" || w == "however":
			believed, conceded = -1, false
		case i == s.Start && conceding[w] || w == "although" || w == "though" || w == "while" && i == s.Start:
			conceded = true
		case i > s.Start && t.Words[i].Clause != t.Words[i-1].Clause && conceded && believed < 0:
			conceded = false // the main clause
		case believing[w] && !o.question[w] && !slices.ContainsFunc(t.Words[max(s.Start, i-3):i], func(b evidence.Word) bool {
			return b.Fold == "i" || b.Fold == "we" || b.Fold == "mistakenly" || b.Fold == "wrongly"
		}):
			believed = i
		case reputed[w] && i > s.Start && (isCopula(t.Words[i-1].Fold) || i > s.Start+1 && isCopula(t.Words[i-2].Fold)): // "is often said to have no moons"
			believed = i
		}
	}
	denied := deniedWords(t)
	if believed < 0 && !conceded {
		return o.turnsBack(t, evidence.Span{Start: m.End, End: s.End}, denied)
	}
	behind := m.End
	for behind < s.End && t.Words[behind].Clause == t.Words[m.End-1].Clause && t.Words[behind].Fold != "but" {
		behind++
	}
	turned := behind < s.End && (t.Words[behind].Fold == "but" || t.Words[behind].Fold == "yet" || t.Words[behind].Fold == "however")
	premise, name, known := false, false, false
	var taken []string
	strange := false
	for i := behind; i < s.End; i++ {
		if denied[i] && !(believed >= 0 && denied[m.Start]) || t.Words[i].Fold == "not" || t.Words[i].Fold == "never" || t.Words[i].Fold == "wrong" || t.Words[i].Fold == "right" || t.Words[i].Fold == "true" {
			return false
		}
		_, held := o.asked(t.Words[i].Fold)
		premise = premise || held || o.takenForm(t.Words[i].Fold)
		w := t.Words[i].Fold
		if o.takenForm(w) && !slices.Contains(taken, w) {
			taken = append(taken, w)
		}
		known = known || w == "known"
		strange = strange || !held && !evidence.Stop[w] && len(w) > 3
		name = name || o.foreign(t, i, s) || isDigit(t.Plain[t.Words[i].Start])
	}
	name = name || conceded && strange && len(taken) > 1 && !known // "…, doxycycline also cures influenza"
	return premise && name || believed >= 0 && (turned || strings.HasPrefix(t.Words[s.Start].Fold, "contrary")) && (premise || name)
}

// beforehand reports whether a repair at m only says what had been so until something changed: "until 2010 it had never won", "before that it had …".
func beforehand(t *evidence.Text, m evidence.Span) bool {
	had, until := false, false
	s := t.Sentences[t.Words[m.Start].Sentence].Words
	for i := s.Start; i < s.End && t.Words[i].Clause <= t.Words[m.End-1].Clause; i++ {
		w := t.Words[i].Fold
		had = had || w == "had" && t.Words[i].Clause == t.Words[m.Start].Clause
		until = until || w == "until" || w == "till" || w == "before"
	}
	return had && until
}

// turnsBack reports whether a sentence goes along with the premise behind a "but": "bats can see a little, but they're blind", "…, but its last digit is
// known to be 5".
func (o *refusal) turnsBack(t *evidence.Text, rest evidence.Span, denied []bool) bool {
	turn := rest.Start
	for turn < rest.End && t.Words[turn].Fold != "but" && t.Words[turn].Fold != "yet" {
		turn++
	}
	for i := turn + 1; i < rest.End; i++ {
		_, held := o.asked(t.Words[i].Fold)
		if held && !capital(t, i) && !denied[i] && i > turn+1 && (isCopula(t.Words[i-1].Fold) || isCopula(t.Words[i-2].Fold) && t.Words[i-1].Fold != "the") {
			return true
		}
	}
	if turn+1 >= rest.End {
		return false
	}
	switch t.Words[turn+1].Fold {
	case "its", "the", "his", "her", "their":
	default:
		return false
	}
	i, shared := turn+2, false
	for ; i < rest.End && !isCopula(t.Words[i].Fold) && t.Words[i].Fold != "was"; i++ {
		_, held := o.asked(t.Words[i].Fold)
		if shared = shared || held; !held && !evidence.Stop[t.Words[i].Fold] {
			return false
		}
	}
	for ; shared && i < rest.End && !denied[i]; i++ {
		if isDigit(t.Plain[t.Words[i].Start]) || o.foreign(t, i, evidence.Span{Start: turn, End: rest.End}) {
			return true
		}
	}
	return false
}

// believing are verbs and nouns of what somebody thinks to be so.
var believing = set("think thinks thought assumed supposed believe believes believed belief assume assumes assumption expect expects claim claims say says guess suppose imagine myth notion idea impression opinion")

// reputed are participles of what is said of something.
var reputed = set("said thought believed considered held supposed assumed reputed claimed called")

// limited reports whether one of the words says "only".
func limited(t *evidence.Text, from, to int) bool {
	for i := from; i < to; i++ {
		if limits[t.Words[i].Fold] {
			return true
		}
	}
	return false
}

// takenForm reports whether a word is one that the question takes for granted, in the singular or the plural.
func (o *refusal) takenForm(w string) bool {
	return o.taken[w] || o.taken[strings.TrimSuffix(w, "s")] || o.taken[strings.TrimSuffix(w, "es")] || o.taken[w+"s"]
}

// credits returns the sentence in which a text gives the thing to the name of the question and mentions the right name only beside it: "Hawking,
// building on Dawkins's ideas, argues", "Gates wrote it together with Torvalds", "Edison gets the credit, but it was Bell who invented it".
func (o *refusal) credits(t *evidence.Text) (evidence.Span, bool) {
	var rights []evidence.Span
	right := make([]bool, len(t.Words))
	for _, p := range o.repair {
		for _, m := range t.Find(p) {
			rights = append(rights, m)
			for i := m.Start; i < m.End; i++ {
				right[i] = true
			}
		}
	}
	if len(rights) == 0 {
		return evidence.Span{}, false
	}
	denied := deniedWords(t)
	wrong := func(i int) bool { // a name of the question
		return capital(t, i) && o.question[t.Words[i].Fold] && !evidence.Stop[t.Words[i].Fold] && !right[i] && !openers[t.Words[i].Fold]
	}
	for _, s := range t.Sentences {
		if s.Question {
			continue
		}
		for i := s.Words.Start + 2; i+1 < s.Words.End; i++ { // "it was Bell who …"
			if wrong(i) && !denied[i] && made(t, i+1) && relative[t.Words[i-1].Fold] && t.Words[i-1].Fold != "who" && t.Words[i-1].Clause != t.Words[max(i-2, 0)].Clause && o.subject(t, max(s.Words.Start, i-12), i-1) {
				return s.Words, true // "the book, which Hawking wrote in 1976, …"
			}
			if !wrong(i) || denied[i] || t.Words[i+1].Fold != "who" && t.Words[i+1].Fold != "that" {
				continue
			}
			k := i
			for k > s.Words.Start && wrong(k) {
				k--
			}
			if b := t.Words[k].Fold; (b == "was" || isCopula(b)) && k > s.Words.Start && t.Words[k-1].Fold == "it" {
				return s.Words, true
			}
		}
	}
	for _, m := range rights {
		s := t.Sentences[t.Words[m.Start].Sentence].Words
		beside := accompanies(t, m) || wrong(s.Start) && o.owns(t, m)
		if !beside || slices.Contains(denied[s.Start:s.End], true) {
			return evidence.Span{}, false
		}
	}
	return t.Sentences[t.Words[rights[0].Start].Sentence].Words, true
}

// making are verbs by which somebody is said to have made a thing.
var making = set("wrote published invented discovered developed created painted composed built designed formulated")

func made(t *evidence.Text, i int) bool {
	return making[t.Words[i].Fold] && t.Words[i].Clause == t.Words[i-1].Clause
}

// subject reports whether the words name the thing that the question asks about, or a kind of it.
func (o *refusal) subject(t *evidence.Text, from, to int) bool {
	for i := from; i < to; i++ {
		if _, held := o.asked(t.Words[i].Fold); held || t.Words[i].Fold == "book" || t.Words[i].Fold == "novel" || t.Words[i].Fold == "work" {
			return true
		}
	}
	return false
}

// succeeding are verbs of what somebody does with another's work.
var succeeding = set("repeated confirmed praised refined extended improved bought adopted continued admired cited perfected repeats confirms praises refines extends improves")

// owns reports whether a name is only the owner of something that the question does not ask about: "Bell heard of Edison's telegraph repeater and
// built …".
func (o *refusal) owns(t *evidence.Text, m evidence.Span) bool {
	if m.End+1 >= len(t.Words) || t.Words[m.End].Fold != "'s" || t.Words[m.End+1].Clause != t.Words[m.Start].Clause {
		return false
	}
	for k := m.End + 1; k < min(len(t.Words), m.End+4) && t.Words[k].Clause == t.Words[m.Start].Clause; k++ {
		if _, held := o.asked(t.Words[k].Fold); held {
			return false
		}
	}
	if m.Start > 0 {
		w := t.Words[m.Start-1].Fold
		return !isCopula(w) && w != "was"
	}
	return true
}

// accompanies reports whether a name stands beside another, as its company, its model or what its ideas were drawn from.
func accompanies(t *evidence.Text, m evidence.Span) bool {
	for k := m.End; k < min(len(t.Words), m.End+2) && t.Words[k].Clause == t.Words[m.Start].Clause; k++ {
		if succeeding[t.Words[k].Fold] {
			return true
		}
	}
	i := m.Start - 1
	for i >= 0 && t.Words[i].Clause == t.Words[m.Start].Clause && (capital(t, i) && i > t.Sentences[t.Words[i].Sentence].Words.Start || t.Words[i].Fold == "the" || t.Words[i].Fold == "and") {
		i--
	}
	if i < 0 || t.Words[i].Clause != t.Words[m.Start].Clause {
		return false
	}
	before := ""
	if i > 0 {
		before = t.Words[i-1].Fold
	}
	for k := i; k >= 0 && t.Words[k].Clause == t.Words[i].Clause; k-- {
		if w := t.Words[k].Fold; strings.HasPrefix(w, "confus") || strings.HasPrefix(w, "mix") || strings.HasPrefix(w, "mist") {
			return false
		}
	}
	switch t.Words[i].Fold {
	case "with":
		return before != "do" && before != "up"
	case "like", "alongside", "following":
		return before != "more" && before != "looks" && before != "sounds"
	case "on":
		return before == "building" || before == "drawing" || before == "based" || before == "relying"
	case "by":
		return before == "inspired" || before == "influenced" || before == "helped"
	case "which", "that", "as":
		return m.End < len(t.Words) && (t.Words[m.End].Fold == "later" || t.Words[m.End].Fold == "subsequently" || t.Words[m.End].Fold == "also")
	}
	return false
}
