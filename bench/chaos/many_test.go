package chaos

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hallmark/internal/model/stub"
)

// number returns what a variable of the environment says, or a default.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		t.Fatalf("%s=%q: want a number", name, v)
	}
	return n
}

const (
	layouts = 10 // of each question
	bodies  = "pg_column_size(request) + coalesce(pg_column_size(response), 0) + coalesce(pg_column_size(raw), 0) + " +
		"coalesce(pg_column_size(failure), 0)"
)

// TestMany has HALLMARK_MANY calls asked by HALLMARK_MANY_WORKERS workers, 4 where nothing is said, at -j
// HALLMARK_MANY_J, 16, of a stub that takes HALLMARK_MANY_MS, 50 ms. Every HALLMARK_MANY_KILL seconds, never where
// nothing is said, one of them is killed and replaced. It says what that took, and with HALLMARK_MANY_ASKED=1 ends
// before the result is computed, which one process does. bench/chaos/many.sh runs it.
func TestMany(t *testing.T) {
	calls := number(t, "HALLMARK_MANY", 0)
	if calls == 0 {
		t.Skip("HALLMARK_MANY=100000 has so many calls asked")
	}
	r := &round{t: t, hallmark: built(t), server: start(t, ""), dir: t.TempDir(), each: number(t, "HALLMARK_MANY_J", 16)}
	r.model = serve(t, stub.Options{Latency: time.Duration(number(t, "HALLMARK_MANY_MS", 50)) * time.Millisecond})
	questions := filepath.Join(r.dir, "questions.csv")
	text := []byte("id,question,answer\n")
	for i := range calls / layouts {
		text = fmt.Appendf(text, "q%d,What is the capital of the country with the number %d?,City %d\n", i, i, i%97)
	}
	if err := os.WriteFile(questions, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r.in("many")
	detach := r.command("run", questions, "--model", r.model.URL+"/v1#stub", "--variants", fmt.Sprintf("templates=%d",
		layouts-1), "--method", "rubric,consistency", "--repeats", "1", "--timeout", "10s", "--detach", "--store", r.store)
	if out, err := detach.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r.model.counted() // what was tried out
	m := &many{round: r, workers: number(t, "HALLMARK_MANY_WORKERS", 4)}
	m.watch(time.Duration(number(t, "HALLMARK_MANY_KILL", 0))*time.Second, calls)
	m.told(calls)
	t.Logf("detach: %.1f s of CPU, %d MB", seconds(detach.ProcessState), resident(detach.ProcessState))
}

// many is a run of many calls.
type many struct {
	*round
	workers  int
	asking   time.Duration // until all calls were asked
	whole    time.Duration // until the result was there, and shown
	stub     time.Duration // of CPU, until all calls were asked, as the other two
	postgres time.Duration
	working  float64
	largest  int64 // MB of a worker until all calls were asked
	result   int64 // MB of a worker until the end
	ended    []*os.ProcessState
}

// watch starts the workers and waits for the result, killing one now and then.
func (m *many) watch(kill time.Duration, calls int) {
	begun, own, server := time.Now(), self(), m.server.cpu()
	for range m.workers {
		m.start()
	}
	last, end := begun, make(chan error, 1)
	if os.Getenv("HALLMARK_MANY_ASKED") == "" {
		go m.follow(end)
	}
	for {
		if m.asking > 0 && os.Getenv("HALLMARK_MANY_ASKED") != "" {
			if wave, err := m.server.query("SELECT wave FROM many.queue_run"); err != nil || wave == "0" {
				time.Sleep(100 * time.Millisecond)
				continue
			}
			for _, p := range m.running {
				_ = p.Process.Kill()
				_ = p.Wait()
				m.ended = append(m.ended, p.ProcessState)
			}
			return
		}
		select {
		case err := <-end:
			if err != nil {
				m.t.Fatalf("show --follow: %v", err)
			}
			m.whole = time.Since(begun)
			for _, p := range m.running {
				_ = p.Process.Signal(syscall.SIGTERM)
				if err := p.Wait(); err != nil {
					m.t.Errorf("worker %s: %v: %s", p.name, err, p.stderr)
				}
				m.ended = append(m.ended, p.ProcessState)
			}
			return
		case <-time.After(100 * time.Millisecond):
		}
		if m.asking == 0 && m.model.distinct() >= calls {
			m.asking, m.stub, m.postgres = time.Since(begun), self()-own, m.server.cpu()-server
			for _, p := range m.running {
				m.working += cpu(p.Process.Pid, false).Seconds()
				m.largest = max(m.largest, peak(p.Process.Pid))
			}
			for _, s := range m.ended {
				m.working += seconds(s)
				m.largest = max(m.largest, resident(s))
			}
		}
		if kill > 0 && m.asking == 0 && time.Since(last) >= kill {
			last = time.Now()
			p := m.running[0]
			_ = p.Process.Kill()
			_ = p.Wait()
			m.killed++
			m.ended = append(m.ended, p.ProcessState)
			m.running = slices.Delete(m.running, 0, 1)
			m.start()
		}
	}
}

// follow waits for the result as a user does.
func (m *many) follow(end chan<- error) {
	follow := m.command("show", "latest", "--follow", "--quiet", "--json", "--store", m.store)
	end <- follow.Run()
}

// told says what came of it, and checks that nothing was lost and what was asked twice.
func (m *many) told(calls int) {
	for _, s := range m.ended {
		m.result = max(m.result, resident(s))
	}
	ask := func(text string) int {
		out, err := m.server.query(text)
		n, bad := strconv.Atoi(out)
		if err != nil || bad != nil {
			m.t.Fatalf("%s: %s, %v", text, out, err)
		}
		return n
	}
	stored := ask("SELECT count(*) FROM many.record WHERE response IS NOT NULL")
	bytes := ask("SELECT pg_total_relation_size('many.record') - sum(" + bodies + ") FROM many.record")
	queue := ask("SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE relnamespace = 'many'::regnamespace " +
		"AND relkind = 'r' AND (relname LIKE 'queue%' OR relname LIKE 'river%')")
	result := ask("SELECT coalesce(extract(epoch FROM ended - created)::int, 0) FROM many.queue_run") // from detach on
	twice := 0
	for _, n := range m.model.counted() {
		twice += n - 1
	}
	per := func(d float64) float64 { return d * 1000 / float64(calls) }
	m.t.Logf("%d workers, -j %d: %d calls in %.1f s, %.0f/s; result stored after %d s, shown after %.1f s; "+
		"CPU ms a call: workers %.2f, Postgres %.2f, stub %.2f", m.workers, m.each, calls, m.asking.Seconds(),
		float64(calls)/m.asking.Seconds(), result, m.whole.Seconds(), per(m.working), per(m.postgres.Seconds()),
		per(m.stub.Seconds()))
	m.t.Logf("%d workers killed; %d lost, %d answered twice; bytes a call beside the bodies: %d of records, %d of the "+
		"queue; largest worker %d MB while it asked, %d MB in all", m.killed, calls-stored, twice, bytes/calls, queue/calls,
		m.largest, m.result)
	if calls != stored {
		m.t.Errorf("%d calls have an answer, of %d", stored, calls)
	}
	if bound := m.killed * m.each; twice > bound { // what was in flight: a call is, until it is stored
		m.t.Errorf("%d answered twice, want at most %d", twice, bound)
	}
	if bytes+queue > 1000*calls {
		m.t.Errorf("%d bytes a call beside the bodies, want less than 1000", (bytes+queue)/calls)
	}
}

func (m *model) distinct() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.n)
}

func seconds(s *os.ProcessState) float64 { return (s.UserTime() + s.SystemTime()).Seconds() }

// resident returns the most memory that a process had, in MB.
func resident(s *os.ProcessState) int64 {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return u.Maxrss >> 10
}

// peak returns the most memory that a process has had, in MB: 0 where there is no /proc.
func peak(pid int) (n int64) {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if _, after, ok := strings.Cut(string(b), "VmHWM:"); ok {
		_, _ = fmt.Sscan(after, &n)
	}
	return n >> 10
}

// self returns the processor time of this process.
func self() time.Duration { return cpu(os.Getpid(), false) }

// cpu returns the processor time of a process, with that of its children that have ended: 0 where there is no /proc.
func cpu(pid int, children bool) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	ticks, last := 0, 13
	if children {
		last = 15
	}
	for _, v := range f[11:last] {
		n, _ := strconv.Atoi(v)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// cpu returns the processor time of the server's processes.
func (s *server) cpu() (sum time.Duration) {
	b, _ := os.ReadFile(filepath.Join(s.dir, "data", "postmaster.pid"))
	line, _, _ := strings.Cut(string(b), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		return 0
	}
	sum = cpu(pid, true)
	out, _ := exec.Command("pgrep", "-P", line).Output()
	for child := range strings.FieldsSeq(string(out)) {
		n, _ := strconv.Atoi(child)
		sum += cpu(n, false)
	}
	return sum
}
