package program

import (
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

func appendU(b []byte, n uint32) []byte {
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

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
	miscDataDrop   = 9
	miscMemoryCopy = 10
	miscMemoryFill = 11
	miscTableInit  = 12
	miscElemDrop   = 13
	miscTableCopy  = 14
	miscTableGrow  = 15
	miscTableSize  = 16
	miscTableFill  = 17
)

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
	switch op := i.op; {
	case op == opUnreachable, op == 0x01, op == opElse, op == opEnd, op == opReturn, op == 0x1a, op == 0x1b,
		op == 0xd1, op >= 0x45 && op <= 0xc4:
	case op >= opBlock && op <= opIf:
		i.block = s.s33()
	case op == opCall, op == opRefFunc, op == opBranch, op == opBranchIf:
		i.index = s.u32()
	case op >= opLocalGet && op <= 0x26: // variables, table.get and table.set
		i.index = s.u32()
	case op == 0x41: // i32.const
		s.skip(5)
	case op == opBranchTable:
		i.targets = s.targets()
	case op == opCallIndirect:
		i.index = s.u32()
		s.skip(5)
	case op >= 0x28 && op <= 0x3e: // loads and stores
		s.skip(5)
		s.skip(5)
	case op == 0x1c: // select of a type
		s.zero(1)
		s.valueTypes(1)
	case op == 0x3f, op == opMemoryGrow:
		s.zero(0)
	case op == opI64Const:
		s.skip(10)
	case op == 0x43:
		s.bytes(4)
	case op == 0x44:
		s.bytes(8)
	case op == 0xd0: // ref.null
		s.reference()
	case op == opMisc:
		i.misc = s.miscellany()
	case op == opVector:
		i.misc = s.vector()
	default:
		s.fail("instruction 0x%x is not in WebAssembly 2.0", op)
	}
	return i
}

// zero passes a byte that has one value.
func (s *scan) zero(want byte) {
	if b := s.byte(); b != want {
		s.fail("byte 0x%x where WebAssembly 2.0 has 0x%x", b, want)
	}
}

func (s *scan) miscellany() byte {
	op := s.byte()
	switch op {
	case miscMemoryInit:
		s.skip(5)
		s.zero(0)
	case miscMemoryCopy:
		s.zero(0)
		s.zero(0)
	case miscMemoryFill:
		s.zero(0)
	case miscTableInit, miscTableCopy:
		s.skip(5)
		s.skip(5)
	case miscDataDrop, miscElemDrop, miscTableGrow, miscTableSize, miscTableFill:
		s.skip(5)
	default:
		if op > miscTableFill {
			s.fail("instruction 0xfc 0x%x is not in WebAssembly 2.0", op)
		}
	}
	return op
}

func (s *scan) vector() byte {
	op := s.byte()
	switch {
	case op <= 11, op == 92, op == 93: // loads and stores
		s.skip(5)
		s.skip(5)
	case op == 12, op == 13: // a constant, a shuffle
		s.bytes(16)
	case op >= 21 && op <= 34: // a lane
		s.bytes(1)
	case op >= 84 && op <= 91: // a lane in memory
		s.skip(5)
		s.skip(5)
		s.bytes(1)
	}
	return op
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
