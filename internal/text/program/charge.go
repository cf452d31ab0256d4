package program

import (
	"errors"
)

// A writer writes code that counts.
type writer struct {
	c   *counting
	out []byte
}

func (w *writer) op(ops ...byte)              { w.out = append(w.out, ops...) }
func (w *writer) index(op byte, index uint32) { w.out = appendU(append(w.out, op), index) }
func (w *writer) number(n int64)              { w.out = appendS(append(w.out, opI64Const), n) }

// charge takes steps.
func (w *writer) charge(steps int64) {
	w.index(opGlobalGet, w.c.globals)
	w.number(steps)
	w.op(opI64Sub)
	w.index(opGlobalSet, w.c.globals)
}

// chargeLocal takes as many steps as the local says, times or shifted by n.
func (w *writer) chargeLocal(local uint32, by byte, n int64) {
	w.index(opGlobalGet, w.c.globals)
	w.index(opLocalGet, local)
	w.op(opI64Extend)
	w.number(n)
	w.op(by, opI64Sub)
	w.index(opGlobalSet, w.c.globals)
}

// trap ends the module if the number on the stack is below zero.
func (w *writer) trap() {
	w.number(0)
	w.op(opI64Less, opIf, 0x40, opUnreachable, opEnd)
}

// check ends the module if no steps are left.
func (w *writer) check() {
	w.index(opGlobalGet, w.c.globals)
	w.trap()
}

// A body is a function on its way to one that counts.
type body struct {
	writer
	room, length uint32 // locals of its own: the room that is left while it runs, and a length
	stretch      []byte // code that no jump leads into
	steps        int64  // what it costs
	begin        int    // where it begins: entry, a loop or anywhere else
	first        int64  // the steps of the stretch at the entry
}

const (
	atEntry = iota
	atLoop
	elsewhere
)

// body writes counting into a function.
func (c *counting) body(t functionType, code []byte) ([]byte, error) {
	s := &scan{b: code}
	groups := s.count()
	begin, locals := s.at, uint64(t.params)
	for range groups {
		locals += uint64(s.u32())
		s.valueTypes(1)
	}
	if locals > maxLocals {
		s.fail("%d locals; the most is %d", locals, maxLocals)
	}
	if s.err != nil {
		return nil, s.err
	}
	declared := code[begin:s.at]
	b := body{writer: writer{c: c}, room: uint32(locals), length: uint32(locals) + 1}
	instructions := 0
	for nested := 1; nested > 0 && s.err == nil; instructions++ {
		begin := s.at
		i := s.instruction()
		switch i.op {
		case opBlock, opLoop, opIf:
			nested++
		case opEnd:
			nested--
		}
		b.instruction(i, s.b[min(begin, s.at):s.at])
	}
	b.flush(elsewhere)
	if s.err == nil && s.at != len(code) {
		s.err = errors.New("it goes on behind its end")
	}
	frame := max(minFrame, int64(locals)+int64(t.results)+int64(instructions))
	entry := writer{c: c}
	entry.out = append(appendU(nil, uint32(groups)+2), declared...)
	entry.op(1, 0x7e, 1, 0x7f) // an i64 and an i32
	entry.charge(b.first + int64(locals) + int64(t.results))
	entry.index(opGlobalGet, c.globals+1)
	entry.number(frame)
	entry.op(opI64Sub)
	entry.index(opLocalTee, b.room)
	entry.index(opGlobalSet, c.globals+1)
	entry.index(opLocalGet, b.room)
	entry.index(opGlobalGet, c.globals)
	entry.op(opI64Or)
	entry.trap()
	return append(entry.out, b.out...), s.err
}

// flush ends the stretch; the next one begins there.
func (b *body) flush(next int) {
	switch {
	case b.begin == atEntry:
		b.first = b.steps
	case b.begin == atLoop:
		b.charge(b.steps + 1)
		b.check()
	case b.steps > 0:
		b.charge(b.steps)
	}
	b.out = append(b.out, b.stretch...)
	b.stretch, b.steps, b.begin = b.stretch[:0], 0, next
}

// instruction adds an instruction, whose code is as it came.
func (b *body) instruction(i instruction, code []byte) {
	w := writer{c: b.c, out: b.stretch}
	switch i.op {
	case opCall:
		w.index(opCall, b.c.function(i.index))
	case opRefFunc:
		w.index(opRefFunc, b.c.function(i.index))
	case opMemoryGrow:
		b.byLength(&w, opI64Mul, pageSteps)
		w.op(code...)
	case opMisc:
		switch i.misc {
		case miscMemoryInit, miscMemoryCopy, miscMemoryFill:
			b.byLength(&w, opI64Shift, byteShift)
		case miscTableInit, miscTableCopy, miscTableFill, miscTableGrow:
			b.byLength(&w, opI64Shift, 0)
		}
		w.op(code...)
	default:
		w.op(code...)
	}
	// what was called had less room
	if i.op == opCallIndirect || i.op == opCall && i.index >= uint32(len(b.c.imports)) {
		w.index(opLocalGet, b.room)
		w.index(opGlobalSet, b.c.globals+1)
	}
	b.stretch = w.out
	b.steps += cost(i.op)
	switch i.op {
	case opLoop:
		b.flush(atLoop)
	case opIf, opElse, opEnd:
		b.flush(elsewhere)
	}
}

// byLength charges for an instruction by the length that lies on the stack.
func (b *body) byLength(w *writer, by byte, n int64) {
	w.index(opLocalSet, b.length)
	w.chargeLocal(b.length, by, n)
	w.check()
	w.index(opLocalGet, b.length)
}

// cost is what an instruction costs, in steps.
func cost(op byte) int64 {
	switch op {
	case opBlock, opLoop, opElse, opEnd:
		return 0
	case opMemoryGrow:
		return callSteps
	case opCall, opCallIndirect, opMisc:
		return 4
	}
	return 1
}
