package evidence

import (
	_ "embed"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// A Sense is what a phrase, or a clause, shows.
type Sense uint8

// The senses of cues.
const (
	Unknown      Sense = iota // does not know
	NotFound                  // no such thing is found, or exists
	Insufficient              // the inputs do not say
	Refuses                   // will not, or must not
	Negates                   // denies what follows
	Emphasizes                // looks like a denial and is none: "not only"
	Contrasts                 // names what follows as something else than the answer: "instead of"
	Asserts                   // looks like a contrast and is none: "succeeded by"
	Hedges                    // commits to nothing firm
	Evades                    // commits to nothing at all
	Guesses                   // announces an assertion after a doubt
	Turns                     // ends the reach of a doubt or denial: "but"
	Corrects                  // withdraws what went before
	Marks                     // announces the answer
	Asks                      // asks the reader for information
	Ambiguous                 // says that the question has several readings
	Rejects                   // says that the premise is wrong
	Outside                   // appeals to knowledge outside the context
	Because                   // gives a reason
	Refers                    // sends the reader to somebody who knows
	nSenses
)

// A Cue is a phrase or a clause of a text that shows something.
type Cue struct {
	Sense Sense
	Words Span // indices into Words
}

// senseNames are the names of the cues' senses in lexicon.txt.
var senseNames = strings.Fields("unknown not-found insufficient refuses negates emphasizes contrasts asserts hedges evades guesses turns corrects marks asks ambiguous rejects outside because refers")

// A lexeme is a set of senses that a word has as a part of a clause. The last five are those of a clause, which no word has by itself.
type lexeme uint64

const (
	me, person, you, source, negation, none, nobody, pronoun lexeme = 1 << (8 * iota), 2 << (8 * iota), 4 << (8 * iota), 8 << (8 * iota),
		16 << (8 * iota), 32 << (8 * iota), 64 << (8 * iota), 128 << (8 * iota)
	modal, copula, singular, past, do, have, adverb, particle
	infinitive, would, joins, relative, wh, there, opines, causes
	know, find, exist, fake, tell, say, answers, info
	record, such, namesake, right, wrong, premise, mistake, rest
	deed, confuse, unsure, unsaid, impossible, lack, doubt, decline
	look, need, urge, plea, clarify, mean, aside, bid
	opens, admits, speaker, bare, passive, current, followed, _
)

// lexemeNames are the names of the lexemes' senses in lexicon.txt, in the order of the bits.
var lexemeNames = strings.Fields("me person you source negation none nobody pronoun modal copula singular past do have adverb particle infinitive would joins relative wh there say-so causes " +
	"know find exist fake tell say answer info record such namesake true false premise mistake rest deed confuse unsure unsaid impossible lack doubt decline look need urge plea clarify mean aside bid opens admits")

//go:embed lexicon.txt
var lexiconText string

// senses are the words and phrases of lexicon.txt by their senses.
var senses = func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for n, line := range strings.Split(lexiconText, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		name, words, ok := strings.Cut(line, ": ")
		if !ok {
			panic(fmt.Sprintf("evidence: lexicon.txt:%d: want a sense, a colon and words", n+1))
		}
		for _, w := range strings.Split(words, ", ") {
			if all[name] == nil {
				all[name] = map[string]bool{}
			}
			all[name][w] = true
		}
	}
	return all
}()

// Listed returns the words and phrases of a sense, as lexicon.txt writes them. It panics where there are none, and nobody may change it.
func Listed(sense string) map[string]bool {
	if senses[sense] == nil {
		panic("evidence: lexicon.txt has no " + sense)
	}
	return senses[sense]
}

// ordered returns what Listed does as a list.
func ordered(sense string) []string { return slices.Sorted(maps.Keys(Listed(sense))) }

// named returns what words stand for whose senses begin with a prefix: the rest of the sense's name.
func named(prefix string) map[string]string {
	m := map[string]string{}
	for name, words := range senses {
		if full, ok := strings.CutPrefix(name, prefix); ok {
			for w := range words {
				m[w] = full
			}
		}
	}
	return m
}

// What a word or phrase may be.
type meaning struct {
	is    lexeme
	shows uint32 // a bit for each Sense
}

type phrase struct {
	rest []string // the words behind the first
	meaning
}

type entry struct {
	meaning
	phrases []phrase // that begin with the word, longest first
}

// lexicon holds what a clause is composed of, by the first word.
var lexicon = func() map[string]*entry {
	lex := map[string]*entry{}
	for i, name := range senseNames {
		for w := range senses[name] {
			enter(lex, w, meaning{shows: 1 << i})
		}
	}
	for i, name := range lexemeNames {
		for w := range Listed(name) {
			enter(lex, w, meaning{is: 1 << i})
		}
	}
	for _, e := range lex {
		slices.SortFunc(e.phrases, func(a, b phrase) int { return len(b.rest) - len(a.rest) })
	}
	return lex
}()

// enter adds a sense to a word or phrase.
func enter(lex map[string]*entry, text string, m meaning) {
	t := &Text{Plain: text}
	t.split()
	forms := []string{text} // the rest of a contraction, "'s", is no word by itself
	if text[0] != '\'' {
		forms = t.forms()
	}
	e := lex[forms[0]]
	if e == nil {
		e = &entry{}
		lex[forms[0]] = e
	}
	to := &e.meaning
	if len(forms) > 1 {
		at := slices.IndexFunc(e.phrases, func(p phrase) bool { return slices.Equal(p.rest, forms[1:]) })
		if at < 0 {
			at = len(e.phrases)
			e.phrases = append(e.phrases, phrase{rest: forms[1:]})
		}
		to = &e.phrases[at].meaning
	}
	to.is, to.shows = to.is|m.is, to.shows|m.shows
}

// A token is a word or fixed phrase with its senses.
type token struct {
	meaning
	start, end int // indices into Words
	clause     int32
}

// read makes the tokens of a sentence. The longest phrase at a place counts; adverbs may stand inside it.
func (c *composer) read(in Span) {
	c.entries, c.tokens = c.entries[:0], c.tokens[:0]
	words := c.t.Words[in.Start:in.End]
	for i := range words {
		e := lexicon[words[i].Fold]
		if e == nil {
			e = &unlisted
		}
		c.entries = append(c.entries, e)
	}
	for i := 0; i < len(words); {
		e := c.entries[i]
		tk := token{e.meaning, in.Start + i, in.Start + i + 1, words[i].Clause}
		for p := range e.phrases {
			if end := c.holds(e.phrases[p].rest, words, i+1); end > 0 {
				tk.meaning, tk.end = e.phrases[p].meaning, in.Start+end
				break
			}
		}
		c.tokens = append(c.tokens, tk)
		i = tk.end - in.Start
	}
}

var (
	unlisted   entry
	contracted = named("contracted ") // verbs that a rest of a contraction may be short for
)

// holds returns where the phrase ends that stands at i; 0 where it does not.
func (c *composer) holds(phrase []string, words []Word, i int) int {
	for skipped := 0; i < len(words); i++ {
		if fold := words[i].Fold; fold == phrase[0] || contracted[fold] == phrase[0] {
			if phrase, skipped = phrase[1:], 0; len(phrase) == 0 {
				return i + 1
			}
		} else if skipped++; skipped > 2 || c.entries[i].is&adverb == 0 {
			break
		}
	}
	return 0
}

// Cue returns the first cue of one of the senses within a range of words.
func (t *Text) Cue(in Span, senses ...Sense) (Cue, bool) {
	var wanted uint32
	for _, s := range senses {
		wanted |= 1 << s
	}
	for _, c := range t.Cues {
		if c.Words.Start >= in.End {
			break
		}
		if c.Words.Start >= in.Start && wanted>>c.Sense&1 != 0 {
			return c, true
		}
	}
	return Cue{}, false
}

// first returns the lowest of a set of senses.
func (m meaning) first() Sense { return Sense(bits.TrailingZeros32(m.shows)) }
