package program

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"hallmark/internal/base/jsonl"
)

// Bounds of a module.
const (
	Memory    = 64 << 20 // bytes
	maxOutput = 64 << 10 // bytes of standard output
)

// A Module is a command in WebAssembly (WASI preview 1). It is safe for concurrent use: every run has an instance
// of its own.
type Module struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	steps    int64 // that a run may take
}

// A Request is what a module reads, as one JSON object on its standard input.
type Request struct {
	Answer  string   `json:"answer"`
	Prompt  string   `json:"prompt"`
	Context []string `json:"context"`
}

// A Reply is what a module must write, as one JSON object on its standard output.
type Reply struct {
	Verdict string `json:"verdict"` // pass or fail
	Reason  string `json:"reason,omitempty"`
	Answer  string `json:"answer,omitempty"` // the answer as the module reads it
}

// compiled holds what gives the modules of this process, by the hash of their code, since compiling one takes longer
// than grading a suite by it.
var compiled sync.Map

// Load compiles a module, once in a process for the same code.
func Load(code []byte) (*Module, error) {
	held, _ := compiled.LoadOrStore(sha256.Sum256(code), sync.OnceValues(func() (*Module, error) {
		compiling.Add(1)
		defer compiling.Add(-1)
		return load(code, Steps)
	}))
	return held.(func() (*Module, error))()
}

// compiling counts the modules that are being compiled.
var compiling atomic.Int32

// Compiling reports whether a module is being compiled, which may take seconds and cannot be called off.
func Compiling() bool { return compiling.Load() > 0 }

func load(code []byte, steps int64) (*Module, error) {
	counted, err := count(code, steps)
	if err != nil {
		return nil, fmt.Errorf("no module of WebAssembly that can be run: %w", err)
	}
	m, err := build(counted)
	if err != nil {
		return nil, err
	}
	if _, ok := m.compiled.ExportedFunctions()[startFunction]; !ok {
		return nil, errors.Join(errors.New("the module has no _start; compile it as a WASI command"),
			m.runtime.Close(context.Background()))
	}
	m.steps = steps
	return m, nil
}

// startFunction is what a command has run.
const startFunction = "_start"

func build(code []byte) (*Module, error) {
	ctx := experimental.WithCompilationWorkers(context.Background(), runtime.GOMAXPROCS(0))
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(
		api.CoreFeaturesV2).WithMemoryLimitPages(Memory>>16))
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r); err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	c, err := r.CompileModule(ctx, code)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("no module of WebAssembly: %s", firstLine(err.Error())), r.Close(ctx))
	}
	return &Module{runtime: r, compiled: c}, nil
}

var (
	errOutput = fmt.Errorf("more than %d KiB of output", maxOutput>>10)
	errRoom   = errors.New("calls nested too deep")
)

// bounded collects output, and ends the module where it is too long.
type bounded struct {
	bytes.Buffer
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.over = b.over || b.Len()+len(p) > maxOutput; b.over {
		panic(errOutput) // the runtime stops the module, whatever it would make of an error
	}
	return b.Buffer.Write(p)
}

// Within returns the module with a smaller bound on its steps.
func (m *Module) Within(steps int64) *Module {
	own := *m
	own.steps = min(own.steps, steps)
	return &own
}

// Run has the module judge one answer. The error, of a module that breaks, takes too many steps or writes no
// verdict, says nothing about the answer.
func (m *Module) Run(req Request) (Reply, error) {
	in, err := json.Marshal(req)
	if err != nil {
		return Reply{}, err
	}
	out, _, err := m.run(bytes.NewReader(in))
	if err != nil {
		return Reply{}, err
	}
	return parseReply(out)
}

// run gives the output of one run and the steps that it took.
func (m *Module) run(in io.Reader) (output []byte, steps int64, err error) {
	ctx := context.Background()
	out := &bounded{}
	// The clocks, the sleep and the random numbers are wazero's fixed ones, so that the same answer gives the same
	// verdict.
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions().WithStdin(in).WithStdout(out).WithStderr(
		io.Discard)
	instance, err := m.runtime.InstantiateModule(ctx, m.compiled, config)
	if err != nil {
		return nil, 0, fmt.Errorf("the module failed: %s", firstLine(err.Error()))
	}
	instance.ExportedGlobal(stepsExport).(api.MutableGlobal).Set(uint64(m.steps))
	for _, name := range []string{startExport, startFunction} {
		if f := instance.ExportedFunction(name); f != nil && err == nil {
			_, err = f.Call(ctx)
		}
	}
	left, room := int64(instance.ExportedGlobal(stepsExport).Get()), int64(instance.ExportedGlobal(roomExport).Get())
	if closing := instance.Close(ctx); err == nil {
		err = closing
	}
	var exit *sys.ExitError
	switch {
	case out.over:
		err = errOutput
	case left < 0:
		err = fmt.Errorf("no verdict within %d steps", m.steps)
	case room < 0:
		err = errRoom
	case errors.As(err, &exit) && exit.ExitCode() == 0:
		err = nil
	case errors.As(err, &exit):
		err = fmt.Errorf("the module ended with status %d", exit.ExitCode())
	case err != nil:
		err = fmt.Errorf("the module failed: %s", firstLine(err.Error()))
	}
	return out.Bytes(), m.steps - left, err
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// parseReply reads a verdict: one JSON object with no unknown key and nothing behind it.
func parseReply(b []byte) (Reply, error) {
	var reply Reply
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&reply); err != nil {
		return Reply{}, fmt.Errorf("the module's output is no verdict: %w", jsonl.Plain(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Reply{}, errors.New("the module's output goes on behind its verdict")
	}
	if !slices.Contains([]string{"pass", "fail"}, reply.Verdict) {
		return Reply{}, fmt.Errorf("the module's verdict is %q; it must be pass or fail", reply.Verdict)
	}
	return reply, nil
}
