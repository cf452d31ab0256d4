package endpoint

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"hallmark/internal/model/local"
)

// A choice is one continuation of one prompt, as it grows.
type choice struct {
	m      *local.Model
	stops  []string // strings before which the text ends
	lead   string   // what the text begins with and is not reported
	ending bool     // the token that ended the text is listed too
	echo   []generated
	tokens []generated
	finish string
	count  int // generated tokens, the one that ended the text included

	ids     []int32 // of the text
	sent    int     // bytes of the text that next has returned
	told    int     // tokens that nextTokens has returned
	started bool    // a stream has begun with it
	spelled spelling
}

// take adds what an event brought.
func (c *choice) take(e event) {
	c.echo = append(c.echo, e.prompt...)
	c.count += len(e.tokens)
	for _, t := range e.tokens {
		end := e.finish != "" && slices.Contains(c.m.StopTokens(), t.id)
		if !end { // the mark that the text ends is no part of it
			c.ids = append(c.ids, t.id)
		}
		if !end || c.ending {
			c.tokens = append(c.tokens, t)
		}
	}
	c.finish = e.finish
}

// text is the whole text, of a choice that is finished: what Model.Generate gives.
func (c *choice) text() string {
	text, _ := local.Cut(c.m.Text(c.ids), c.stops)
	return strings.TrimPrefix(text, c.lead)
}

// next returns the text that has become certain since the last call, for a stream: no part of a character, and nothing
// that may yet turn out to be the beginning of a stop string. The parts joined are text.
func (c *choice) next() string {
	text := c.text()
	if c.finish == "" {
		text = c.certain()
	}
	part := text[min(c.sent, len(text)):]
	c.sent += len(part)
	return part
}

func (c *choice) certain() string {
	n := len(c.ids)
	for n > 0 && broken(c.m, c.ids[n-1]) { // bytes of a character whose others are still to come
		n--
	}
	text := strings.TrimRight(c.m.Text(c.ids[:n]), "\uFFFD")
	held := 0
	for _, stop := range c.stops {
		for n := min(len(stop), len(text)); n > held; n-- {
			if strings.HasSuffix(text, stop[:n]) {
				held = n
			}
		}
	}
	text = text[:len(text)-held]
	if len(text) < len(c.lead) && strings.HasPrefix(c.lead, text) {
		return ""
	}
	return strings.TrimPrefix(text, c.lead)
}

// broken reports whether a token is no whole characters.
func broken(m *local.Model, id int32) bool {
	b, _ := m.TokenBytes(id)
	return !utf8.Valid(b)
}

// nextTokens returns the generated tokens since the last call.
func (c *choice) nextTokens() []generated {
	part := c.tokens[c.told:]
	c.told = len(c.tokens)
	return part
}

// A spelling counts the characters of tokens read one after another.
type spelling struct {
	runes int
	open  []byte // the beginning of a character
}

// read returns the number of whole characters before the token, and goes past it.
func (s *spelling) read(b []byte) (offset int) {
	offset = s.runes
	s.open = append(s.open, b...)
	for len(s.open) > 0 && utf8.FullRune(s.open) {
		_, n := utf8.DecodeRune(s.open)
		s.open = s.open[n:]
		s.runes++
	}
	return offset
}

// tokenText returns how a token is shown, and its bytes: its text, or where it is no whole characters, the bytes in the
// form of the OpenAI API.
func tokenText(m *local.Model, id int32) (string, []byte) {
	b, _ := m.TokenBytes(id)
	if utf8.Valid(b) {
		return string(b), b
	}
	out := "bytes:"
	for _, c := range b {
		out += fmt.Sprintf(`\x%02x`, c)
	}
	return out, b
}
