package run_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/run"
	"hallmark/internal/run/store/sqlite"
)

// childEnv makes the test binary the process that TestKill kills: "FOLDER CONCURRENCY CALLS".
const childEnv = "HALLMARK_TEST_KILL"

func TestMain(m *testing.M) {
	work, args := child, os.Getenv(childEnv)
	if args == "" {
		work, args = spender, os.Getenv(spenderEnv)
	}
	if args != "" {
		if err := work(args); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child executes the plan with the store FOLDER/a.db. It writes the prompt of every call that it asks for to
// FOLDER/asked before it answers, and its counts to stdout.
func child(args string) error {
	var dir string
	var concurrency, n int
	if _, err := fmt.Sscan(args, &dir, &concurrency, &n); err != nil {
		return err
	}
	asked, err := os.OpenFile(filepath.Join(dir, "asked"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	ctx := context.Background()
	store, err := sqlite.Open(ctx, filepath.Join(dir, "a.db"))
	if err != nil {
		return err
	}
	counts, err := run.Execute(ctx, store, by(deterministic(func(prompt string) {
		asked.WriteString(prompt + "\n") // one write: the kernel appends it whole
	})), slices.Values(plan("m", n)), run.Options{Concurrency: concurrency})
	if err != nil {
		return err
	}
	if err := store.Close(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(counts)
}

// deterministic answers each prompt in its own way and time, and every ninth never.
func deterministic(ask func(prompt string)) modeltest.Func {
	return modeltest.Func{ID: "m", Answer: func(_ context.Context, r model.Request) (model.Response, error) {
		ask(r.Prompt)
		i, err := strconv.Atoi(strings.TrimPrefix(r.Prompt, "question "))
		if err != nil {
			return model.Response{}, err
		}
		time.Sleep(time.Duration(1+i*7%9) * time.Millisecond)
		if i%9 == 8 {
			return model.Response{}, errors.New("the content is withheld")
		}
		resp := text(fmt.Sprintf("answer %d", i*i))
		lp := -1 / float64(i+1)
		resp.Tokens = []model.Token{{Text: "answer", LogProb: &lp}}
		resp.Usage = model.Usage{PromptTokens: i, CompletionTokens: 1, USD: lp * -0.1}
		resp.Raw = bytes.Repeat([]byte{byte(i)}, i*13%3000)
		return resp, nil
	}}
}

// stored returns the records of the calls as JSON, without their times.
func stored(t *testing.T, path string, calls []run.Call) map[string]string {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	all := map[string]string{}
	err = run.Each(t.Context(), store, calls, func(i int, r *run.Record) error {
		if r == nil {
			return nil
		}
		r.At = time.Time{}
		b, err := json.Marshal(r)
		all[calls[i].Request.Prompt] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A process that is killed at any moment loses no stored record and asks for none again: what is asked again was in
// flight or not yet committed. Run to its end, the store holds what it would have without a kill.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes")
	}
	self, err := os.Executable()
	if err != nil {
		t.Skipf("cannot find the test binary: %v", err)
	}
	kills := archtest.Draws(4, 8, 8)
	for concurrency, n := range map[int]int{1: 200, 16: 1500} {
		t.Run(fmt.Sprint(concurrency), func(t *testing.T) {
			random := seed.Stream(1, "kill", fmt.Sprint(concurrency))
			dir, calls := t.TempDir(), plan("m", n)
			path, side := filepath.Join(dir, "a.db"), filepath.Join(dir, "asked")
			lines := func() []string {
				b, _ := os.ReadFile(side)
				return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
			}
			before := map[string]string{} // stored when the child starts
			asked, again := 0, 0
			for round := range kills + 1 {
				cmd := exec.Command(self)
				cmd.Env = append(os.Environ(), childEnv+"="+fmt.Sprintf("%s %d %d", dir, concurrency, n))
				var stdout, stderr bytes.Buffer
				cmd.Stdout, cmd.Stderr = &stdout, &stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				if round < kills {
					// The first kills come while the process opens its store; the others after so many calls.
					if round < 2 {
						time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
					} else {
						size := func() int64 {
							info, err := os.Stat(side)
							if err != nil {
								return 0
							}
							return info.Size()
						}
						more := 1 + random.IntN(min(2*n/kills, (n-len(before))/2))
						until := size() + int64(more*len("question 12\n"))
						for deadline := time.Now().Add(time.Minute); size() < until && time.Now().Before(deadline); {
							time.Sleep(time.Millisecond)
						}
					}
					cmd.Process.Kill()
				}
				err := cmd.Wait()
				if stderr.Len() > 0 {
					t.Fatalf("round %d: the process failed: %s", round, stderr.Bytes())
				}
				var now []string
				if all := lines(); all[0] != "" {
					now = all[asked:]
					asked = len(all)
				}
				for _, prompt := range now {
					if _, ok := before[prompt]; ok {
						t.Errorf("round %d: %q was stored and is asked again", round, prompt)
					}
				}
				after := stored(t, path, calls)
				for prompt, r := range before {
					if after[prompt] != r {
						t.Errorf("round %d: the record of %q was %s and is %s", round, prompt, r, after[prompt])
					}
				}
				lost := len(now) - (len(after) - len(before))
				if round == kills {
					var counts run.Counts
					if err := errors.Join(err, json.Unmarshal(stdout.Bytes(), &counts)); err != nil {
						t.Fatal(err)
					}
					if counts.Planned != n || counts.Reused != len(before) || counts.Asked != len(now) ||
						counts.Asked+counts.Reused != n {
						t.Errorf("counts are %+v, with %d stored before and %d asked", counts, len(before), len(now))
					}
				}
				// Uncommitted are at most those in flight, those on the way to the committer and two batches.
				if most := 2*concurrency + 2*256 + 1; lost < 0 || lost > most {
					t.Errorf("round %d: %d calls asked for in vain, want 0 to %d", round, lost, most)
				}
				t.Logf("round %d: %d asked, %d of %d stored, %d in vain", round, len(now), len(after), n, lost)
				again += lost
				before = after
			}
			if asked != n+again {
				t.Errorf("%d calls were asked for, want %d and %d in vain", asked, n, again)
			}
			if again == 0 {
				t.Error("no kill hit a call under way: the test tests nothing")
			}
			isWhole(t, before, calls)
		})
	}
}

// isWhole compares records with those of an uninterrupted run, in this process, at another concurrency.
func isWhole(t *testing.T, got map[string]string, calls []run.Call) {
	t.Helper()
	whole := filepath.Join(t.TempDir(), "a.db")
	store, err := sqlite.Open(t.Context(), whole)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Execute(t.Context(), store, by(deterministic(func(string) {})), slices.Values(calls),
		run.Options{Concurrency: 32}); err != nil {
		t.Fatal(err)
	}
	store.Close()
	want := stored(t, whole, calls)
	if len(got) != len(calls) || len(want) != len(calls) {
		t.Errorf("%d and %d records, want %d", len(got), len(want), len(calls))
	}
	for prompt, w := range want {
		if got[prompt] != w {
			t.Errorf("%q:\ngot  %s\nwant %s", prompt, got[prompt], w)
		}
	}
}
