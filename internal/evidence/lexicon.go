package evidence

import (
	_ "embed"
	"fmt"
	"strings"
)

// A Sense is what a phrase of the lexicon shows.
type Sense uint8

// The senses; lexicon.txt lists their phrases under these names.
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
	nSenses
)

var senseNames = [nSenses]string{"unknown", "not-found", "insufficient", "refuses", "negates", "emphasizes", "contrasts", "asserts", "hedges", "evades", "guesses", "turns", "corrects", "marks", "asks", "ambiguous", "rejects", "outside", "because"}

// A Cue is a phrase of the lexicon found in a text.
type Cue struct {
	Sense Sense
	Words Span // indices into Words
}

//go:embed lexicon.txt
var lexiconText string

type entry struct {
	words []string // "…" stands for up to four words
	sense Sense
}

// lexicon holds the phrases by their first word, longest first.
var lexicon = readLexicon(lexiconText)

func readLexicon(text string) map[string][]entry {
	names := map[string]Sense{}
	for i, n := range senseNames {
		names[n] = Sense(i)
	}
	lex := map[string][]entry{}
	sense, inSection := Sense(0), false
	for n, line := range strings.Split(text, "\n") {
		switch line = strings.TrimSpace(line); {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			if sense, inSection = names[strings.Trim(line, "[]")]; !inSection {
				panic(fmt.Sprintf("evidence: lexicon.txt:%d: no sense is called %s", n+1, line))
			}
		default:
			if !inSection {
				panic(fmt.Sprintf("evidence: lexicon.txt:%d: a phrase before the first section", n+1))
			}
			for _, words := range spelled(strings.Fields(line)) {
				lex[words[0]] = append(lex[words[0]], entry{words, sense})
				if words[0] == "is" {
					lex["'s"] = append(lex["'s"], entry{words, sense})
				}
			}
		}
	}
	for _, es := range lex {
		// Longest first, and in the order of the file where equally long.
		for i := 1; i < len(es); i++ {
			for j := i; j > 0 && len(es[j].words) > len(es[j-1].words); j-- {
				es[j], es[j-1] = es[j-1], es[j]
			}
		}
	}
	return lex
}

// spelled returns the phrases that the fields of a line stand for, one for each choice of alternatives, as compared forms.
func spelled(fields []string) [][]string {
	phrases := [][]string{nil}
	for _, f := range fields {
		var longer [][]string
		for _, alternative := range strings.Split(f, "/") {
			forms := []string{alternative}
			if alternative != "…" {
				t := &Text{Plain: alternative}
				t.split()
				forms = forms[:0]
				for _, w := range t.Words {
					forms = append(forms, w.Fold)
				}
			}
			for _, p := range phrases {
				longer = append(longer, append(p[:len(p):len(p)], forms...))
			}
		}
		phrases = longer
	}
	return phrases
}

func (t *Text) findCues() {
	for i := 0; i < len(t.Words); {
		next := i + 1
		if es := lexicon[t.Words[i].Fold]; es != nil {
			limit := t.Sentences[t.Words[i].Sentence].Words.End
			second, skipped := "", false // the next word, and whether it may be skipped
			if i+1 < limit {
				second = t.Words[i+1].Fold
				skipped = adverbs[second]
				if second == "'s" {
					second = "is"
				}
			}
			for _, e := range es {
				if len(e.words) > 1 && !skipped && e.words[1] != second && e.words[1] != "…" && e.words[1] != "'s" {
					continue // most phrases that begin alike part here
				}
				if end, ok := t.matchAt(e.words, i, limit); ok {
					if e.sense == Rejects && t.supposed(i) {
						break
					}
					t.Cues = append(t.Cues, Cue{e.sense, Span{i, end}})
					if e.sense != Because { // "so I can't say" gives a reason and declines
						next = end
					}
					break
				}
			}
		}
		i = next
	}
}

// adverbs may stand inside a phrase of the lexicon: "I simply do not know", "could not possibly be found".
var adverbs = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("simply really honestly truly possibly actually genuinely currently unfortunately sadly certainly definitely personally also even readily quite yet") {
		m[w] = true
	}
	return m
}()

// supposed reports whether one of the three words before the i-th makes a supposition of what follows: "suppose there were only ten".
func (t *Text) supposed(i int) bool {
	for k := i - 1; k >= max(0, i-3) && t.Words[k].Clause == t.Words[i].Clause; k-- {
		switch t.Words[k].Fold {
		case "suppose", "supposing", "assume", "assuming", "if", "imagine":
			return true
		}
	}
	return false
}

// matchAt matches words from i on, before limit. A gap takes as few words as it can, at most four.
func (t *Text) matchAt(words []string, i, limit int) (end int, ok bool) {
	for k, w := range words {
		if w == "…" {
			for gap := 0; gap <= 4; gap++ {
				if end, ok := t.matchAt(words[k+1:], i+gap, limit); ok {
					return end, true
				}
			}
			return 0, false
		}
		for {
			if i >= limit {
				return 0, false
			}
			fold := t.Words[i].Fold
			i++
			if fold == w || w == "is" && fold == "'s" {
				break
			}
			if k == 0 || words[k-1] == "…" || !adverbs[fold] {
				return 0, false
			}
		}
	}
	return i, true
}

// Cue returns the first cue of one of the senses within a range of words.
func (t *Text) Cue(in Span, senses ...Sense) (Cue, bool) {
	for _, c := range t.Cues {
		if c.Words.Start >= in.End {
			break
		}
		if c.Words.Start >= in.Start && isOne(c.Sense, senses) {
			return c, true
		}
	}
	return Cue{}, false
}

func isOne(s Sense, of []Sense) bool {
	for _, o := range of {
		if s == o {
			return true
		}
	}
	return false
}
