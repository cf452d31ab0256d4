package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"hallmark/internal/archtest"
	"hallmark/internal/base/exit"
	"hallmark/internal/model/stub"
)

var update = flag.Bool("update", false, "rewrite expected output in scripts and documents")

func TestMain(m *testing.M) {
	if dir := os.TempDir(); strings.HasSuffix(os.Args[0], ".test") { // not where it stands in for hallmark
		os.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "hallmark-test-config"))
		debug.SetGCPercent(400)
		flag.Parse()
		if run := flag.Lookup("test.run").Value; archtest.Race && run.String() == "" {
			_ = run.Set("^(" + strings.Join(raced, "|") + ")$")
		}
	}
	testscript.Main(m, map[string]func(){
		"hallmark": func() { os.Exit(hallmark(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// raced are the tests that run under the race detector, and racedScripts the scripts: commands that ask a server, or
// are one, with many requests at a time, are interrupted, or write a bundle through a tap of a store. What runs on one
// goroutine takes ten times as long and shows nothing. Whoever asks for tests with -run has these.
var (
	raced = []string{"TestScripts", "TestKillCommand", "TestInterruptCommand", "TestBudgetOfAServer",
		"TestServedLabelsAlike",
		"TestNoKeyLeaksThroughTheProxy"}
	racedScripts = []string{"disk_full", "guard", "model_serve", "run_budget", "run_faults", "run_server", "run_variants"}
)

// longScripts are those that run with HALLMARK_LONG, or by their name: most of what they go through other scripts and
// the golden files do too.
var longScripts = strings.Fields(`accept analyze_consistency analyze_others analyze_posterior analyze_posterior_model
	analyze_regression annotate annotate_outcomes annotate_variants compare compare_labels data drift evidence figures
	generate grade_check grade_drift grader_check guard_memory import_logs incomplete names outcomes phantom plan_run
	report_several run_detection run_exec run_judges run_meaning run_meaning_data run_paraphrases run_posterior
	run_retrieve run_usage suite_golds`)

// scripts are the files of TestScripts: all, but without HALLMARK_LONG the short ones, and under the race detector a
// few.
func scripts(t *testing.T) (files []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts: ", err)
	}
	byName := strings.Contains(flag.Lookup("test.run").Value.String(), "/")
	switch {
	case archtest.Race:
	case archtest.Long() || byName || *update:
		return files
	default:
		return slices.DeleteFunc(files, func(file string) bool {
			return slices.Contains(longScripts, strings.TrimSuffix(filepath.Base(file), ".txtar"))
		})
	}
	var chosen []string
	for _, name := range racedScripts {
		file := filepath.Join("testdata", "script", name+".txtar")
		if !slices.Contains(files, file) {
			t.Fatalf("no script is named %s", name)
		}
		chosen = append(chosen, file)
	}
	return chosen
}

// The scripts are what a user could type, with its files and its output.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Files:         scripts(t),
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			env.Setenv("GOGC", "400") // most of what a short command takes is its start
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, ".config"))
			env.Setenv("HOME", env.WorkDir)
			env.Values[stubKey{}], env.Values[serverKey{}] = new(*stub.Server), new(*modelServer)
			env.Values[collectorKey{}] = new(*spanCollector)
			data, err := filepath.Abs("../../../shared/data")
			if err != nil {
				return err
			}
			env.Setenv("DATA", data)
			if data, err = filepath.Abs("../../internal/bundle/testdata"); err != nil {
				return err
			}
			env.Setenv("BUNDLES", data) // what release 0.1 made
			return nil
		},
		Condition: func(name string) (bool, error) {
			if path, ok := strings.CutPrefix(name, "data:"); ok {
				_, err := os.Stat(filepath.Join("../../../shared/data", path))
				return err == nil, nil
			}
			switch name {
			case "long":
				return os.Getenv("HALLMARK_LONG") == "1", nil
			case "worker":
				return known("worker"), nil
			case "postgres":
				return os.Getenv("HALLMARK_POSTGRES") != "", nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve":    serve,
			"samejson": sameJSON,
			"field":    field,
			"exits":    exits,
			"refuses":  refuses,
			"requests": requests,

			"modelserves": modelServes,
			"guardserves": guardServes,
			"interrupts":  interrupts,
			"first":       first,
			"taken":       taken,
			"regresses":   regresses,
			"runsprinted": runPrinted,
			"postgres":    postgres,
			"changes":     changes,
			"queued":      queued,
			"collects":    collects,
			"traced":      traced,
		},
	})
}

// stubKey is under what a script keeps its stub server.
type stubKey struct{}

// serve starts a stub server and puts its address into $STUB: serve [answers.json] [fault…]. The answers map a part of
// the prompt to the text that answers it, the longest part first; the faults are those of the first requests,
// FAULT*N for N of them.
func serve(ts *testscript.TestScript, _ bool, args []string) {
	o := stub.Options{Latency: time.Millisecond}
	if len(args) > 0 && strings.HasSuffix(args[0], ".json") {
		var answers map[string]string
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &answers))
		o.Answer = func(prompt string) string {
			longest := ""
			for part := range answers {
				if strings.Contains(prompt, part) && (len(part) > len(longest) || len(part) == len(longest) && part < longest) {
					longest = part
				}
			}
			if longest == "" {
				return "I don't know."
			}
			return answers[longest]
		}
		args = args[1:]
	}
	for _, fault := range args {
		switch fault {
		case "no-completions":
			o.NoCompletions = true
		case "says-mini":
			o.Says = "m-mini-2024"
		case "says-dated":
			o.Says = "org/M-2024-08-06"
		case "ok":
			o.Script = append(o.Script, stub.None)
		default:
			name, times, _ := strings.Cut(fault, "*")
			n, _ := strconv.Atoi(times)
			o.Script = append(o.Script, slices.Repeat([]stub.Fault{stub.Fault(name)}, max(n, 1))...)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	handler := stub.New(o)
	*ts.Value(stubKey{}).(**stub.Server) = handler
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(listener)
	ts.Defer(func() { server.Close() })
	ts.Setenv("STUB", "http://"+listener.Addr().String()+"/v1")
}

// sameJSON compares two result documents but for what belongs to the invocation: samejson FILE FILE.
func sameJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: samejson FILE FILE")
	}
	var canonical [2]string
	for i, name := range args {
		var doc map[string]json.RawMessage
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(name)), &doc))
		if _, ok := doc["this_invocation"]; !ok {
			ts.Fatalf("%s has no this_invocation", name)
		}
		delete(doc, "this_invocation")
		b, err := json.Marshal(doc)
		ts.Check(err)
		canonical[i] = string(b)
	}
	if same := canonical[0] == canonical[1]; same == neg {
		ts.Fatalf("%s and %s: same is %v", args[0], args[1], same)
	}
}

// field checks one member of a JSON file: field FILE PATH VALUE, with VALUE as JSON prints it; * stands for any value
// but null.
func field(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: field FILE PATH VALUE")
	}
	var node any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &node))
	for _, key := range strings.Split(args[1], "/") {
		switch inner := node.(type) {
		case map[string]any:
			node = inner[key]
		case []any:
			var i int
			_, err := fmt.Sscan(key, &i)
			ts.Check(err)
			if i >= len(inner) {
				ts.Fatalf("%s: %s: only %d elements", args[0], args[1], len(inner))
			}
			node = inner[i]
		default:
			node = nil
		}
	}
	got, err := json.Marshal(node)
	ts.Check(err)
	equal := string(got) == args[2] || args[2] == "*" && node != nil
	if x, isNumber := node.(float64); isNumber && !equal { // by hand, the last bit is not computed
		want, err := strconv.ParseFloat(args[2], 64)
		equal = err == nil && math.Abs(x-want) < 1e-12
	}
	if equal == neg {
		ts.Fatalf("%s: %s is %s, want %s", args[0], args[1], got, args[2])
	}
}

// exits runs the command and checks its exit code: exits CODE ARGS….
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || neg {
		ts.Fatalf("usage: exits CODE ARGS…")
	}
	code := 0
	if err := ts.Exec("hallmark", args[1:]...); err != nil {
		var e *exec.ExitError
		if !errors.As(err, &e) {
			ts.Fatalf("%v", err)
		}
		code = e.ExitCode()
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("hallmark exits with %d, want %s", code, args[0])
	}
	if code != exit.Done && strings.Contains(ts.ReadFile("stderr"), "goroutine ") {
		ts.Fatalf("hallmark crashed")
	}
}

// refuses runs the command, which must exit with 2, say one line on stderr that holds the text, and nothing on stdout:
// refuses TEXT ARGS….
func refuses(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || neg {
		ts.Fatalf("usage: refuses TEXT ARGS…")
	}
	exits(ts, false, append([]string{"2"}, args[1:]...))
	said := ts.ReadFile("stderr")
	switch {
	case ts.ReadFile("stdout") != "":
		ts.Fatalf("stdout is not empty")
	case !strings.HasPrefix(said, "hallmark: ") || strings.Count(said, "\n") != 1 || !strings.HasSuffix(said, "\n"):
		ts.Fatalf("stderr is not one line of hallmark")
	case !strings.Contains(said, args[0]):
		ts.Fatalf("stderr does not say %q", args[0])
	}
}

// requests checks how many requests the stub has had since it started: requests N.
func requests(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: requests N")
	}
	if got := (*ts.Value(stubKey{}).(**stub.Server)).Requests(); fmt.Sprint(got) != args[0] {
		ts.Fatalf("the stub has had %d requests, want %s", got, args[0])
	}
}
