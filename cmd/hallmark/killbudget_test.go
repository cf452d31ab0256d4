package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/base/exit"
	"hallmark/internal/model/stub"
)

// The binary is killed as the server gets some request, alone or beside others that run the same command, in the check
// of what the server can do and after it, and run again to its end: the server gets no request beyond the budget.
// HALLMARK_LONG=1 takes more seeds.
func TestBudgetOverKilledCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes")
	}
	seeds := uint64(archtest.Draws(2, 16, 16)) // of one and two processes, then of three too
	killed := 0
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 19))
		s := stub.New(stub.Options{Rates: map[stub.Fault]float64{stub.ServerError: .1, stub.Reset: .1}, Seed: seed})
		var mu sync.Mutex
		requests, kills := 0, map[int]*exec.Cmd{}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			requests++
			if cmd := kills[requests]; cmd != nil {
				cmd.Process.Kill()
			}
			mu.Unlock()
			s.ServeHTTP(w, r)
		}))
		dir := t.TempDir()
		writeKillSuite(t, filepath.Join(dir, "suite.yaml"), 6)
		budget, processes := 10+rng.IntN(40), 1+int(seed%3)
		for round := range 4 {
			var all []*exec.Cmd
			for range processes {
				cmd := exec.Command("hallmark", "run", "--suite", "suite.yaml", "--model", server.URL+"/v1#m", "--repeats", "1",
					"--json", "--quiet",
					"--no-report", "--max-retries", "1", "-j", fmt.Sprint([]int{1, 4, 32}[rng.IntN(3)]), "--budget",
					fmt.Sprintf("%dcalls", budget))
				cmd.Dir, cmd.Stderr = dir, &bytes.Buffer{}
				mu.Lock()
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				switch round {
				case 0: // in the check
					kills[requests+1+rng.IntN(4)] = cmd
				case 1, 2:
					kills[requests+1+rng.IntN(15)] = cmd
				}
				mu.Unlock()
				all = append(all, cmd)
			}
			for _, cmd := range all {
				_ = cmd.Wait()
				switch code := cmd.ProcessState.ExitCode(); code {
				case exit.Done, exit.Failed, exit.Unscored:
				case -1:
					killed++
				default:
					t.Errorf("seed %d: exit %d: %s", seed, code, cmd.Stderr)
				}
			}
			mu.Lock()
			if requests > budget {
				t.Errorf("seed %d, %d processes, round %d: %d requests under a budget of %d", seed, processes, round, requests,
					budget)
			}
			mu.Unlock()
		}
		server.Close()
		t.Logf("seed %d, %d processes: %d requests under a budget of %d", seed, processes, requests, budget)
	}
	if killed < int(seeds) {
		t.Errorf("%d processes were killed: the test tests little", killed)
	}
}
