package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"hallmark/internal/base/exit"
	"hallmark/internal/model/stub"
)

// No run overruns its budget on a real server, by a request or by a token that the server counts, whatever it fails by:
// with the check of what it can do, settings that it refuses, retries, trials, and the same command again until it is
// done.
func TestBudgetOfAServer(t *testing.T) {
	rounds := uint64(3)
	if os.Getenv("HALLMARK_LONG") != "" {
		rounds = 12
	}
	faults := []stub.Fault{stub.ServerError, stub.Reset, stub.Cut, stub.Truncated, stub.Forbidden, stub.Quota,
		stub.TooLong,
		stub.EmptyChoices, stub.ErrorIn200, stub.HTML}
	suite := filepath.Join(t.TempDir(), "suite.yaml")
	var b strings.Builder
	b.WriteString("suite: {name: s, version: \"1\"}\ncases:\n")
	for i := range 8 {
		fmt.Fprintf(&b, "  - {id: c%d, prompt: \"Question number %d?\", gold: x}\n", i, i)
	}
	if err := os.WriteFile(suite, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	spent := 0
	for seed := range rounds {
		rng := rand.New(rand.NewPCG(seed, 18))
		rates := map[stub.Fault]float64{}
		for range rng.IntN(4) {
			rates[faults[rng.IntN(len(faults))]] = .1 + .2*rng.Float64()
		}
		s := stub.New(stub.Options{Rates: rates, Seed: seed, Refuse: [][]string{nil, {"max_tokens", "temperature"},
			{"echo"}}[rng.IntN(3)]})
		var requests atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1) // the list of models, too
			s.ServeHTTP(w, r)
		}))
		calls, tokens := 1+rng.IntN(40), 200+rng.IntN(3000)
		args := []string{"run", "--suite", suite, "--model", server.URL + "/v1#m", "--repeats", "1", "--method", "rubric",
			"--json", "--quiet", "--no-report", "--max-tokens", "10",
			"--max-retries", fmt.Sprint(rng.IntN(2)), "-j", fmt.Sprint(1 + rng.IntN(6)), "--store",
			"sqlite:" + filepath.Join(t.TempDir(), "s.db")}
		budget := []string{fmt.Sprintf("%dcalls", calls), fmt.Sprintf("%dtok", tokens), fmt.Sprintf("%dcalls,%dtok", calls,
			tokens)}[rng.IntN(3)]
		for range 3 {
			var out, errs bytes.Buffer
			code := hallmark(append(args, "--budget", budget), strings.NewReader(""), &out, &errs)
			if code != exit.Done && code != exit.Failed && code != exit.Unscored || out.Len() > 0 && !json.Valid(out.Bytes()) {
				t.Fatalf("seed %d: exit %d: %s", seed, code, errs.String())
			}
			if strings.Contains(budget, "calls") && int(requests.Load()) > calls || strings.Contains(budget, "tok") &&
				s.Tokens() > tokens {
				t.Errorf("seed %d: %d requests and %d tokens under --budget %s", seed, requests.Load(), s.Tokens(), budget)
			}
		}
		spent += int(requests.Load())
		server.Close()
	}
	if spent < 10*int(rounds) {
		t.Errorf("%d requests in %d runs say little of their budgets", spent, rounds)
	}
}
