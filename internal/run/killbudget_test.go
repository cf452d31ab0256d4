package run_test

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
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/run"
	"hallmark/internal/run/store/sqlite"
)

// spenderEnv makes the test binary the process that TestBudgetOverKills kills: "FOLDER URL CONCURRENCY CALLS BUDGET".
const spenderEnv = "HALLMARK_TEST_SPENDER"

// spender asks the server for the calls under the budget, with the store FOLDER/a.db, and before them for three
// requests as a check of abilities does.
func spender(args string) error {
	var dir, url string
	var concurrency, n, budget int
	if _, err := fmt.Sscan(args, &dir, &url, &concurrency, &n, &budget); err != nil {
		return err
	}
	ctx := context.Background()
	store, err := sqlite.Open(ctx, filepath.Join(dir, "a.db"))
	if err != nil {
		return err
	}
	defer store.Close()
	answer := func(ctx context.Context, r model.Request) (model.Response, error) { return post(ctx, url, r) }
	m := remote{modeltest.Func{ID: "m", Answer: answer}}
	opt := run.Options{Concurrency: concurrency, MaxRetries: 3, Backoff: time.Millisecond,
		Budget: run.Budget{Calls: budget}}
	return process(store, m, bounded(plan("m", n)), opt, 3)
}

// A remote model asks the meter before each request.
type remote struct{ modeltest.Func }

func (r remote) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	return r.request(ctx, req, true)
}

func (r remote) request(ctx context.Context, req model.Request, _ bool) (model.Response, error) {
	most, _ := model.Most(req)
	took, err := model.Take(ctx, most)
	if err != nil {
		return model.Response{}, err
	}
	defer took(most)
	return r.Answer(ctx, req)
}

func post(ctx context.Context, url string, r model.Request) (model.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(r.Prompt))
	if err != nil {
		return model.Response{}, err
	}
	req.GetBody = nil // no request is sent twice behind the meter's back
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return model.Response{}, &model.Transient{Err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return model.Response{}, &model.Transient{Err: fmt.Errorf("status %d, %v", resp.StatusCode, err)}
	}
	return text(string(body)), nil
}

// A killer is a server that counts its requests, fails some, and kills a process when its count comes to a number.
type killer struct {
	requests atomic.Int64
	mu       sync.Mutex
	kills    map[int64]*exec.Cmd
	url      string
}

func newKiller(t *testing.T) *killer {
	c := &killer{kills: map[int64]*exec.Cmd{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := c.requests.Add(1)
		c.mu.Lock()
		if cmd := c.kills[n]; cmd != nil {
			cmd.Process.Kill()
		}
		c.mu.Unlock()
		time.Sleep(time.Duration(n%4) * time.Millisecond)
		if n%7 == 3 {
			w.WriteHeader(http.StatusInternalServerError)
		}
		io.WriteString(w, "an answer")
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

// start starts a process that is killed when the server has had so many requests more; 0 is not at all.
func (c *killer) start(t *testing.T, self, args string, kill int64) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), spenderEnv+"="+args)
	cmd.Stderr = &bytes.Buffer{}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if kill > 0 {
		c.kills[c.requests.Load()+kill] = cmd
	}
	return cmd
}

// A run that is killed at any moment, also between two requests of the check of abilities, alone or beside others that
// run the same plan, and resumed until it ends, sends no request beyond its budget.
func TestBudgetOverKills(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Skipf("cannot find the test binary: %v", err)
	}
	seeds := archtest.Draws(1, 10, 40)
	killed, resumed := 0, 0
	for i := range seeds {
		for _, concurrency := range []int{1, 4, 32} {
			for _, processes := range []int{1, 2, 3} {
				random := seed.Stream(uint64(i), "budget", fmt.Sprint(concurrency, processes))
				c, budget := newKiller(t), 20+random.IntN(100)
				args := fmt.Sprintf("%s %s %d %d %d", t.TempDir(), c.url, concurrency, 90, budget)
				for round := range 4 {
					var all []*exec.Cmd
					for range processes {
						kill := int64(0)
						if round < 3 {
							kill = 1 + int64(random.IntN(max(4, (budget+10*round)/(3-round))))
						}
						if round == 0 {
							kill = 1 + int64(random.IntN(5)) // in the check
						}
						all = append(all, c.start(t, self, args, kill))
					}
					for _, cmd := range all {
						err := cmd.Wait()
						var exit *exec.ExitError
						switch {
						case err == nil:
							resumed++
						case errors.As(err, &exit) && !exit.Exited():
							killed++
						default:
							t.Errorf("seed %d: %v: %s", i, err, cmd.Stderr)
						}
					}
					if n := int(c.requests.Load()); n > budget {
						t.Fatalf("seed %d, %d in flight, %d processes, round %d: %d requests under a budget of %d",
							i, concurrency, processes, round, n, budget)
					}
				}
				t.Logf("seed %d, %d in flight, %d processes: %d requests under a budget of %d", i, concurrency, processes,
					c.requests.Load(), budget)
			}
		}
	}
	if killed < 5*seeds || resumed == 0 {
		t.Errorf("%d processes were killed and %d ended: the test tests little", killed, resumed)
	}
}
