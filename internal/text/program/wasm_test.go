package program

import "slices"

// A small assembler for modules of WebAssembly, so that the tests need no other tool and show what each module does.

func uleb(n int) []byte {
	var b []byte
	for {
		c := byte(n & 0x7f)
		if n >>= 7; n == 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func sleb(n int) []byte {
	var b []byte
	for {
		c := byte(n & 0x7f)
		n >>= 7
		if n == 0 && c&0x40 == 0 || n == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func vec(items ...[]byte) []byte {
	b := uleb(len(items))
	for _, it := range items {
		b = append(b, it...)
	}
	return b
}

func section(id byte, body []byte) []byte {
	return append(append([]byte{id}, uleb(len(body))...), body...)
}

func text(s string) []byte { return append(uleb(len(s)), s...) }

func cat(parts ...[]byte) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

func i32(n int) []byte       { return append([]byte{0x41}, sleb(n)...) }
func call(f int) []byte      { return append([]byte{0x10}, uleb(f)...) }
func local(i int) []byte     { return append([]byte{0x20}, uleb(i)...) }
func setTo(i int) []byte     { return append([]byte{0x21}, uleb(i)...) }
func store32() []byte        { return []byte{0x36, 2, 0} }
func load8() []byte          { return []byte{0x2d, 0, 0} }
func iff(body []byte) []byte { return cat([]byte{0x04, 0x40}, body, []byte{0x0b}) }
func forever(body []byte) []byte {
	return cat([]byte{0x03, 0x40}, body, []byte{0x0c, 0, 0x0b}) // loop … br 0 end
}

// Functions of WASI that the modules import, in this order.
const (
	fdWrite = iota
	fdRead
	procExit
	start
)

// function assembles a type of i32s.
func function(params, results int) []byte {
	i32s := func(n int) []byte { return vec(slices.Repeat([][]byte{{0x7f}}, n)...) }
	return cat([]byte{0x60}, i32s(params), i32s(results))
}

// bodyOf assembles a function with so many locals, all i32.
func bodyOf(locals int, code ...[]byte) []byte {
	b := cat(vec(cat(uleb(locals), []byte{0x7f})), cat(code...), []byte{0x0b})
	return cat(uleb(len(b)), b)
}

// assemble puts a module together from the bodies of its sections.
func assemble(bodies map[byte][]byte) []byte {
	b := []byte("\x00asm\x01\x00\x00\x00")
	for _, id := range []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11} {
		if body, ok := bodies[id]; ok {
			b = append(b, section(id, body)...)
		}
	}
	return b
}

func system(name string, typ int) []byte {
	return cat(text("wasi_snapshot_preview1"), text(name), []byte{0}, uleb(typ))
}

// sections are those of a command whose _start is the code, with that many pages of memory and data at 1024, and three
// locals.
func sectionsOf(pages int, data string, code ...[]byte) map[byte][]byte {
	return map[byte][]byte{
		1:  vec(function(4, 1), function(1, 0), function(0, 0)),
		2:  vec(system("fd_write", 0), system("fd_read", 0), system("proc_exit", 1)),
		3:  vec(uleb(2)),
		5:  vec(cat([]byte{0}, uleb(pages))),
		7:  vec(cat(text("_start"), []byte{0}, uleb(start)), cat(text("memory"), []byte{2}, uleb(0))),
		10: vec(bodyOf(3, code...)),
		11: vec(cat([]byte{0}, i32(1024), []byte{0x0b}, text(data))),
	}
}

func module(pages int, data string, code ...[]byte) []byte {
	return assemble(sectionsOf(pages, data, code...))
}

// everything is a command that has instructions of every kind add to one number, and prints it. It starts with a
// function of its own, and calls the system through a table.
func everything() []byte {
	const double, pair, begin, nest = start + 1, start + 2, start + 3, start + 4
	add := []byte{0x6a}
	sum := func(code ...[]byte) []byte { return cat(local(0), cat(code...), add, setTo(0)) }
	misc := func(op byte, rest ...byte) []byte { return append([]byte{0xfc, op}, rest...) }
	at := func(n int) []byte { return cat(i32(n), load8()) }
	code := cat(
		sum(i32(21), i32(0), []byte{0x11, 4, 0}),              // 42: call_indirect double
		sum(i32(3), call(pair), add),                          // 7: two results
		sum(i32(100), call(nest)),                             // 100: recursion
		sum(at(500)),                                          // 7: the start function
		i32(600), i32('a'), i32(8), misc(11, 0), sum(at(604)), // 97
		i32(700), i32(600), i32(8), misc(10, 0, 0), sum(at(707)), // 97
		i32(800), i32(0), i32(3), misc(8, 1, 0), sum(at(801)), misc(9, 1), // 98: "abc"
		i32(4), i32(0), i32(1), misc(12, 1, 0), misc(13, 1), sum(i32(5), i32(4), []byte{0x11, 4, 0}), // 10: table.init
		sum([]byte{0xd0, 0x70}, i32(2), misc(15, 0)), // 8: table.grow
		i32(6), []byte{0xd2, double}, i32(2), misc(17, 0), sum(i32(1), i32(7), []byte{0x11, 4, 0}), // 2: table.fill
		i32(1), i32(0), i32(1), misc(14, 0, 0), sum(i32(2), i32(1), []byte{0x11, 4, 0}), // 4: table.copy
		sum(misc(16, 0)),                                   // 10: table.size
		sum(i32(2), []byte{0x25, 0, 0xd1}),                 // 0: the third is not null
		sum(i32(3), []byte{0x40, 0}, []byte{0x3f, 0}, add), // 1 + 4: memory.grow and its size
		[]byte{0x03, 0x40},                                 // 100: a loop in a loop
		i32(0), setTo(2), []byte{0x03, 0x40}, sum(i32(1)), local(2), i32(1), add, []byte{0x22, 2}, i32(10),
		[]byte{0x48, 0x0d, 0, 0x0b},
		local(1), i32(1), add, []byte{0x22, 1}, i32(10), []byte{0x48, 0x0d, 0, 0x0b},
		[]byte{0x02, 0x40, 0x02, 0x40, 0x02, 0x40}, i32(1), []byte{0x0e, 2, 0, 1, 2, 0x0b}, sum(i32(1000)), []byte{0x0b},
		sum(i32(20)), []byte{0x0b}, // 20: br_table
		sum(i32(0), []byte{0x04, 0x7f}, i32(5), []byte{0x05}, i32(6),
			[]byte{0x0b}), // 6: else
		sum(i32(1), i32(2), i32(0), []byte{0x1c, 1, 0x7f}),       // 2: select
		sum([]byte{0x42, 5, 0x42, 6, 0x7e, 0xa7}),                // 30: i64
		sum([]byte{0x44, 0, 0, 0, 0, 0, 0, 0x1c, 0x40}, misc(2)), // 7: from f64, saturated
		sum(i32(0xff), []byte{0xc0}),                             // -1: the sign of a byte
		sum(i32(5), []byte{0xfd, 17, 0xfd, 27, 2}),               // 5: a lane of a splat
		sum([]byte{0xfd, 12}, make([]byte, 16), []byte{0xfd, 12}, make([]byte, 16),
			[]byte{0xfd, 174, 1, 0xfd, 27, 0}), // 0: added
		sum([]byte{0x23, 0}), // 9: a global
		i32(0), i32(1024), store32(), i32(4), i32(4), store32(),
		i32(1024), local(0), i32(1000), []byte{0x6d}, i32('0'), add, []byte{0x3a, 0, 0},
		i32(1025), local(0), i32(100), []byte{0x6d}, i32(10), []byte{0x6f}, i32('0'), add, []byte{0x3a, 0, 0},
		i32(1026), local(0), i32(10), []byte{0x6d}, i32(10), []byte{0x6f}, i32('0'), add, []byte{0x3a, 0, 0},
		i32(1027), local(0), i32(10), []byte{0x6f}, i32('0'), add, []byte{0x3a, 0, 0},
		i32(1), i32(0), i32(1), i32(8), i32(2), []byte{0x11, 0, 0, 0x1a}, // fd_write, through the table
	)
	s := sectionsOf(1, "", code)
	s[1] = vec(function(4, 1), function(1, 0), function(0, 0), function(1, 2), function(1, 1))
	s[3] = vec(uleb(2), uleb(4), uleb(3), uleb(2), uleb(4))
	s[4] = vec(cat([]byte{0x70, 0}, uleb(8)))
	s[5] = vec(cat([]byte{1}, uleb(1), uleb(20)))
	s[6] = vec(cat([]byte{0x7f, 1}, i32(9), []byte{0x0b}))
	s[8] = uleb(begin)
	s[9] = vec(cat([]byte{0}, i32(0), []byte{0x0b}, vec(uleb(double), uleb(nest), uleb(fdWrite))),
		cat([]byte{5, 0x70}, vec([]byte{0xd2, double, 0x0b}, []byte{0xd0, 0x70, 0x0b})))
	s[12] = uleb(2)
	s[10] = vec(bodyOf(3, code),
		bodyOf(0, local(0), i32(2), []byte{0x6c}),
		bodyOf(0, local(0), local(0), i32(1), add),
		bodyOf(0, i32(500), i32(7), []byte{0x3a, 0, 0}),
		bodyOf(0, local(0), []byte{0x45}, iff([]byte{0x41, 0, 0x0f}), local(0), i32(1), []byte{0x6b}, call(nest), i32(1),
			add),
	)
	s[11] = vec(cat([]byte{0}, i32(1024), []byte{0x0b}, text("")), cat([]byte{1}, text("abc")))
	return assemble(s)
}

// print writes n bytes from at to standard output.
func print(at, n int) []byte {
	return cat(i32(0), i32(at), store32(), i32(4), i32(n), store32(), i32(1), i32(0), i32(1), i32(8), call(fdWrite),
		[]byte{0x1a})
}

// holds is a module that passes answers whose first 4000 bytes of input hold the byte.
func holds(b byte) []byte {
	const yes, no = `{"verdict":"pass","reason":"it is there"}`, `{"verdict":"fail"}`
	scan := cat(
		i32(0), i32(2048), store32(), i32(4), i32(4000), store32(), i32(0), i32(0), i32(1), i32(8), call(fdRead),
		[]byte{0x1a},
		[]byte{0x03, 0x40}, // loop
		iff2(cat(local(0), i32(2048), []byte{0x6a}, load8(), i32(int(b)), []byte{0x46}), cat(print(1024, len(yes)), i32(0),
			call(procExit))),
		local(0), i32(1), []byte{0x6a}, setTo(0),
		local(0), i32(4000), []byte{0x48, 0x0d, 0, 0x0b}, // br_if 0 while below; end
		print(1024+len(yes), len(no)),
	)
	return module(1, yes+no, scan)
}

func iff2(condition, body []byte) []byte { return cat(condition, iff(body)) }
