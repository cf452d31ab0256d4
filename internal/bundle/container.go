package bundle

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"hallmark/internal/base/pattern"
)

// MaxBytes is the most that a bundle may take, and so what verifying one may hold of it in memory.
const MaxBytes = 1 << 30

// The parts of a zip file. Source: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16.
const (
	localMagic   = 0x04034b50
	localBytes   = 30
	centralBytes = 46
	endBytes     = 22

	zipVersion = 20     // what is needed to read it: 2.0
	zipDate    = 0x0021 // 1980-01-01, the earliest date that the format has
)

// A member is one file of a bundle.
type member struct {
	name string
	data []byte
	away *shelved // in place of data, where it is not in memory
}

// Begins reports whether a file that begins so is a bundle: a zip whose first member is one of a bundle's.
func Begins(head []byte) bool {
	le := binary.LittleEndian
	if len(head) < localBytes || le.Uint32(head) != localMagic {
		return false
	}
	name := head[localBytes:]
	return slices.Contains(names, string(name[:min(len(name), int(le.Uint16(head[26:])))]))
}

// pack returns the members as a zip file.
func pack(members []member) []byte {
	out := bytes.NewBuffer(make([]byte, 0, packedBytes(members)))
	if err := writeZip(out, members); err != nil { // a buffer takes all
		panic("bundle: " + err.Error())
	}
	return out.Bytes()
}

// packedBytes is how many bytes the zip file of the members has.
func packedBytes(members []member) int {
	size := endBytes
	for _, m := range members {
		size += localBytes + centralBytes + 2*len(m.name) + m.size()
	}
	return size
}

// writeZip writes the members in the order of their names: stored, not packed, and every field that could differ
// without need is fixed.
func writeZip(w io.Writer, members []member) error {
	z := zip.NewWriter(w)
	for _, m := range slices.SortedFunc(slices.Values(members), byName) {
		size := uint64(m.size())
		head := zip.FileHeader{Name: m.name, CreatorVersion: zipVersion, ReaderVersion: zipVersion,
			CRC32: m.crc32(), CompressedSize64: size, UncompressedSize64: size}
		head.ModifiedDate = zipDate //lint:ignore SA1019 a raw header has the date in no other form
		out, err := z.CreateRaw(&head)
		if err == nil {
			err = m.copyTo(out)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

func byName(a, b member) int { return strings.Compare(a.name, b.name) }

// packs reports whether a file is, byte for byte, what pack makes of the members. It holds nothing of that.
func packs(members []member, file []byte) bool {
	rest := unlike(file)
	return writeZip(&rest, members) == nil && len(rest) == 0
}

// An unlike is what is left of a text whose beginning was written.
type unlike []byte

// Write implements io.Writer. The error says that something else is written.
func (u *unlike) Write(p []byte) (int, error) {
	rest, same := bytes.CutPrefix(*u, p)
	if !same {
		return 0, errors.New("another text")
	}
	*u = rest
	return len(p), nil
}

// laterName is what members are named that a later release may add: no path, and nothing that hides.
var laterName = pattern.New(`^[a-z0-9][a-z0-9-]{0,40}\.(json|jsonl|csv|txt|html)$`)

// split returns the members of a file that pack made, those of which the bytes are not what their checksum says,
// and where it goes on as no bundle does.
func split(file []byte) (members []member, changed []*Fault, broken *Fault) {
	le := binary.LittleEndian
	if len(file) < endBytes || le.Uint32(file) != localMagic {
		return nil, nil, fault("", "is no evidence bundle: it does not begin as a zip file; want a file that "+
			"hallmark report --format evidence wrote")
	}
	for at := 0; at+4 <= len(file) && le.Uint32(file[at:]) == localMagic; {
		m, size, broken := memberAt(file, at)
		if broken != nil {
			return members, changed, broken
		}
		if n := len(members); n > 0 && members[n-1].name >= m.name {
			return members, changed, fault(m.name, "byte %d: is there twice or out of order", at)
		}
		if sum, want := crc32.ChecksumIEEE(m.data), le.Uint32(file[at+14:]); sum != want {
			changed = append(changed, fault(m.name, "was changed: its checksum is %08x, its header says %08x", sum,
				want))
		}
		members = append(members, m)
		at += size
	}
	return members, changed, nil
}

// memberAt returns the member whose header begins at a byte, and how many bytes both take.
func memberAt(file []byte, at int) (m member, bytes int, broken *Fault) {
	le := binary.LittleEndian
	head := file[at:]
	if len(head) < localBytes {
		return m, 0, fault("", "is cut off at byte %d, in the header of a member", len(file))
	}
	size, name := int64(le.Uint32(head[22:])), int64(le.Uint16(head[26:]))
	if localBytes+name > int64(len(head)) {
		return m, 0, fault("", "is cut off at byte %d, in the name of a member", len(file))
	}
	m.name = string(head[localBytes : localBytes+name])
	if !slices.Contains(names, m.name) && !laterName.MatchString(m.name) {
		return m, 0, fault("", "byte %d: no bundle has a member named %q; want those that hallmark report --format "+
			"evidence writes", at, shortened(m.name))
	}
	if method := le.Uint16(head[8:]); method != 0 {
		return m, 0, fault(m.name, "byte %d: is packed (method %d); a bundle holds its members as they are, so this "+
			"file was written anew", at, method)
	}
	if localBytes+name+size > int64(len(head)) {
		return m, 0, fault(m.name, "is cut off: %d bytes are there, its header says %d",
			int64(len(head))-localBytes-name, size)
	}
	m.data = head[localBytes+name : localBytes+name+size : localBytes+name+size]
	return m, int(localBytes + name + size), nil
}

// unpack returns the members of a file that pack made. Anything else is an error: other zip files, members that are
// packed, of names that no release gives, twice or out of order, and a byte changed in any header. The members
// share memory with the file; what it takes is bounded by it.
func unpack(file []byte) ([]member, error) {
	members, changed, broken := split(file)
	if len(changed) > 0 {
		return nil, changed[0]
	}
	if broken != nil {
		return nil, broken
	}
	if !packs(members, file) {
		want := pack(members)
		i := firstDifference(want, file)
		switch {
		case i == len(file):
			return nil, fault("", "is cut off at byte %d, in its table of contents", i)
		case i == len(want):
			return nil, fault("", "goes on for %d bytes after its end", len(file)-i)
		}
		return nil, fault("", "byte %d, in %s, is not as a bundle has it", i, partAt(members, i))
	}
	return members, nil
}

// partAt names the part of a file of these members that a byte lies in.
func partAt(members []member, i int) string {
	for _, m := range members {
		if i < localBytes+len(m.name) {
			return "the header of " + m.name
		}
		if i -= localBytes + len(m.name) + len(m.data); i < 0 {
			return m.name
		}
	}
	return "the table of contents"
}

// firstDifference returns the first place at which two texts differ.
func firstDifference(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// shortened bounds a text that an error quotes.
func shortened(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}

// A Fault says what is wrong with a bundle: it is damaged, was changed, is not one, or its numbers do not follow
// from its answers.
type Fault struct {
	Member string // the file inside the bundle; "" for the bundle itself
	Text   string
}

func (f *Fault) Error() string {
	if f.Member == "" {
		return f.Text
	}
	return f.Member + ": " + f.Text
}

func fault(member, format string, args ...any) *Fault {
	return &Fault{member, fmt.Sprintf(format, args...)}
}
