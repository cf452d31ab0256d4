package evidence

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// A Sense is what a phrase, or a clause, shows.
type Sense uint8

const (
	Nothing      Sense = iota // nothing, though it may look like a denial or a contrast: "not only", "succeeded by"
	Unknown                   // does not know
	NotFound                  // no such thing is found, or exists
	Insufficient              // the inputs do not say
	Refuses                   // will not, or must not
	Negates                   // denies what follows
	Contrasts                 // names what follows as something else than the answer: "instead of"
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
)

// A Cue is a phrase or a clause of a text that shows something.
type Cue struct {
	Sense Sense
	Words Span // indices into Words
}

// senseNames are the names of the cues' senses in lexicon.txt.
var senseNames = strings.Fields("nothing unknown not-found insufficient refuses negates contrasts hedges evades " +
	"guesses turns corrects marks asks ambiguous rejects outside because refers")

// A lexeme is a set of senses that a word has as a part of a clause; the last six are those of the clause itself.
type lexeme uint64

const (
	me, person, you, source, negation, none, nobody, pronoun lexeme = 1 << (8 * iota), 2 << (8 * iota), 4 << (8 * iota),
		8 << (8 * iota), 16 << (8 * iota), 32 << (8 * iota), 64 << (8 * iota), 128 << (8 * iota)
	modal, copula, past, do, have, adverb, particle, infinitive
	would, joins, relative, wh, there, causes, opens, know
	find, exist, fake, tell, say, answers, info, record
	such, right, wrong, unsure, unsaid, lack, doubt, decline
	look, need, urge, plea, clarify, mean, bid, _
	speaker, bare, passive, current, ends, first, _, _
)

// lexemeNames are the names of the lexemes' senses in lexicon.txt, in the order of the bits.
var lexemeNames = strings.Fields(`me person you source negation none nobody pronoun
	modal copula past do have adverb particle
	infinitive would joins relative wh there causes opens
	know find exist fake tell say answer info
	record such true false unsure unsaid lack doubt
	decline look need urge plea clarify mean bid`)

//go:embed lexicon.txt
var lexiconText string

// senses are the words and phrases of lexicon.txt by their senses.
var senses = sync.OnceValue(func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for line := range strings.Lines(lexiconText) {
		name, words, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if all[name] == nil {
			all[name] = map[string]bool{}
		}
		for w := range strings.SplitSeq(words, ", ") {
			all[name][w] = true
		}
	}
	return all
})

// Listed returns the words and phrases of a sense of lexicon.txt, which nobody may change. It panics where there
// are none.
func Listed(sense string) map[string]bool {
	if senses()[sense] == nil {
		panic("evidence: lexicon.txt has no " + sense)
	}
	return senses()[sense]
}

// Is reports whether the i-th word is listed in a sense of lexicon.txt.
func (t *Text) Is(i int, sense string) bool { return Listed(sense)[t.Fold(i)] }

// Named returns what words stand for whose senses begin with a prefix: the rest of the sense's name.
func Named(prefix string) map[string]string {
	m := map[string]string{}
	for name, words := range senses() {
		if full, ok := strings.CutPrefix(name, prefix); ok {
			for w := range words {
				m[w] = full
			}
		}
	}
	return m
}

var stop = sync.OnceValue(func() map[string]bool { return Listed("stop") })

// spelled are contractions and what they are short for.
var spelled = sync.OnceValue(func() map[string]string { return Named("spelled ") })

// A phrase is one word or more of the lexicon.
type phrase struct {
	words []string
	is    lexeme
	shows Sense
}

// lexicon holds what clauses are composed of, by the first word.
var lexicon = sync.OnceValue(func() map[string][]phrase {
	phrases := map[string]phrase{} // by all their words
	for i, name := range slices.Concat(senseNames, lexemeNames) {
		for text := range senses()[name] { // none for those that are composed only
			p := phrases[text]
			if p.words = strings.Fields(text); i < len(senseNames) {
				p.shows = Sense(i)
			} else {
				p.is |= 1 << (i - len(senseNames))
			}
			phrases[text] = p
		}
	}
	lex := map[string][]phrase{}
	for _, p := range phrases {
		lex[p.words[0]] = append(lex[p.words[0]], p)
	}
	return lex
})

// A token is a word or fixed phrase with its senses.
type token struct {
	phrase
	Span   // indices into Words
	clause int32
}

// read makes the tokens of a sentence. The longest phrase at a place counts.
func (c *composer) read(in Span) {
	c.tokens = c.tokens[:0]
	words := c.t.Words[:in.End]
	for i := in.Start; i < in.End; {
		tk := token{Span: Span{i, i + 1}, clause: words[i].Clause}
		for _, p := range lexicon()[words[i].Fold] {
			if len(p.words) > len(tk.words) && stands(p.words, words[i:]) {
				tk.phrase, tk.End = p, i+len(p.words)
			}
		}
		c.tokens = append(c.tokens, tk)
		i = tk.End
	}
}

// Cue returns the first cue of one of the senses within a range of words.
func (t *Text) Cue(in Span, senses ...Sense) (Cue, bool) {
	for _, c := range t.Cues {
		if in.holds(c.Words.Start) && slices.Contains(senses, c.Sense) {
			return c, true
		}
	}
	return Cue{}, false
}
