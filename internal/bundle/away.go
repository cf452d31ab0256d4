package bundle

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"hash/crc32"
	"io"

	"hallmark/internal/base/shelf"
)

// A shelved is a member that is not in memory, as the members of large runs are large. It is written once, from its
// beginning to its end.
type shelved struct {
	shelf *shelf.Shelf
	parts []shelf.Slot
	size  int
	sha   hash.Hash
	crc   hash.Hash32
}

// shelve takes what is written of a member.
func shelve(on *shelf.Shelf, write func(io.Writer) error) (*shelved, error) {
	s := &shelved{shelf: on, sha: sha256.New(), crc: crc32.NewIEEE()}
	w := bufio.NewWriterSize(s, 64<<10)
	if err := write(w); err != nil {
		return nil, err
	}
	return s, w.Flush()
}

// Write implements io.Writer.
func (s *shelved) Write(p []byte) (int, error) {
	if s.size+len(p) > MaxBytes {
		return 0, ErrTooLarge
	}
	part, err := s.shelf.Put(string(p))
	if err != nil {
		return 0, err
	}
	s.parts = append(s.parts, part)
	s.size += len(p)
	s.sha.Write(p) // hashes take all
	s.crc.Write(p)
	return len(p), nil
}

// copyTo writes the member.
func (s *shelved) copyTo(w io.Writer) error {
	for _, part := range s.parts {
		text, err := s.shelf.Get(part)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, *text); err != nil {
			return err
		}
	}
	return nil
}

// size is how many bytes a member has.
func (m *member) size() int {
	if m.away != nil {
		return m.away.size
	}
	return len(m.data)
}

// sha256 is the hash of a member in hexadecimal.
func (m *member) sha256() string {
	if m.away != nil {
		return hex.EncodeToString(m.away.sha.Sum(nil))
	}
	return hashOf(m.data)
}

// crc32 is the checksum of a member.
func (m *member) crc32() uint32 {
	if m.away != nil {
		return m.away.crc.Sum32()
	}
	return crc32.ChecksumIEEE(m.data)
}

// copyTo writes a member.
func (m *member) copyTo(w io.Writer) error {
	if m.away != nil {
		return m.away.copyTo(w)
	}
	_, err := w.Write(m.data)
	return err
}

// Copy writes the zip file.
func (b *Bundle) Copy(w io.Writer) error {
	if b.File == nil {
		return writeZip(w, b.made)
	}
	_, err := w.Write(b.File)
	return err
}
