// Package secret finds keys in texts from outside and blots them out: as they are, and in every form that a reader
// could decode, such as escapes, URL-encoding and base64, and forms of forms. docs/security.md says what is found and
// what is not.
package secret

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
)

// Mark stands in a text where a secret stood.
const Mark = "[key]"

const (
	least    = 12 // bytes of a secret in a row that may not show
	shortest = 8  // bytes of a secret that can be told from a word
	words    = 16 // bytes from which a secret whose letters and digits hardly alternate can be told from words
	block    = 4  // bytes by which a place in a secret is looked up
)

// Plain reports whether a value cannot be told from what an answer says by itself, so that it would rewrite right
// answers: one of fewer than 8 bytes, with blanks, or without letters or digits, such as a name, a word or a date; and
// of fewer than 16 bytes one whose letters and digits hardly alternate, such as COVID-19. A value that begins as keys
// do, such as with sk-, is not plain from 8 bytes on. A server on one's own machine often takes a plain key, as in
// "test" or "not-needed". The empty value is plain.
func Plain(value string) bool {
	value = strings.TrimSpace(value)
	switch {
	case len(value) < shortest || strings.ContainsFunc(value, unicode.IsSpace):
		return true
	case strings.HasPrefix(value, "sk-") || issued.MatchString(value):
		return false
	}
	b := barely([]byte(value))
	digits := 0
	for _, c := range b {
		if c <= '9' {
			digits++
		}
	}
	return digits == 0 || digits == len(b) || len(value) < words && turned(b) < turns
}

// A Redactor knows secrets and blots them out. The nil Redactor and the zero one know none. It is safe for concurrent
// use.
type Redactor struct {
	mu    sync.Mutex // held to add
	known []string
	found atomic.Pointer[patterns]
}

// New returns a redactor of the values that are not Plain.
func New(values ...string) *Redactor {
	r := &Redactor{}
	r.Add(values...)
	return r
}

// Add makes more secrets known, but those that are Plain.
func (r *Redactor) Add(values ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := slices.Clone(r.known)
	for _, v := range values {
		if v = strings.TrimSpace(v); !Plain(v) && !slices.Contains(known, v) {
			known = append(known, v)
		}
	}
	if len(known) > len(r.known) {
		r.known = known
		r.found.Store(compile(known))
	}
}

// With returns a redactor that knows these secrets too; r itself does not change.
func (r *Redactor) With(values ...string) *Redactor {
	if r == nil {
		return New(values...)
	}
	r.mu.Lock()
	known := slices.Clone(r.known)
	r.mu.Unlock()
	return New(append(known, values...)...)
}

func (r *Redactor) patterns() *patterns {
	if r == nil {
		return nil
	}
	return r.found.Load()
}

// Holds reports whether a text holds a secret, or 12 bytes of one, in any form.
func (r *Redactor) Holds(text string) bool {
	p := r.patterns()
	return p != nil && len(text) >= p.window && len(p.search([]byte(text))) > 0
}

// Text returns a text without the secrets.
func (r *Redactor) Text(text string) string {
	p := r.patterns()
	if p == nil || len(text) < p.window {
		return text
	}
	b := []byte(text)
	if clean := p.redact(b); len(clean) != len(b) || &clean[0] != &b[0] {
		return string(clean)
	}
	return text
}

// Bytes is Text for bytes. It returns b itself where that holds no secret, and never changes it.
func (r *Redactor) Bytes(b []byte) []byte {
	p := r.patterns()
	if p == nil || len(b) < p.window {
		return b
	}
	return p.redact(b)
}

// Document is Bytes for a JSON document. It returns nil where a secret cannot be blotted out in place: where it is
// spread over several strings, such as the texts of tokens, or where the document would be no JSON without it.
func (r *Redactor) Document(b []byte) []byte {
	p := r.patterns()
	if p == nil || len(b) < p.window {
		return b
	}
	if r.Spread(b) {
		return nil
	}
	clean := p.redact(b)
	if &clean[0] != &b[0] && json.Valid(b) && !json.Valid(clean) {
		return nil
	}
	return clean
}

// Spread reports whether a secret lies over several strings of a JSON document, or of what was to be one, so that
// Bytes leaves parts of it.
func (r *Redactor) Spread(b []byte) bool {
	p := r.patterns()
	return p != nil && len(b) >= p.window && p.spread(b)
}

// Quotable is Bytes for a JSON document, or what was to be one, that a message quotes: the mark alone, where Bytes
// would leave parts of a secret.
func (r *Redactor) Quotable(b []byte) []byte {
	if r.Spread(b) {
		return []byte(Mark)
	}
	return r.Bytes(b)
}

// Parts blots out secrets that are spread over the parts of a text, such as tokens, and reports whether there was one.
// The mark stands in the part where the secret begins. Secrets within one part are Text's to find. It does not change
// parts.
func (r *Redactor) Parts(parts []string) (clean []string, found bool) {
	p := r.patterns()
	if p == nil || len(parts) < 2 {
		return parts, false
	}
	spans := p.search([]byte(strings.Join(parts, "")))
	if len(spans) == 0 {
		return parts, false
	}
	clean = make([]string, len(parts))
	at := 0
	for i, part := range parts {
		clean[i] = string(blot([]byte(part), at, spans))
		at += len(part)
	}
	return clean, true
}

// A span is a part of a text, in bytes.
type span struct{ lo, hi int }

// merge sorts spans and joins those that touch.
func merge(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.hi, b.hi)) })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.lo <= out[n-1].hi {
			out[n-1].hi = max(out[n-1].hi, s.hi)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// blot returns b, which stands at the byte at of a text, without the spans of that text. The mark stands where a span
// begins.
func blot(b []byte, at int, spans []span) []byte {
	var out []byte
	done := 0
	for _, s := range spans {
		lo, hi := max(s.lo-at, 0), min(s.hi-at, len(b))
		if lo >= hi {
			continue
		}
		out = append(out, b[done:lo]...)
		if s.lo >= at {
			out = append(out, Mark...)
		}
		done = hi
	}
	return append(out, b[done:]...)
}

// redact returns b without the secrets, or b itself.
func (p *patterns) redact(b []byte) []byte {
	// What stood on both sides of a secret may join to another, such as a text that was written around a key.
	const rounds = 4
	for range rounds {
		spans := p.search(b)
		if len(spans) == 0 {
			break
		}
		b = blot(b, 0, spans)
	}
	return b
}

// patterns are secrets, prepared to be looked for. Case counts for nothing, as what is lost with it is soon guessed.
type patterns struct {
	secrets [][]byte // in small letters
	window  int      // bytes in a row that make a find: least, or all of the shortest secret
	// blooms has a bit set for each block of a secret, at its hash; places are where the blocks stand.
	blooms [1 << 10]uint64
	places map[uint32][]place
	// bare are the letters and digits of the secrets; cased are those as they are, where p itself is bare.
	bare  *patterns
	cased [][]byte
}

// A place is a byte of a secret.
type place struct{ secret, at int }

// compile prepares secrets. Where a secret itself reads as an escape, what it stands for is one too.
func compile(values []string) *patterns {
	p := &patterns{window: least, places: map[uint32][]place{}}
	seen := map[string]bool{}
	for _, v := range values {
		b := []byte(v)
		for range depth {
			if folded := fold(b); len(b) >= shortest && !seen[string(folded)] {
				seen[string(folded)] = true
				p.add(folded)
			}
			of, read := &view{text: b}, &view{}
			if !read.rewrite(of, &shown, show) && !read.rewrite(of, &escaped, escape) {
				break
			}
			b = read.text
		}
	}
	p.bare = compileBare(values)
	return p
}

// compileBare prepares the letters and digits of secrets; nil where none has enough of them, or all are like words.
func compileBare(values []string) *patterns {
	p := &patterns{window: least, places: map[uint32][]place{}}
	for _, v := range values {
		if b := barely([]byte(v)); len(b) >= shortest && turned(b) >= turns {
			p.cased = append(p.cased, b)
			p.add(fold(b))
		}
	}
	if len(p.cased) == 0 {
		return nil
	}
	return p
}

func (p *patterns) add(folded []byte) {
	p.secrets = append(p.secrets, folded)
	p.window = min(p.window, len(folded))
	for at := range len(folded) - block + 1 {
		key := binary.LittleEndian.Uint32(folded[at:]) | caseless
		h := hash(key)
		p.blooms[h>>6] |= 1 << (h & 63)
		p.places[key] = append(p.places[key], place{len(p.secrets) - 1, at})
	}
}

// caseless are the bits by which letters of one case differ from the other's, in a block. Other bytes fall together
// too, which find tells apart.
const caseless = 0x20202020

// hash is multiplicative: the upper bits depend on all of the block's.
func hash(key uint32) uint32 { return key * 0x9E3779B1 >> 16 }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// fold returns b in small letters, of ASCII.
func fold(b []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		out[i] = lower(c)
	}
	return out
}

// find calls emit for the longest parts of the text that are at least a window of a secret. A window cannot begin where
// the block at its end is none of a secret, so that of most texts one byte in nine is looked at (Wu and Manber, 1994).
func (p *patterns) find(text []byte, emit func(lo, hi int)) {
	step := p.window - block + 1
	for i := p.window - block; i+block <= len(text); i += step {
		key := binary.LittleEndian.Uint32(text[i:]) | caseless
		if h := hash(key); p.blooms[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		end := 0
		for _, at := range p.places[key] {
			if lo, hi, ok := p.extend(text, i, at); ok {
				emit(lo, hi)
				end = max(end, hi)
			}
		}
		i = max(i, end-block+1-step) // no need to find it again
	}
}

// extend returns the longest part of the text that agrees with the secret where the byte i of the text stands at the
// place.
func (p *patterns) extend(text []byte, i int, at place) (lo, hi int, ok bool) {
	s := p.secrets[at.secret]
	lo, hi = i, i
	for left := at.at; left > 0 && lo > 0 && lower(text[lo-1]) == s[left-1]; left-- {
		lo--
	}
	for right := at.at; right < len(s) && hi < len(text) && lower(text[hi]) == s[right]; right++ {
		hi++
	}
	if p.cased != nil && turned(p.cased[at.secret][at.at-(i-lo):][:hi-lo]) < turns {
		return lo, hi, false
	}
	return lo, hi, hi-lo >= min(len(s), least)
}
