package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"html"
	"sort"
	"strconv"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// depth is how many forms may lie around each other, such as base64 in a JSON text in a JSON text.
const depth = 4

// A view is what a part of a text reads as, once decoded.
type view struct {
	text []byte
	from *view
	// source returns the part of from that a part of the text, which is not empty, was read from.
	source func(lo, hi int) (int, int)
	// cuts are set where the rest of the text stands in from, too.
	cuts []cut
}

// new reports whether a part of the text is none of from's.
func (v *view) new(lo, hi int) bool {
	if v.cuts == nil {
		return true
	}
	for i := sort.Search(len(v.cuts), func(i int) bool { return v.cuts[i].at >= lo }); i < len(v.cuts) && v.cuts[i].at < hi; i++ {
		if c := v.cuts[i]; c.whole && (c.at > lo || v.cuts[i+1].at > c.at) { // dropped within it, or a byte of it
			return true
		}
	}
	return false
}

// A finder looks for secrets in one text. It keeps its buffers for the next.
type finder struct {
	p     *patterns
	spans []span
	level [depth + 1]struct {
		shown, text []byte
		bare        bare
		cuts        [2][]cut
		places      []span
	}
}

var finders = sync.Pool{New: func() any { return &finder{} }}

// search returns the parts of a text that hold secrets, in order.
func (p *patterns) search(text []byte) []span {
	f := finders.Get().(*finder)
	f.p, f.spans = p, nil
	f.explore(&view{text: text}, 0)
	spans := merge(f.spans)
	f.p, f.spans = nil, nil
	finders.Put(f)
	return spans
}

// explore looks into a view and into what it decodes to.
func (f *finder) explore(v *view, level int) {
	f.look(v, level)
	f.barely(v, level)
	l := &f.level[level]
	if l.shown, l.cuts[0] = rewrite(l.shown[:0], l.cuts[0][:0], v.text, shown, show); len(l.cuts[0]) > 0 {
		v = &view{l.shown, v, origin(l.cuts[0]), l.cuts[0]}
		f.look(v, level)
	}
	if level == depth {
		return
	}
	if l.text, l.cuts[1] = rewrite(l.text[:0], l.cuts[1][:0], v.text, escaped, escape); len(l.cuts[1]) > 0 {
		f.explore(&view{l.text, v, origin(l.cuts[1]), l.cuts[1]}, level+1)
	}
}

// octets explores a view that is bytes of any kind, as base64 read from the wrong digit on gives them: the parts that are text.
func (f *finder) octets(v *view, level int) {
	f.find(v)
	for lo := 0; lo < len(v.text); {
		hi := lo
		for hi < len(v.text) {
			if v.text[hi] < utf8.RuneSelf {
				hi++
			} else if r, n := utf8.DecodeRune(v.text[hi:]); r != utf8.RuneError {
				hi += n
			} else {
				break
			}
		}
		if hi-lo >= f.p.window {
			at := lo // a copy, as what a function keeps is allocated
			f.explore(&view{v.text[at:hi], v.from, func(a, b int) (int, int) { return v.source(at+a, at+b) }, nil}, level)
		}
		lo = hi + 1
	}
}

// find notes the secrets that a view shows as they are.
func (f *finder) find(v *view) {
	f.p.find(v.text, func(lo, hi int) { f.note(v, lo, hi) })
}

// note notes the part of the text that a part of a view was read from.
func (f *finder) note(v *view, lo, hi int) {
	for at := v; at.from != nil; at = at.from {
		lo, hi = at.source(lo, hi)
	}
	f.spans = append(f.spans, span{lo, hi})
}

// look notes the secrets that a view shows as they are, and explores what parts of it are numbers of.
func (f *finder) look(v *view, level int) {
	f.find(v)
	if level < depth {
		f.base64(v, level)
		f.hex(v, level)
		f.codes(v, level)
	}
}

// A cut is a place in a decoded text from which on its bytes come from other ones of the source: one for one, or all until the
// next cut from the same part, where whole is set.
type cut struct {
	at, source int
	whole      bool
}

// origin returns the function that finds where a part of a rewritten text comes from.
func origin(cuts []cut) func(lo, hi int) (int, int) {
	last := func(at int) (c cut, next int) { // the cut that the byte stands behind
		i := sort.Search(len(cuts), func(i int) bool { return cuts[i].at > at })
		switch {
		case i == 0:
			return cut{}, 0
		case i < len(cuts):
			return cuts[i-1], cuts[i].source
		}
		return cuts[i-1], 0
	}
	return func(lo, hi int) (int, int) {
		first, _ := last(lo)
		end, next := last(hi - 1)
		from, to := first.source+lo-first.at, end.source+hi-end.at
		if first.whole {
			from = first.source
		}
		if end.whole { // another cut follows
			to = next
		}
		return from, to
	}
}

// A symbol is what n bytes of a text stand for: a character, or a byte where raw is set, or nothing where the character is below
// 0. A symbol of 0 bytes is none.
type symbol struct {
	r   rune
	n   int
	raw bool
}

const nothing rune = -1

// rewrite appends src with each symbol that read finds replaced by what it stands for; read is called where the byte may begin
// one. It returns no cuts where there is none.
func rewrite(text []byte, cuts []cut, src []byte, begin *stops, read func([]byte) symbol) ([]byte, []cut) {
	done := 0
	for i := begin.next(src, 0); i < len(src); i = begin.next(src, i) {
		s := read(src[i:])
		if s.n == 0 {
			i++
			continue
		}
		if n := len(cuts); s.r == nothing && done == i && n > 1 && cuts[n-2].at == len(text) { // one more dropped
			i += s.n
			done, cuts[n-1].source = i, i
			continue
		}
		text = append(text, src[done:i]...)
		cuts = append(cuts, cut{len(text), i, true})
		switch {
		case s.raw:
			text = append(text, byte(s.r))
		case s.r != nothing:
			text = utf8.AppendRune(text, s.r)
		}
		i += s.n
		done = i
		cuts = append(cuts, cut{len(text), i, false})
	}
	if len(cuts) == 0 {
		return text, cuts
	}
	return append(text, src[done:]...), cuts
}

// stops are the bytes at which a symbol may begin.
type stops struct {
	at [256]bool
	// some are such bytes, each eight times over; beside them it is all those below 0x20 and above 0x7f, if others is set.
	some   []uint64
	others bool
}

const ones, tops = 0x0101010101010101, 0x8080808080808080

func stopsOf(some, others string) *stops {
	s := &stops{at: class(some + others), others: others != ""}
	for i := range len(some) {
		s.some = append(s.some, ones*uint64(some[i]))
	}
	return s
}

// next returns the first place at or behind i where a symbol may begin, or the length of the text. It goes by eight bytes where
// it can.
func (s *stops) next(text []byte, i int) int {
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		var hit uint64
		if s.others {
			hit = x | (x - ones*0x20)
		}
		for _, c := range s.some {
			hit |= ((x ^ c) - ones) &^ (x ^ c) // sets the top of a byte that is c, and perhaps of some behind it
		}
		if hit&tops != 0 {
			for end := i + 8; i < end; i++ {
				if s.at[text[i]] {
					return i
				}
			}
			i -= 8
		}
	}
	for i < len(text) && !s.at[text[i]] {
		i++
	}
	return i
}

// shown are the stops of show: controls, "=" at the end of a line, and the first bytes of characters.
var shown = stopsOf("\x7f=", func() string {
	rest := []byte("\xC2\xCD\xD8\xE1\xE2\xEF\xF3")
	for c := range byte(0x20) {
		rest = append(rest, c)
	}
	return string(rest)
}())

// show reads a character that shows nothing, the soft line end of quoted-printable, or one that stands for another.
func show(b []byte) symbol {
	switch c := b[0]; {
	case c == '=' && bytes.HasPrefix(b, []byte("=\n")):
		return symbol{nothing, 2, false}
	case c == '=' && bytes.HasPrefix(b, []byte("=\r\n")):
		return symbol{nothing, 3, false}
	case c < 0x20, c == 0x7f:
		return symbol{nothing, 1, false}
	}
	switch r, n := utf8.DecodeRune(b); {
	case r == utf8.RuneError:
	case seen(r) != r:
		return symbol{seen(r), n, false}
	case silent(r):
		return symbol{nothing, n, false}
	}
	return symbol{}
}

// silent reports whether a character beyond ASCII shows nothing, so that it may stand between those of a key: a control, a soft
// hyphen, one of no width.
func silent(r rune) bool {
	return r > 0x7f && r < 0xa0 ||
		r >= 0xa0 && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Zl, unicode.Zp)
}

// seen returns the ASCII character that another stands for: of full width, a hyphen, or the tag of one.
func seen(r rune) rune {
	switch {
	case r >= 0xFF01 && r <= 0xFF5E:
		return r - 0xFF01 + '!'
	case r >= 0xE0020 && r <= 0xE007E:
		return r - 0xE0000
	case r >= 0x2010 && r <= 0x2015 || r == 0x2212:
		return '-'
	}
	return r
}

// escaped are the stops of escape.
var escaped = stopsOf("\\&%=", "")

// escape reads an escape of JSON or of a programming language, of percent-encoding, HTML or quoted-printable.
func escape(b []byte) symbol {
	switch c := b[0]; {
	case c == '\\':
		return backslash(b)
	case c == '%' && len(b) > 1 && b[1] == 'u': // as JavaScript's escape writes it
		return number(b, 2, 4, 4, 16)
	case c == '&':
		return entity(b)
	default: // % and =, of URLs and of quoted-printable
		return octet(b, 1, 16)
	}
}

// number reads a character written as its number in a base, in least to most digits from a byte of b on.
func number(b []byte, from, least, most, base int) symbol {
	in := &hexDigit
	if base == 10 {
		in = &decimalDigit
	}
	n := from
	for n < len(b) && n < from+most && in[b[n]] {
		n++
	}
	if n-from < least {
		return symbol{}
	}
	x, err := strconv.ParseUint(string(b[from:n]), base, 32)
	if err != nil || x > unicode.MaxRune {
		return symbol{}
	}
	return symbol{rune(x), n, false}
}

// octet reads a byte written as two hexadecimal digits, or as one to three octal ones.
func octet(b []byte, from, base int) symbol {
	n := from
	if base == 16 {
		for n < len(b) && n < from+2 && hexDigit[b[n]] {
			n++
		}
		if n < from+2 {
			return symbol{}
		}
	}
	for base == 8 && n < len(b) && n < from+3 && '0' <= b[n] && b[n] <= '7' {
		n++
	}
	x, err := strconv.ParseUint(string(b[from:n]), base, 8)
	if err != nil {
		return symbol{}
	}
	return symbol{rune(x), n, true}
}

// backslash reads \u0041, \u{41}, \U00000041, \x41, \x{41}, \101, \n and the like, and \ before any other character.
func backslash(b []byte) symbol {
	if len(b) < 2 {
		return symbol{}
	}
	switch c := b[1]; {
	case (c == 'u' || c == 'x') && len(b) > 2 && b[2] == '{':
		s := number(b, 3, 1, 8, 16)
		if s.n == 0 || s.n == len(b) || b[s.n] != '}' {
			return symbol{}
		}
		s.n++
		return s
	case c == 'u':
		s := number(b, 2, 4, 4, 16)
		if utf16.IsSurrogate(s.r) && len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			if low := number(b[6:], 2, 4, 4, 16); low.n > 0 {
				return symbol{utf16.DecodeRune(s.r, low.r), 12, false}
			}
		}
		return s
	case c == 'U':
		return number(b, 2, 8, 8, 16)
	case c == 'x':
		return octet(b, 2, 16)
	case '0' <= c && c <= '7':
		return octet(b, 1, 8)
	case bytes.IndexByte([]byte("abefnrtv"), c) >= 0:
		return symbol{'\n', 2, false}
	case c < utf8.RuneSelf && c != '&': // an entity stands for itself first
		return symbol{rune(c), 2, false}
	}
	return symbol{}
}

// entity reads an HTML entity. A number needs no semicolon behind it.
func entity(b []byte) symbol {
	const longest = 40
	b = b[:min(len(b), longest)]
	var s symbol
	switch {
	case len(b) > 3 && b[1] == '#' && b[2]|0x20 == 'x':
		s = number(b, 3, 1, 16, 16)
	case len(b) > 2 && b[1] == '#':
		s = number(b, 2, 1, 16, 10)
	default:
		n := bytes.IndexByte(b, ';') + 1
		if named := []rune(html.UnescapeString(string(b[:n]))); len(named) == 1 {
			return symbol{named[0], n, false}
		}
		return symbol{}
	}
	if s.n > 0 && s.n < len(b) && b[s.n] == ';' {
		s.n++
	}
	return s
}

var decimalDigit, hexDigit = class("0123456789"), class("0123456789abcdefABCDEF")

func class(chars string) (t [256]bool) {
	for i := range len(chars) {
		t[chars[i]] = true
	}
	return t
}

// runs calls do for each longest part of the text of bytes in the class, and at least so many.
func runs(text []byte, in *[256]bool, shortest int, do func(lo, hi int)) {
	begin := 0 // no run reaches back behind it
	for i := shortest - 1; i < len(text); {
		if !in[text[i]] {
			begin = i + 1
			i += shortest
			continue
		}
		lo, hi := i, i+1
		for lo > begin && in[text[lo-1]] {
			lo--
		}
		if i-lo+1 < shortest { // it may still be long enough
			stop := min(lo+shortest, len(text))
			for hi < stop && in[text[hi]] {
				hi++
			}
			if hi-lo < shortest {
				begin = hi
				i = hi + shortest
				continue
			}
		}
		for hi < len(text) && in[text[hi]] {
			hi++
		}
		do(lo, hi)
		begin = hi + 1
		i = hi + shortest
	}
}

var base64Digit = class("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_")

// standard maps the alphabet for addresses to the other.
var standard = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
	}
	t['-'], t['_'] = '+', '/'
	return t
}()

// base64 explores what the runs of base64 digits decode to, in both alphabets. Text may precede the encoded one without a break,
// so that each of four digits may be the first.
func (f *finder) base64(v *view, level int) {
	const digit, char = 6, 8 // bits
	runs(v.text, &base64Digit, (f.p.window*char+digit-1)/digit, func(lo, hi int) {
		if !v.new(lo, hi) {
			return
		}
		for phase := lo; phase < lo+4; phase++ {
			l := &f.level[level]
			l.text = append(l.text[:0], v.text[phase:hi]...)
			for i, c := range l.text {
				l.text[i] = standard[c]
			}
			if len(l.text)%4 == 1 { // bits of no whole byte
				l.text = l.text[:len(l.text)-1]
			}
			n, err := base64.RawStdEncoding.Decode(l.text, l.text)
			if err != nil { // no other digits are in the run
				continue
			}
			f.octets(&view{l.text[:n], v, func(a, b int) (int, int) {
				return phase + a*char/digit, min(phase+(b*char+digit-1)/digit, hi)
			}, nil}, level+1)
		}
	})
}

// hex explores what the runs of hexadecimal digits decode to.
func (f *finder) hex(v *view, level int) {
	runs(v.text, &hexDigit, 2*f.p.window, func(lo, hi int) {
		if !v.new(lo, hi) {
			return
		}
		for phase := lo; phase < lo+2; phase++ {
			l := &f.level[level]
			even := v.text[phase : hi-(hi-phase)%2]
			l.text = append(l.text[:0], even...)
			n, err := hex.Decode(l.text, l.text)
			if err != nil { // no other digits are in the run
				continue
			}
			f.octets(&view{l.text[:n], v, func(a, b int) (int, int) { return phase + 2*a, phase + 2*b }, nil}, level+1)
		}
	})
}

var listed = class("0123456789abcdefABCDEFxX +,;:-\t\r\n\"'\\|/")

// codes explores lists of the numbers of characters, such as [115, 107] or 73:6b.
func (f *finder) codes(v *view, level int) {
	runs(v.text, &listed, 3*f.p.window-1, func(lo, hi int) {
		if !v.new(lo, hi) {
			return
		}
		for _, base := range []int{10, 16} {
			f.list(v, lo, hi, base, level)
		}
	})
}

// list explores the numbers in a part of a text. What is no number of a character ends a list and begins another.
func (f *finder) list(v *view, lo, hi, base, level int) {
	l := &f.level[level]
	l.text, l.places = l.text[:0], l.places[:0]
	flush := func() {
		if places := l.places; len(l.text) >= f.p.window {
			f.explore(&view{l.text, v, func(a, b int) (int, int) { return places[a].lo, places[b-1].hi }, nil}, level+1)
		}
		l.text, l.places = l.text[:0], l.places[:0]
	}
	for i := lo; i < hi; {
		end := i
		for end < hi && (hexDigit[v.text[end]] || v.text[end]|0x20 == 'x') {
			end++
		}
		if end == i {
			i++
			continue
		}
		if c, ok := code(v.text[i:end], base); ok {
			l.text, l.places = append(l.text, c), append(l.places, span{i, end})
		} else {
			flush()
		}
		i = end
	}
	flush()
}

// code reads the number of a character: in base 10, or in base 16 as two digits, perhaps with 0x or x before them.
func code(b []byte, base int) (byte, bool) {
	if base == 16 {
		b = bytes.TrimPrefix(b, []byte("0"))
		if len(b) > 2 && b[0]|0x20 == 'x' {
			b = b[1:]
		}
	}
	if len(b) > 3 {
		return 0, false
	}
	x, err := strconv.ParseUint(string(b), base, 8)
	return byte(x), err == nil
}
