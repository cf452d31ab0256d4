package shelf

import (
	"strings"
	"testing"
)

// Each text comes back as it was, in any order, whether it is in memory or in the file by then.
func TestShelf(t *testing.T) {
	s := &Shelf{}
	defer s.Close()
	var slots []Slot
	text := func(i int) string { return strings.Repeat(string(rune('a'+i%26)), i*997%9000) }
	const n = 8000 // of 4.5 kB each
	for i := range n {
		x, err := s.Put(text(i))
		if err != nil {
			t.Fatal(err)
		}
		slots = append(slots, x)
	}
	if s.file == nil || s.base < most {
		t.Fatalf("%d bytes are in the file", s.base)
	}
	for _, stride := range []int{1, n - 1, 3, 4001} { // onwards, backwards, leaving out, and far apart
		for k := range n {
			i := k * stride % n
			got, err := s.Get(slots[i])
			if err != nil || got == nil || *got != text(i) {
				t.Fatalf("text %d: %v", i, err)
			}
		}
	}
	if got, err := s.Get(Slot{}); got != nil || err != nil {
		t.Errorf("no text: %v, %v", got, err)
	}
}
