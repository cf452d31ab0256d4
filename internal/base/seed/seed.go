// Package seed makes deterministic random streams that are addressed by name.
//
// Everything that draws does so from its own stream, so that adding, removing or reordering draws in one place moves no
// number in another, and the same seed gives the same bytes at any concurrency.
package seed

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Stream returns the stream of the given seed and name. Two streams are the same if and only if seed and all parts
// of the name are: the parts are hashed with their lengths, so ("ab", "c") and ("a", "bc") differ. A stream is not
// safe for concurrent use; give each goroutine its own name.
//
// Name from the general to the special, as in Stream(s, "shuffle", suite, caseID).
func Stream(seed uint64, name ...string) *rand.Rand {
	return rand.New(rand.NewChaCha8(key(seed, name)))
}

// Derive returns a seed for something that takes one number and not a stream, such as the seed parameter of a model
// API. Seeds of different names are independent of each other and of every Stream.
func Derive(seed uint64, name ...string) uint64 {
	k := key(seed, append([]string{"derive"}, name...))
	return binary.LittleEndian.Uint64(k[:])
}

// key is SHA-256 over the seed and each part of the name after its length, all numbers 8 bytes little-endian.
func key(seed uint64, name []string) (k [32]byte) {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 64), seed)
	for _, part := range name {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(part)))
		b = append(b, part...)
	}
	return sha256.Sum256(b)
}
