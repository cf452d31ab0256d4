package token

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A step cuts pieces of text further, or puts a space before them.
type step struct {
	pattern *matcher // each match and what lies between is a piece; nil for none
	scan    *scanner // in the place of a pattern that is well known
	letters bool     // ByteLevel: a space comes before each piece, if prefix
	prefix  bool
	space   string // Metaspace: what spaces become; "" for none
	scheme  string // first, always or never: where it is put before a piece
	cut     bool   // Metaspace: each space begins a piece
}

// steps reads the pre-tokenizer of a file, and reports whether it makes letters of bytes.
func steps(c *Component) (out []step, letters bool, err error) {
	for _, p := range c.Flat() {
		if n := len(out); n > 0 && (out[n-1].letters || out[n-1].space != "") {
			return nil, false, fmt.Errorf("pre_tokenizer %q after ByteLevel or Metaspace, which is not computed",
				p.Type)
		}
		s, err := p.step()
		if err != nil {
			return nil, false, err
		}
		letters = letters || s.letters
		out = append(out, s)
	}
	if len(out) > maxNormalizers {
		return nil, false, fmt.Errorf("pre_tokenizer has %d steps, want at most %d", len(out), maxNormalizers)
	}
	return out, letters, nil
}

// step reads one part of a pre-tokenizer.
func (c Component) step() (s step, err error) {
	switch c.Type {
	case "Split":
		if c.Pattern == nil || c.Pattern.Regex == "" || c.Behavior != "Isolated" || set(c.Invert, false) {
			return s, errors.New("pre_tokenizer: a Split needs a Regex, behavior Isolated and no invert")
		}
		err = s.cutAt(c.Pattern.Regex)
	case "Digits":
		pattern := `\p{N}+`
		if set(c.Individual, false) {
			pattern = `\p{N}`
		}
		err = s.cutAt(pattern)
	case "ByteLevel":
		s.letters, s.prefix = true, set(c.AddPrefixSpace, true)
		if set(c.UseRegex, true) {
			err = s.cutAt(GPT2Pattern)
		}
	case "Metaspace":
		s, err = c.metaspace()
	default:
		return s, fmt.Errorf("pre_tokenizer %q, want Split by a Regex, Digits, ByteLevel or Metaspace", c.Type)
	}
	if err != nil {
		return s, fmt.Errorf("pre_tokenizer: %w", err)
	}
	return s, nil
}

// set returns a value of a file, or what it is where the file does not say.
func set[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}

// metaspace reads a Metaspace, of the pre-tokenizer or the decoder.
func (c Component) metaspace() (step, error) {
	s := step{space: c.Replacement, scheme: c.PrependScheme, cut: set(c.SplitSpaces, true)}
	if utf8.RuneCountInString(s.space) != 1 {
		return s, fmt.Errorf("component Metaspace: replacement is %q, want one character", s.space)
	}
	if s.scheme == "" { // as older files say it
		s.scheme = "always"
		if !set(c.AddPrefixSpace, true) {
			s.scheme = "never"
		}
	}
	switch s.scheme {
	case "first", "always", "never":
		return s, nil
	}
	return s, fmt.Errorf("component Metaspace: prepend_scheme is %q, want first, always or never", s.scheme)
}

// cutAt makes each match of the pattern and what lies between two a piece.
func (s *step) cutAt(pattern string) (err error) {
	if c, ok := scanners[pattern]; ok {
		s.scan = &c
		return nil
	}
	s.pattern, err = compile(pattern)
	return err
}

// split cuts x into the words that BPE works on.
func (t *Tokenizer) split(x source, follows bool) ([]string, error) {
	words := []string{x.text}
	work := textWork + len(x.text)*charWork
	for _, s := range t.steps {
		old := words
		words = nil
		for i, w := range old {
			var err error
			if words, err = s.apply(words, w, follows && i == 0, x.first && i == 0, &work); err != nil {
				return nil, fmt.Errorf("token: split of %d bytes: %w", len(x.text), err)
			}
		}
	}
	return words, nil
}

// apply appends the pieces of w to out. A piece that follows other text gets no space before it; first says that it
// begins the whole text.
func (s step) apply(out []string, w string, follows, first bool, work *int) ([]string, error) {
	if s.space != "" {
		w = strings.ReplaceAll(w, " ", s.space)
		if !strings.HasPrefix(w, s.space) && !follows && (s.scheme == "always" || s.scheme == "first" && first) {
			w = s.space + w
		}
		for s.cut {
			_, first := utf8.DecodeRuneInString(w) // may be a space
			at := first + strings.Index(w[first:], s.space)
			if at < first {
				break
			}
			out, w = append(out, w[:at]), w[at:]
		}
		return append(out, w), nil
	}
	if s.prefix && !follows && !strings.HasPrefix(w, " ") {
		w = " " + w
	}
	if s.scan != nil {
		return s.scan.split(out, w), nil
	}
	if s.pattern == nil {
		return append(out, w), nil
	}
	return s.pattern.split(out, w, work)
}
