package program

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
)

// shaped is a command of one function with so many locals.
func shaped(locals int, code ...[]byte) []byte {
	s := sectionsOf(1, "")
	s[10] = vec(bodyOf(locals, code...))
	return assemble(s)
}

// nested are so many loops in each other, around reads of as many locals.
func nested(n int) []byte {
	code := bytes.Repeat([]byte{3, 0x40}, n)
	for i := range n {
		code = cat(code, local(1+i), []byte{0x1a})
	}
	return shaped(n+1, code, bytes.Repeat(cat(local(0), []byte{0x0d, 0, 0x0b}), n))
}

// meeting sets so many locals, each behind a way to where all meet, and reads them there.
func meeting(n int) []byte {
	code := []byte{2, 0x40}
	for i := range n {
		code = cat(code, local(0), setTo(1+i), local(0), []byte{0x0d, 0})
	}
	code = append(code, 0x0b)
	for i := range n {
		code = cat(code, local(1+i), load8(), []byte{0x1a})
	}
	return shaped(n+1, code)
}

// TestCompilable: what takes the compiler more than seconds is refused by what is in it, and what takes less is not.
// The first of each pair takes some hundredths of a second; the second, where the function was measured before there
// was a bound, took what is said.
func TestCompilable(t *testing.T) {
	archtest.OneGoroutine(t)
	flat := func(code ...[]byte) func(int) []byte {
		return func(n int) []byte { return shaped(3, bytes.Repeat(cat(code...), n)) }
	}
	out := func(code []byte) func(int) []byte {
		return func(n int) []byte {
			return shaped(3, []byte{2, 0x40}, bytes.Repeat(cat(local(0), []byte{0x0d, 0}), n), bytes.Repeat(code, 20*n),
				[]byte{0x0b})
		}
	}
	table := cat([]byte{2, 0x40}, local(0), []byte{0x0e}, uleb(1000), make([]byte, 1001), []byte{0x0b})
	for _, c := range []struct {
		name         string
		module       func(int) []byte
		few, tooMany int
	}{
		{"blocks", flat([]byte{2, 0x40, 0x0b}), 2000, 30_000},                         // 6 s
		{"ifs", flat(iff2(local(0), nil)), 1000, 20_000},                              // 12 s
		{"ifs that return", flat(iff2(local(0), []byte{0x0f})), 1000, 8000},           // 8 s
		{"loops", flat([]byte{3, 0x40, 0x0b}), 700, 8000},                             // 41 s
		{"fills", flat(local(0), local(0), local(0), []byte{0xfc, 11, 0}), 700, 8000}, // 47 s
		{"loops in each other", nested, 60, 500},                                      // 131 s
		{"blocks in each other", func(n int) []byte { // 20 s
			return shaped(3, bytes.Repeat([]byte{2, 0x40}, n), bytes.Repeat([]byte{0x0b}, n))
		}, 2000, 60_000},
		{"many ways to one place", meeting, 200, 1500},                               // 12 s
		{"reads far from what is read", out(cat(local(1), []byte{0x1a})), 500, 4000}, // 4 s
		{"tables of jumps", flat(table), 10, 500},                                    // 20 s
	} {
		if _, err := load(c.module(c.few), Steps); err != nil {
			t.Errorf("%d %s: %v", c.few, c.name, err)
		}
		const want = "function 0: it takes too long to compile"
		if _, err := load(c.module(c.tooMany), Steps); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%d %s: %v; want %q", c.tooMany, c.name, err, want)
		}
	}
	temporary := []byte{} // 4,000 locals in 1,000 blocks, none of which is kept, as in code that is not optimized
	for i := range 1000 {
		for k := range 4 {
			temporary = cat(temporary, i32(k), setTo(1+4*i+k), local(1+4*i+k), []byte{0x1a})
		}
		temporary = cat(temporary, iff2(i32(1), nil))
	}
	if _, err := load(shaped(4001, temporary), Steps); err != nil {
		t.Errorf("temporary locals: %v", err)
	}
	many := sectionsOf(1, "") // each of its functions may be compiled
	divide := bodyOf(3, bytes.Repeat(cat(local(0), local(1), []byte{0x6d}, setTo(0)), 50_000))
	many[3] = vec(slices.Repeat([][]byte{{2}}, 30)...)
	many[10] = vec(slices.Repeat([][]byte{divide}, 30)...)
	if _, err := load(assemble(many), Steps); err == nil || !strings.Contains(err.Error(), "up to here the module "+
		"takes too long to compile") {
		t.Errorf("30 functions of 50,000 divisions: %v", err)
	}
}

// TestCompiling: that a module is being compiled is known as long as it is, and no longer.
func TestCompiling(t *testing.T) {
	code := shaped(3, bytes.Repeat(iff2(local(0), []byte{0x0f}), 1500))
	done := make(chan error)
	go func() {
		_, err := Load(code)
		done <- err
	}()
	for seen := false; ; {
		select {
		case err := <-done:
			if err != nil || !seen || Compiling() {
				t.Errorf("%v; seen: %v; still: %v", err, seen, Compiling())
			}
			return
		default:
			seen = seen || Compiling()
			runtime.Gosched()
		}
	}
}
