package hosted

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A span is the part of a text that a token covers, in bytes. A token outside the text, such as a begin mark, covers
// span{-1, -1}.
type span struct{ start, end int }

// pieces writes the marks of vocabulary entries as the characters they stand for.
var pieces = strings.NewReplacer("▁", " ", "Ġ", " ", "Ċ", "\n")

// align finds what each token covers of text, or false if the tokens do not spell it. It forgives what servers do to
// tokens that are shown one by one: a begin mark before the text and end marks behind it, vocabulary marks for spaces,
// a leading space that is lost, and characters split over tokens, which come out as U+FFFD; those tokens share a span.
func align(text string, tokens []string) ([]span, bool) {
	spans := make([]span, len(tokens))
	pos := 0
	for i := 0; i < len(tokens); i++ {
		if n, ok := match(text[pos:], tokens[i]); ok {
			spans[i] = span{pos, pos + n}
			pos += n
			continue
		}
		if strings.ContainsRune(tokens[i], utf8.RuneError) {
			j := i + 1
			for j < len(tokens) && strings.ContainsRune(tokens[j], utf8.RuneError) {
				j++
			}
			n, ok := resume(text[pos:], tokens[i:j], tokens[j:])
			if !ok {
				return nil, false
			}
			for ; i < j; i++ {
				spans[i] = span{pos, pos + n}
			}
			i--
			pos += n
			continue
		}
		if i > 0 && pos < len(text) {
			return nil, false
		}
		spans[i] = span{-1, -1}
	}
	return spans, pos == len(text)
}

// match returns how many bytes at the start of text a token spells.
func match(text, token string) (int, bool) {
	if token == "" {
		return 0, true
	}
	for _, t := range [2]string{token, pieces.Replace(token)} {
		if strings.HasPrefix(text, t) {
			return len(t), true
		}
		if t = strings.TrimLeftFunc(t, unicode.IsSpace); t == "" {
			continue
		}
		space := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
		if strings.HasPrefix(text[space:], t) {
			return space + len(t), true
		}
	}
	return 0, false
}

// resume returns how many bytes the broken tokens cover, where the text goes on with the first of rest.
func resume(text string, broken, rest []string) (int, bool) {
	limit := 0
	for _, t := range broken {
		limit += len(t) + utf8.UTFMax // each mark of 3 bytes stands for part of a character of up to 4
	}
	if len(rest) == 0 {
		return len(text), len(text) <= limit
	}
	for n := range min(limit, len(text)) + 1 {
		if n > 0 && (n == len(text) || utf8.RuneStart(text[n])) {
			if _, ok := match(text[n:], rest[0]); ok || n == len(text) {
				return n, true
			}
		}
	}
	return 0, false
}

// alignOffsets reads the spans from the server's offsets, which count characters or bytes, or returns false if the
// tokens that can be read do not stand where the offsets say.
func alignOffsets(text string, tokens []string, offsets []int) ([]span, bool) {
	byRune := make([]int, 0, len(text)+1) // byte position of each character
	for i := range text {
		byRune = append(byRune, i)
	}
	byRune = append(byRune, len(text))
	var starts []int
	for _, n := range offsets {
		if n >= 0 && n < len(byRune) {
			starts = append(starts, byRune[n])
		}
	}
	if spans, ok := spansFrom(text, tokens, starts); ok {
		return spans, true
	}
	return spansFrom(text, tokens, offsets)
}

// spansFrom returns the spans of tokens that begin at bytes of the text, or false if one cannot stand there.
func spansFrom(text string, tokens []string, starts []int) ([]span, bool) {
	if len(starts) != len(tokens) {
		return nil, false
	}
	spans := make([]span, len(tokens))
	for i, at := range starts {
		if at < 0 || at > len(text) || i > 0 && at < spans[i-1].start {
			return nil, false
		}
		if i > 0 && spans[i-1].start >= 0 {
			spans[i-1].end = at
		}
		_, ok := match(text[at:], tokens[i])
		switch {
		case ok, strings.ContainsRune(tokens[i], utf8.RuneError), strings.HasPrefix(tokens[i], `bytes:`):
			spans[i] = span{at, len(text)}
		case i == 0 && len(tokens) > 1 && starts[1] == at: // a begin mark, which covers nothing
			spans[0] = span{-1, -1}
		default:
			return nil, false
		}
	}
	return spans, true
}

// within returns the range of the tokens that cover text[start:end]. A token that straddles start belongs to the
// range: a prompt that ends in a space shares its last token with the option, and leaving that token out would
// leave out the option's first word. Its log-probability then holds the shared part too, the same for all options
// that merge with the prompt in the same way; lm-evaluation-harness moves the space to the option to the same
// effect. It returns false if no token does, or if a run of broken characters hides which.
func within(spans []span, start, end int) (first, last int, ok bool) {
	first = -1
	for i, s := range spans {
		if s.start < 0 || s.start >= end || s.end <= start && s.start < start {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i + 1
	}
	if first < 0 {
		return 0, 0, false
	}
	// Two tokens with one span that straddles the start are the parts of one character run.
	if first+1 < last && spans[first] == spans[first+1] && spans[first].start < start && spans[first].end > start {
		return 0, 0, false
	}
	return first, last, true
}
