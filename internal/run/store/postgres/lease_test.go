package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hallmark/internal/base/seed"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/storetest"
)

func TestAdmission(t *testing.T) {
	server(t)
	bubble := func(t *testing.T, test func(*testing.T)) { test(t) }
	storetest.TestAdmission(t, 10, bubble, func(t testing.TB) storetest.Desk {
		ref := place(t)
		s := opened(t, ref)
		t.Cleanup(func() { s.Close() })
		return storetest.Desk{Store: s, Admission: func(session *run.Session) (run.Admission, func() error) {
			l := run.Lease(context.Background(), s, session)
			return l, l.Close
		}}
	})
}

// workerEnv makes the test binary a process that asks: "URL NAME CALLS", with the store in workerRef.
const (
	workerEnv = "HALLMARK_TEST_LEASES"
	workerRef = "HALLMARK_TEST_LEASES_REF"
)

// The limits of TestManyProcesses.
const (
	testTerm     = 8 * time.Second
	testRate     = 120 // requests a second
	testInFlight = 6
	testBudget   = 700 // calls
)

// worker asks the server for calls of its own name, as one of many processes of the run.
func worker(args, ref string) error {
	term = testTerm
	var url, name string
	var n int
	if _, err := fmt.Sscan(args, &url, &name, &n); err != nil {
		return err
	}
	ctx := context.Background()
	store, err := Open(ctx, ref)
	if err != nil {
		return err
	}
	defer store.Close()
	session, spent, err := run.OpenSession(ctx, store, "r", time.Now)
	if err != nil {
		return err
	}
	lease := run.Lease(ctx, store, session)
	calls := func(yield func(run.Call) bool) {
		for i := range n {
			if !yield(run.Call{Model: "m", Request: model.Request{Prompt: fmt.Sprint(name, " ", i), MaxTokens: 9}}) {
				return
			}
		}
	}
	_, err = run.Execute(ctx, store, map[string]model.Model{"m": poster{url}}, calls, run.Options{Concurrency: 4,
		MaxRetries: 1, Backoff: time.Millisecond, RPM: 60 * testRate, InFlight: testInFlight,
		Budget: run.Budget{Calls: testBudget},
		Spent:  spent, Session: session, Admission: lease})
	return errors.Join(err, lease.Close(), session.Close())
}

// A poster is a model behind a server.
type poster struct{ url string }

func (p poster) Identity() string { return "m" }

func (p poster) Generate(ctx context.Context, r model.Request) (model.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, strings.NewReader(r.Prompt))
	if err != nil {
		return model.Response{}, err
	}
	req.GetBody = nil // no request is sent twice
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return model.Response{}, &model.Transient{Err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return model.Response{}, &model.Transient{Err: fmt.Errorf("status %d, %v", resp.StatusCode, err)}
	}
	text := string(body)
	return model.Response{Text: &text, Finish: model.FinishStop}, nil
}

// A counter is a server that notes when it is asked, and how many requests are there at once.
type counter struct {
	mu           sync.Mutex
	sent         []time.Time
	inside, most int
	late         []time.Time // when more were there than may be
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.sent = append(c.sent, time.Now())
	n := len(c.sent)
	if c.inside++; c.inside > testInFlight {
		c.late = append(c.late, time.Now())
	}
	c.most = max(c.most, c.inside)
	c.mu.Unlock()
	select {
	case <-time.After(time.Duration(20+n%30) * time.Millisecond):
	case <-r.Context().Done(): // its process was killed
	}
	c.mu.Lock()
	c.inside--
	c.mu.Unlock()
	if n%11 == 5 {
		w.WriteHeader(http.StatusInternalServerError)
	}
	io.WriteString(w, "an answer")
}

// Ten processes, of which some are killed in the middle and others take their place, keep one rate, one number of calls
// in flight and one budget. What the killed had set aside is lost, is said, and is not spent again.
func TestManyProcesses(t *testing.T) {
	ref := place(t)
	opened(t, ref).Close()
	c := &counter{}
	server := httptest.NewServer(c)
	defer server.Close()
	start := func(name string) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s 150", workerEnv, server.URL, name), workerRef+"="+ref)
		cmd.Stderr = &bytes.Buffer{}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	random := seed.Stream(1, "leases")
	var wg sync.WaitGroup
	for i := range 10 {
		kills := 0
		if i%3 == 0 {
			kills = 1
		}
		delay := time.Duration(1500+random.IntN(1500)) * time.Millisecond
		wg.Go(func() {
			for round := range kills + 1 { // who takes its place goes on with the same calls
				cmd := start(fmt.Sprint("p", i))
				if round < kills {
					time.Sleep(delay)
					cmd.Process.Kill()
				}
				if err := cmd.Wait(); err != nil && round == kills {
					t.Errorf("process %d: %v: %s", i, err, cmd.Stderr)
				}
			}
		})
	}
	wg.Wait()
	slices.SortFunc(c.sent, time.Time.Compare)
	if len(c.sent) > testBudget {
		t.Errorf("%d requests under a budget of %d", len(c.sent), testBudget)
	}
	// Requests of a killed process end when the server sees that: for that moment there may be more.
	if c.most > testInFlight {
		t.Errorf("%d requests were there at once of %d, at %v of %v to %v", c.most, testInFlight, c.late, c.sent[0],
			c.sent[len(c.sent)-1])
	}
	for i := range c.sent {
		for j := i; j < len(c.sent); j++ {
			if span := c.sent[j].Sub(c.sent[i]).Seconds(); float64(j-i+1) > testRate*(span+2) {
				t.Fatalf("%d requests in %v s, at %d a second", j-i+1, span, testRate)
			}
		}
	}
	s := opened(t, ref)
	defer s.Close()
	holds, err := s.Holds(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	var held, total run.Cost
	for _, h := range holds {
		held, total = held.Plus(h.Held), total.Plus(h.Total)
	}
	answered := number(t, s, "SELECT sum(attempts) FROM record")
	used := number(t, s, "SELECT coalesce(sum(tries), 0) FROM usage")
	switch sum := answered + used + held.Calls; {
	case sum != total.Calls:
		t.Errorf("%d calls are in records, %d in usage, %d are held; %d were taken in all", answered, used, held.Calls,
			total.Calls)
	case sum < len(c.sent):
		t.Errorf("%d requests were sent, and %d are known", len(c.sent), sum)
	case sum > testBudget || sum < testBudget-10:
		t.Errorf("%d of a budget of %d are spent", sum, testBudget)
	}
	time.Sleep(testTerm)
	session, _, err := run.OpenSession(t.Context(), s, "r", time.Now)
	if err != nil || session.Lapsed().Calls != held.Calls {
		t.Errorf("%d calls are held by processes that ended, and %d are said to be, %v", held.Calls, session.Lapsed().Calls,
			err)
	}
	t.Logf("%d requests in %v, %d at once; %d in records, %d in usage, %d lost by kills", len(c.sent),
		c.sent[len(c.sent)-1].Sub(c.sent[0]), c.most, answered, used, held.Calls)
}
