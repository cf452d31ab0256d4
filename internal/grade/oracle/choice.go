package oracle

import (
	"fmt"
	"slices"

	"hallmark/internal/grade"
	"hallmark/internal/suite"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quantity"
	"hallmark/internal/text/reading"
)

// An option is one choice, with its words and its normal form.
type option struct {
	text      string
	words     []string
	form      string
	reference *answer.Reference
	number    quantity.Quantity // that the text is, if it is one
}

// choice accepts one of the case's options, named by its letter or its content. Options count by content:
// Reading.Order says which one a letter stood for.
type choice struct {
	*env
	right   map[int]bool
	options []option
	// denies: the question asks for what is not so, so that an option of which a text denies it is the one that it
	// gives
	denies bool
}

func (e *env) choice(s *suite.Oracle) (Oracle, error) {
	o := &choice{env: e, right: map[int]bool{}}
	refs := answer.NewReferences(e.c.Options, answer.Context{Question: e.c.Prompt})
	for i, text := range e.c.Options {
		number, _ := quantity.Parse(text)
		o.options = append(o.options, option{text, evidence.Phrase(text), answer.Normalize(answer.Normalized, text),
			refs[i], number})
	}
	o.denies = slices.ContainsFunc(evidence.Phrase(e.c.Prompt), func(w string) bool { return reading.Is(w, "negator") })
	if g := e.c.Gold.Option; g != nil {
		o.right[*g] = true
	}
	accept := s.Accept
	if len(accept) == 0 {
		accept = e.c.Gold.Texts
	}
	for _, a := range accept {
		i := o.same(a)
		if i < 0 {
			i = o.lettered(Reading{}, a)
		}
		if i < 0 {
			return nil, fmt.Errorf("the accepted answer %q is not among the options", a)
		}
		o.right[i] = true
	}
	if len(o.right) == 0 { // declining is right
		return e.refusal(&suite.Oracle{}), nil
	}
	return o, nil
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

func (o *choice) verdict(i int, ev string) Ruling {
	f := answered(fail("choice: another option", ev), o.options[i].text)
	if o.right[i] {
		f.Truth = pass("choice: the right option", ev)
	}
	f.Option = i
	return f
}

func (o *choice) Judge(r Reading) Ruling {
	if r.Option != nil {
		if i := *r.Option; i >= 0 && i < len(o.options) {
			return o.verdict(i, "the scores prefer "+quoted(o.options[i].text))
		}
		return unread("choice: no option is preferred", r.Text)
	}
	if i := o.same(r.Plain); i >= 0 {
		return o.verdict(i, quoted(o.options[i].text))
	}
	items, letter := o.items(r), o.lettered(r, r.Plain)
	if marked, ok := r.Text.Answer(); ok && letter < 0 {
		letter = o.lettered(r, r.Slice(marked))
	}
	if letter >= 0 && !o.withdrawn(letter, items) {
		return o.byLetter(r, letter, items)
	}
	s := o.look(r.Text, items)
	f := o.commits(r.Text, &s, "choice", "option", o.Golds()[0])
	it := s.bad
	if f.Truth.Verdict == grade.Pass {
		it = s.good
	}
	if it != nil && f.Act == grade.Answered && f.Decidability.Verdict == grade.Pass {
		f.Option, f.Answer = it.option, o.options[it.option].text
	}
	return f
}

// withdrawn reports whether a text names an option only to take it back or to deny it, "B. No, wait, it is A.", where
// that is not what the question asks for.
func (o *choice) withdrawn(option int, items []item) bool {
	named := slices.DeleteFunc(slices.Clone(items), func(it item) bool { return it.option != option })
	return len(named) > 0 && !slices.ContainsFunc(named, func(it item) bool {
		return it.asserts() || o.denies && it.stance == evidence.Denied
	})
}

// byLetter is the ruling of an answer that names an option by its letter. Its content, beside the letter, may be
// that of another.
func (o *choice) byLetter(r Reading, letter int, items []item) Ruling {
	named := slices.DeleteFunc(items, func(it item) bool { return it.letter || !it.asserts() })
	another := func(it item) bool { return it.option != named[0].option }
	if len(named) == 0 || slices.ContainsFunc(named, another) || named[0].option == letter ||
		named[0].words.Start > 3 || r.Words[named[0].words.Start].Sentence > 0 {
		return o.verdict(letter, quoted(r.Plain))
	}
	text := o.options[letter].text
	ev := fmt.Sprintf("the letter of %s, the words of %s", quoted(text), quoted(o.options[named[0].option].text))
	return twoAnswers(fail("choice: the letter and the content name different options", ev), text)
}

// lettered returns the option whose letter a text names, -1 where it names none.
func (o *choice) lettered(r Reading, text string) int {
	l, ok := answer.Letter(text)
	if !ok {
		return -1
	}
	return o.shown(r, int(l[0]-'a'))
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

// items returns where a text names an option: by its words, by its letter, or, where it does neither, by words that
// mean no other.
func (o *choice) items(r Reading) (items []item) {
	t := r.Text
	claims := reading.Claims(t, o.q)
	add := func(option int, words evidence.Span, letter bool) {
		if option < 0 || len(items) >= maxItems {
			return
		}
		it := item{words: words, role: roleOf(words, claims), stance: t.Stance(words), text: t.Slice(words),
			option: option, letter: letter, verdict: answer.Different, why: "another option"}
		if o.right[option] {
			it.verdict, it.why = answer.Same, "the right option"
		}
		items = append(items, it)
	}
	numbers := quantity.Scan(t.Plain)
	for i, opt := range o.options {
		for _, s := range opt.mentions(t, numbers) {
			add(i, s, false)
		}
	}
	for _, i := range o.letters(t) {
		add(o.shown(r, int(t.Words[i].Fold[0]-'a')), evidence.Span{Start: i, End: i + 1}, true)
	}
	for _, n := range numbers { // "so the third is right"
		if w := mention(t, n.Start, n.End).words; n.Ordinal && o.points(t, w) {
			add(o.shown(r, int(n.Value.Num().Int64())-1), w, true)
		}
	}
	// A mention inside that of a longer option is the longer one's.
	items = slices.DeleteFunc(slices.Clone(items), func(it item) bool {
		return slices.ContainsFunc(items, func(m item) bool {
			return m.words.Start <= it.words.Start && it.words.End <= m.words.End && m.words != it.words
		})
	})
	for _, c := range claims {
		overlaps := func(it item) bool { return it.words.Start < c.Words.End && c.Words.Start < it.words.End }
		if !slices.ContainsFunc(items, overlaps) {
			add(o.meant(t.Slice(c.Words)), c.Words, false)
		}
	}
	slices.SortStableFunc(items, func(a, b item) int { return a.words.Start - b.words.Start })
	together(t, items)
	return items
}

// together has a letter and the words of its option behind it, which are one mention, share their stance: "not B)
// Paris", "B) The Hague is wrong".
func together(t *evidence.Text, items []item) {
	for i := 1; i < len(items); i++ {
		a, b := &items[i-1], &items[i]
		gap := b.words.Start - a.words.End
		next := gap == 0 || gap == 1 && reading.Is(t.Fold(a.words.End), "article")
		if a.letter && a.option == b.option && next {
			a.stance = max(a.stance, b.stance)
			b.stance = a.stance
		}
	}
}

// mentions returns where a text with such numbers has the words of an option, or its number in another form: "six"
// for 6.
func (o *option) mentions(t *evidence.Text, numbers []quantity.Quantity) (all []evidence.Span) {
	if len(o.words) == 1 && evidence.IsStop(o.words[0]) { // the option "a" is not every "a" of the text
		return nil
	}
	all = places(t, numbers, o.number)
	for i := range t.Words[:max(0, len(t.Words)-len(o.words)+1)] {
		if !slices.ContainsFunc(all, func(s evidence.Span) bool {
			return s.Start <= i && i < s.End
		}) && o.stands(t.Words[i:]) {
			all = append(all, evidence.Span{Start: i, End: i + len(o.words)})
		}
	}
	return all
}

// stands reports whether words begin with those of the option, in the singular or plural.
func (o *option) stands(words []evidence.Word) bool {
	for i, w := range o.words {
		if f := words[i].Fold; f != w && f != w+"s" && f+"s" != w {
			return false
		}
	}
	return true
}

// meant returns the only option that words may name in a shorter or fuller form, -1 where none or several do.
func (o *choice) meant(words string) int {
	meant, value := -1, answer.Read(words)
	for i, opt := range o.options {
		if v, _ := opt.reference.CompareTo(value); v != answer.Same {
			continue
		}
		if meant >= 0 {
			return -1
		}
		meant = i
	}
	return meant
}

// points reports whether an ordinal in the last sentence stands for an option: "the third one", "the first is right".
func (o *choice) points(t *evidence.Text, w evidence.Span) bool {
	last := t.Sentences[len(t.Sentences)-1].Words
	if w.Start <= last.Start || w.End > last.End || t.Words[w.Start-1].Fold != "the" {
		return false
	}
	next := t.Fold(w.End)
	return w.End == last.End || t.Words[w.End].Clause != t.Words[w.Start].Clause || reading.Links(next) ||
		evidence.Listed("choices")[next]
}

// letters returns the words of a text that are letters of options. "A" is one where it does not stand before a word
// as an article does.
func (o *choice) letters(t *evidence.Text) (all []int) {
	for i, w := range t.Words {
		c := t.Plain[w.Start]
		if w.End-w.Start != 1 || c < 'A' || int(c-'A') >= len(o.options) {
			continue
		}
		if c == 'A' && i+1 < len(t.Words) && t.Words[i+1].Clause == w.Clause {
			if next := t.Words[i+1].Fold; !reading.Links(next) && !reading.Is(next, "joining") {
				continue
			}
		}
		all = append(all, i)
	}
	return all
}

// optionModel tells whether an option that a text names is the one that it gives: its classes are yes, no and unused.
var optionModel = newModel("option item", 1, 1, 1)

// The models of choices: for texts that name a right option, and for texts that do not.
var (
	optionPut    = newModel("option put", .60, .60, .60)
	optionAbsent = newModel("option absent", 2, .75, .60)
)

// look returns what a text puts forward, and what the model believes of it.
func (o *choice) look(t *evidence.Text, items []item) seen {
	denied := func(it item) bool { return it.stance == evidence.Denied }
	if o.denies && slices.ContainsFunc(items, denied) { // of what the question asks for the text denies something
		for i := range items {
			if denied(items[i]) {
				items[i].stance = evidence.Asserted
			} else if items[i].asserts() {
				items[i].stance = evidence.Denied
			}
		}
	}
	options := map[int]bool{}
	for i := range items {
		it := &items[i]
		if !it.asserts() {
			continue
		}
		options[it.option] = true
		it.x = append(append(it.place(t), is("letter", it.letter)), among(items, i)...)
		it.weigh(optionModel)
	}
	s := weigh(items)
	s.ask(t, optionPut, optionAbsent, append(s.features(t), many("options", len(options)),
		is("one option", len(options) == 1)))
	return s
}
