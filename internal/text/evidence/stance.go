package evidence

import (
	"slices"
	"strings"
)

// A Stance is how a text takes something that it mentions.
type Stance uint8

// The stances, from the weakest to the one that outweighs all others.
const (
	Asserted   Stance = iota // put forward as so
	Uncertain                // put forward as one of several, or as possible
	Retracted                // withdrawn later on: "no, wait"
	Contrasted               // named as something else: a predecessor, a common error
	Denied                   // said not to be so
	Doubted                  // inside what the text says not to know or not to find
	Questioned               // inside a question
)

// taken is how a text takes what stands behind a cue.
var taken = map[Sense]Stance{Unknown: Doubted, NotFound: Doubted, Insufficient: Doubted, Refuses: Doubted,
	Rejects: Denied, Negates: Denied, Contrasts: Contrasted}

// Stance returns how the text takes the words m, which denials and contrasts reach over up to six words.
func (t *Text) Stance(m Span) Stance { return t.StanceWithin(m, 6) }

// StanceWithin is Stance where denials and contrasts reach only so many words far.
func (t *Text) StanceWithin(m Span, reach int) Stance {
	sentence := t.Sentences[t.Words[m.Start].Sentence]
	if sentence.Question && len(t.Sentences) > 1 {
		return Questioned
	}
	stance := Asserted
	for _, c := range t.Cues {
		if !sentence.Words.holds(c.Words.Start) || c.Words.Start >= m.Start {
			continue
		}
		gap := m.Start - c.Words.End
		near := gap >= 0 && gap < reach && t.Words[c.Words.End-1].Clause == t.Words[m.Start].Clause
		if c.Sense == Turns {
			stance = Asserted
		} else if s := taken[c.Sense]; near || s == Doubted {
			stance = max(stance, s)
		}
	}
	if t.deniedAfter(m.End) {
		stance = max(stance, Denied)
	}
	if _, ok := t.Cue(Span{m.End, len(t.Words)}, Corrects); ok {
		stance = max(stance, Retracted)
	}
	if _, ok := t.Cue(sentence.Words, Hedges); ok {
		stance = max(stance, Uncertain)
	}
	return stance
}

// deniedAfter reports whether what begins at the i-th word denies what is before it: "is not", ", but that is
// incorrect".
func (t *Text) deniedAfter(i int) bool {
	for k := 0; k < 2 && t.Is(i, "linking"); k++ {
		i++
	}
	return t.Is(i, "finite") && (t.Is(i+1, "denied") || t.Is(i+1, "undone") && !t.Is(i+2, "restricts"))
}

// Alternative reports whether "or" puts another possibility beside the words m.
func (t *Text) Alternative(m Span) bool {
	return t.Fold(m.End) == "or" && !t.Is(m.End+1, "approximate") || t.Fold(m.Start-1) == "or"
}

// Answer returns the words that the text itself marks as its answer, the last such: in \boxed{…}, after "####",
// "Answer:", "the answer is" and the like; false where nothing is marked.
func (t *Text) Answer() (Span, bool) {
	boxes := t.Boxes
	if i := strings.LastIndex(t.Plain, "####"); i >= 0 {
		line, _, _ := strings.Cut(t.Plain[i:], "\n")
		boxes = append([]Span{{i, i + len(line)}}, boxes...)
	}
	for _, b := range slices.Backward(boxes) {
		if s := t.Within(b); s.Start < s.End {
			return s, true
		}
	}
	if n := len(t.Sentences); n > 0 && strings.HasPrefix(t.Sentence(n-1), "A: ") {
		s := t.Sentences[n-1].Words
		return Span{s.Start + 1, s.End}, true
	}
	for _, c := range slices.Backward(t.Cues) {
		if c.Sense != Marks || t.subordinate(c.Words.Start) { // "I don't know what the answer is"
			continue
		}
		last := t.Words[c.Words.End-1]
		rest := strings.TrimLeft(t.Plain[last.End:min(len(t.Plain), last.End+8)], " \"'*")
		// a bare noun marks only before a colon, or as a heading
		if !t.announces(c) && strings.IndexAny(rest, ":=\n") != 0 {
			continue
		}
		sentence := t.Sentences[last.Sentence]
		s := Span{c.Words.End, sentence.Words.End}
		if s.Start == s.End && int(last.Sentence)+1 < len(t.Sentences) {
			s = t.Sentences[last.Sentence+1].Words
		}
		if s.Start < s.End && !sentence.Question {
			return s, true
		}
	}
	return Span{}, false
}

// Within returns the words inside a range of bytes.
func (t *Text) Within(b Span) Span {
	start, _ := slices.BinarySearchFunc(t.Words, b.Start, func(w Word, at int) int { return w.Start - at })
	end, _ := slices.BinarySearchFunc(t.Words, b.End+1, func(w Word, at int) int { return w.End - at })
	return Span{start, max(start, end)}
}

// IsStop reports whether a word carries no content of its own, or is one with which answers open.
func IsStop(word string) bool { return stop()[word] }

// Refutes returns the words by which one of the first two statements denies what the question takes for granted: "X
// has no Y", "X did not Y". A word of the question must be the first of content behind "not", or one of three
// behind "no" and "never".
func (t *Text) Refutes(question map[string]bool) (Span, bool) {
	for _, s := range t.Sentences[:min(2, len(t.Sentences))] {
		from, more := s.Words.Start, 0 // where a denial begins, and how many words of content may be what it denies
		for i := s.Words.Start; i < s.Words.End && !s.Question; i++ {
			w := t.Words[i].Fold
			switch {
			case t.Is(i, "refuting"):
				from, more = i, 3
			case t.Is(i, "undone"):
				from, more = i, 1
			case more == 0 || t.Is(i, "restricts") || t.Words[i].Clause != t.Words[from].Clause:
				more = 0
			case IsStop(w):
			case question[w] || question[strings.TrimSuffix(w, "s")] || question[w+"s"]:
				return Span{from, i + 1}, true
			default:
				more--
			}
		}
	}
	return Span{}, false
}

// Declines returns the cue by which the text, taken as a whole, withholds an answer. It is false where a doubt is
// followed by an assertion all the same: "I'm not sure, but I think it is Paris". "None" and "N/A" alone decline
// too.
func (t *Text) Declines() (Cue, bool) {
	if n := len(t.Words); n > 0 && n <= 2 && Listed("withheld")[strings.ToLower(strings.Trim(t.Plain, " .\n"))] {
		return Cue{Unknown, Span{0, n}}, true
	}
	for i, c := range t.Cues {
		s := t.Sentences[t.Words[c.Words.Start].Sentence]
		declines := c.Sense == NotFound || c.Sense == Insufficient
		switch c.Sense {
		case Refers: // whoever names something and adds where to look it up has answered
			declines = !slices.ContainsFunc(t.Words[min(1, s.Words.Start):s.Words.Start], func(w Word) bool {
				return w.Fold != "i" && isCapital(t.Plain[w.Start]) || isDigit(t.Plain[w.Start])
			})
		case Unknown, Refuses:
			behind := Span{c.Words.End, s.Words.End}
			declines = !slices.ContainsFunc(t.Cues[i:], func(c Cue) bool {
				asserts := c.Sense == Guesses || c.Sense == Marks && t.announces(c)
				return asserts && behind.holds(c.Words.End) && !t.subordinate(c.Words.Start)
			})
		}
		if declines && !s.Question {
			return c, true
		}
	}
	return Cue{}, false
}

// announces reports whether a cue that marks an answer asserts one behind it: "the answer is", and not the noun alone.
func (t *Text) announces(c Cue) bool { return t.Is(c.Words.End-1, "announcing") }

// subordinate reports whether the word at i opens a clause under "if", "whether", "what" and the like, which
// asserts nothing.
func (t *Text) subordinate(i int) bool {
	for k := i - 1; k >= max(0, i-3) && t.Words[k].Clause == t.Words[i].Clause; k-- {
		if t.Is(k, "subordinate") {
			return true
		}
	}
	return false
}

// Asks returns the sentence in which the text asks its reader for information, and false where it only asks
// rhetorically or politely ("Is there anything else?").
func (t *Text) Asks() (Span, bool) {
	if c, ok := t.Cue(t.Whole(), Asks); ok {
		return t.Sentences[t.Words[c.Words.Start].Sentence].Words, true
	}
	if n := len(t.Sentences); n > 0 && t.Sentences[n-1].Question {
		s := t.Sentences[n-1].Words
		for i := s.Start; i < s.End; i++ {
			opens := i == s.Start || t.Words[i-1].Clause != t.Words[i].Clause
			short := s.End-i <= 12 // asks for one thing
			if opens && short && t.Is(i, "asking") || n == 1 && t.Fold(i) == "or" {
				return s, true
			}
		}
	}
	return Span{}, false
}
