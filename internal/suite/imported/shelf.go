package imported

import (
	"fmt"
	"os"
	"slices"
)

// A Shelf keeps texts: the last of them in memory, the others in a file that has no name any more, so that it is gone
// with the process.
type Shelf struct {
	last []byte
	file *os.File
	base int64 // of the first byte in memory

	ahead []byte // of the file, from at: whoever reads one text after the other gets many at once
	at    int64
	next  int64 // where the text ends that was read last
}

// readAhead is how many bytes are read at once of texts that are read in their order.
const readAhead = 256 << 10

// A Slot is where a text stands; the zero Slot is no text.
type Slot struct {
	at int64
	n  int32 // its length, and one more
}

// OK reports whether there is a text.
func (x Slot) OK() bool { return x.n > 0 }

// mostShelved is how many bytes of texts stay in memory.
const mostShelved = 16 << 20

// Put keeps a text.
func (s *Shelf) Put(text string) (Slot, error) {
	if len(s.last)+len(text) > mostShelved && len(s.last) > 0 {
		if err := s.away(); err != nil {
			return Slot{}, fmt.Errorf("answers that are many are put into a file of %s meanwhile: %w", os.TempDir(),
				err)
		}
	}
	x := Slot{s.base + int64(len(s.last)), int32(len(text)) + 1}
	s.last = append(s.last, text...)
	return x, nil
}

// away writes what is in memory to the file.
func (s *Shelf) away() error {
	if s.file == nil {
		f, err := os.CreateTemp("", "hallmark-import-")
		if err != nil {
			return err
		}
		if err := os.Remove(f.Name()); err != nil {
			return err
		}
		s.file = f
	}
	if _, err := s.file.Write(s.last); err != nil {
		return err
	}
	s.base += int64(len(s.last))
	s.last = s.last[:0]
	return nil
}

// Get returns a text; nil where there is none.
func (s *Shelf) Get(x Slot) (*string, error) {
	if !x.OK() {
		return nil, nil
	}
	if x.at >= s.base {
		text := string(s.last[x.at-s.base:][:x.n-1])
		return &text, nil
	}
	inOrder, n := x.at == s.next, int64(x.n-1)
	s.next = x.at + n
	if x.at < s.at || s.next > s.at+int64(len(s.ahead)) {
		want := n
		if inOrder {
			want = min(max(n, readAhead), s.base-x.at)
		}
		s.ahead, s.at = slices.Grow(s.ahead[:0], int(want))[:want], x.at
		if _, err := s.file.ReadAt(s.ahead, x.at); err != nil {
			s.ahead = nil
			return nil, err
		}
	}
	text := string(s.ahead[x.at-s.at:][:n])
	return &text, nil
}

// Close lets go of the file.
func (s *Shelf) Close() error {
	if s == nil || s.file == nil {
		return nil
	}
	return s.file.Close()
}
