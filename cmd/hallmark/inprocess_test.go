package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hallmark/internal/archtest"
)

// What a script has to be a process of its own for: input that it gives the command, a terminal, and what is read of
// the environment as a process starts.
var needsProcess = regexp.MustCompile(`(?m)^(stdin |tty|env HALLMARK_KERNEL=)`)

// setBy finds the variables that a script sets.
var setBy = regexp.MustCompile(`(?m)^env (\w+)=`)

// variablesKey is under what a script keeps the names of its variables; nil where each command is a process.
type variablesKey struct{}

// variables returns the names of what stands in the environment of a script's commands if they run in this process.
// They do for one script after the other: a process takes longer to start than most of what scripts ask of it. With
// HALLMARK_LONG, and under the race detector, all are processes.
func variables(t testing.TB, file string, env *testscript.Env) (names []string) {
	t.Helper()
	script, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
	}
	if archtest.Long() || archtest.Race || needsProcess.Match(script) {
		return nil
	}
	for _, v := range env.Vars {
		name, _, _ := strings.Cut(v, "=")
		names = append(names, name)
	}
	for _, set := range setBy.FindAllSubmatch(script, -1) {
		names = append(names, string(set[1]))
	}
	return append(names, "STUB", "SERVED", "TAKEN", "POSTGRES", "OTEL_EXPORTER_OTLP_ENDPOINT")
}

// runs runs hallmark as a command of a script, whose stdout and stderr become its own.
func runs(ts *testscript.TestScript, args ...string) (stdout, stderr string, code int) {
	names, _ := ts.Value(variablesKey{}).([]string)
	if names != nil {
		stdout, stderr, code = inProcess(ts, names, args)
		io.WriteString(ts.Stdout(), stdout)
		io.WriteString(ts.Stderr(), stderr)
		return stdout, stderr, code
	}
	if err := ts.Exec("hallmark", args...); err != nil {
		var e *exec.ExitError
		if !errors.As(err, &e) {
			ts.Fatalf("%v", err)
		}
		code = e.ExitCode()
	}
	return ts.ReadFile("stdout"), ts.ReadFile("stderr"), code
}

// one is held by the command that has this process's folder and environment.
var one sync.Mutex

// inProcess runs hallmark in this process, in the folder of the script and with its variables.
func inProcess(ts *testscript.TestScript, names, args []string) (stdout, stderr string, code int) {
	one.Lock()
	defer one.Unlock()
	was, err := os.Getwd()
	ts.Check(err)
	before := os.Environ()
	environment := func(all []string) {
		os.Clearenv()
		for _, v := range all {
			name, value, _ := strings.Cut(v, "=")
			os.Setenv(name, value)
		}
	}
	var own []string
	for _, name := range names {
		if value := ts.Getenv(name); value != "" {
			own = append(own, name+"="+value)
		}
	}
	ts.Check(os.Chdir(ts.MkAbs(".")))
	environment(own)
	defer func() {
		environment(before)
		ts.Check(os.Chdir(was))
	}()
	return said(args...)
}

// said runs a command in this process and returns what it printed, and its exit code. What it says of memory to the
// collector holds no longer than it runs. One that panics says so as a process would.
func said(args ...string) (stdout, stderr string, code int) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	var out, errs strings.Builder
	defer func() {
		if p := recover(); p != nil {
			stdout, stderr, code = out.String(), fmt.Sprintf("%spanic: %v\n\n%s", errs.String(), p, debug.Stack()), 2
		}
	}()
	code = hallmark(args, strings.NewReader(""), &out, &errs)
	return out.String(), errs.String(), code
}
