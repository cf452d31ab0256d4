package retrieve

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// A dictionary numbers different byte strings from 0 in the order in which they are added. The zero value is ready
// to use.
type dictionary struct {
	slots []slot // their count is a power of two
	text  []byte
	ends  []uint32
}

// A slot is a place for a string. A short one stands in it, so that most lookups touch one line of memory; of a
// long one it has a hash.
type slot struct {
	a, b   uint64
	number uint32 // 1 + the number; 0 is free
	long   bool
}

// inSlot is how many bytes a slot holds beside their count.
const inSlot = 15

// secret makes collisions of hashes unforeseeable; no number depends on it.
var secret = [2]uint64{maphash.String(maphash.MakeSeed(), "a"), maphash.String(maphash.MakeSeed(), "b")}

var hashing = maphash.MakeSeed()

// keyOf returns what stands in the slot of a string.
func keyOf(word []byte) (s slot) {
	if len(word) > inSlot {
		h := maphash.Bytes(hashing, word)
		return slot{a: h, b: uint64(len(word)), long: true}
	}
	var key [inSlot + 1]byte
	copy(key[:inSlot], word)
	key[inSlot] = byte(len(word))
	return slot{a: binary.LittleEndian.Uint64(key[:]), b: binary.LittleEndian.Uint64(key[8:])}
}

func (s *slot) hash() uint64 {
	hi, lo := bits.Mul64(s.a^secret[0], s.b^secret[1])
	return hi ^ lo
}

func (d *dictionary) len() int { return len(d.ends) }

// at returns the string of a number; it is valid until the next add.
func (d *dictionary) at(n int) []byte {
	start := uint32(0)
	if n > 0 {
		start = d.ends[n-1]
	}
	return d.text[start:d.ends[n]]
}

// place returns where a string is kept, or the free place where it would be.
func (d *dictionary) place(key *slot, word []byte) *slot {
	mask := uint64(len(d.slots) - 1)
	for at := key.hash() & mask; ; at = (at + 1) & mask {
		s := &d.slots[at]
		if s.number == 0 || s.a == key.a && s.b == key.b && s.long == key.long &&
			(!s.long || bytes.Equal(d.at(int(s.number)-1), word)) {
			return s
		}
	}
}

// find returns the number of a string, -1 if it is not there.
func (d *dictionary) find(word []byte) int {
	if len(d.slots) == 0 {
		return -1
	}
	key := keyOf(word)
	return int(d.place(&key, word).number) - 1
}

// add returns the number of a string, which is new if it is the count before.
func (d *dictionary) add(word []byte) int {
	if 4*len(d.ends) >= 3*len(d.slots) {
		d.grow()
	}
	key := keyOf(word)
	s := d.place(&key, word)
	if s.number == 0 {
		d.text = append(d.text, word...)
		d.ends = append(d.ends, uint32(len(d.text)))
		key.number = uint32(len(d.ends))
		*s = key
	}
	return int(s.number) - 1
}

func (d *dictionary) grow() {
	before := d.slots
	d.slots = make([]slot, max(1024, 2*len(before)))
	for i := range before {
		if s := &before[i]; s.number != 0 {
			*d.place(s, d.at(int(s.number)-1)) = *s
		}
	}
}

// reset empties the dictionary and keeps its memory.
func (d *dictionary) reset() {
	clear(d.slots)
	d.text, d.ends = d.text[:0], d.ends[:0]
}
