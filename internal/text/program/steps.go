package program

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// A module is bounded by its steps, not by a clock, so that an answer has the same verdict on every machine,
// however busy it is. The machine counts none, so counting is written into the module when it is loaded:
//
//   - Code is charged in stretches that no jump leads into, each at its beginning, and one step for each
//     instruction. What is left is looked at where a function begins and where a loop does: between two of these
//     the code runs forward only.
//   - What costs more than an instruction is charged by its length before it is done: filling, copying and growing
//     memory or a table, and calls of the system, which go through a function that charges them.
//   - Nested calls are bounded by the room that their frames may take, well within the stack of every machine that
//     runs modules.
//
// Two globals hold what is left. A module that exceeds either ends with a trap.

// Bounds of a module's code and of what a run may take.
const (
	Steps = 300_000_000 // for one answer

	// The modules of a suite share suiteSteps, each for one answer to its case, so that one of thousands that never
	// end is graded in minutes. A share is no smaller than leastSteps, which a module that Go compiled takes for an
	// answer of 7 kB.
	suiteSteps = 60_000_000_000
	leastSteps = 20_000_000

	maxModule    = 32 << 20 // bytes
	maxBody      = 1 << 20  // bytes of one function
	maxFunctions = 100_000
	maxLocals    = 4096 // of one function
	maxValues    = 1000 // parameters and results of a type
	maxTables    = 100
	maxTable     = 1 << 17 // of all tables together
	maxTargets   = 10_000  // of one br_table

	room     = 3_000_000 // of all frames, in values of 16 bytes: 48 MB, where the compiler's stack has 50 MB
	minFrame = 1600      // that a frame takes at least: 1,875 frames, where the interpreter has 2,000
)

// Share returns the steps that each of so many modules of a suite has for an answer.
func Share(modules int) int64 {
	return min(Steps, max(leastSteps, suiteSteps/int64(max(modules, 1))))
}

// What steps cost beyond one for each instruction.
const (
	callSteps = 200  // a call of the system
	unitSteps = 64   // each thing that it is given: a buffer, a subscription, a byte of randomness or of a path
	pageSteps = 8192 // a page of memory
	byteShift = 3    // bytes of memory filled or copied: 8 a step
)

// Names under which the module exports what the runner needs. No module may have names of its own that begin so.
const (
	reserved    = "hallmark:"
	stepsExport = reserved + "steps"
	roomExport  = reserved + "room"
	startExport = reserved + "start" // what the module has run before _start, if anything
)

// lengths are the parameters of WASI's functions that say how much there is to do.
var lengths = map[string][]uint32{
	"fd_prestat_dir_name": {2}, "fd_pread": {2}, "fd_pwrite": {2}, "fd_read": {2}, "fd_readdir": {2}, "fd_write": {2},
	"path_create_directory": {2}, "path_filestat_get": {3}, "path_filestat_set_times": {3}, "path_link": {3, 6},
	"path_open": {3}, "path_readlink": {2, 4}, "path_remove_directory": {2}, "path_rename": {2, 5},
	"path_symlink": {1, 4}, "path_unlink_file": {2}, "poll_oneoff": {2}, "random_get": {1}, "sock_recv": {2},
	"sock_send": {2},
}

// Sections of a module.
const (
	sectionCustom = iota
	sectionType
	sectionImport
	sectionFunction
	sectionTable
	sectionMemory
	sectionGlobal
	sectionExport
	sectionStart
	sectionElement
	sectionCode
	sectionData
	sectionDataCount
	sections
)

// order is the order of the sections.
var order = [...]byte{sectionType, sectionImport, sectionFunction, sectionTable, sectionMemory, sectionGlobal,
	sectionExport, sectionStart, sectionElement, sectionDataCount, sectionCode, sectionData}

const header = "\x00asm\x01\x00\x00\x00"

// A functionType says how many values go in and come out.
type functionType struct{ params, results uint32 }

type imported struct {
	name string
	typ  uint32
}

// A counting is a module on its way to one that counts its steps.
type counting struct {
	sections  [sections][]byte // nil where there is none
	types     []functionType
	imports   []imported
	functions []uint32 // the types of those that the module defines
	steps     int64    // that a run may take
	globals   uint32   // how many there are: the steps that are left are the next one, and the room the one after
	compiling int64    // what compiling the functions so far takes, see estimate
}

// count returns the module with counting written into it, so that it ends after so many steps.
func count(code []byte, steps int64) ([]byte, error) {
	if len(code) > maxModule {
		return nil, fmt.Errorf("it has %d bytes; the most is %d", len(code), maxModule)
	}
	c := counting{steps: steps}
	if err := c.split(code); err != nil {
		return nil, err
	}
	for _, part := range []struct {
		name string
		id   int
		read func(*scan) []byte
	}{
		{"types", sectionType, c.readTypes}, {"imports", sectionImport, c.readImports},
		{"functions", sectionFunction, c.readFunctions},
		{"tables", sectionTable, c.tables}, {"globals", sectionGlobal, c.addGlobals},
		{"exports", sectionExport, c.addExports},
		{"elements", sectionElement, c.elements}, {"code", sectionCode, c.code},
	} {
		body := c.sections[part.id]
		if body == nil {
			body = []byte{0}
		}
		s := &scan{b: body}
		out := part.read(s)
		if s.err == nil && s.at != len(body) {
			s.err = errors.New("it goes on behind its end")
		}
		if s.err != nil {
			return nil, fmt.Errorf("section of %s: %w", part.name, s.err)
		}
		if len(out) != 1 || out[0] != 0 {
			c.sections[part.id] = out
		}
	}
	c.sections[sectionStart] = nil // exported instead
	out := []byte(header)
	for _, id := range order {
		if body := c.sections[id]; body != nil {
			out = append(appendU(append(out, id), uint32(len(body))), body...)
		}
	}
	return out, nil
}

// split takes the module apart. Custom sections, such as names and hints, are left out: they would no longer fit.
func (c *counting) split(code []byte) error {
	if !bytes.HasPrefix(code, []byte(header)) {
		return errors.New("it does not begin as one does")
	}
	s := &scan{b: code, at: len(header)}
	next := 0
	for !s.done() {
		id := s.byte()
		body := s.bytes(s.count())
		if id == sectionCustom || s.err != nil {
			continue
		}
		at := bytes.IndexByte(order[next:], id)
		if at < 0 {
			return fmt.Errorf("section %d is unknown, or not in its place", id)
		}
		next += at + 1
		if c.sections[id] = body; body == nil {
			c.sections[id] = []byte{}
		}
	}
	return s.err
}

func (c *counting) readTypes(s *scan) []byte {
	for range s.count() {
		s.zero(0x60)
		params := s.count()
		s.valueTypes(params)
		results := s.count()
		s.valueTypes(results)
		if params+results > maxValues {
			s.fail("a function of %d parameters and results; the most is %d", params+results, maxValues)
		}
		c.types = append(c.types, functionType{uint32(params), uint32(results)})
	}
	return s.b
}

func (c *counting) readImports(s *scan) []byte {
	for range s.count() {
		from, name := s.name(), s.name()
		if s.err == nil && from != wasi_snapshot_preview1.ModuleName {
			s.fail("the module imports %.40q of %.40q; only %s is there", name, from, wasi_snapshot_preview1.ModuleName)
		}
		if kind := s.byte(); kind != 0 {
			s.fail("the module imports %.40q, which is no function", name)
		}
		c.imports = append(c.imports, imported{name, s.u32()})
	}
	return s.b
}

// readFunctions adds those by which the system is called.
func (c *counting) readFunctions(s *scan) []byte {
	for range s.count() {
		c.functions = append(c.functions, s.u32())
	}
	if n := len(c.imports) + len(c.functions); n > maxFunctions {
		s.fail("%d functions; the most is %d", n, maxFunctions)
	}
	out := appendU(nil, uint32(len(c.functions)+len(c.imports)))
	for _, t := range c.functions {
		out = appendU(out, t)
	}
	for _, i := range c.imports {
		out = appendU(out, i.typ)
	}
	return out
}

// function is the index of a function: that of a function of the system is the one that charges for it.
func (c *counting) function(index uint32) uint32 {
	if n := uint32(len(c.imports)); index < n {
		return n + uint32(len(c.functions)) + index
	}
	return index
}

// tables bounds how far they grow.
func (c *counting) tables(s *scan) []byte {
	n := s.count()
	if n > maxTables {
		s.fail("%d tables; the most is %d", n, maxTables)
		return nil
	}
	out := appendU(nil, uint32(n))
	room := uint32(maxTable)
	for range n {
		out = append(out, s.reference())
		limits := s.byte()
		if limits > 1 {
			s.fail("limits 0x%x of a table, which are not in WebAssembly 2.0", limits)
		}
		least, most := s.u32(), room
		if limits == 1 {
			most = min(most, s.u32())
		}
		if least > room {
			s.fail("tables of %d and more; the most is %d", maxTable-room+least, maxTable)
		}
		room -= min(least, room)
		out = appendU(appendU(append(out, 1), least), most)
	}
	return out
}

// constant copies an expression that gives the first value of something.
func (c *counting) constant(out []byte, s *scan) []byte {
	for s.err == nil {
		begin := s.at
		i := s.instruction()
		if i.op == opRefFunc {
			out = appendU(append(out, opRefFunc), c.function(i.index))
		} else {
			out = append(out, s.b[min(begin, s.at):s.at]...)
		}
		if i.op == opEnd {
			break
		}
	}
	return out
}

func (c *counting) addGlobals(s *scan) []byte {
	n := s.count()
	out := appendU(nil, uint32(n)+2)
	for range n {
		typ := s.at
		s.valueTypes(1)
		s.byte() // whether it changes
		out = c.constant(append(out, s.b[typ:s.at]...), s)
	}
	c.globals = uint32(n)
	for _, first := range []int64{c.steps, room} {
		out = append(appendS(append(out, 0x7e, 1, opI64Const), first), opEnd) // an i64 that changes
	}
	return out
}

func (c *counting) addExports(s *scan) []byte {
	n := s.count()
	var out []byte
	for range n {
		name, kind, index := s.name(), s.byte(), s.u32()
		if strings.HasPrefix(name, reserved) {
			s.fail("the module exports %.40q; names that begin with %q are the runner's", name, reserved)
		}
		if kind == 0 {
			index = c.function(index)
		}
		out = appendU(append(appendName(out, name), kind), index)
	}
	out = appendU(append(appendName(out, stepsExport), 3), c.globals)
	out = appendU(append(appendName(out, roomExport), 3), c.globals+1)
	n += 2
	if b := c.sections[sectionStart]; b != nil {
		start := &scan{b: b}
		index := start.u32()
		if start.err != nil || start.at != len(b) {
			s.fail("what the module starts with cannot be read")
		}
		out = appendU(append(appendName(out, startExport), 0), c.function(index))
		n++
	}
	return append(appendU(nil, uint32(n)), out...)
}

// elements copies the first contents of tables.
func (c *counting) elements(s *scan) []byte {
	n := s.count()
	out := appendU(nil, uint32(n))
	for range n {
		form := s.u32()
		if form > 7 {
			s.fail("elements of form %d, which is not in WebAssembly 2.0", form)
		}
		out = appendU(out, form)
		passive, explicit, expressions := form&1 != 0, form&2 != 0, form&4 != 0
		if !passive && explicit {
			out = appendU(out, s.u32())
		}
		if !passive {
			out = c.constant(out, s)
		}
		if (passive || explicit) && expressions {
			out = append(out, s.reference())
		} else if passive || explicit {
			s.zero(0) // functions
			out = append(out, 0)
		}
		items := s.count()
		out = appendU(out, uint32(items))
		for range items {
			if expressions {
				out = c.constant(out, s)
			} else {
				out = appendU(out, c.function(s.u32()))
			}
		}
	}
	return out
}

func (c *counting) code(s *scan) []byte {
	n := s.count()
	if n != len(c.functions) {
		s.fail("%d bodies of %d functions", n, len(c.functions))
	}
	out := appendU(nil, uint32(n+len(c.imports)))
	for i := 0; i < n && s.err == nil; i++ {
		b := s.bytes(s.count())
		if len(b) > maxBody {
			s.fail("function %d has %d bytes; the most is %d", i, len(b), maxBody)
		}
		if int64(c.functions[i]) >= int64(len(c.types)) {
			s.fail("function %d is of no type", i)
		}
		if s.err != nil {
			break
		}
		body, err := c.body(c.types[c.functions[i]], b)
		if err != nil {
			s.fail("function %d: %w", i, err)
		}
		if err := c.compilable(c.types[c.functions[i]], body); err != nil && s.err == nil {
			s.fail("function %d: %w", i, err)
		}
		out = append(appendU(out, uint32(len(body))), body...)
	}
	for i, f := range c.imports {
		if int64(f.typ) >= int64(len(c.types)) {
			s.fail("%.40q is of no type", f.name)
			break
		}
		body := c.system(uint32(i), f)
		out = append(appendU(out, uint32(len(body))), body...)
	}
	return out
}

// system is the body of a function that charges for a call of the system and makes it.
func (c *counting) system(index uint32, f imported) []byte {
	w := writer{c: c, out: []byte{0}} // no locals
	w.charge(callSteps)
	params := c.types[f.typ].params
	for _, p := range lengths[f.name] {
		if p < params {
			w.chargeLocal(p, opI64Mul, unitSteps)
		}
	}
	w.check()
	for p := range params {
		w.index(opLocalGet, p)
	}
	w.index(opCall, index)
	return append(w.out, opEnd)
}
