//go:build unix

package exec

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/text/secret"
)

// The test binary is its own program: HALLMARK_TEST_PROGRAM says which.
func TestMain(m *testing.M) {
	if name := os.Getenv("HALLMARK_TEST_PROGRAM"); name != "" {
		program(name)
		return
	}
	os.Exit(m.Run())
}

func program(name string) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		var req model.Request
		if err := json.Unmarshal(in.Bytes(), &req); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		switch {
		case name == "die-at-start":
			fmt.Fprintln(os.Stderr, "no such index")
			os.Exit(4)
		case name == "pid":
			fmt.Printf("{\"text\":\"%d\"}\n", os.Getpid())
			continue
		case name == "score" && req.Options != nil:
			var scores [][]float64
			for _, o := range req.Options {
				scores = append(scores, []float64{-float64(len(o)), -1})
			}
			out, _ := json.Marshal(map[string]any{"options": scores})
			fmt.Println(string(out))
			continue
		case name == "die-of-options" && req.Options != nil:
			os.Exit(6)
		case req.Prompt == "die":
			fmt.Fprintln(os.Stderr, strings.Repeat("x", 10<<10)+"\nout of memory")
			os.Exit(5)
		case req.Prompt == "hang":
			time.Sleep(time.Minute)
		case req.Prompt == "garbage":
			fmt.Println("Loading model \x1b[31m" + strings.Repeat("z", 5000))
			continue
		case req.Prompt == "twice":
			fmt.Println(`{"text":"1"}`)
		case req.Prompt == "long":
			fmt.Printf("{\"text\":%q}\n", strings.Repeat("y", 1<<20))
			continue
		case req.Prompt == "close":
			os.Stdout.Close()
			time.Sleep(time.Minute)
		case strings.HasPrefix(req.Prompt, "{"):
			fmt.Println(req.Prompt)
			continue
		}
		out, _ := json.Marshal(map[string]any{"text": req.System + "|" + req.Prompt, "retrieved": []string{"d7", "d1"}})
		fmt.Println(string(out))
	}
}

func open(t *testing.T, program string, o Options) *Model {
	t.Helper()
	m, err := New(fmt.Sprintf("GORACE=atexit_sleep_ms=0 HALLMARK_TEST_PROGRAM=%s exec '%s'", program, os.Args[0]), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func TestGenerate(t *testing.T) {
	m := open(t, "echo", Options{Processes: 2})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			out, err := m.Generate(t.Context(), model.Request{System: "s", Prompt: fmt.Sprint("p\n", i)})
			if err != nil || *out.Text != fmt.Sprint("s|p\n", i) || fmt.Sprint(out.Retrieved) != "[d7 d1]" ||
				!out.Usage.Estimated || out.Finish != model.FinishStop {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
	wg.Wait()
	if n := len(m.all); n > 2 {
		t.Errorf("%d processes, want at most 2", n)
	}
}

// Each fault, and that the model answers again after it.
func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		prompt  string
		class   modeltest.Class
		message string
	}{
		{"die", "transient", `ended (exit status 5) without an answer; its standard error ends: x`},
		{"die", "transient", `out of memory`},
		{"hang", "transient", "no answer within 300ms"},
		{"garbage", "final", `want {"text": …} on standard output, and messages on standard error): Loading model zzz`},
		{"long", "final", "a line of more than 65536 bytes"},
		{"close", "transient", "closed its standard output"},
		{`{"error":"no index\nhere"}`, "final", "the program reports: no index here"},
		{`{"error":"busy","transient":true}`, "transient", "the program reports: busy"},
		{`{"retrieved":["a"]}`, "final", "neither text nor error"},
		{`{"text":7}`, "final", "line is no response"},
		{`{"text":"a","logprobs":[NaN]}`, "final", "line is no response"},
		{`{"text":"a","logprobs":[0.5]}`, "final", "above 0"},
		{`{"text":"a"`, "final", "line is no response"},
	} {
		t.Run(tt.prompt, func(t *testing.T) {
			t.Parallel()
			m := open(t, "echo", Options{Timeout: time.Hour, MaxLine: 64 << 10})
			if _, err := m.Generate(t.Context(), model.Request{Prompt: "first"}); err != nil {
				t.Fatal(err)
			}
			if tt.prompt == "hang" {
				m.o.Timeout = 300 * time.Millisecond
			}
			_, err := m.Generate(t.Context(), model.Request{Prompt: tt.prompt})
			if modeltest.ClassOf(err) != tt.class || !strings.Contains(err.Error(), tt.message) ||
				strings.ContainsAny(err.Error(), "\n\x1b") || len(err.Error()) > tailSize+500 {
				t.Errorf("%s: %v; want %s: %s", modeltest.ClassOf(err), err, tt.class, tt.message)
			}
			m.o.Timeout = time.Hour
			if out, err := m.Generate(t.Context(), model.Request{Prompt: "next"}); err != nil || *out.Text != "|next" {
				t.Errorf("after the fault: %+v, %v", out, err)
			}
		})
	}
}

// TestQuotedKey: a line that is no response is quoted without a key in it, also one of quotes that lies over several
// strings.
func TestQuotedKey(t *testing.T) {
	const key = `q7"Zx\9Lm'K2"vB\\c4Rt8"Wd`
	m := open(t, "echo", Options{Secrets: secret.New(key)})
	for name, line := range map[string]string{
		"cut": `{"text":"it is q7\"Zx\\9Lm'K2\"vB\\\\c4Rt8\"Wd`, "as it is": `{"text":"it is ` + key + `"`,
		"spread":           `{"text":"a","logprobs":[NaN],"tokens":[{"t":"q7\"Zx\\9","p":0},{"t":"Lm'K2\"vB","p":0},{"t":"\\\\c4Rt8\"Wd","p":0}]}`,
		"spread, no text":  `{"tokens":[{"t":"q7\"Zx\\9","p":0},{"t":"Lm'K2\"vB","p":0},{"t":"\\\\c4Rt8\"Wd","p":0}]}`,
		"in what it tells": `{"error":"wrong q7\"Zx\\9Lm'K2\"vB\\\\c4Rt8\"Wd"}`,
	} {
		_, err := m.Generate(t.Context(), model.Request{Prompt: line})
		if err == nil || !strings.Contains(err.Error(), secret.Mark) || strings.Contains(err.Error(), "vB") ||
			strings.Contains(err.Error(), "Rt8") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A second line never answers the next request.
func TestExtraLine(t *testing.T) {
	m := open(t, "echo", Options{})
	if out, err := m.Generate(t.Context(), model.Request{Prompt: "twice"}); err != nil || *out.Text != "1" {
		t.Fatal(out, err)
	}
	for len(m.idle[0].lines) == 0 { // until the second line is there
		time.Sleep(time.Millisecond)
	}
	_, err := m.Generate(t.Context(), model.Request{Prompt: "next"})
	if modeltest.ClassOf(err) != modeltest.Transient || !strings.Contains(err.Error(), "answers no request") {
		t.Error(err)
	}
	if out, err := m.Generate(t.Context(), model.Request{Prompt: "next"}); err != nil || *out.Text != "|next" {
		t.Error(out, err)
	}
}

func TestGone(t *testing.T) {
	m := open(t, "die-at-start", Options{})
	if _, err := m.Generate(t.Context(), model.Request{Prompt: "x"}); modeltest.ClassOf(err) != modeltest.Gone ||
		!strings.Contains(err.Error(), "no such index") {
		t.Error(err)
	}
	m, _ = New("hallmark-no-such-program", Options{})
	defer m.Close()
	if _, err := m.Generate(t.Context(), model.Request{Prompt: "x"}); modeltest.ClassOf(err) != modeltest.Gone ||
		!strings.Contains(err.Error(), "not found") {
		t.Error(err)
	}
	m, _ = New("true", Options{Dir: filepath.Join(t.TempDir(), "none")})
	if _, err := m.Generate(t.Context(), model.Request{Prompt: "x"}); modeltest.ClassOf(err) != modeltest.Gone {
		t.Error(err)
	}
	if _, err := New(" ", Options{}); err == nil {
		t.Error("an empty command is taken")
	}
}

func TestProbe(t *testing.T) {
	if _, err := open(t, "die-at-start", Options{}).Probe(t.Context()); modeltest.ClassOf(err) != modeltest.Gone ||
		!strings.Contains(err.Error(), "no such index") {
		t.Error(err)
	}
	for name, scores := range map[string]bool{"die-of-options": false, "echo": false, "score": true} {
		c, err := open(t, name, Options{}).Probe(t.Context())
		if err != nil || c.OptionScores != scores || !c.Temperature0 {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

func TestCancel(t *testing.T) {
	m := open(t, "echo", Options{})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err := m.Generate(ctx, model.Request{Prompt: "hang"})
	if modeltest.ClassOf(err) != modeltest.Cancelled { // else it would answer, a minute later
		t.Error(err)
	}
	if out, err := m.Generate(t.Context(), model.Request{Prompt: "next"}); err != nil || *out.Text != "|next" {
		t.Error(out, err)
	}
}

// Close ends what the program started, and requests after it.
func TestCloseKillsTheGroup(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	m, _ := New("sleep 3000 & echo $! > '"+pidFile+"'; while read l; do echo '{\"text\":\"a\"}'; done", Options{})
	if _, err := m.Generate(t.Context(), model.Request{Prompt: "x"}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
	m.Close()
	for alive(pid) { // one that outlived Close would run into the limit of go test
		time.Sleep(5 * time.Millisecond)
	}
	if _, err := m.Generate(t.Context(), model.Request{Prompt: "x"}); modeltest.ClassOf(err) != modeltest.Gone {
		t.Errorf("after Close: %v", err)
	}
}

// alive reports whether a process runs; one that ended and waits for its parent does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func TestProcessIsKept(t *testing.T) {
	m := open(t, "pid", Options{})
	var pids []string
	for range 3 {
		out, err := m.Generate(t.Context(), model.Request{Prompt: "x"})
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, *out.Text)
	}
	if pids[0] != pids[1] || pids[1] != pids[2] {
		t.Errorf("processes %v, want one", pids)
	}
}

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		line    string
		options []string
		want    string // JSON of the response, or part of the error
	}{
		{line: `{"text":null}`,
			want: `{"text":null,"finish":"stop","usage":{"prompt_tokens":1,"completion_tokens":0,"estimated":true}}`},
		{line: `{"text":"","finish":"length","usage":{"prompt_tokens":2,"completion_tokens":3,"usd":0.5}}`,
			want: `{"text":"","finish":"length","usage":{"prompt_tokens":2,"completion_tokens":3,"usd":0.5}}`},
		{line: `{"text":"","usage":{"prompt_tokens":2,"completion_tokens":3,"usd":1e308}}`,
			want: `"usage":{"prompt_tokens":1,"completion_tokens":0,"estimated":true}`},
		{line: `{"text":"","usage":{"prompt_tokens":9223372036854775807,"completion_tokens":3}}`,
			want: `"usage":{"prompt_tokens":1,"completion_tokens":0,"estimated":true}`},
		{line: `{"text":"","usage":{"prompt_tokens":2,"completion_tokens":-3}}`,
			want: `"usage":{"prompt_tokens":1,"completion_tokens":0,"estimated":true}`},
		{line: `{"text":"ab","logprobs":[-1,null,{"token":"b","logprob":-2,"top_logprobs":[{"token":"c","logprob":-3}]}]}`,
			want: `"tokens":[{"text":"","logprob":-1},{"text":"","logprob":null},{"text":"b","logprob":-2,"top":[{"text":"c","logprob":-3}]}]`},
		{line: `{"options":[[-1],[-2,-3]]}`, options: []string{"a", "b"},
			want: `"options":[{"logprobs":[-1]},{"logprobs":[-2,-3]}]`},
		{line: `{"text":"a"}`, options: []string{"a", "b"}, want: "scores 0 of 2 options"},
		{line: `{"options":[[-1],[]]}`, options: []string{"a", "b"}, want: "options[1] has no log-probabilities"},
		{line: `{"options":[[-1],[0.1]]}`, options: []string{"a", "b"}, want: "no log-probability"},
		{line: `{"text":"a","text":"b"}`, want: `line is no response (byte 12: the key "text" is there twice`},
		{line: `{"text":"a","logprobs":[{"token":"a","token":"b"}]}`, want: `the key "token" is there twice`},
		{line: `{"text":"a","Text":"b"}`, want: `the key "text" is there twice, in letters of another case`},
		{line: `{"text":"a","more":{"A":1,"a":2}}`, want: `"text":"a"`},
		{line: `[]`, want: "line is no response (it is a JSON array; want an object;"},
		{line: `null`, want: "line is no response"},
		{line: ``, want: "line is no response"},
	} {
		out, err := decode([]byte(tt.line), model.Request{Prompt: "p", Options: tt.options})
		got := fmt.Sprint(err)
		if err == nil {
			b, _ := json.Marshal(out)
			got = string(b)
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.line, got, tt.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"text":"a","retrieved":["d"],"logprobs":[{"token":"a","logprob":-1}],"options":[[-1]],"usage":{"usd":1}}`, `{"error":"x"}`, `[]`, `{"text":null,"logprobs":[null]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, options := range [][]string{nil, {"a"}} {
			out, err := decode(line, model.Request{Prompt: "p", Options: options})
			if err != nil {
				if strings.ContainsAny(err.Error(), "\n\x1b") {
					t.Fatalf("error %q", err)
				}
			} else if _, err := json.Marshal(out); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A line of more values than any answer has is refused before it is decoded.
func TestManyValues(t *testing.T) {
	line := []byte(`{"text": "a", "logprobs": [` + strings.Repeat("-1,", maxCommas) + `-1]}`)
	if _, err := parse(line, false); err == nil || !strings.Contains(err.Error(), "commas, and at most") {
		t.Errorf("err = %v", err)
	}
}
