package program

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// Bounds of a module.
const (
	Deadline  = 2 * time.Second // for one answer
	Memory    = 64 << 20        // bytes
	maxOutput = 64 << 10        // bytes of standard output
)

// A Module is a command in WebAssembly (WASI preview 1). It is safe for concurrent use: every run has an instance of its own.
type Module struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	deadline time.Duration
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

// compiled holds the modules of this process by the hash of their code, since compiling one takes longer than grading a suite by it.
var compiled sync.Map

type once struct {
	sync.Once
	module *Module
	err    error
}

// Load compiles a module, once in a process for the same code.
func Load(code []byte) (*Module, error) {
	held, _ := compiled.LoadOrStore(sha256.Sum256(code), &once{})
	o := held.(*once)
	o.Do(func() { o.module, o.err = load(code, Deadline) })
	return o.module, o.err
}

func load(code []byte, deadline time.Duration) (*Module, error) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCloseOnContextDone(true).WithMemoryLimitPages(Memory>>16))
	m, err := func() (*Module, error) {
		if _, err := wasi_snapshot_preview1.Instantiate(ctx, r); err != nil {
			return nil, err
		}
		c, err := r.CompileModule(ctx, code)
		if err != nil {
			return nil, fmt.Errorf("no module of WebAssembly: %w", err)
		}
		for _, f := range c.ImportedFunctions() {
			if from, name, _ := f.Import(); from != wasi_snapshot_preview1.ModuleName {
				return nil, fmt.Errorf("the module imports %s of %q; only %s is there", name, from, wasi_snapshot_preview1.ModuleName)
			}
		}
		if _, ok := c.ExportedFunctions()["_start"]; !ok {
			return nil, errors.New("the module has no _start; compile it as a WASI command")
		}
		return &Module{r, c, deadline}, nil
	}()
	if err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	return m, nil
}

// errOutput ends a module that writes more than it may.
var errOutput = fmt.Errorf("more than %d KiB of output", maxOutput>>10)

// bounded collects output and calls stop where it is too long.
type bounded struct {
	bytes.Buffer
	stop context.CancelCauseFunc
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxOutput {
		b.stop(errOutput)
		return 0, io.ErrShortWrite
	}
	return b.Buffer.Write(p)
}

// Run has the module judge one answer. The error, of a module that breaks, takes too long or writes no verdict, says nothing about the
// answer.
func (m *Module) Run(req Request) (Reply, error) {
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	ctx, cancel := context.WithTimeoutCause(ctx, m.deadline, fmt.Errorf("no verdict within %s", m.deadline))
	defer cancel()
	in, err := json.Marshal(req)
	if err != nil {
		return Reply{}, err
	}
	out := &bounded{stop: stop}
	// The clocks, the sleep and the random numbers are wazero's fixed ones, so that the same answer gives the same verdict.
	config := wazero.NewModuleConfig().WithName("").WithStdin(bytes.NewReader(in)).WithStdout(out).WithStderr(io.Discard)
	instance, err := m.runtime.InstantiateModule(ctx, m.compiled, config)
	if instance != nil {
		err = errors.Join(err, instance.Close(context.Background()))
	}
	if cause := context.Cause(ctx); cause != nil {
		return Reply{}, cause
	}
	var exit *sys.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 0:
	case errors.As(err, &exit):
		return Reply{}, fmt.Errorf("the module ended with status %d", exit.ExitCode())
	case err != nil:
		return Reply{}, fmt.Errorf("the module failed: %s", firstLine(err.Error()))
	}
	return parseReply(out.Bytes())
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
		return Reply{}, fmt.Errorf("the module's output is no verdict: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Reply{}, errors.New("the module's output goes on behind its verdict")
	}
	if !slices.Contains([]string{"pass", "fail"}, reply.Verdict) {
		return Reply{}, fmt.Errorf("the module's verdict is %q; it must be pass or fail", reply.Verdict)
	}
	return reply, nil
}
