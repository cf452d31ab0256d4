package queue

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"hallmark/internal/run"
)

// Where the planner of a wave is cut off in the middle of a transaction, whoever plans it next waits for what comes of
// that, and never takes a number for other calls.
func TestPlannerCutOff(t *testing.T) {
	defer func(d time.Duration) { leaseTime = d }(leaseTime)
	leaseTime = 200 * time.Millisecond
	ctx := context.Background()
	_, q := opened(t, place(t))
	added(t, q)
	args := shardArgs{"aa", 0, 0}
	first, what, err := q.take(ctx, args, "one/0")
	if err != nil || what != taken {
		t.Fatal(what, err)
	}
	rows := func(from, n int) []shardRow {
		p, err := newPacker()
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if c := call("a", from+i); p.add(c, c.Key()) != nil {
				t.Fatal("a call that cannot be packed")
			}
		}
		row, err := p.take(1, "variants")
		if err != nil {
			t.Fatal(err)
		}
		return []shardRow{row}
	}
	type lease struct {
		*Lease
		what outcome
		err  error
	}
	next := make(chan lease, 1)
	if err := q.fenced(ctx, first, func(tx pgx.Tx) error {
		time.Sleep(2 * leaseTime) // the lease runs out
		go func() {
			l, what, err := q.take(ctx, args, "two/0")
			next <- lease{l, what, err}
		}()
		select {
		case l := <-next:
			t.Fatal("the shard was taken while its planner stored calls:", l.what, l.err)
		case <-time.After(2 * leaseTime):
		}
		_, err := q.insert(ctx, tx, "aa", 0, rows(0, 3))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	second := <-next
	if second.err != nil || second.what != taken {
		t.Fatal(second.what, second.err)
	}
	seen, err := q.sieve(ctx, second.Lease)
	if err != nil {
		t.Fatal(err)
	}
	defer seen.close()
	var fresh []string
	for c := range seen.fresh(ctx, withMarks(slices.Values([]run.Call{call("a", 0), call("a", 2), call("a", 3),
		call("b", 0), call("a", 3)}))) {
		fresh = append(fresh, c.Request.Prompt)
	}
	if seen.number != 1 || seen.open != 5 || len(fresh) != 2 || seen.err != nil {
		t.Error("who plans next does not see what was stored:", seen.number, seen.open, fresh, seen.err)
	}
	for _, c := range []struct {
		rows []shardRow
		want error
	}{{rows(0, 3), nil}, {rows(3, 2), errFenced}} {
		err := q.fenced(ctx, second.Lease, func(tx pgx.Tx) error {
			_, err := q.insert(ctx, tx, "aa", 0, c.rows)
			return err
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%d calls under a number that is taken: %v, want %v", c.rows[0].calls, err, c.want)
		}
	}
}

// A run that is stopped takes the leases of its shards back.
func TestStates(t *testing.T) {
	ctx := context.Background()
	_, q := opened(t, place(t))
	added(t, q)
	l, _, err := q.take(ctx, shardArgs{"aa", 0, 0}, "one/0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Bring(ctx, "aa", Paused); err != nil {
		t.Fatal(err)
	}
	if err := q.renew(ctx, l); !errors.Is(err, errLost) {
		t.Error(err)
	}
	if err := q.free(ctx, l); err != nil {
		t.Error(err)
	}
	if _, what, err := q.take(ctx, shardArgs{"aa", 0, 0}, "one/0"); err != nil || what != paused {
		t.Error(what, err)
	}
	if ok, err := q.Enqueue(ctx, &Run{ID: "aa", Program: "p", Told: json.RawMessage("{}")}); err != nil || ok {
		t.Error("a run that is there was added again", err)
	}
	if r, err := q.Run(ctx, "aa"); err != nil || r.State != Active {
		t.Error("a paused run that is detached again stays paused", err)
	}
	if _, err := q.Bring(ctx, "aa", Cancelled); err != nil {
		t.Fatal(err)
	}
	if _, what, err := q.take(ctx, shardArgs{"aa", 0, 0}, "one/0"); err != nil || what != useless {
		t.Error(what, err)
	}
	added(t, q)
	if _, err := q.Run(ctx, "bb"); !errors.Is(err, ErrAbsent) {
		t.Error(err)
	}
}

// The shards of a worker that is gone are brought to another, also where River holds its job for done.
func TestRescue(t *testing.T) {
	defer func(d time.Duration) { leaseTime = d }(leaseTime)
	leaseTime = time.Second
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	s, q := opened(t, place(t))
	added(t, q)
	if err := pgx.BeginFunc(ctx, q.pool, func(tx pgx.Tx) error { // as a worker that was killed
		_, err := tx.Exec(ctx, "UPDATE river_job SET state = 'running', attempted_at = now()")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := q.take(ctx, shardArgs{"aa", 0, 0}, "gone/0"); err != nil {
		t.Fatal(err)
	}
	var list []run.Call
	for i := range 50 {
		list = append(list, call("a", i))
	}
	h := &waves{store: s, calls: list, slow: time.Millisecond}
	var lines []string
	var mu sync.Mutex
	if err := q.Work(ctx, Options{Handler: h, Slots: 2, Drain: true, Say: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	}}); err != nil {
		t.Fatal(err)
	}
	if p, err := q.Progress(ctx, "aa"); err != nil || p.State != Finished || h.asked.Load() != 50 {
		t.Error(p, err, h.asked.Load())
	}
	if !slices.Contains(lines, "brought back 1 shards of workers that are gone") {
		t.Error(lines)
	}
}
