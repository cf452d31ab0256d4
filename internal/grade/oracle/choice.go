package oracle

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/answer"
	"hallmark/internal/evidence"
	"hallmark/internal/suite"
)

// choice accepts one of the case's options, named by its letter or by its content. Options count by content: Reading.Order says which
// one a letter stood for.
type choice struct {
	*env
	right   map[int]bool
	options []target
	forms   []string
}

func (e *env) choice(s *suite.Oracle) (Oracle, error) {
	if len(e.c.Options) == 0 {
		return nil, errors.New("a choice oracle needs options of the case")
	}
	o := &choice{env: e, right: map[int]bool{}}
	for _, text := range e.c.Options {
		t := target{text: text, words: evidence.Phrase(text)}
		o.options = append(o.options, t)
		o.forms = append(o.forms, answer.Normalize(answer.Normalized, text))
	}
	if g := e.c.Gold.Option; g != nil {
		if *g < 0 || *g >= len(e.c.Options) {
			return nil, fmt.Errorf("gold option %d is not among the %d options", *g, len(e.c.Options))
		}
		o.right[*g] = true
	}
	accept := s.Accept
	if len(accept) == 0 {
		accept = e.c.Gold.Texts
	}
	for _, a := range accept {
		i, ok := o.option(a)
		if !ok {
			return nil, fmt.Errorf("the accepted answer %q is not among the options", a)
		}
		o.right[i] = true
	}
	if len(o.right) == 0 && e.c.Decline {
		return e.refusal(&suite.Oracle{}), nil
	}
	if len(o.right) == 0 {
		return nil, fmt.Errorf("a choice oracle needs accept:, or a gold")
	}
	return o, nil
}

// option finds a gold among the options: by its words, else by its letter.
func (o *choice) option(s string) (int, bool) {
	form := answer.Normalize(answer.Normalized, s)
	for i, f := range o.forms {
		if f == form {
			return i, true
		}
	}
	if l, ok := answer.Letter(s); ok {
		if i := int(l[0] - 'a'); i < len(o.options) {
			return i, true
		}
	}
	return 0, false
}

func (o *choice) Answerable() bool { return true }

func (o *choice) Golds() []string {
	var golds []string
	for i, t := range o.options {
		if o.right[i] {
			golds = append(golds, t.text)
		}
	}
	return golds
}

func (o *choice) verdict(i int, ev string) Finding {
	var f Finding
	if o.right[i] {
		f = answered(pass("choice: the right option", ev), o.options[i].text)
	} else {
		f = answered(fail("choice: another option", ev), o.options[i].text)
	}
	f.Option = i
	return f
}

func (o *choice) Judge(r Reading) Finding {
	if r.Option != nil {
		if i := *r.Option; i >= 0 && i < len(o.options) {
			return o.verdict(i, "the scores prefer "+quoted(o.options[i].text))
		}
		return unread("choice: no option is preferred", r.Text)
	}
	if len(r.Words) == 0 && !o.named(r.Plain) {
		return unread("an empty answer", r.Text)
	}
	form := answer.Normalize(answer.Normalized, r.Plain)
	for i, f := range o.forms {
		if f == form && f != "" {
			return o.verdict(i, quoted(o.options[i].text))
		}
	}
	letter, byLetter := o.letter(r)
	content, firm, several, foremost := o.content(r)
	switch {
	case byLetter && content >= 0 && content != letter && firm && !several && o.beside(r.Text, content):
		f := answered(fail("choice: the letter and the content name different options",
			fmt.Sprintf("the letter of %s, the words of %s", quoted(o.options[letter].text), quoted(o.options[content].text))), o.options[content].text)
		f.Decidability = fail("incoherent: the letter and the content name different options", f.Truth.Evidence)
		return f
	case byLetter:
		return o.verdict(letter, quoted(r.Plain))
	}
	if ev, ok := o.severalLetters(r); ok {
		return hedged(ev)
	}
	switch {
	case several && foremost >= 0:
		return o.verdict(foremost, quoted(o.options[foremost].text)+" in "+quoted(r.Plain))
	case several:
		return hedged(quoted(r.Plain))
	case content < 0:
		if i, ok := o.loneLetter(r); ok {
			return o.verdict(i, quoted(r.Plain))
		}
	default:
		return o.verdict(content, quoted(o.options[content].text)+" in "+quoted(r.Plain))
	}
	if f, ok := o.withheld(r.Text); ok {
		return f
	}
	if c, ok := evades(r.Text); ok {
		return hedged(cueEvidence(r.Text, c))
	}
	return unread("choice: names none of the options", r.Text)
}

// named reports whether a text without a word is the text of an option, such as "≠".
func (o *choice) named(s string) bool {
	form := answer.Normalize(answer.Normalized, s)
	for _, f := range o.forms {
		if f == form && f != "" {
			return true
		}
	}
	return false
}

// letter returns the option that the answer names by its letter.
func (o *choice) letter(r Reading) (int, bool) {
	at := func(l byte) (int, bool) { return o.shown(r, l) }
	if s, ok := r.Answer(); ok {
		w := r.Words[s.Start]
		if len(w.Fold) > 1 && (w.Fold == "option" || w.Fold == "choice") && s.Start+1 < s.End {
			w = r.Words[s.Start+1]
		}
		after := strings.TrimLeft(r.Plain[w.End:min(len(r.Plain), w.End+4)], "*\"'")
		closed := after == "" || strings.ContainsRune(").:,;]\n!", rune(after[0])) || s.End == s.Start+1
		c := r.Plain[w.Start]
		if len(w.Fold) == 1 && (closed || c >= 'A' && c <= 'Z' && c != 'I' && c != 'A') {
			return at(c)
		}
	}
	head := r.Plain
	if len(head) > 4096 { // the letter is named at the beginning or at the end
		head = head[:2048] + "\n" + head[len(head)-2048:]
	}
	if ev, ok := o.severalLetters(r); ok && ev != "" {
		return 0, false
	}
	if l, ok := answer.Letter(head); ok {
		return at(l[0])
	}
	if l, ok := saidLetter(r.Text); ok {
		return at(l)
	}
	return 0, false
}

// saidLetter reads a capital that prose gives as its answer: in front of "because", "as" and "since", behind "so", before "is right", or alone
// in the last sentence.
func saidLetter(t *evidence.Text) (byte, bool) {
	lone := func(i int) bool {
		w := t.Words[i]
		return w.End-w.Start == 1 && isCapital(t.Plain[w.Start]) && w.Fold != "i"
	}
	word := func(i int) string {
		if i >= 0 && i < len(t.Words) {
			return t.Words[i].Fold
		}
		return ""
	}
	n := len(t.Words)
	if last := t.Sentences[len(t.Sentences)-1].Words; last.End-last.Start == 1 && lone(last.Start) {
		return t.Plain[t.Words[last.Start].Start], true
	}
	if lone(0) && n > 1 && t.Words[1].Clause != t.Words[0].Clause {
		rest := strings.TrimLeft(t.Plain[t.Words[0].End:], " ")
		for _, dash := range []string{"–", "—", "- "} {
			if strings.HasPrefix(rest, dash) {
				return t.Plain[t.Words[0].Start], true
			}
		}
		switch word(1) {
		case "because", "as", "since", "for", "which":
			return t.Plain[t.Words[0].Start], true
		}
	}
	for i := n - 1; i > 0; i-- {
		if !lone(i) {
			continue
		}
		switch {
		case (word(i+1) == "is" || word(i+1) == "'s") && (word(i+2) == "right" || word(i+2) == "correct" || word(i+2) == "true" || word(i+2) == "it"):
			return t.Plain[t.Words[i].Start], true
		case (concluding[word(i-1)] || i <= 3 && (word(i-1) == "is" || word(i-1) == "'s")) && (i+1 == n || t.Words[i+1].Clause != t.Words[i].Clause):
			return t.Plain[t.Words[i].Start], true
		}
	}
	return 0, false
}

// shown returns the option that stood at a letter.
func (o *choice) shown(r Reading, l byte) (int, bool) {
	i := int(l|0x20) - 'a'
	if i < 0 || i >= len(o.options) {
		return 0, false
	}
	if r.Order != nil {
		if i >= len(r.Order) {
			return 0, false
		}
		i = r.Order[i]
	}
	return i, true
}

// loneLetter reads a letter that nothing announces: in brackets in front, "(a), because …", or the only capital that stands alone and
// is no word of English, "I would go with C".
func (o *choice) loneLetter(r Reading) (int, bool) {
	if len(r.Words) == 0 {
		return 0, false
	}
	if w := r.Words[0]; len(w.Fold) == 1 && w.End < len(r.Plain) && r.Plain[w.End] == ')' {
		return o.shown(r, r.Plain[w.Start])
	}
	var letter byte
	for _, w := range r.Words {
		if c := r.Plain[w.Start]; w.End-w.Start == 1 && isCapital(c) && c != 'A' && c != 'I' {
			if letter != 0 && letter != c {
				return 0, false
			}
			letter = c
		}
	}
	if letter == 0 {
		return 0, false
	}
	return o.shown(r, letter)
}

// severalLetters reports whether "or" stands between two letters: "either A or B".
func (o *choice) severalLetters(r Reading) (string, bool) {
	for i := 1; i+1 < len(r.Words); i++ {
		if r.Words[i].Fold != "or" {
			continue
		}
		a, b := r.Words[i-1], r.Words[i+1]
		if len(a.Fold) == 1 && len(b.Fold) == 1 && isCapital(r.Plain[a.Start]) && isCapital(r.Plain[b.Start]) {
			return quoted(r.Slice(evidence.Span{Start: i - 1, End: i + 2})), true
		}
	}
	return "", false
}

func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' }

// content returns the option whose words the answer puts forward, -1 if none; several where it puts forward more than one, of which foremost
// is the one that it prefers, -1 if none.
func (o *choice) content(r Reading) (option int, firm, several bool, foremost int) {
	option, foremost = -1, -1
	var all []mention
	marked, isMarked := r.Answer()
	for i := range o.options {
		t := &o.options[i]
		if len(t.words) == 0 {
			continue
		}
		for _, s := range r.Find(t.words) {
			if o.signed(r.Text, i, s) {
				all = append(all, mention{t, s, 0})
			}
		}
	}
	all = outside(all, all)
	if isMarked {
		if in := inside(append([]mention{}, all...), marked); len(in) > 0 {
			all = in
		}
	}
	for i := range all {
		all[i].stance = r.Stance(all[i].words)
		if all[i].stance == evidence.Asserted && o.related(r.Text, all[i].words) {
			all[i].stance = evidence.Contrasted
		}
		if o.question["not"] {
			all[i].stance = o.turned(r.Text, all[i])
		}
	}
	settle(all)
	index := func(t *target) int {
		for i := range o.options {
			if &o.options[i] == t {
				return i
			}
		}
		return -1
	}
	uncertain := -1
	for _, m := range all {
		i := index(m.target)
		switch m.stance {
		case evidence.Asserted:
			if option >= 0 && option != i {
				several = true
			}
			option, firm = i, true
		case evidence.Uncertain:
			if uncertain >= 0 && uncertain != i {
				several = true
			}
			uncertain = i
		}
	}
	if option < 0 {
		option = uncertain
	} else if uncertain >= 0 && uncertain != option {
		several = true
	}
	if several && uncertain < 0 {
		if m := o.foremost(r.Text, all); m != nil {
			foremost = index(m.target)
		}
	}
	return option, firm, several, foremost
}

// signed reports whether a mention of the words of the i-th option has the option's sign, where another option has the same words with the other
// sign or the option opens with a minus: "-cos x" is no mention of "cos x".
func (o *choice) signed(t *evidence.Text, i int, s evidence.Span) bool {
	minus := func(text string) bool { return strings.HasPrefix(text, "-") || strings.HasPrefix(text, "−") }
	want, matters := minus(o.options[i].text), minus(o.options[i].text)
	for k := range o.options {
		matters = matters || k != i && minus(o.options[k].text) && slices.Equal(o.options[k].words, o.options[i].words)
	}
	if !matters {
		return true
	}
	before := strings.TrimRight(t.Plain[max(0, t.Words[s.Start].Start-6):t.Words[s.Start].Start], " $(")
	return want == (strings.HasSuffix(before, "-") || strings.HasSuffix(before, "−")) || want && t.Plain[t.Words[s.Start].Start] == '-'
}

// turned returns the stance of a mention where the question asks which option is not so: "21 is not prime" names 21 as the answer, and "19 is
// prime" sets it aside.
func (o *choice) turned(t *evidence.Text, m mention) evidence.Stance {
	word := func(i int) string {
		if i < len(t.Words) && t.Words[i].Sentence == t.Words[m.words.Start].Sentence {
			return t.Words[i].Fold
		}
		return ""
	}
	said := func(i int) bool { // a word of the question, behind an article
		for word(i) == "a" || word(i) == "an" || word(i) == "the" || word(i) == "always" {
			i++
		}
		_, asked := o.asked(word(i))
		return word(i) != "" && asked
	}
	i := m.words.End
	switch word(i) {
	case "is", "'s", "are", "was", "does", "do", "did", "can":
	default:
		return m.stance
	}
	switch {
	case (word(i+1) == "not" || word(i+1) == "no") && said(i+2):
		if m.stance == evidence.Denied || m.stance == evidence.Asserted {
			return evidence.Asserted
		}
	case said(i+1) && m.stance == evidence.Asserted:
		return evidence.Denied
	}
	return m.stance
}

// foremost returns, of options that are all asserted, the mention that a text puts forward above the others: by a conclusion or the words of the
// question in its clause; nil where two do so alike, or where it says that both hold.
func (o *choice) foremost(t *evidence.Text, all []mention) *mention {
	best, second := -1, -100
	weights := map[*target]int{}
	for i := range all {
		m := &all[i]
		if m.stance != evidence.Asserted {
			continue
		}
		s := t.Sentences[t.Words[m.words.Start].Sentence].Words
		for k := s.Start; k < s.End; k++ {
			if w := t.Words[k].Fold; alsoMarks[w] || w == "or" || w == "either" {
				return nil
			}
		}
		w := o.weight(t, *m)
		if m.words.Start == s.Start+1 && s.Start == 0 && evidence.Stop[t.Words[0].Fold] {
			w++ // behind an article
		}
		if old, seen := weights[m.target]; !seen || w > old {
			weights[m.target] = w
		}
		if best < 0 || w > weights[all[best].target] {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	for target, w := range weights {
		if target != all[best].target {
			second = max(second, w)
		}
	}
	if w := weights[all[best].target]; w <= second || w < 0 || w == 0 && second >= 0 {
		return nil
	}
	return &all[best]
}

// beside reports whether the words of the option stand right behind the letter, as in "B) Lyon", so that they must agree.
func (o *choice) beside(t *evidence.Text, option int) bool {
	for _, s := range t.Find(o.options[option].words) {
		if s.Start > 0 && s.Start <= 6 && len(t.Words[s.Start-1].Fold) == 1 {
			return true
		}
	}
	return false
}
