package program

import (
	"errors"
	"fmt"
)

// What compiling takes is bounded by an estimate, since the compiler has no bound of its own and 17 kB can hold it for
// minutes: it follows each block up to the first one, each value back through blocks with one way in, and each value
// where ways meet once for each loop around it. The times are about nanoseconds of one processor, measured at the
// worst. A command that Go compiled, of 4 MB, takes 3 s by it, and a fortieth of a second for its largest function
// beyond what grows with its length.
const (
	maxCompiling = 6_000_000_000 // of a module
	maxBeyond    = 2_000_000_000 // of one function, beyond what grows with its length

	instructionTime = 500
	valueTime       = 10 // a value of a block, checked
	callTime        = 3000
	divisionTime    = 12_000
	blockTime       = 4000
	backTime        = 25 // a value, followed back by a block
	liveTime        = 20 // a value that is kept over the beginning of a block
)

// An estimate is of what compiling a function takes, as far as it has been read. Code that nothing leads to is not
// compiled.
type estimate struct {
	c      *counting
	locals int64   // that are kept from block to block, and what the compiler has beside them
	open   []label // the blocks that are open, the function first
	loops  int64   // how many of them are loops
	height int64   // values on the stack, at most
	back   int64   // blocks with one way in, one behind the other, up to here
	blocks int64
	dead   bool // nothing leads here

	linear, beyond int64
}

// A label is a block that is open.
type label struct {
	op      byte
	dead    bool  // nothing led to it
	params  int64 // values that go in
	results int64 // and come out
	height  int64 // values below these
	ways    int64 // ways to the label
	before  int64 // blocks with one way in before it
	most    int64 // the most of these on a way to the label
	meeting int64 // what the ways take, if they are several
}

// estimateOf estimates a function whose code counts.
func (c *counting) estimateOf(t functionType, code []byte) *estimate {
	s := &scan{b: code}
	n := t.params
	for range s.count() {
		n += s.u32()
		s.byte()
	}
	e := &estimate{c: c, locals: kept(*s, n) + 4, open: []label{{op: opBlock, results: int64(t.results)}}}
	e.enter(2, 0)
	for !s.done() && len(e.open) > 0 && e.beyond <= maxBeyond {
		e.instruction(s.instruction())
	}
	e.beyond += e.blocks * e.blocks * (3 + e.blocks/2000)
	return e
}

// kept counts the locals, of n, that are read in a block that has not set them before. Compilers that do not optimize
// make thousands of others.
func kept(s scan, n uint32) (count int64) {
	block := int32(1)
	set := make([]int32, n) // the block in which a local was set; -1 for one that counts
	for !s.done() {
		switch i := s.instruction(); i.op {
		case opBlock, opLoop, opIf, opElse, opEnd, opBranchIf, opMisc:
			block++
		case opLocalSet, opLocalTee:
			if i.index < n && set[i.index] >= 0 {
				set[i.index] = block
			}
		case opLocalGet:
			if i.index < n && set[i.index] >= 0 && set[i.index] != block {
				set[i.index] = -1
				count++
			}
		}
	}
	return count
}

// compilable returns an error where a function whose code counts takes too long to compile, or the functions so far do.
func (c *counting) compilable(t functionType, code []byte) error {
	e := c.estimateOf(t, code)
	if e.beyond > maxBeyond {
		return fmt.Errorf("it takes too long to compile, with its %d blocks and %d values that are kept over "+
			"them; make several functions of it", e.blocks, e.locals+e.height)
	}
	if c.compiling += e.linear + e.beyond; c.compiling > maxCompiling {
		return errors.New("up to here the module takes too long to compile; make it smaller, such as by importing less")
	}
	return nil
}

// enter is the beginning of so many blocks of the compiler, into which values go beside the locals.
func (e *estimate) enter(n, values int64) {
	v := e.locals + values
	e.blocks += n
	e.linear += n * blockTime
	e.beyond += n * (v*v*(e.loops+2) + (v+e.height)*liveTime)
}

// way is one to the label that lies so far out.
func (e *estimate) way(depth uint32) {
	if int64(depth) >= int64(len(e.open)) {
		return
	}
	l := &e.open[len(e.open)-1-int(depth)]
	e.linear += l.results * valueTime
	if e.dead {
		return
	}
	l.ways++
	l.most = max(l.most, e.back+1)
	values := l.results
	if l.op == opLoop {
		values = l.params
	}
	l.meeting += (e.locals + values) * (e.back + 1) * 2 * backTime
}

func (e *estimate) instruction(i instruction) {
	switch i.op {
	case opBlock, opLoop, opIf:
		e.begin(i)
		return
	case opElse:
		e.otherwise()
		return
	case opEnd:
		e.end()
		return
	}
	e.linear += e.time(i)
	for _, t := range i.targets {
		e.way(t)
	}
	if e.dead {
		return
	}
	e.height = max(0, e.height+e.grows(i))
	switch i.op {
	case opLocalGet, opLocalTee:
		e.beyond += e.back * backTime
	case opBranch:
		e.way(i.index)
	case opBranchIf:
		e.enter(2, 0)
		e.way(i.index)
		e.back++
	case opBranchTable:
		e.enter(int64(len(i.targets)), 0)
	case opMisc:
		e.enter(3, 0) // a loop of the compiler's own, of tables
	default:
		// where the memory is, and how large
		if i.op >= 0x28 && i.op <= opMemoryGrow || i.op == opVector || i.op == opCall || i.op == opCallIndirect {
			e.beyond += 2 * e.back * backTime
		}
	}
	e.dead = i.op == opBranch || i.op == opBranchTable || i.op == opReturn || i.op == opUnreachable
}

// begin opens a block.
func (e *estimate) begin(i instruction) {
	l := label{op: i.op, dead: e.dead, before: e.back}
	l.params, l.results = e.c.blockType(i.block)
	e.linear += instructionTime + (l.params+l.results)*valueTime
	if i.op == opIf {
		e.height--
	}
	l.height = max(0, e.height-l.params)
	e.open = append(e.open, l)
	if e.dead {
		return
	}
	switch i.op {
	case opLoop:
		e.way(0)
		e.loops++
		e.enter(2, l.params)
		e.back = 0
	case opIf:
		e.enter(3, l.results)
		e.back++
	default:
		e.enter(1, l.results)
	}
}

// otherwise begins what is done where an if does not hold.
func (e *estimate) otherwise() {
	e.way(0)
	l := &e.open[len(e.open)-1]
	l.op = opElse
	e.dead, e.back, e.height = l.dead, l.before+1, l.height+l.params
}

// end closes a block.
func (e *estimate) end() {
	l := e.open[len(e.open)-1]
	if l.op == opLoop {
		if !l.dead {
			e.loops--
		}
		e.back++
		if l.ways == 1 { // its beginning has one way in as well
			e.back += l.before
		}
	} else {
		e.way(0)
		if l = e.open[len(e.open)-1]; l.op == opIf && !l.dead {
			l.ways, l.most = l.ways+1, max(l.most, l.before+1)
		}
		e.dead, e.back = l.ways == 0, 0
		if l.ways == 1 {
			e.back = l.most
		}
	}
	if l.ways > 1 {
		e.beyond += l.meeting
	}
	e.open = e.open[:len(e.open)-1]
	e.height = l.height + l.results
}

// blockType says how many values go in and come out of a block.
func (c *counting) blockType(t int64) (params, results int64) {
	switch {
	case t >= 0 && t < int64(len(c.types)):
		return int64(c.types[t].params), int64(c.types[t].results)
	case t == -0x40:
		return 0, 0
	}
	return 0, 1
}

// called is the type of the function that a call calls.
func (c *counting) called(i instruction) (t functionType) {
	typ, n := i.index, uint32(len(c.imports))
	if i.op == opCall {
		switch at := i.index; {
		case at < n:
			typ = c.imports[at].typ
		case at-n < uint32(len(c.functions)):
			typ = c.functions[at-n]
		case at-n-uint32(len(c.functions)) < n:
			typ = c.imports[at-n-uint32(len(c.functions))].typ
		}
	}
	if int64(typ) < int64(len(c.types)) {
		t = c.types[typ]
	}
	return t
}

// time is what compiling one instruction takes.
func (e *estimate) time(i instruction) int64 {
	switch op := i.op; {
	case op == opCall, op == opCallIndirect:
		t := e.c.called(i)
		return callTime + int64(t.params+t.results)*instructionTime
	case op >= 0x6d && op <= 0x70, op >= 0x7f && op <= 0x82, op >= 0xa8 && op <= 0xb1:
		// divisions, and integers of floats
		return divisionTime
	case op == opMisc, op == opVector, op == opMemoryGrow:
		return callTime
	}
	return instructionTime
}

// grows is by how many values an instruction makes the stack higher, or more than that.
func (e *estimate) grows(i instruction) int64 {
	switch op := i.op; {
	case op == opCall, op == opCallIndirect:
		t := e.c.called(i)
		return int64(t.results) - int64(t.params) - int64(op-opCall)
	case op == opLocalGet, op == opGlobalGet, op == 0x3f, op >= 0x41 && op <= 0x44, op == 0xd0, op == opRefFunc,
		op == opVector && i.misc == 12, op == opMisc && i.misc == miscTableSize:
		return 1
	case op == opLocalSet, op == opGlobalSet, op == 0x1a, op == opBranchIf, op >= 0x46 && op <= 0x4f,
		op >= 0x51 && op <= 0x66, op >= 0x6a && op <= 0x78,
		op >= 0x7c && op <= 0x8a, op >= 0x92 && op <= 0x98, op >= 0xa0 && op <= 0xa6:
		return -1
	case op == 0x1b, op == 0x1c, op >= 0x36 && op <= 0x3e, op == 0x26:
		return -2
	}
	return 0
}
