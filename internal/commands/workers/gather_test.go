package workers

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"hallmark/internal/run"
)

// Slots that store at a time make one commit. Where that fails each stores its own, so that a record which cannot be
// stored is the trouble of the slot that has it.
func TestGather(t *testing.T) {
	bad := errors.New("cannot be stored")
	for _, broken := range []bool{false, true} {
		var commits [][]string
		var mu sync.Mutex
		g := &gathered{add: func(_ context.Context, records []run.Record) error {
			mu.Lock()
			defer mu.Unlock()
			var failures []string
			for i := range records {
				failures = append(failures, records[i].Failure)
			}
			slices.Sort(failures)
			commits = append(commits, failures)
			if broken && slices.Contains(failures, "1") {
				return bad
			}
			return nil
		}}
		joined := make(chan struct{})
		g.wait = func() { <-joined }
		var done sync.WaitGroup
		errs := make([]error, 3)
		for i := range errs {
			done.Go(func() { errs[i] = g.Add(t.Context(), []run.Record{{Failure: fmt.Sprint(i)}}) })
		}
		for n := 0; n < len(errs); runtime.Gosched() {
			g.mu.Lock()
			if g.next != nil {
				n = len(g.next.parts)
			}
			g.mu.Unlock()
		}
		close(joined)
		done.Wait()
		if !slices.Equal(commits[0], []string{"0", "1", "2"}) {
			t.Errorf("first commit of %v", commits[0])
		}
		for i, err := range errs {
			if want := broken && i == 1; errors.Is(err, bad) != want {
				t.Errorf("broken %v: slot %d: %v", broken, i, err)
			}
		}
		if want := map[bool]int{false: 1, true: 4}[broken]; len(commits) != want {
			t.Errorf("broken %v: %d commits, want %d: %v", broken, len(commits), want, commits)
		}
		if err := g.Add(t.Context(), nil); err != nil {
			t.Error(err)
		}
	}
}
