package program

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"hallmark/internal/archtest"
)

// plain runs a module as it came, without counting, by the other engine of the runtime.
func plain(t testing.TB, code []byte, in string) string {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx,
		wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2).WithMemoryLimitPages(Memory>>16))
	defer r.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	var out bytes.Buffer
	config := wazero.NewModuleConfig().WithStdin(strings.NewReader(in)).WithStdout(&out).WithStderr(io.Discard)
	if _, err := r.InstantiateWithConfig(ctx, code, config); err != nil && !strings.Contains(err.Error(), "exit_code(0)") {
		t.Error("not counted:", err)
	}
	return out.String()
}

// TestCounting: a module that counts its steps does what it did without, and takes the same number every time. By hand:
// everything prints the sum of the numbers in its comments.
func TestCounting(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		code           []byte
	}{
		{"everything", "", "0665", everything()},
		{"holds", "a Q", `{"verdict":"pass","reason":"it is there"}`, holds('Q')},
		{"holds not", "a q", `{"verdict":"fail"}`, holds('Q')},
		{"prints", "", "x", module(1, "x", print(1024, 1))},
	} {
		m, err := load(c.code, Steps)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := plain(t, c.code, c.in); got != c.want {
			t.Errorf("%s: %q without counting, want %q", c.name, got, c.want)
		}
		var first int64
		for range 5 {
			out, steps, err := m.run(strings.NewReader(c.in))
			if err != nil || string(out) != c.want {
				t.Errorf("%s: %q, %v; want %q", c.name, out, err, c.want)
			}
			if first == 0 {
				first = steps
			}
			if steps != first || steps <= 0 {
				t.Errorf("%s: %d steps, and %d before", c.name, steps, first)
			}
		}
		t.Logf("%s: %d steps", c.name, first)
		// With fewer steps than it takes it ends, and says so.
		if m, err = load(c.code, first/2); err != nil {
			t.Fatal(err)
		}
		if _, _, err := m.run(strings.NewReader(c.in)); err == nil || !strings.Contains(err.Error(), "no verdict within") {
			t.Errorf("%s: %v within half its steps", c.name, err)
		}
	}
}

// TestCharges: each of these is charged for all that it does. By hand: the instructions, and a locals of _start each,
// beside what is named.
func TestCharges(t *testing.T) {
	for _, c := range []struct {
		name  string
		code  []byte
		least int64 // that a run must take
	}{
		{"a straight line", bytes.Repeat([]byte{0x01}, 5000), 5000},
		{"a loop", cat([]byte{0x03, 0x40}, bytes.Repeat([]byte{0x01}, 90), local(0), i32(1), []byte{0x6a, 0x22, 0}, i32(100),
			[]byte{0x48, 0x0d, 0, 0x0b}), 9600},
		{"both branches", cat(i32(1), []byte{0x04, 0x40}, bytes.Repeat([]byte{0x01}, 700), []byte{0x05, 0x01, 0x0b}), 700},
		{"memory filled", cat(i32(0), i32(7), i32(65536), []byte{0xfc, 11, 0}), 65536 / 8},
		{"memory copied", cat(i32(0), i32(1), i32(65535), []byte{0xfc, 10, 0, 0}), 65535 / 8},
		{"memory grown", cat(i32(10), []byte{0x40, 0, 0x1a}), 10 * pageSteps},
		{"output of many parts", cat(i32(2), i32(2048), i32(7000), i32(0), call(fdWrite), []byte{0x1a}), 7000 * unitSteps},
		{"input in many parts", cat(i32(0), i32(2048), i32(7000), i32(0), call(fdRead), []byte{0x1a}), 7000 * unitSteps},
	} {
		m, err := load(module(1, "", c.code), Steps)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if _, steps, err := m.run(strings.NewReader("{}")); err != nil || steps < c.least || steps > c.least+c.least/4+1000 {
			t.Errorf("%s: %d steps, %v; want %d and a little", c.name, steps, err, c.least)
		}
	}
	random := sectionsOf(1, "", i32(0), i32(60_000), call(procExit), []byte{0x1a})
	random[1] = vec(function(4, 1), function(2, 1), function(0, 0))
	random[2] = vec(system("fd_write", 0), system("fd_read", 0), system("random_get", 1))
	m, err := load(assemble(random), Steps)
	if err != nil {
		t.Fatal(err)
	}
	if _, steps, err := m.run(strings.NewReader("")); err != nil || steps < 60_000*unitSteps {
		t.Errorf("randomness: %d steps, %v", steps, err)
	}
}

// A slow reader lets others run, so that much else happens between two reads.
type slow struct{ in io.Reader }

func (s slow) Read(p []byte) (int, error) {
	runtime.Gosched()
	return s.in.Read(p[:min(1, len(p))])
}

// TestStall: what stalls a module changes neither its verdict nor its steps. The input comes as slowly as it likes,
// while others keep every processor busy; by a clock there is no telling how long that takes.
func TestStall(t *testing.T) {
	m, err := load(holds('Q'), Steps)
	if err != nil {
		t.Fatal(err)
	}
	want, steps, err := m.run(strings.NewReader("Q"))
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	defer close(stop)
	for range 2 * runtime.GOMAXPROCS(0) {
		go func() {
			for {
				select {
				case <-stop:
					return
				default:
					runtime.Gosched()
				}
			}
		}()
	}
	for range 20 {
		got, n, err := m.run(slow{strings.NewReader("Q")})
		if err != nil || !bytes.Equal(got, want) || n != steps {
			t.Fatalf("%q after %d steps, %v; want %q after %d", got, n, err, want, steps)
		}
	}
}

// TestHostileModules holds modules that would take the machine down: each ends with an error that says why.
func TestHostileModules(t *testing.T) {
	const steps = 10_000_000
	const verdict = `{"verdict":"pass"}`
	const tooLong, tooDeep = "no verdict within 10000000 steps", "calls nested too deep"
	wide := sectionsOf(1, "", call(start))
	wide[10] = vec(bodyOf(4000, call(start)))
	values := sectionsOf(1, "") // 1,000 of 16 bytes each, which are needed after the call
	values[10] = vec(bodyOf(1, bytes.Repeat(cat([]byte{0x03, 0x7b}, local(0), []byte{0xfd, 17, 0x0b}), 1000), call(start),
		bytes.Repeat([]byte{0xfd, 81}, 999), []byte{0xfd, 83, 0x1a}))
	for _, c := range []struct {
		name, want string
		code       []byte
	}{
		{"loops", tooLong, module(1, "", forever(nil))},
		{"loops in its start", tooLong, loopsInStart()},
		{"floods", "more than 64 KiB", module(1, strings.Repeat("x", 4096), forever(print(1024, 4096)))},
		{"floods slowly", tooLong, module(1, "", forever(print(1024, 0)))},
		{"complains", tooLong, module(1, "", forever(cat(i32(2), i32(1024), i32(7000), i32(0), call(fdWrite),
			[]byte{0x1a})))},
		{"reads on", tooLong, module(1, "", forever(cat(i32(0), i32(1024), i32(7000), i32(0), call(fdRead), []byte{0x1a})))},
		{"fills", tooLong, module(1024, "", forever(cat(i32(0), i32(7), i32(64<<20), []byte{0xfc, 11, 0})))},
		{"fills in a line", tooLong, module(1024, "", bytes.Repeat(cat(i32(0), i32(7), i32(64<<20), []byte{0xfc, 11, 0}),
			1000))},
		{"grows", "the module failed: wasm error: unreachable",
			module(1, "", forever(iff2(cat(i32(1024), []byte{0x40, 0}, i32(-1), []byte{0x46}), []byte{0x00})))},
		{"nests", tooDeep, module(1, "", call(start))},
		{"nests with wide frames", tooDeep, assemble(wide)},
		{"nests with many values", tooDeep, assemble(values)},
		{"reads beyond its memory", "the module failed: wasm error: out of bounds",
			module(1, "", i32(-8), load8(), []byte{0x1a})},
		{"traps", "the module failed: wasm error: unreachable", module(1, "", []byte{0x00})},
		{"exits", "status 3", module(1, "", i32(3), call(procExit))},
		{"is silent", "no verdict", module(1, "")},
		{"writes no JSON", "no verdict", module(1, "passed", print(1024, 6))},
		{"another key", "unknown field", module(1, `{"verdict":"pass","x":1}`, print(1024, 24))},
		{"another word", `"good"`, module(1, `{"verdict":"good"}`, print(1024, 18))},
		{"goes on", "goes on", module(1, verdict+verdict, print(1024, 2*len(verdict)))},
	} {
		m, err := load(c.code, steps)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for range 2 {
			if _, err := m.Run(Request{Answer: "x"}); err == nil || !strings.Contains(err.Error(), c.want) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		}
	}
}

func loopsInStart() []byte {
	s := sectionsOf(1, "")
	s[3] = vec(uleb(2), uleb(2))
	s[8] = uleb(start + 1)
	s[10] = vec(bodyOf(0), bodyOf(0, forever(nil)))
	return assemble(s)
}

// TestRefused: modules that are not run, and why, in one line.
func TestRefused(t *testing.T) {
	with := func(id byte, b []byte) []byte { s := sectionsOf(1, ""); s[id] = b; return assemble(s) }
	for _, c := range []struct {
		name, want string
		code       []byte
	}{
		{"memory", "memory", module(20_000, "")},
		{"another import", `"env"`, with(2, vec(cat(text("env"), text("f"), []byte{0, 0})))},
		{"an imported memory", "no function", with(2, vec(cat(text("wasi_snapshot_preview1"), text("m"), []byte{2, 0, 1})))},
		{"no start", "_start", []byte(header)},
		{"no module", "no module of WebAssembly", []byte("#!/bin/sh")},
		{"half a module", "in the middle", holds('Q')[:100]},
		{"sections out of order", "not in its place", cat(holds('Q'), section(1, []byte{0}))},
		{"an unknown section", "section 13 is unknown", cat(holds('Q'), section(13, []byte{0}))},
		{"threads", "instruction 0xfe", module(1, "", []byte{0xfe, 0, 2, 0})},
		{"a tail call", "instruction 0x12", module(1, "", []byte{0x12, start})},
		{"a relaxed vector", "instruction 0xfc", module(1, "", []byte{0xfc, 30})},
		{"another memory", "byte 0x1", module(1, "", i32(1), []byte{0x40, 1})},
		{"an own name", "names that begin with", with(7, vec(cat(text("hallmark:steps"), []byte{0, start})))},
		{"many locals", "locals", with(10, vec(bodyOf(1<<20)))},
		{"a large table", "tables of", with(4, vec(cat([]byte{0x70, 0}, uleb(1<<26))))},
		{"large tables", "tables of 160000 and more; the most is 131072",
			with(4, vec(cat([]byte{0x70, 0}, uleb(80_000)), cat([]byte{0x70, 0}, uleb(80_000))))},
		{"many tables", "101 tables; the most is 100", with(4, cat(uleb(101), bytes.Repeat([]byte{0x70, 0, 1}, 101)))},
		{"a branch to many places", "a br_table of 10001 targets",
			module(1, "", cat(i32(0), []byte{0x0e}, uleb(10_001), make([]byte, 10_002)))},
		{"deep blocks", "function 0: it takes too long to compile", module(1, "", bytes.Repeat([]byte{2, 0x40}, 20_000),
			bytes.Repeat([]byte{0x0b}, 20_000))},
		{"a long function", "bytes; the most is", module(1, "", bytes.Repeat([]byte{1}, maxBody+1))},
		{"many values", "parameters and results", with(1, vec(function(600, 600)))},
		{"a function of no type", "of no type", with(3, vec(uleb(77)))},
		{"no end", "in the middle", with(10, vec(cat(uleb(2), []byte{0, 1})))},
		{"behind its end", "goes on behind", with(10, vec(cat(uleb(4), []byte{0, 0x0b, 1, 0x0b})))},
		{"large", "the most is", make([]byte, maxModule+1)},
	} {
		if _, err := load(c.code, Steps); err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestCompiled runs a command that a compiler made, of Go's whole runtime.
func TestCompiled(t *testing.T) {
	archtest.OneGoroutine(t)
	if !archtest.Long() {
		t.Skip("builds a program and Go's runtime for another machine: HALLMARK_LONG is not set")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module judge\n\ngo 1.26\n")
	write("main.go", `package main

import (
	"encoding/json"
	"os"
	"regexp"
)

func main() {
	var in struct{ Answer string }
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		panic(err)
	}
	verdict := "fail"
	if regexp.MustCompile("(?i)\\bparis\\b").MatchString(in.Answer) {
		verdict = "pass"
	}
	json.NewEncoder(os.Stdout).Encode(map[string]string{"verdict": verdict})
}
`)
	build := exec.Command("go", "build", "-o", "judge.wasm", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("no compiler for wasip1: %v: %s", err, out)
	}
	code, err := os.ReadFile(filepath.Join(dir, "judge.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := load(code, Steps)
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{"It is Paris.": `"pass"`, "It is Lyon.": `"fail"`,
		strings.Repeat("a b ", 16<<10) + "Paris": `"pass"`} {
		text := `{"answer":"` + in + `"}`
		out, steps, err := m.run(strings.NewReader(text))
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%.20s: %s, %v", in, out, err)
		}
		again, n, err := m.run(strings.NewReader(text))
		if err != nil || n != steps || !bytes.Equal(again, out) {
			t.Errorf("%.20s: %d steps, then %d: %v", in, steps, n, err)
		}
		if steps > Steps/100+int64(len(in))*Steps/(96<<10) { // 96 KiB of answer fit
			t.Errorf("%.20s: %d steps of %d", in, steps, Steps)
		}
		t.Logf("%d bytes: %d steps", len(in), steps)
	}
	if got := plain(t, code, `{"answer":"Paris"}`); !strings.Contains(got, "pass") {
		t.Errorf("without counting: %q", got)
	}
}

// FuzzCount: what counting accepts is compiled if it was fit for it, and then ends within its steps, with what it
// printed without counting.
func FuzzCount(f *testing.F) {
	for _, code := range [][]byte{everything(), holds('Q'), loopsInStart(), module(1, "", forever(nil)),
		module(1, "x", print(1024, 1))} {
		f.Add(code)
	}
	const steps = 20_000
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx,
		wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2).WithMemoryLimitPages(16))
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	f.Fuzz(func(t *testing.T, code []byte) {
		counted, err := count(code, steps)
		if err != nil {
			return
		}
		was, err := r.CompileModule(ctx, code)
		if err != nil { // by its names, perhaps, which counting leaves out
			if c, err := r.CompileModule(ctx, counted); err == nil {
				c.Close(ctx)
			}
			return
		}
		defer was.Close(ctx)
		c, err := r.CompileModule(ctx, counted)
		if err != nil {
			t.Fatalf("fit before counting only: %v", err)
		}
		defer c.Close(ctx)
		if _, ok := c.ExportedFunctions()[startFunction]; !ok {
			return
		}
		m := &Module{runtime: r, compiled: c, steps: steps}
		out, n, err := m.run(strings.NewReader("Q"))
		if n > steps+1<<40 {
			t.Fatalf("%d steps", n)
		}
		if err != nil {
			return
		}
		var want bytes.Buffer
		config := wazero.NewModuleConfig().WithName("").WithStdin(strings.NewReader("Q")).WithStdout(&want).WithStderr(io.Discard)
		instance, err := r.InstantiateModule(ctx, was, config)
		if instance != nil {
			instance.Close(ctx)
		}
		if !bytes.Equal(out, want.Bytes()) {
			t.Fatalf("%q, without counting %q (%v)", out, want.Bytes(), err)
		}
	})
}

// BenchmarkSteps has a module use all its steps: in a loop that does nothing, and in one that only misses the
// processor's caches.
func BenchmarkSteps(b *testing.B) {
	miss := cat(local(0), i32(1103515245), []byte{0x6c}, i32(0x3fffff0), []byte{0x71, 0x22, 0, 0x28, 2, 0}, local(0),
		[]byte{0x6a}, i32(12345), []byte{0x6a}, setTo(0))
	for name, code := range map[string][]byte{"nothing": nil, "misses": bytes.Repeat(miss, 50)} {
		m, err := load(module(1024, "", forever(code)), Steps)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := m.run(strings.NewReader("")); err == nil {
					b.Fatal("it ended")
				}
			}
		})
	}
}

// TestWithin: a smaller bound holds for one view of a module and not for another, and none is larger than the module's
// own.
func TestWithin(t *testing.T) {
	const verdict = `{"verdict":"pass"}`
	code := module(1, verdict, print(1024, len(verdict)))
	m, err := load(code, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Within(10).Run(Request{}); err == nil || !strings.Contains(err.Error(), "no verdict within 10 steps") {
		t.Errorf("within 10 steps: %v", err)
	}
	if _, err := m.Run(Request{}); err != nil {
		t.Error(err)
	}
	if own := m.Within(2_000_000); own.steps != m.steps {
		t.Errorf("%d steps of %d", own.steps, m.steps)
	}
	for modules, want := range map[int]int64{0: Steps, 1: Steps, 200: Steps, 400: Steps / 2, 1000: 60_000_000,
		3000: 20_000_000, 1_000_000: 20_000_000} {
		if got := Share(modules); got != want {
			t.Errorf("%d modules: %d steps, want %d", modules, got, want)
		}
	}
}
