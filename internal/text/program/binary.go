package program

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A scan reads the binary format of WebAssembly. The first error stays, and what is read after it is zero.
type scan struct {
	b   []byte
	at  int
	err error
}

var errShort = errors.New("it ends in the middle")

func (s *scan) fail(format string, a ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, a...)
	}
}

func (s *scan) done() bool { return s.err != nil || s.at >= len(s.b) }

func (s *scan) byte() byte {
	b := s.bytes(1)
	if b == nil {
		return 0
	}
	return b[0]
}

func (s *scan) bytes(n int) []byte {
	if s.err == nil && (n < 0 || n > len(s.b)-s.at) {
		s.err = errShort
	}
	if s.err != nil {
		return nil
	}
	s.at += n
	return s.b[s.at-n : s.at]
}

// skip passes a number in LEB128 of at most so many bytes.
func (s *scan) skip(most int) {
	for range most {
		if s.byte() < 0x80 {
			return
		}
	}
	s.fail("a number of more than %d bytes", most)
}

// leb reads a number in LEB128 of at most 5 bytes, and how many bits are written of it.
func (s *scan) leb() (n uint64, bits int) {
	for bits < 35 {
		b := s.byte()
		n |= uint64(b&0x7f) << bits
		if bits += 7; b < 0x80 {
			return n, bits
		}
	}
	s.fail("a number of more than 5 bytes")
	return 0, bits
}

// u32 reads an unsigned number.
func (s *scan) u32() uint32 {
	n, _ := s.leb()
	if n > 1<<32-1 {
		s.fail("a number beyond 32 bits")
	}
	return uint32(n)
}

// s33 reads a signed number: the type of a block.
func (s *scan) s33() int64 {
	n, bits := s.leb()
	return int64(n) << (64 - bits) >> (64 - bits)
}

// count reads how many things follow, of which each takes a byte at least.
func (s *scan) count() int {
	n := s.u32()
	if s.err == nil && int64(n) > int64(len(s.b)-s.at) {
		s.err = errShort
	}
	if s.err != nil {
		return 0
	}
	return int(n)
}

// valueTypes passes the types of so many values.
func (s *scan) valueTypes(n int) {
	for _, t := range s.bytes(n) {
		switch t {
		case 0x7f, 0x7e, 0x7d, 0x7c, 0x7b, 0x70, 0x6f:
		default:
			s.fail("type 0x%x of a value, which is not in WebAssembly 2.0", t)
		}
	}
}

// reference reads the type of a reference.
func (s *scan) reference() byte {
	t := s.byte()
	if t != 0x70 && t != 0x6f {
		s.fail("type 0x%x of a reference, which is not in WebAssembly 2.0", t)
	}
	return t
}

// name reads a text.
func (s *scan) name() string { return string(s.bytes(s.count())) }

func appendU(b []byte, n uint32) []byte { return binary.AppendUvarint(b, uint64(n)) }

func appendS(b []byte, n int64) []byte {
	for {
		c := byte(n & 0x7f)
		if n >>= 7; n == 0 && c&0x40 == 0 || n == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func appendName(b []byte, s string) []byte { return append(appendU(b, uint32(len(s))), s...) }

// Instructions that the counting of steps reads or writes.
const (
	opUnreachable  = 0x00
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0b
	opBranch       = 0x0c
	opBranchIf     = 0x0d
	opBranchTable  = 0x0e
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opLocalTee     = 0x22
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opMemoryGrow   = 0x40
	opI64Const     = 0x42
	opI64Less      = 0x53
	opI64Sub       = 0x7d
	opI64Mul       = 0x7e
	opI64Or        = 0x84
	opI64Shift     = 0x88
	opI64Extend    = 0xad
	opRefFunc      = 0xd2
	opMisc         = 0xfc
	opVector       = 0xfd
)

// Instructions behind opMisc.
const (
	miscMemoryInit = 8
	miscMemoryCopy = 10
	miscMemoryFill = 11
	miscTableInit  = 12
	miscTableCopy  = 14
	miscTableGrow  = 15
	miscTableSize  = 16
	miscTableFill  = 17
)

// operands are what follows the instructions from one to another, a letter for each part: b is the type of a block, i
// an index, t the targets of a br_table, n and l a number of at most 5 and 10 bytes, 0 and 1 that byte, v the type of a
// value, r that of a reference, y any byte; ? is no instruction.
type operands struct {
	from, to int
	parts    string
}

var (
	single = table("?", []operands{{0x00, 0x01, ""}, {opBlock, opIf, "b"}, {opElse, opElse, ""}, {opEnd, opEnd, ""},
		{opBranch, opBranchIf, "i"}, {opBranchTable, opBranchTable, "t"}, {opReturn, opReturn, ""},
		{opCall, opCall, "i"}, {opCallIndirect, opCallIndirect, "in"}, {0x1a, 0x1b, ""}, {0x1c, 0x1c, "1v"},
		{opLocalGet, 0x26, "i"}, {0x28, 0x3e, "nn"}, {0x3f, opMemoryGrow, "0"}, {0x41, 0x41, "n"},
		{opI64Const, opI64Const, "l"}, {0x43, 0x43, "yyyy"}, {0x44, 0x44, "yyyyyyyy"}, {0x45, 0xc4, ""},
		{0xd0, 0xd0, "r"}, {0xd1, 0xd1, ""}, {opRefFunc, opRefFunc, "i"}})
	misc = table("?", []operands{{0, 7, ""}, {miscMemoryInit, miscMemoryInit, "n0"}, {9, 9, "n"},
		{miscMemoryCopy, miscMemoryCopy, "00"}, {miscMemoryFill, miscMemoryFill, "0"},
		{miscTableInit, miscTableInit, "nn"}, {13, 13, "n"}, {miscTableCopy, miscTableCopy, "nn"},
		{miscTableGrow, miscTableFill, "n"}})
	vector = table("", []operands{{0, 11, "nn"}, {12, 13, "yyyyyyyyyyyyyyyy"}, {21, 34, "y"}, {84, 91, "nny"},
		{92, 93, "nn"}})
)

// table holds the parts by instruction, others for those that no row has.
func table(others string, rows []operands) (t [256]string) {
	for op := range t {
		t[op] = others
	}
	for _, r := range rows {
		for op := r.from; op <= r.to; op++ {
			t[op] = r.parts
		}
	}
	return t
}

// An instruction is one of WebAssembly 2.0.
type instruction struct {
	op   byte
	misc byte // which one, where op is opMisc or opVector
	// the function of a call or of ref.func, the type of an indirect call, the label of a branch, the variable
	index   uint32
	block   int64    // the type of a block
	targets []uint32 // the labels of a br_table
}

// instruction passes the next one with all that belongs to it, as wazero reads it: the second byte of a vector's
// instruction is the whole of it, and what a longer number would add is an instruction of its own that does
// nothing.
func (s *scan) instruction() (i instruction) {
	i.op = s.byte()
	parts := single[i.op]
	switch i.op {
	case opMisc:
		i.misc = s.byte()
		parts = misc[i.misc]
	case opVector:
		i.misc = s.byte()
		parts = vector[i.misc]
	}
	for _, part := range []byte(parts) {
		switch part {
		case 'b':
			i.block = s.s33()
		case 'i':
			i.index = s.u32()
		case 't':
			i.targets = s.targets()
		case 'n':
			s.skip(5)
		case 'l':
			s.skip(10)
		case '0', '1':
			s.zero(part - '0')
		case 'v':
			s.valueTypes(1)
		case 'r':
			s.reference()
		case 'y':
			s.byte()
		case '?':
			s.unknown(i)
		}
	}
	return i
}

func (s *scan) unknown(i instruction) {
	if i.op == opMisc {
		s.fail("instruction 0xfc 0x%x is not in WebAssembly 2.0", i.misc)
	}
	s.fail("instruction 0x%x is not in WebAssembly 2.0", i.op)
}

// zero passes a byte that has one value.
func (s *scan) zero(want byte) {
	if b := s.byte(); b != want {
		s.fail("byte 0x%x where WebAssembly 2.0 has 0x%x", b, want)
	}
}

// targets reads the labels of a br_table, the last one for all other numbers.
func (s *scan) targets() []uint32 {
	n := s.count()
	if n > maxTargets {
		s.fail("a br_table of %d targets; the most is %d", n, maxTargets)
		return nil
	}
	labels := make([]uint32, n+1)
	for i := range labels {
		labels[i] = s.u32()
	}
	return labels
}
