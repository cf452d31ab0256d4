// Package shelf keeps texts, where they are many, in a file instead of in memory.
package shelf

import (
	"fmt"
	"os"
	"slices"
	"sync"
)

// A Shelf keeps texts: the last of them in memory, the others in a file that has no name any more, so that nobody else
// finds it and it is gone with the process. As long as they are few there is no file. The zero Shelf is empty; it is
// safe for concurrent use.
type Shelf struct {
	Most int // bytes of texts that stay in memory before there is a file; 0: 16 MiB

	mu   sync.Mutex
	last []byte
	file *os.File
	base int64 // of the first byte in memory

	ahead []byte // of the file, from at: whoever reads one text after the other gets many at once
	at    int64
	next  int64 // where the text ends that was read last
}

// A Slot is where a text stands; the zero Slot is no text.
type Slot struct {
	At int64
	N  int32 // its length, and one more
}

// OK reports whether there is a text.
func (x Slot) OK() bool { return x.N > 0 }

const (
	most      = 16 << 20  // is Shelf.Most where it says nothing
	piece     = 1 << 20   // what is written at once, from the second time on
	readAhead = 256 << 10 // what is read at once of texts that are read in their order
)

// Put keeps a text. The error says where there is no room for it, and what to do.
func (s *Shelf) Put(text string) (Slot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.last)+len(text) > s.room() && len(s.last) > 0 {
		if err := s.away(); err != nil {
			return Slot{}, fmt.Errorf("texts that are many are kept in a file of the folder %s meanwhile: %w; have "+
				"TMPDIR name a folder that has room and can be written to", os.TempDir(), err)
		}
	}
	x := Slot{s.base + int64(len(s.last)), int32(len(text)) + 1}
	s.last = append(s.last, text...)
	return x, nil
}

// room is how many bytes may be in memory.
func (s *Shelf) room() int {
	switch {
	case s.Most == 0 && s.file == nil:
		return most
	case s.Most == 0:
		return piece
	}
	return s.Most
}

// away writes what is in memory to the file.
func (s *Shelf) away() error {
	if s.file == nil {
		f, err := os.CreateTemp("", "hallmark-answers-") // which this user alone can open
		if err != nil {
			return err
		}
		if err := os.Remove(f.Name()); err != nil {
			f.Close()
			return err
		}
		s.file = f
	}
	if _, err := s.file.WriteAt(s.last, s.base); err != nil {
		return err
	}
	s.base += int64(len(s.last))
	if s.last = s.last[:0]; cap(s.last) > 2*piece {
		s.last = nil
	}
	return nil
}

// Get returns a text; nil where there is none.
func (s *Shelf) Get(x Slot) (*string, error) {
	if !x.OK() {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	text, err := s.text(x.At, int(x.N-1))
	if err != nil {
		return nil, fmt.Errorf("a text that was kept in a file meanwhile cannot be read back: %w", err)
	}
	return &text, nil
}

// text returns n bytes.
func (s *Shelf) text(at int64, n int) (string, error) {
	if at >= s.base {
		return string(s.last[at-s.base:][:n]), nil
	}
	// several readers may go on side by side, each a little before or behind the others
	onwards := at >= s.next && at <= s.next+readAhead/4
	s.next = at + int64(n)
	switch {
	case at >= s.at && s.next <= s.at+int64(len(s.ahead)):
	case !onwards: // what was read ahead stays
		text := make([]byte, n)
		_, err := s.file.ReadAt(text, at)
		return string(text), err
	default:
		want := int(min(max(int64(n), readAhead), s.base-at))
		s.ahead, s.at = slices.Grow(s.ahead[:0], want)[:want], at
		if _, err := s.file.ReadAt(s.ahead, at); err != nil {
			s.ahead = nil
			return "", err
		}
	}
	return string(s.ahead[at-s.at:][:n]), nil
}

// Close lets go of the file.
func (s *Shelf) Close() error {
	if s == nil || s.file == nil {
		return nil
	}
	return s.file.Close()
}
