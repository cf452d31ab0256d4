package oracle

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"hallmark/internal/answer"
	"hallmark/internal/evidence"
	"hallmark/internal/reading"
	"hallmark/internal/suite"
)

// An option is one choice, with its words and its normal form.
type option struct {
	text  string
	words []string
	form  string
}

// choice accepts one of the case's options, named by its letter or by its content. Options count by content: Reading.Order
// says which one a letter stood for.
type choice struct {
	*env
	right   map[int]bool
	options []option
	// denies: the question asks for what is not so, so that an option of which a text denies it is the one that it gives
	denies bool
}

func (e *env) choice(s *suite.Oracle) (Oracle, error) {
	if len(e.c.Options) == 0 {
		return nil, errors.New("a choice oracle needs options of the case")
	}
	o := &choice{env: e, right: map[int]bool{}}
	for _, text := range e.c.Options {
		o.options = append(o.options, option{text, evidence.Phrase(text), answer.Normalize(answer.Normalized, text)})
	}
	o.denies = slices.ContainsFunc(evidence.Phrase(e.c.Prompt), reading.Negates)
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
	if i := o.same(s); i >= 0 {
		return i, true
	}
	if l, ok := answer.Letter(s); ok {
		if i := int(l[0] - 'a'); i < len(o.options) {
			return i, true
		}
	}
	return 0, false
}

// same returns the option that a text is, -1 where it is none.
func (o *choice) same(s string) int {
	form := answer.Normalize(answer.Normalized, s)
	return slices.IndexFunc(o.options, func(opt option) bool { return form != "" && opt.form == form })
}

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
	f := answered(fail("choice: another option", ev), o.options[i].text)
	if o.right[i] {
		f.Truth = pass("choice: the right option", ev)
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
	if i := o.same(r.Plain); i >= 0 {
		return o.verdict(i, quoted(o.options[i].text))
	}
	if len(r.Words) == 0 {
		return unread("an empty answer", r.Text)
	}
	named := o.named(r.Text)
	letter, ok := o.concluded(r)
	if !ok {
		letter, ok = o.letter(r)
	}
	if ok {
		return o.byLetter(r, letter, named)
	}
	alternatives := len(named) > 1 && o.alternative(r.Text, named[0].words)
	if len(named) == 1 || len(named) > 1 && !alternatives && named[1].role > named[0].role {
		if _, ok := r.Declines(); ok && named[0].role == mentioned {
			return unread("choice: an option is named in a text that declines", r.Text)
		}
		return o.verdict(named[0].option, quoted(o.options[named[0].option].text)+" in "+quoted(r.Plain))
	}
	if letter, ok := o.mentioned(r); ok {
		return o.verdict(letter, quoted(r.Plain))
	}
	if len(named) > 0 && !alternatives {
		return unread("choice: several options are named", r.Text)
	}
	return o.undecided(r)
}

// undecided is the finding of an answer that names no option, or two without choosing.
func (o *choice) undecided(r Reading) Finding {
	letters := o.letters(r.Text)
	if f, ok := o.withheld(r.Text); ok && len(letters) == 0 {
		return f
	}
	if len(letters) == 2 && o.alternative(r.Text, evidence.Span{Start: letters[0], End: letters[0] + 1}) {
		return hedged(quoted(r.Plain))
	}
	return unread("choice: no option is named", r.Text)
}

// byLetter is the finding of an answer that names an option by its letter. Its content, beside the letter, may be that of
// another.
func (o *choice) byLetter(r Reading, letter int, named []namedOption) Finding {
	if len(named) != 1 || named[0].option == letter || r.Words[named[0].words.Start].Sentence > 0 || named[0].words.Start > 3 {
		return o.verdict(letter, quoted(r.Plain))
	}
	ev := fmt.Sprintf("the letter of %s, the words of %s", quoted(o.options[letter].text), quoted(o.options[named[0].option].text))
	f := answered(fail("choice: the letter and the content name different options", ev), o.options[letter].text)
	f.Decidability = fail("two answers to one question", ev)
	return f
}

// letter returns the option whose letter an answer names, as Letter reads it out of what the text marks, or out of the whole
// of it.
func (o *choice) letter(r Reading) (int, bool) {
	places := []string{r.Plain}
	if s, ok := r.Text.Answer(); ok {
		places = append(places, r.Slice(s))
	}
	for _, p := range places {
		if l, ok := answer.Letter(p); ok {
			if i := o.shown(r, int(l[0]-'a')); i >= 0 {
				return i, true
			}
		}
	}
	return 0, false
}

// letters returns the words of a text that are letters of options. "A" is one where it does not stand before a word as an
// article does.
func (o *choice) letters(t *evidence.Text) (all []int) {
	for i, w := range t.Words {
		c := t.Plain[w.Start]
		if w.End-w.Start != 1 || c < 'A' || int(c-'A') >= len(o.options) {
			continue
		}
		article := false
		if c == 'A' && i+1 < len(t.Words) && t.Words[i+1].Clause == w.Clause {
			next := t.Words[i+1].Fold
			article = !reading.Links(next) && !reading.Joins(next)
		}
		if !article {
			all = append(all, i)
		}
	}
	return all
}

// mentioned returns the option whose letter stands somewhere in a text, if it is the only one, or the only one behind "is".
func (o *choice) mentioned(r Reading) (int, bool) {
	all := o.letters(r.Text)
	bare := func(i int) bool { return i == 0 || !reading.IsCopula(r.Words[i-1].Fold) }
	if is := slices.DeleteFunc(slices.Clone(all), bare); len(is) > 0 {
		all = is
	}
	return o.only(r, all)
}

// concluded returns the option whose letter is the only one in the last sentence that has any, where that draws a conclusion.
func (o *choice) concluded(r Reading) (int, bool) {
	all := o.letters(r.Text)
	if len(all) == 0 {
		return 0, false
	}
	last := r.Sentences[r.Words[all[len(all)-1]].Sentence].Words.Start
	if !reading.Concludes(r.Words[last].Fold) {
		return 0, false
	}
	return o.only(r, slices.DeleteFunc(all, func(i int) bool { return i < last }))
}

// only returns the option whose letter all of the words are, where "or" joins none to another.
func (o *choice) only(r Reading, letters []int) (int, bool) {
	for _, i := range letters {
		if r.Words[i].Fold != r.Words[letters[0]].Fold || o.alternative(r.Text, evidence.Span{Start: i, End: i + 1}) {
			return 0, false
		}
	}
	if len(letters) == 0 {
		return 0, false
	}
	option := o.shown(r, int(r.Words[letters[0]].Fold[0]-'a'))
	return option, option >= 0
}

// shown returns the option that stood at a place of the list, -1 where none did.
func (o *choice) shown(r Reading, place int) int {
	switch {
	case place < 0 || place >= len(o.options):
		return -1
	case r.Order == nil:
		return place
	case place < len(r.Order):
		return r.Order[place]
	}
	return -1
}

// A namedOption is an option whose words an answer asserts, and the strongest role in which it does.
type namedOption struct {
	option int
	role   reading.Role
	words  evidence.Span
}

// named returns the options that a text asserts by their words, the strongest role first. A mention inside that of a longer
// option is the longer one's.
func (o *choice) named(t *evidence.Text) (all []namedOption) {
	claims := reading.Claims(t, o.q)
	var found, denied []namedOption
	for i, opt := range o.options {
		for _, s := range t.Find(opt.words) {
			n := namedOption{i, mentioned, s}
			for _, c := range claims {
				if c.Words.Start <= s.Start && s.End <= c.Words.End && c.Role < n.role {
					n.role = c.Role
				}
			}
			switch t.Stance(s) {
			case evidence.Asserted, evidence.Uncertain:
				found = append(found, n)
			case evidence.Denied:
				denied = append(denied, n)
			}
		}
	}
	if o.denies && len(denied) > 0 {
		found = denied
	}
	slices.SortStableFunc(found, func(a, b namedOption) int { return cmp.Or(cmp.Compare(a.role, b.role), a.option-b.option) })
	for _, n := range found {
		beaten := func(m namedOption) bool {
			return m.words.Start <= n.words.Start && n.words.End <= m.words.End && m.words.End-m.words.Start > n.words.End-n.words.Start
		}
		known := func(m namedOption) bool { return m.option == n.option }
		if !slices.ContainsFunc(found, beaten) && !slices.ContainsFunc(all, known) {
			all = append(all, n)
		}
	}
	return all
}

// alternative reports whether "or" joins words to others.
func (o *choice) alternative(t *evidence.Text, words evidence.Span) bool {
	return t.Alternative(words)
}
