package logs

import (
	"bytes"
	"io"
)

// A filter passes on JSON as Python writes it, with null in the place of NaN, Infinity and -Infinity, which are no
// JSON. Texts stay as they are.
type filter struct {
	from io.Reader
	// what was read and is not passed on yet: at its end perhaps the beginning of such a word
	in, out    []byte
	text, next bool // within a text; behind a backslash there
	err        error
}

var constants = [][]byte{[]byte("NaN"), []byte("Infinity"), []byte("-Infinity")}

// Read implements io.Reader.
func (f *filter) Read(p []byte) (int, error) {
	for len(f.out) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		if cap(f.in) == 0 {
			f.in = make([]byte, 0, 1<<16)
		}
		n, err := f.from.Read(f.in[len(f.in):cap(f.in)])
		f.in, f.err = f.in[:len(f.in)+n], err
		f.pass()
	}
	n := copy(p, f.out)
	f.out = f.out[n:]
	return n, nil
}

// pass moves what is decided from in to out.
func (f *filter) pass() {
	f.out = f.out[:0]
	i := 0
	for ; i < len(f.in); i++ {
		b := f.in[i]
		switch {
		case f.next:
			f.next = false
		case f.text:
			n := bytes.IndexByte(f.in[i:], '"')
			if n < 0 {
				n = len(f.in) - i
			}
			if slash := bytes.IndexByte(f.in[i:i+n], '\\'); slash >= 0 {
				n, f.next = slash, true
			}
			end := min(i+n+1, len(f.in))
			f.text = f.next || i+n == len(f.in)
			f.out = append(f.out, f.in[i:end]...)
			i = end - 1
			continue
		case b == '"':
			f.text = true
		case b == 'N' || b == 'I' || b == '-':
			n, begins := constant(f.in[i:])
			if n > 0 {
				f.out = append(f.out, "null"...)
				i += n - 1
				continue
			}
			if begins && f.err == nil {
				f.in = append(f.in[:0], f.in[i:]...)
				return
			}
		}
		f.out = append(f.out, b)
	}
	f.in = f.in[:0]
}

// constant is the length of the constant that stands here, 0 where none does; begins, whether one may.
func constant(b []byte) (n int, begins bool) {
	for _, c := range constants {
		if bytes.HasPrefix(b, c) {
			return len(c), true
		}
		begins = begins || bytes.HasPrefix(c, b)
	}
	return 0, begins
}
