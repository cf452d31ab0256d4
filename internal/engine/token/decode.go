package token

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A decoder is one step from the spellings of tokens to text.
type decoder struct {
	kind        decoderKind
	from, to    string // of decodeReplace; from is what decodeStrip takes off
	start, stop int    // how often decodeStrip does, at the start and the end of each token
	keepFirst   bool   // decodeMetaspace: the first token keeps its spaces
}

type decoderKind int

const (
	decodeLetters   decoderKind = iota // ByteLevel
	decodeReplace                      // from becomes to; also Metaspace's spaces in all tokens but the first
	decodeMetaspace                    // the first token's
	decodeBytes                        // ByteFallback
	decodeFuse                         // all tokens become one
	decodeStrip
)

// decoders reads the decoder of a file.
func decoders(c *Component, letters bool) ([]decoder, error) {
	var out []decoder
	if c == nil && letters {
		return []decoder{{kind: decodeLetters}}, nil
	}
	for _, d := range c.Flat() {
		switch d.Type {
		case "ByteLevel":
			if !letters {
				return nil, fmt.Errorf("decoder is ByteLevel and the pre_tokenizer has no ByteLevel; want both or none")
			}
			out = append(out, decoder{kind: decodeLetters})
		case "ByteFallback":
			out = append(out, decoder{kind: decodeBytes})
		case "Fuse":
			out = append(out, decoder{kind: decodeFuse})
		case "Replace":
			from, to, err := d.replacement()
			if err != nil {
				return nil, fmt.Errorf("decoder: %w", err)
			}
			out = append(out, decoder{kind: decodeReplace, from: from, to: to})
		case "Strip":
			if d.Content == nil || utf8.RuneCountInString(*d.Content) != 1 || d.Start < 0 || d.Stop < 0 {
				return nil, fmt.Errorf("decoder: a Strip needs content of one character, start and stop")
			}
			out = append(out, decoder{kind: decodeStrip, from: *d.Content, start: d.Start, stop: d.Stop})
		case "Metaspace":
			s, err := d.metaspace()
			if err != nil {
				return nil, fmt.Errorf("decoder: %w", err)
			}
			out = append(out, decoder{kind: decodeMetaspace, from: s.space, keepFirst: s.scheme == "never"},
				decoder{kind: decodeReplace, from: s.space, to: " "})
		default:
			return nil, fmt.Errorf("decoder %q, want ByteLevel, ByteFallback, Fuse, Replace, Strip or Metaspace",
				d.Type)
		}
	}
	if len(out) > maxNormalizers {
		return nil, fmt.Errorf("decoder has %d steps, want at most %d", len(out), maxNormalizers)
	}
	return out, nil
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

func (d decoder) apply(tokens []string) []string {
	switch d.kind {
	case decodeLetters:
		var b strings.Builder
		for _, s := range tokens {
			b.WriteString(fromLetters(s))
		}
		return []string{lossy(b.String())}
	case decodeFuse:
		return []string{strings.Join(tokens, "")}
	case decodeBytes:
		return joinBytes(tokens)
	case decodeReplace:
		for i, s := range tokens {
			tokens[i] = strings.ReplaceAll(s, d.from, d.to)
		}
	case decodeMetaspace:
		if len(tokens) > 0 && !d.keepFirst {
			tokens[0] = strings.ReplaceAll(tokens[0], d.from, "")
		}
	case decodeStrip:
		for i, s := range tokens {
			for n := 0; n < d.start && strings.HasPrefix(s, d.from); n++ {
				s = s[len(d.from):]
			}
			for n := 0; n < d.stop && strings.HasSuffix(s, d.from); n++ {
				s = s[:len(s)-len(d.from)]
			}
			tokens[i] = s
		}
	}
	return tokens
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
	lo, hi, want := byte(0x80), byte(0xBF), 0
	switch c := s[0]; {
	case 0xC2 <= c && c <= 0xDF:
		want = 1
	case c == 0xE0:
		lo, want = 0xA0, 2
	case c == 0xED:
		hi, want = 0x9F, 2
	case 0xE1 <= c && c <= 0xEF:
		want = 2
	case c == 0xF0:
		lo, want = 0x90, 3
	case c == 0xF4:
		hi, want = 0x8F, 3
	case 0xF1 <= c && c <= 0xF3:
		want = 3
	}
	n := 1
	for ; n <= want && n < len(s) && lo <= s[n] && s[n] <= hi; n++ {
		lo, hi = 0x80, 0xBF
	}
	return n
}
