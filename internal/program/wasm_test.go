package program

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

// module assembles a command whose _start is the code, with that many pages of memory and data at 1024, and three locals.
func module(pages int, data string, code ...[]byte) []byte {
	fn := func(params, results int) []byte {
		i32s := func(n int) []byte {
			items := make([][]byte, n)
			for i := range items {
				items[i] = []byte{0x7f}
			}
			return vec(items...)
		}
		return cat([]byte{0x60}, i32s(params), i32s(results))
	}
	imports := func(name string, typ int) []byte {
		return cat(text("wasi_snapshot_preview1"), text(name), []byte{0}, uleb(typ))
	}
	body := cat(vec(cat(uleb(3), []byte{0x7f})), cat(code...), []byte{0x0b})
	return cat([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, vec(fn(4, 1), fn(1, 0), fn(0, 0))),
		section(2, vec(imports("fd_write", 0), imports("fd_read", 0), imports("proc_exit", 1))),
		section(3, vec(uleb(2))),
		section(5, vec(cat([]byte{0}, uleb(pages)))),
		section(7, vec(cat(text("_start"), []byte{0}, uleb(start)), cat(text("memory"), []byte{2}, uleb(0)))),
		section(10, vec(cat(uleb(len(body)), body))),
		section(11, vec(cat([]byte{0}, i32(1024), []byte{0x0b}, text(data)))),
	)
}

// print writes n bytes from at to standard output.
func print(at, n int) []byte {
	return cat(i32(0), i32(at), store32(), i32(4), i32(n), store32(), i32(1), i32(0), i32(1), i32(8), call(fdWrite), []byte{0x1a})
}

// holds is a module that passes answers whose first 4000 bytes of input hold the byte.
func holds(b byte) []byte {
	const yes, no = `{"verdict":"pass","reason":"it is there"}`, `{"verdict":"fail"}`
	scan := cat(
		i32(0), i32(2048), store32(), i32(4), i32(4000), store32(), i32(0), i32(0), i32(1), i32(8), call(fdRead), []byte{0x1a},
		[]byte{0x03, 0x40}, // loop
		iff2(cat(local(0), i32(2048), []byte{0x6a}, load8(), i32(int(b)), []byte{0x46}), cat(print(1024, len(yes)), i32(0), call(procExit))),
		local(0), i32(1), []byte{0x6a}, setTo(0),
		local(0), i32(4000), []byte{0x48, 0x0d, 0, 0x0b}, // br_if 0 while below; end
		print(1024+len(yes), len(no)),
	)
	return module(1, yes+no, scan)
}

func iff2(condition, body []byte) []byte { return cat(condition, iff(body)) }
