// Package chaos has runs asked by workers that are killed, stopped, cut off and started again, on a Postgres that is
// restarted and split from them, and compares what comes out with what one process gives, byte for byte.
//
//	HALLMARK_CHAOS=8 go test -v ./bench/chaos
package chaos

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hallmark/internal/base/seed"
	"hallmark/internal/model/stub"
)

const (
	workers  = 3
	inFlight = 4 // of each
	latency  = 100 * time.Millisecond
	most     = 10 * time.Minute // that a round may take, on a machine that others load
)

// A server is a Postgres of the test's own, which may be restarted.
type server struct {
	bin, dir string
	options  string // beside those that each has
	mu       sync.Mutex
	restarts int
}

// start makes a cluster and starts it. Root may not run one: then the user postgres does.
func start(t *testing.T, options string) *server {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if dir := os.Getenv("HALLMARK_POSTGRES_BIN"); dir != "" {
		found = []string{filepath.Join(dir, "initdb")}
	}
	if len(found) == 0 {
		t.Skip("no Postgres is installed here: HALLMARK_POSTGRES_BIN names the folder of initdb")
	}
	slices.Sort(found)
	dir, err := os.MkdirTemp("/tmp", "hallmark-chaos-") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	s := &server{bin: filepath.Dir(found[len(found)-1]), dir: dir, options: options}
	if os.Getuid() == 0 {
		if out, err := exec.Command("chown", "postgres", dir).CombinedOutput(); err != nil {
			t.Skipf("no user postgres: %s", out)
		}
	}
	if out, err := s.run("initdb", "-D "+dir+
		"/data -A trust -U hallmark -E UTF8 --locale=C.UTF-8").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := s.control("start"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.control("stop -m immediate")
		_ = os.RemoveAll(dir)
	})
	return s
}

func (s *server) run(program, args string) *exec.Cmd {
	line := "'" + filepath.Join(s.bin, program) + "' " + args
	if os.Getuid() == 0 {
		return exec.Command("su", "postgres", "-s", "/bin/sh", "-c", line)
	}
	return exec.Command("sh", "-c", line)
}

func (s *server) control(do string) error {
	out, err := s.run("pg_ctl", fmt.Sprintf("-D %s/data -l %s/log -o \"-k %s -p 54399 -c listen_addresses='' "+
		"-c max_connections=400 %s\" -w %s >%s/control 2>&1", s.dir, s.dir, s.dir, s.options, do, s.dir)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("pg_ctl %s: %w: %s", do, err, out)
	}
	return nil
}

// restart has the server end as if its machine had, and start again after a while.
func (s *server) restart(away time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.restarts++
	if err := s.control("stop -m immediate"); err != nil {
		return err
	}
	time.Sleep(away)
	return s.control("start")
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.restarts
}

// query returns what the server says to a query that holds no quotation mark.
func (s *server) query(text string) (string, error) {
	out, err := s.run("psql", fmt.Sprintf("-h %s -p 54399 -U hallmark -d postgres -qAtc \"%s\"", s.dir,
		text)).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// cut ends all connections of the workers.
func (s *server) cut() error {
	_, err := s.query("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity " +
		"WHERE pid <> pg_backend_pid() AND usename = 'hallmark'")
	return err
}

func (s *server) store(schema string) string {
	return fmt.Sprintf("postgres://hallmark@/postgres?host=%s&port=54399&search_path=%s", s.dir, schema)
}

// A model is a stub server that counts the answers to each request.
type model struct {
	*httptest.Server
	stub *stub.Server
	mu   sync.Mutex
	n    map[[32]byte]int
}

type status struct {
	http.ResponseWriter
	code int
}

func (s *status) WriteHeader(code int) { s.code = code; s.ResponseWriter.WriteHeader(code) }

func serve(t *testing.T, o stub.Options) *model {
	m := &model{n: map[[32]byte]int{}, stub: stub.New(o)}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		s := &status{w, http.StatusOK}
		m.stub.ServeHTTP(s, r)
		if s.code == http.StatusOK && len(body) > 0 {
			m.mu.Lock()
			m.n[sha256.Sum256(body)]++
			m.mu.Unlock()
		}
	}))
	t.Cleanup(m.Close)
	return m
}

// counted returns how many answers were given to each request, and begins to count anew.
func (m *model) counted() map[[32]byte]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.n
	m.n = map[[32]byte]int{}
	return n
}

// beyond returns how many answers there are in all, and how many more to the same requests than another time. A process
// that found out something of the server may put a call as other requests, which are in neither.
func beyond(now, before map[[32]byte]int) (all, twice int) {
	for k, n := range now {
		all += n
		if was := before[k]; was > 0 {
			twice += max(0, n-was)
		}
	}
	return all, twice
}

// built returns the program, which HALLMARK_CHAOS_PROGRAM names where it is made already.
func built(t *testing.T) string {
	t.Helper()
	if made := os.Getenv("HALLMARK_CHAOS_PROGRAM"); made != "" {
		return made
	}
	hallmark := filepath.Join(t.TempDir(), "hallmark")
	if out, err := exec.Command("go", "build", "-o", hallmark, "hallmark/cmd/hallmark").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return hallmark
}

// TestChaos has HALLMARK_CHAOS rounds, each of its own seed.
func TestChaos(t *testing.T) {
	rounds, _ := strconv.Atoi(os.Getenv("HALLMARK_CHAOS"))
	if rounds == 0 {
		t.Skip("HALLMARK_CHAOS=8 has workers killed in so many rounds")
	}
	hallmark := built(t)
	s := start(t, "-c fsync=off")
	first := uint64(1)
	if v, err := strconv.ParseUint(os.Getenv("HALLMARK_CHAOS_SEED"), 10, 64); err == nil {
		first = v
	}
	t.Run("rounds", func(t *testing.T) {
		turn := make(chan struct{}, 4) // at a time
		for i := range rounds {
			t.Run(fmt.Sprint(first+uint64(i)), func(t *testing.T) {
				t.Parallel()
				turn <- struct{}{}
				defer func() { <-turn }()
				r := &round{t: t, hallmark: hallmark, server: s, dir: t.TempDir(), number: first + uint64(i), each: inFlight}
				r.do()
			})
		}
	})
	t.Logf("Postgres was restarted %d times", s.restarts)
}

// A round is one run by workers that things happen to.
type round struct {
	t        *testing.T
	hallmark string
	server   *server
	dir      string
	number   uint64
	each     int // calls in flight at a worker
	model    *model
	args     []string
	schema   string
	store    string

	running []*process
	started int
	killed  int // workers that may have lost what was in flight
	split   int // workers that may have lost what they could not store, beside it
	events  []string
}

// A process is a worker.
type process struct {
	*exec.Cmd
	name    string
	stderr  *bytes.Buffer
	link    *link
	stopped bool
	split   bool
}

func (r *round) command(args ...string) *exec.Cmd {
	cmd := exec.Command(r.hallmark, args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(r.dir, ".config"), "NO_COLOR=1")
	return cmd
}

// out returns what a command prints that must end well, or with answers that are missing.
func (r *round) out(args ...string) []byte {
	r.t.Helper()
	for begun := time.Now(); ; time.Sleep(time.Second) {
		var stderr bytes.Buffer
		cmd := r.command(args...)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err == nil {
			return out
		}
		if time.Since(begun) > 3*time.Minute { // the server may just be restarted
			r.t.Fatalf("%v: %v: %s", args, err, stderr.String())
		}
	}
}

func (r *round) do() {
	begun := time.Now()
	r.model = serve(r.t, stub.Options{Latency: latency, Seed: r.number, Rates: map[stub.Fault]float64{"500": .01}})
	url := r.model.URL + "/v1"
	r.args = []string{"run", "--suite", "core", "--limit", "30", "--model", url + "#stub", "--variants", "paraphrases=2",
		"--equal", "meaning", "--entailment", url + "#compares", "--method", "rubric,consistency,detection", "--sampled", "2",
		"--timeout", "10s", "--allow-unscored", "9999"}
	r.out(append(r.args, "-j", "64", "--quiet", "--no-report")...)
	want := r.out("report", "latest", "--format", "json")
	planned := r.model.counted()

	restarts := r.server.count()
	r.in(fmt.Sprintf("chaos_%d", r.number))
	r.out(append(r.args, "--detach", "--store", r.store)...)
	for range workers {
		r.start()
	}
	r.happen()
	r.await(begun)
	for _, p := range r.running {
		_ = p.Process.Signal(syscall.SIGCONT)
		_ = p.Process.Signal(syscall.SIGTERM)
	}
	for _, p := range r.running {
		if err := p.Wait(); err != nil {
			r.t.Errorf("worker %s, which was told to end: %v: %s", p.name, err, p.stderr)
		}
	}
	r.killed += workers * (r.server.count() - restarts) // of all rounds: leases may run out meanwhile
	got := r.out("report", "latest", "--format", "json", "--store", r.store)
	if !bytes.Equal(got, want) {
		_ = os.WriteFile(fmt.Sprintf("/tmp/chaos-%d-got.json", r.number), got, 0o600)
		_ = os.WriteFile(fmt.Sprintf("/tmp/chaos-%d-want.json", r.number), want, 0o600)
		shards, err := r.server.query(fmt.Sprintf("SELECT wave, number, purpose, calls, asked, reused, failed, skipped, "+
			"done FROM chaos_%d.queue_shard ORDER BY 1, 2", r.number))
		r.t.Errorf("the figures are not those of one process: /tmp/chaos-%d-*.json; the shards: %v\n%s", r.number, err,
			shards)
	}
	asked, twice := beyond(r.model.counted(), planned)
	calls, _ := beyond(planned, nil)
	// a worker finds out a few things about a server for itself
	if bound := (r.killed+r.split)*inFlight + 4*r.started; twice > bound {
		r.t.Errorf("%d answers to requests that had one, with %d workers lost and %d split off: at most %d: %v", twice,
			r.killed, r.split, bound, r.events)
	}
	if out := r.out("check", "--json", "--store", r.store); !bytes.Contains(out, []byte(`"whole": true`)) {
		r.t.Errorf("the store is not whole: %s", out)
	}
	r.t.Logf("seed %d: %d requests, %d answers, %d of them twice, %d workers lost, %d split off, %v: %s", r.number, calls,
		asked,
		twice, r.killed, r.split,
		time.Since(begun).Round(time.Second), strings.Join(r.events, ", "))
}

// in has the store of the round in a schema.
func (r *round) in(schema string) { r.schema, r.store = schema, r.server.store(schema) }

// start starts a worker.
func (r *round) start() {
	r.started++
	host := strings.TrimPrefix(r.model.URL, "http://")
	p := &process{name: fmt.Sprint(r.started), stderr: &bytes.Buffer{}, link: r.server.between(r.t)}
	store := fmt.Sprintf("postgres://hallmark@%s/postgres?search_path=%s&sslmode=disable", p.link.Addr(), r.schema)
	p.Cmd = r.command("worker", "-j", fmt.Sprint(r.each), "--allow-host", host, "--store", store)
	p.Stderr = p.stderr
	if err := p.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.running = append(r.running, p)
	r.t.Cleanup(func() { // where the round ends early
		_ = p.Process.Kill()
		_ = p.Wait()
	})
}

// happen has things happen to the workers and to Postgres, drawn by the seed of the round.
func (r *round) happen() {
	draws := seed.Stream(r.number, "chaos")
	var resumed sync.WaitGroup
	for range 5 {
		time.Sleep(500*time.Millisecond + time.Duration(draws.Int64N(int64(1500*time.Millisecond))))
		i := draws.IntN(len(r.running))
		p := r.running[i]
		switch what := draws.IntN(10); {
		case what < 3:
			r.events = append(r.events, "kill "+p.name)
			_ = p.Process.Kill()
			_ = p.Wait()
			r.killed++
			r.running = slices.Delete(r.running, i, i+1)
			r.start()
		case what < 5 && !p.stopped:
			away := time.Second + time.Duration(draws.Int64N(int64(13*time.Second)))
			r.events = append(r.events, fmt.Sprintf("stop %s for %v", p.name, away.Round(time.Second)))
			_ = p.Process.Signal(syscall.SIGSTOP)
			p.stopped = true
			r.killed++
			resumed.Go(func() {
				time.Sleep(away)
				_ = p.Process.Signal(syscall.SIGCONT)
			})
		case what == 5:
			r.events = append(r.events, "cut all")
			if err := r.server.cut(); err != nil {
				r.t.Log(err)
			}
		case what == 6:
			r.events = append(r.events, "end "+p.name)
			_ = p.Process.Signal(syscall.SIGCONT)
			_ = p.Process.Signal(syscall.SIGTERM)
			_ = p.Wait()
			r.running = slices.Delete(r.running, i, i+1)
			r.start()
		case what > 7 && !p.split:
			how, away := draws.IntN(splits), time.Second+time.Duration(draws.Int64N(int64(13*time.Second)))
			r.events = append(r.events, fmt.Sprintf("split %s for %v (%s)", p.name, away.Round(time.Second),
				[]string{"stalled", "stalled and lost", "refused"}[how]))
			p.split = true
			r.split++
			resumed.Go(func() { p.link.split(how, away) })
		default:
			away := time.Duration(draws.Int64N(int64(4 * time.Second)))
			r.events = append(r.events, fmt.Sprintf("Postgres away for %v", away.Round(time.Second)))
			if err := r.server.restart(away); err != nil {
				r.t.Error(err)
			}
		}
	}
	resumed.Wait()
}

// await waits until the run is finished.
func (r *round) await(begun time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), most-time.Since(begun))
	defer cancel()
	for {
		cmd := exec.CommandContext(ctx, r.hallmark, "show", "latest", "--follow", "--quiet", "--json", "--store", r.store)
		cmd.Dir = r.dir
		out, err := cmd.CombinedOutput()
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			var lines []string
			for _, p := range r.running {
				lines = append(lines, p.name+": "+p.stderr.String())
			}
			state := exec.Command(r.hallmark, "show", "latest", "--follow", "--store", r.store)
			said, _ := state.StderrPipe()
			_ = state.Start()
			line := make([]byte, 1000)
			n, _ := said.Read(line)
			_ = state.Process.Kill()
			_ = state.Wait()
			r.t.Fatalf("not finished after %v: %s%s%v; %s", most, out, line[:n], r.events, strings.Join(lines, "; "))
		}
		time.Sleep(time.Second) // the server may just be restarted
	}
}
