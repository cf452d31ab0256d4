package oracle

import (
	"errors"
	"fmt"
	"hallmark/internal/answer"
	"hallmark/internal/evidence"
	"hallmark/internal/reading"
	"hallmark/internal/suite"
	"slices"
)

// An option is one choice, with its words.
type option struct {
	text  string
	words []string
}

// choice accepts one of the case's options, named by its letter or by its content. Options count by content: Reading.Order says which
// one a letter stood for.
type choice struct {
	*env
	right   map[int]bool
	options []option
	q       *reading.Question
	forms   []string
}

func (e *env) choice(s *suite.Oracle) (Oracle, error) {
	if len(e.c.Options) == 0 {
		return nil, errors.New("a choice oracle needs options of the case")
	}
	o := &choice{env: e, right: map[int]bool{}, q: reading.NewQuestion(e.c.Prompt)}
	for _, text := range e.c.Options {
		o.options = append(o.options, option{text, evidence.Phrase(text)})
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
	form := answer.Normalize(answer.Normalized, r.Plain)
	for i, f := range o.forms {
		if f == form && f != "" {
			return o.verdict(i, quoted(o.options[i].text))
		}
	}
	if len(r.Words) == 0 {
		return unread("an empty answer", r.Text)
	}
	letter, byLetter := o.letter(r)
	named := o.named(r.Text)
	switch {
	case byLetter && len(named) == 1 && named[0].option != letter && o.joined(r.Text, named[0]):
		f := answered(fail("choice: the letter and the content name different options", fmt.Sprintf("the letter of %s, the words of %s", quoted(o.options[letter].text), quoted(o.options[named[0].option].text))), o.options[letter].text)
		f.Decidability = fail("two answers to one question", f.Truth.Evidence)
		return f
	case byLetter:
		return o.verdict(letter, quoted(r.Plain))
	case len(named) == 0 || o.alternatives(r.Text, named):
		if f, ok := o.withheld(r.Text); ok && !o.weighs(r.Text) {
			return f
		}
		return unread("choice: no option is named", r.Text)
	case len(named) == 1 || named[1].role > named[0].role:
		if _, ok := r.Declines(); ok && named[0].role == mentioned {
			return unread("choice: an option is named in a text that declines", r.Text)
		}
		return o.verdict(named[0].option, quoted(o.options[named[0].option].text)+" in "+quoted(r.Plain))
	}
	return unread("choice: several options are named", r.Text)
}

// letter returns the option whose letter an answer names, by the order in which options were shown: as Letter reads it out of the whole text,
// what the text marks, its first line or its bold words.
func (o *choice) letter(r Reading) (int, bool) {
	places := []string{r.Plain}
	if s, ok := r.Text.Answer(); ok {
		places = append(places, r.Slice(s))
	}
	for _, b := range r.Bold {
		places = append(places, r.Plain[b.Start:b.End])
	}
	if len(r.Sentences) > 0 {
		places = append(places, r.Sentence(0))
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

// named returns the options that a text asserts by their words, the strongest role first. A mention inside that of a longer option is the
// longer one's.
func (o *choice) named(t *evidence.Text) (all []namedOption) {
	claims := reading.Claims(t, o.q)
	var found []namedOption
	for i, opt := range o.options {
		for _, s := range t.Find(opt.words) {
			if t.Stance(s) > evidence.Uncertain {
				continue
			}
			n := namedOption{i, mentioned, s}
			for _, c := range claims {
				if c.Words.Start <= s.Start && s.End <= c.Words.End && c.Role < n.role {
					n.role = c.Role
				}
			}
			found = append(found, n)
		}
	}
	best := map[int]namedOption{}
	for _, n := range found {
		longer := slices.ContainsFunc(found, func(m namedOption) bool {
			return m.option != n.option && m.words.Start <= n.words.Start && n.words.End <= m.words.End && len(o.options[m.option].words) > len(o.options[n.option].words)
		})
		if b, ok := best[n.option]; !longer && (!ok || n.role < b.role) {
			best[n.option] = n
		}
	}
	for i := range o.options {
		if n, ok := best[i]; ok {
			all = append(all, n)
		}
	}
	slices.SortStableFunc(all, func(a, b namedOption) int { return int(a.role) - int(b.role) })
	return all
}

// joined reports whether the content stands in the first sentence, beside the letter.
func (o *choice) joined(t *evidence.Text, n namedOption) bool {
	return t.Words[n.words.Start].Sentence == 0 && n.words.Start <= 3
}

// alternatives reports whether "or" stands between the two options named first.
func (o *choice) alternatives(t *evidence.Text, named []namedOption) bool {
	alt := t.Alternative(named[0].words)
	return alt && len(named) > 1
}

// weighs reports whether a text names an option by its letter somewhere, so that what cannot be inferred is said of an option.
func (o *choice) weighs(t *evidence.Text) bool {
	return slices.ContainsFunc(t.Words, func(w evidence.Word) bool {
		c := t.Plain[w.Start]
		return w.End-w.Start == 1 && c >= 'A' && int(c-'A') < len(o.options) && (c != 'A' || w.End == len(t.Plain) || t.Plain[w.End] != ' ')
	})
}
