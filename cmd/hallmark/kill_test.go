package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hallmark/internal/archtest"
	"hallmark/internal/base/exit"
	"hallmark/internal/base/seed"
	"hallmark/internal/model/stub"
)

// A countingServer is a stub that keeps which question of the suite each request asked, in their order.
type countingServer struct {
	url   string
	mu    sync.Mutex
	asked []string
	open  int // connections
}

func newCountingServer(t *testing.T, latency time.Duration) *countingServer {
	c := &countingServer{}
	inner := stub.New(stub.Options{Latency: latency})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if _, rest, ok := strings.Cut(string(body), "Question ["); ok { // the check of abilities asks none of the suite's
			c.mu.Lock()
			c.asked = append(c.asked, rest[:strings.Index(rest, "]")])
			c.mu.Unlock()
		}
		inner.ServeHTTP(w, r)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		c.mu.Lock()
		defer c.mu.Unlock()
		switch state {
		case http.StateNew:
			c.open++
		case http.StateClosed, http.StateHijacked:
			c.open--
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	c.url = server.URL + "/v1#m"
	return c
}

// settle waits until the server has seen all that a program which has ended has sent: a request may lie in a socket
// when its sender is killed.
func (c *countingServer) settle(t *testing.T) {
	t.Helper()
	for range 200 {
		time.Sleep(50 * time.Millisecond)
		c.mu.Lock()
		open := c.open
		c.mu.Unlock()
		if open == 0 {
			return
		}
	}
	t.Fatal("connections of a program that has ended stay open")
}

func (c *countingServer) since(n int) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.asked[n:]...)
}

// writeKillSuite writes a suite of so many cases in six wordings and returns the number of its calls.
func writeKillSuite(t *testing.T, path string, cases int) int {
	var b strings.Builder
	b.WriteString("suite: {name: kill}\ncases:\n")
	for i := range cases {
		fmt.Fprintf(&b, "  - id: c%d\n    prompt: \"Question [c%d-0]?\"\n    gold: amber\n    phrasings: [", i, i)
		for v := 1; v < 6; v++ {
			fmt.Fprintf(&b, "%s\"Question [c%d-%d]?\"", map[bool]string{true: ", "}[v > 1], i, v)
		}
		b.WriteString("]\n")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return 6 * cases
}

// A killedDocument is what the test reads of a result.
type killedDocument struct {
	Models []struct {
		Unscored []struct {
			CaseID  string `json:"case_id"`
			Variant int    `json:"variant"`
		} `json:"unscored"`
	} `json:"models"`
	ThisInvocation struct {
		Calls struct{ Asked, Reused, Skipped int } `json:"calls"`
	} `json:"this_invocation"`
}

// result returns a document without this_invocation, and what the test reads of it.
func result(t *testing.T, stdout []byte) (string, killedDocument) {
	t.Helper()
	var d killedDocument
	if err := json.Unmarshal(stdout, &d); err != nil {
		t.Fatalf("%v in %.300s", err, stdout)
	}
	rest, _, ok := strings.Cut(string(stdout), `"this_invocation"`)
	if !ok {
		t.Fatal("no this_invocation")
	}
	return rest, d
}

// The binary is killed at random points, run again to its end, and prints the bytes that it prints when nobody kills
// it. What its store held was not asked again. HALLMARK_LONG=1 kills more often, over more calls.
func TestKillCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes")
	}
	kills, cases := 2, 20
	if archtest.Long() {
		kills, cases = 16, 120
	}
	if archtest.Race {
		kills, cases = 2, 20
	}
	for concurrency, latency := range map[int]time.Duration{1: 2 * time.Millisecond, 16: 20 * time.Millisecond} {
		t.Run(fmt.Sprint(concurrency), func(t *testing.T) {
			server := newCountingServer(t, latency)
			random := seed.Stream(1, "kill command", fmt.Sprint(concurrency))
			dir := t.TempDir()
			total := writeKillSuite(t, filepath.Join(dir, "suite.yaml"), cases)
			command := func(extra ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
				args := []string{"run", "--suite", "suite.yaml", "--model", server.url, "--repeats", "1", "--json", "--quiet",
					"--no-report", "-j", fmt.Sprint(concurrency)}
				cmd := exec.Command("hallmark", append(args, extra...)...)
				cmd.Dir = dir
				var stdout, stderr bytes.Buffer
				cmd.Stdout, cmd.Stderr = &stdout, &stderr
				return cmd, &stdout, &stderr
			}
			// stored returns the questions whose answers the store holds, as the command tells it without asking
			// anybody.
			stored := func() map[string]bool {
				cmd, stdout, stderr := command("--offline", "--allow-unscored", fmt.Sprint(total))
				if err := cmd.Run(); err != nil {
					t.Fatalf("%v: %s", err, stderr)
				}
				_, d := result(t, stdout.Bytes())
				held := map[string]bool{}
				for i := range cases {
					for v := range 6 {
						held[fmt.Sprintf("c%d-%d", i, v)] = true
					}
				}
				for _, u := range d.Models[0].Unscored {
					delete(held, fmt.Sprintf("%s-%d", u.CaseID, u.Variant))
				}
				if len(held) != d.ThisInvocation.Calls.Reused || total-len(held) != d.ThisInvocation.Calls.Skipped {
					t.Errorf("%d answers are scored, and the calls are %+v", len(held), d.ThisInvocation.Calls)
				}
				return held
			}
			held := map[string]bool{}
			again := 0
			for round := range kills {
				before := len(server.since(0))
				cmd, _, stderr := command()
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				ended := make(chan struct{})
				go func() {
					_ = cmd.Wait() // killed, mostly
					close(ended)
				}()
				if round == 0 { // while the program starts
					time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
				} else {
					more := 1 + random.IntN(max(1, min(2*total/kills, (total-len(held))/2)))
					for running := true; running && len(server.since(before)) < more; {
						select {
						case <-ended:
							running = false
						case <-time.After(time.Millisecond):
						}
					}
				}
				_ = cmd.Process.Kill() // it may have ended
				<-ended
				server.settle(t)
				if stderr.Len() > 0 {
					t.Fatalf("round %d: %s", round, stderr)
				}
				now := server.since(before)
				for _, q := range now {
					if held[q] {
						t.Errorf("round %d: the answer to %s was stored, and it is asked again", round, q)
					}
				}
				after := stored()
				for q := range held {
					if !after[q] {
						t.Errorf("round %d: the answer to %s is lost", round, q)
					}
				}
				if got := len(server.since(before)); got != len(now) {
					t.Errorf("round %d: --offline asked %d questions", round, got-len(now))
				}
				again += len(now) - (len(after) - len(held))
				t.Logf("round %d: %d asked, %d of %d stored", round, len(now), len(after), total)
				held = after
			}
			if again <= 0 {
				t.Error("no kill hit a call under way: the test tests nothing")
			}
			resumedIsWhole(t, server, command, held, total)
		})
	}
}

// resumedIsWhole has the command end what kills left, and compares its result with that of one that nobody killed.
func resumedIsWhole(t *testing.T, server *countingServer, command func(...string) (*exec.Cmd, *bytes.Buffer,
	*bytes.Buffer), held map[string]bool, total int) {
	t.Helper()
	before := len(server.since(0))
	cmd, stdout, stderr := command()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	resumed, d := result(t, stdout.Bytes())
	asked := server.since(before)
	if c := d.ThisInvocation.Calls; c.Reused != len(held) || c.Asked != len(asked) || c.Asked+c.Reused != total {
		t.Errorf("calls are %+v, with %d stored before, %d asked and %d planned", c, len(held), len(asked), total)
	}
	for _, q := range asked {
		if held[q] {
			t.Errorf("the answer to %s was stored, and it is asked again", q)
		}
	}

	cmd, stdout, stderr = command("--store", "sqlite:whole.db")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	whole, _ := result(t, stdout.Bytes())
	if resumed != whole {
		t.Errorf("killed and resumed:\n%.2000s\nuninterrupted:\n%.2000s", resumed, whole)
	}
	cmd, stdout, stderr = command("--store", "sqlite:whole.db", "-j", "3")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	if repeated, d := result(t, stdout.Bytes()); repeated != whole || d.ThisInvocation.Calls.Asked != 0 {
		t.Errorf("repeated, the command asks %d questions, and same bytes is %v", d.ThisInvocation.Calls.Asked,
			repeated == whole)
	}
}

// An interrupted command commits what it has, says so, and goes on where it was.
func TestInterruptCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and interrupts a process")
	}
	server := newCountingServer(t, 5*time.Millisecond)
	dir := t.TempDir()
	total := writeKillSuite(t, filepath.Join(dir, "suite.yaml"), 40)
	command := func() (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
		cmd := exec.Command("hallmark", "run", "--suite", "suite.yaml", "--model", server.url, "--repeats", "1", "--json",
			"--quiet", "--no-report", "-j", "4")
		cmd.Dir = dir
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		return cmd, &stdout, &stderr
	}
	cmd, stdout, stderr := command()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for len(server.since(0)) < 30 {
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skipf("this system does not interrupt processes: %v", err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exit.Interrupted || stdout.Len() > 0 ||
		stderr.String() != "hallmark: interrupted; the same command resumes\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	asked := len(server.since(0))
	cmd, stdout, stderr = command()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	// What was in flight had time to arrive: nothing is asked twice.
	if _, d := result(t, stdout.Bytes()); d.ThisInvocation.Calls.Reused != asked || len(server.since(0)) != total {
		t.Errorf("calls are %+v, %d were asked before the interruption, %d in all, %d planned", d.ThisInvocation.Calls, asked,
			len(server.since(0)), total)
	}
}
