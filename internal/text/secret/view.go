package secret

import (
	"bytes"
	"sync"
)

// depth is how many forms may lie around each other, such as base64 in a JSON text in a JSON text.
const depth = 4

// A view is what a text, or a part of it, reads as once decoded.
type view struct {
	text []byte
	from []origin // of each byte; nil where the view is the text itself
	// rewritten is set where only symbols in it are decoded: all else was there to be read before.
	rewritten bool
}

// An origin is the part of the text that a byte of a view was read from.
type origin struct {
	lo, hi int32
	fresh  bool // it was decoded in the last step
	joined bool // what stood before it was dropped in the last step
}

func (v *view) origin(i int) origin {
	if v.from == nil {
		return origin{lo: int32(i), hi: int32(i + 1)}
	}
	return v.from[i]
}

// reset empties a view, which keeps its buffers.
func (v *view) reset() { v.text, v.from, v.rewritten = v.text[:0], v.from[:0], false }

// add appends a byte that was read from a part of another view.
func (v *view) add(c byte, of *view, lo, hi int, fresh, joined bool) {
	v.text = append(v.text, c)
	v.from = append(v.from, origin{of.origin(lo).lo, of.origin(hi - 1).hi, fresh, joined})
}

// fresh reports whether a part of the view could not be read in the view that it was rewritten from.
func (v *view) fresh(lo, hi int) bool {
	if !v.rewritten {
		return true
	}
	for i := lo; i < hi; i++ {
		if o := v.from[i]; o.fresh || o.joined && i > lo {
			return true
		}
	}
	return false
}

// A finder looks for secrets in one text. It keeps its buffers for the next.
type finder struct {
	p     *patterns
	spans []span
	plain []byte // what digits make up
	worth []byte // of digits
	level [depth + 1]struct{ shown, decoded, bare, untagged, unmarked view }
}

var finders = sync.Pool{New: func() any { return &finder{} }}

// A long text is looked through in parts that overlap, as each of its bytes takes a hundred while it is read in all
// its forms.
const part, overlap = 256 << 10, 64 << 10 // bytes

// search returns the parts of a text that hold secrets, in order. In a text of more than a part, those whose form
// has more bytes than the overlap may not be found.
func (p *patterns) search(text []byte) []span {
	f := finders.Get().(*finder)
	f.p, f.spans = p, nil
	for at, before := 0, 0; ; at, before = at+part-overlap, len(f.spans) {
		f.explore(&view{text: text[at:min(at+part, len(text))]}, 0)
		for i := before; i < len(f.spans); i++ {
			f.spans[i].lo += at
			f.spans[i].hi += at
		}
		if at+part >= len(text) {
			break
		}
	}
	spans := merge(f.spans)
	f.p, f.spans = nil, nil
	finders.Put(f)
	return spans
}

// explore looks into a view and into what it decodes to.
func (f *finder) explore(v *view, level int) {
	l := &f.level[level]
	f.look(v, level)
	if l.unmarked.unmark(v) {
		f.find(f.p, &l.unmarked)
	}
	less := (f.p.bare != nil || level == 0) && l.bare.readBarely(v)
	if less && f.p.bare != nil {
		f.find(f.p.bare, &l.bare)
	}
	if less && level == 0 {
		f.scattered(v, &l.bare)
	}
	if bytes.Contains(v.text, tagsBegin) && l.untagged.rewrite(v, &tagged, untag) {
		f.look(&l.untagged, level)
	}
	if l.untagged.rewrite(v, &selecting, selected) {
		f.look(&l.untagged, level)
	}
	if l.shown.rewrite(v, &shown, show) {
		v = &l.shown
		f.look(v, level)
	}
	if level < depth && l.decoded.rewrite(v, &escaped, escape) {
		f.explore(&l.decoded, level+1)
	}
}

// find notes the secrets that a view shows as they are.
func (f *finder) find(p *patterns, v *view) {
	p.find(v.text, func(lo, hi int) {
		f.spans = append(f.spans, span{int(v.origin(lo).lo), int(v.origin(hi - 1).hi)})
	})
}

// look notes the secrets that a view shows as they are, and explores what parts of it are numbers of.
func (f *finder) look(v *view, level int) {
	f.find(f.p, v)
	if level == depth {
		return
	}
	runs(v, &encoded, (f.p.window*8+5)/6, func(lo, hi int) {
		for phase := range 4 { // text may precede the encoded one without a break
			f.digits(v, lo, hi, &base64Value, 6, phase, level)
		}
	})
	runs(v, &listed, 2*f.p.window, func(lo, hi int) {
		for phase := range 2 {
			f.digits(v, lo, hi, &hexValue, 4, phase, level)
		}
		f.list(v, lo, hi, level)
	})
}

// scattered looks for the numbers of a secret in a whole text, whatever stands between them: chr(115)+chr(107),
// base64 with marks. What they read as is not decoded further. Nearly all texts hold none, which is seen sooner
// without the origins.
func (f *finder) scattered(v, bare *view) {
	for _, d := range []struct {
		value *values
		bits  int
	}{{&base64Value, 6}, {&hexValue, 4}} {
		f.worth = f.worth[:0]
		for i, c := range bare.text {
			x := d.value[c]
			if x != none && !(d.bits == 4 && prefix(bare.text[i:])) {
				f.worth = append(f.worth, x)
			}
		}
		for phase := range min(8/(8-d.bits), len(f.worth)) { // the digits after which a byte begins anew
			if f.hints(f.worth[phase:], d.bits) {
				f.digits(bare, 0, len(bare.text), d.value, d.bits, phase, depth-1)
			}
		}
	}
	f.list(v, 0, len(v.text), depth-1)
	f.hexes(v, depth-1)
}

// hexMarks stand before a number of two digits to the base 16, in source code.
var hexMarks = [][]byte{[]byte("0x"), []byte("0X"), []byte("&H"), []byte("&h")}

// hexes explores the bytes whose numbers stand in a text with a mark each, whatever stands between them: chr(0x73) +
// chr(0x6b).
func (f *finder) hexes(v *view, level int) {
	for _, mark := range hexMarks {
		if bytes.Count(v.text, mark) < f.p.window {
			continue
		}
		d := &f.level[level].decoded
		d.reset()
		for i := 0; i < len(v.text); {
			at := bytes.Index(v.text[i:], mark)
			if at < 0 {
				break
			}
			i += at
			s := octet(number(v.text, i+len(mark), 2, 2, 16))
			if s.n == 0 {
				i += len(mark)
				continue
			}
			d.add(byte(s.r), v, i, s.n, true, false)
			i = s.n
		}
		f.explore(d, level+1)
	}
}

// hints reports whether the bytes that digits make up, without controls, hold a secret.
func (f *finder) hints(digits []byte, bits int) (found bool) {
	f.plain = f.plain[:0]
	var sum uint32
	have := 0
	for _, x := range digits {
		sum, have = sum<<bits|uint32(x), have+bits
		if have >= 8 {
			have -= 8
			if b := byte(sum >> have); b >= 0x20 {
				f.plain = append(f.plain, b)
			}
		}
	}
	f.p.find(f.plain, func(int, int) { found = true })
	return found
}

// runs calls do for each longest part of the text of bytes in the class, of at least so many, that shows something new.
func runs(v *view, in *[256]bool, shortest int, do func(lo, hi int)) {
	for lo := 0; lo+shortest <= len(v.text); {
		hi := lo + shortest
		last := hi - 1 // from behind, as few bytes need be looked at then
		for last >= lo && in[v.text[last]] {
			last--
		}
		if last >= lo {
			lo = last + 1
			continue
		}
		for hi < len(v.text) && in[v.text[hi]] {
			hi++
		}
		if v.fresh(lo, hi) {
			do(lo, hi)
		}
		lo = hi + 1
	}
}

// digits explores the bytes that the digits in a part of a text make up, of so many bits each, from the digit of a
// number on. What is no digit is passed over, and so is the 0x of a number.
func (f *finder) digits(v *view, lo, hi int, value *values, bits, from, level int) {
	d := &f.level[level].decoded
	d.reset()
	var sum, have, begin int
	for i := lo; i < hi; i++ {
		x := value[v.text[i]]
		switch {
		case x == none || bits == 4 && prefix(v.text[i:hi]):
			continue
		case from > 0:
			from--
			continue
		case have == 0:
			begin = i
		}
		sum, have = sum<<bits|int(x), have+bits
		if have >= 8 {
			have -= 8
			d.add(byte(sum>>have), v, begin, i+1, true, false)
			begin = i // where bits of it are left
		}
		sum &= 1<<have - 1
	}
	if len(d.text) >= f.p.window {
		f.explore(d, level+1)
	}
}

// prefix reports whether the 0x of a number is next.
func prefix(b []byte) bool { return len(b) > 1 && b[0] == '0' && b[1]|0x20 == 'x' }

// decimals returns how many decimal digits, at most 15, a text begins with: a longer row is taken for numbers of three.
func decimals(b []byte) (n int) {
	for n < min(len(b), 15) && '0' <= b[n] && b[n] <= '9' {
		n++
	}
	return n
}

// list explores a list of numbers of characters, such as [115, 107].
func (f *finder) list(v *view, lo, hi, level int) {
	d := &f.level[level].decoded
	d.reset()
	for i := lo; i < hi; {
		if v.text[i] == '0' && decimals(v.text[i:hi])%3 != 0 { // 0115; but 050115 are two numbers of three digits
			if next := i + 1; next < hi && decimals(v.text[next:hi]) > 0 {
				i++
				continue
			}
		}
		s := octet(number(v.text[:hi], i, 1, 3, 10))
		if s.n == 0 {
			i++
			continue
		}
		d.add(byte(s.r), v, i, s.n, true, false)
		i = s.n
	}
	if len(d.text) >= f.p.window {
		f.explore(d, level+1)
	}
}
