package token

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A decoder is one step from the spellings of tokens to text. It may change the slice.
type decoder struct {
	apply    func(tokens []string) []string
	from, to string // what it replaces in each token, where it does nothing else
}

// decoders reads the decoder of a file.
func decoders(c *Component, letters bool) ([]decoder, error) {
	if c == nil && letters {
		return []decoder{{apply: joinLetters}}, nil
	}
	var out []decoder
	for _, d := range c.Flat() {
		var steps []decoder
		var err error
		switch d.Type {
		case "ByteLevel":
			if steps = []decoder{{apply: joinLetters}}; !letters {
				return nil, errors.New("decoder is ByteLevel and the pre_tokenizer has no ByteLevel; want both or none")
			}
		case "ByteFallback":
			steps = []decoder{{apply: joinBytes}}
		case "Fuse":
			steps = []decoder{{apply: func(tokens []string) []string { return []string{strings.Join(tokens, "")} }}}
		case "Replace":
			var from, to string
			from, to, err = d.replacement()
			steps = []decoder{replacing(from, to)}
		case "Strip":
			if steps = []decoder{{apply: d.strip}}; !d.strips() {
				err = errors.New("a Strip needs content of one character, start and stop")
			}
		case "Metaspace":
			var s step
			s, err = d.metaspace()
			steps = []decoder{{apply: s.atStart}, replacing(s.space, " ")}
		default:
			return nil, fmt.Errorf("decoder %q, want ByteLevel, ByteFallback, Fuse, Replace, Strip or Metaspace",
				d.Type)
		}
		if err != nil {
			return nil, fmt.Errorf("decoder: %w", err)
		}
		out = append(out, steps...)
	}
	if len(out) > maxNormalizers {
		return nil, fmt.Errorf("decoder has %d steps, want at most %d", len(out), maxNormalizers)
	}
	return out, nil
}

func replacing(from, to string) decoder {
	return decoder{from: from, to: to, apply: func(tokens []string) []string {
		for i, s := range tokens {
			tokens[i] = strings.ReplaceAll(s, from, to)
		}
		return tokens
	}}
}

// atStart takes the spaces out of the first token.
func (s step) atStart(tokens []string) []string {
	if len(tokens) > 0 && s.scheme != "never" {
		tokens[0] = strings.ReplaceAll(tokens[0], s.space, "")
	}
	return tokens
}

// strips reports whether a Strip says what it takes off.
func (c Component) strips() bool {
	return c.Content != nil && utf8.RuneCountInString(*c.Content) == 1 && c.Start >= 0 && c.Stop >= 0
}

// strip takes the content off both ends of each token, so many times at most.
func (c Component) strip(tokens []string) []string {
	for i, s := range tokens {
		for n := 0; n < c.Start && strings.HasPrefix(s, *c.Content); n++ {
			s = s[len(*c.Content):]
		}
		for n := 0; n < c.Stop && strings.HasSuffix(s, *c.Content); n++ {
			s = s[:len(s)-len(*c.Content)]
		}
		tokens[i] = s
	}
	return tokens
}

// joinLetters makes text of bytes in letters.
func joinLetters(tokens []string) []string {
	var b strings.Builder
	for _, s := range tokens {
		b.WriteString(fromLetters(s))
	}
	return []string{lossy(b.String())}
}

// Bytes returns the bytes of a token as it stands within a text, which need not be whole characters; nil if there is no
// such token.
func (t *Tokenizer) Bytes(id int32) []byte {
	if a, ok := t.added[id]; ok {
		return []byte(a.Content)
	}
	if s, ok := t.texts[id]; ok {
		return []byte(s)
	}
	return nil
}

// Text returns the text of one token as it stands within a text, with its space; "" for a special token. Bytes that are
// not UTF-8 become U+FFFD.
func (t *Tokenizer) Text(id int32) string {
	if t.added[id].Special {
		return ""
	}
	return lossy(string(t.Bytes(id)))
}

// Decode returns the text of the tokens without special ones. Bytes that are not UTF-8 become U+FFFD; ids that are no
// token are left out. A tokenizer that puts a space before every text takes one off here.
func (t *Tokenizer) Decode(ids []int32) string {
	var tokens []string
	for _, id := range ids {
		if s, ok := t.spellings[id]; ok && !t.added[id].Special {
			tokens = append(tokens, s)
		}
	}
	for _, d := range t.decode {
		tokens = d.apply(tokens)
	}
	if len(t.decode) == 0 {
		return strings.Join(tokens, " ")
	}
	return strings.Join(tokens, "")
}

// fallbackByte is the byte of a token such as <0x0A>.
func fallbackByte(spelling string) (byte, bool) {
	if len(spelling) != 6 || !strings.HasPrefix(spelling, "<0x") || spelling[5] != '>' {
		return 0, false
	}
	b, err := strconv.ParseUint(spelling[3:5], 16, 8)
	return byte(b), err == nil
}

// joinBytes makes text of each run of byte tokens; a run that is not UTF-8 becomes one U+FFFD for each of its bytes.
func joinBytes(tokens []string) []string {
	var out []string
	var run []byte
	flush := func() {
		switch {
		case len(run) == 0:
		case utf8.Valid(run):
			out = append(out, string(run))
		default:
			out = append(out, strings.Repeat("\uFFFD", len(run)))
		}
		run = run[:0]
	}
	for _, s := range tokens {
		if b, ok := fallbackByte(s); ok {
			run = append(run, b)
			continue
		}
		flush()
		out = append(out, s)
	}
	flush()
	return out
}

// lossy replaces what is not UTF-8 by U+FFFD, one for each longest start of a character, as the Unicode Standard
// recommends (section 3.9) and Hugging Face does.
func lossy(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			n = started(s[i:])
		}
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// started is the length of the longest start of a character at the start of s, at least 1.
func started(s string) int {
	n := 1
	for n < len(s) && !utf8.FullRuneInString(s[:n+1]) { // what is invalid is full
		n++
	}
	return n
}
