package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/run/store/postgres"
)

var schemasMade atomic.Int64

// place returns a reference to a store in a schema of its own, which is dropped at the end of the test.
func place(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(os.Getenv("HALLMARK_POSTGRES"))
	if err != nil || u.String() == "" {
		t.Skip("no Postgres here: HALLMARK_POSTGRES=postgres://[USER@]HOST[:PORT]/DATABASE names one")
	}
	name := fmt.Sprintf("Queue-%d-%d", os.Getpid(), schemasMade.Add(1))
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	t.Cleanup(func() { do(t, u.String(), fmt.Sprintf("DROP SCHEMA IF EXISTS %q CASCADE", name)) })
	return u.String()
}

// do executes statements in the schema of a store, past it.
func do(t *testing.T, ref, statements string) {
	t.Helper()
	s, err := postgres.Open(context.Background(), ref)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	pool, err := s.Pool(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for statement := range strings.SplitSeq(statements, ";") {
		if _, err := pool.Exec(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func opened(t *testing.T, ref string) (*postgres.Store, *Queue) {
	t.Helper()
	s, err := postgres.Open(context.Background(), ref)
	if err != nil {
		t.Fatal(err)
	}
	q, err := Open(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close(); s.Close() })
	return s, q
}

// says checks the one line that an error is.
func says(t *testing.T, err error, what string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), what) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want one line with %q", err, what)
	}
}

// withMarks gives each call the mark after it.
func withMarks(calls iter.Seq[run.Call]) iter.Seq2[run.Call, Mark] {
	return func(yield func(run.Call, Mark) bool) {
		var m Mark
		for c := range calls {
			if m = m.After(c.Key()); !yield(c, m) {
				return
			}
		}
	}
}

func added(t *testing.T, q *Queue) {
	t.Helper()
	if ok, err := q.Enqueue(context.Background(), &Run{ID: "aa", Program: "p", Told: json.RawMessage("{}")}); err != nil ||
		!ok {
		t.Fatal(ok, err)
	}
}

// Where whoever made the tables was lost on the way, at whichever of River's steps, the next one makes the rest.
func TestCutOffMigration(t *testing.T) {
	ctx := context.Background()
	for version := 1; ; version++ {
		s, err := postgres.Open(ctx, place(t))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		pool, err := s.Pool(ctx, 2)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
		if err != nil {
			t.Fatal(err)
		}
		if version > len(migrator.AllVersions()) {
			break
		}
		if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp,
			&rivermigrate.MigrateOpts{TargetVersion: version}); err != nil {
			t.Fatal(err)
		}
		q, err := Open(ctx, s)
		if err != nil {
			t.Errorf("cut off after step %d: %v", version, err)
			continue
		}
		q.Close()
	}
}

// A queue is only in Postgres, and of this version: newer ones are refused and older ones are brought to it by who
// writes.
func TestVersions(t *testing.T) {
	ctx := context.Background()
	_, err := Open(ctx, inmemory.New())
	says(t, err, "a queue needs a store that many machines reach")
	ref := place(t)
	s, err := postgres.Open(ctx, ref)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := Read(ctx, s); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	var wg sync.WaitGroup
	for range 3 { // at a time
		wg.Go(func() {
			q, err := Open(ctx, s)
			if err != nil {
				t.Error(err)
				return
			}
			q.Close()
		})
	}
	wg.Wait()
	do(t, ref, "DELETE FROM river_migration WHERE version = (SELECT max(version) FROM river_migration)")
	_, err = Read(ctx, s)
	says(t, err, "its queue was made by an older hallmark")
	q, err := Open(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	q.Close()
	if q, err = Read(ctx, s); err != nil {
		t.Fatal(err)
	}
	q.Close()
	for _, statement := range []string{"INSERT INTO river_migration (line, version) VALUES ('main', 99)",
		"DELETE FROM river_migration WHERE version = 99; INSERT INTO queue_version VALUES (99)"} {
		do(t, ref, statement)
		for _, open := range []func(context.Context, run.Store) (*Queue, error){Open, Read} {
			_, err = open(ctx, s)
			says(t, err, "its queue was made by a newer hallmark")
		}
	}
}

// A user needs the rights that docs/workers.md names; what lacks says so.
func TestRights(t *testing.T) {
	ctx := context.Background()
	ref := place(t)
	s, q := opened(t, ref)
	added(t, q)
	role := fmt.Sprintf("hallmark_queue_%d", os.Getpid())
	if _, err := q.pool.Exec(ctx, "CREATE ROLE "+role); err != nil {
		t.Skipf("cannot make a role here: %v", err)
	}
	schema := fmt.Sprintf("%q", s.Schema())
	defer do(t, ref, "DROP OWNED BY "+role+"; DROP ROLE "+role)
	do(t, ref, "GRANT USAGE ON SCHEMA "+schema+" TO "+role+"; GRANT SELECT ON ALL TABLES IN SCHEMA "+schema+" TO "+role)
	poor, err := postgres.Read(ctx, ref+"&role="+role)
	if err != nil {
		t.Fatal(err)
	}
	defer poor.Close()
	reads, err := Read(ctx, poor)
	if err != nil {
		t.Fatal(err)
	}
	defer reads.Close()
	if p, err := reads.Progress(ctx, "aa"); err != nil || p.State != Active {
		t.Error(p, err)
	}
	_, err = reads.Enqueue(ctx, &Run{ID: "bb", Told: json.RawMessage("{}")})
	says(t, err, "lacks a right (permission denied for ")
	_, err = reads.Bring(ctx, "aa", Paused)
	says(t, err, "lacks a right (permission denied for ")
	page, err := os.ReadFile("../../../docs/workers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, grants, found := strings.Cut(string(page), "A worker needs\n\n")
	grants, _, ended := strings.Cut(grants, "\n\n")
	if !found || !ended {
		t.Fatal("docs/workers.md names no rights")
	}
	do(t, ref, strings.NewReplacer("hallmark", schema, "NAME", role).Replace(strings.TrimSuffix(grants, ";")))
	ctx, stop := context.WithTimeout(ctx, 20*time.Second)
	defer stop()
	h := &waves{store: poor, calls: []run.Call{call("a", 0)}}
	if err := reads.Work(ctx, Options{Handler: h, Slots: 1, Drain: true, Say: func(line string) {
		t.Log(line)
	}}); err != nil {
		t.Error(err)
	}
	if p, err := q.Progress(ctx, "aa"); err != nil || p.State != Finished || p.Asked != 1 {
		t.Error(p, err)
	}
}

// waves is a Handler of runs that ask the same calls, once.
type waves struct {
	store run.Store
	calls []run.Call
	asked atomic.Int64
	slow  time.Duration
}

func (*waves) Takes(context.Context, *Run) (string, error) { return "", nil }

func (w *waves) Plan(_ context.Context, _ *Run, wave int, put Put, _ *Lease) (bool, error) {
	if wave > 0 {
		return false, nil
	}
	_, err := put("variants", len(w.calls), withMarks(slices.Values(w.calls)))
	return true, err
}

func (w *waves) Ask(ctx context.Context, _ *Run, calls []run.Call, _ int, l *Lease) (run.Counts, error) {
	for range calls {
		if err := l.May(); err != nil {
			return run.Counts{}, err
		}
		w.asked.Add(1)
		select {
		case <-time.After(w.slow):
		case <-ctx.Done():
			return run.Counts{}, context.Cause(ctx)
		}
	}
	return run.Counts{Planned: len(calls), Asked: len(calls)}, nil
}

// A shard has one holder, as long as the holder says that it has it; what is done of it stays.
func TestLeases(t *testing.T) {
	defer func(d time.Duration) { leaseTime = d }(leaseTime)
	leaseTime = time.Second
	ctx := context.Background()
	_, q := opened(t, place(t))
	added(t, q)
	args := shardArgs{"aa", 0, 0}
	l, what, err := q.take(ctx, args, "one/0")
	if err != nil || what != taken {
		t.Fatal(what, err)
	}
	if _, what, err := q.take(ctx, args, "two/0"); err != nil || what != busy {
		t.Fatal(what, err)
	}
	time.Sleep(leaseTime / 2)
	if err := q.renew(ctx, l); err != nil {
		t.Fatal(err)
	}
	time.Sleep(leaseTime / 2)
	if _, what, err := q.take(ctx, args, "two/0"); err != nil || what != busy {
		t.Fatal("a lease that was renewed does not hold", what, err)
	}
	if !l.holds() {
		t.Error("a lease that was renewed does not hold")
	}
	waits := time.Now()
	if err := l.May(); !errors.Is(err, errLost) || time.Since(waits) < leaseTime/10 {
		t.Error("where nobody knows whether the lease holds, a call is not to be sent:", err)
	}
	if err := q.renew(ctx, l); err != nil {
		t.Fatal(err)
	}
	if err := l.May(); err != nil {
		t.Error(err)
	}
	time.Sleep(leaseTime)
	if err := l.May(); !errors.Is(err, model.ErrGone) {
		t.Error("a worker that did not say so still has the shard:", err)
	}
	other, what, err := q.take(ctx, args, "two/0")
	if err != nil || what != taken {
		t.Fatal(what, err)
	}
	if err := q.renew(ctx, l); !errors.Is(err, errLost) {
		t.Error(err)
	}
	after := plansOn(t, q, l, other)
	var shards, all int
	if err := q.pool.QueryRow(ctx, "SELECT count(*), sum(calls) FROM queue_shard WHERE number > 0").Scan(&shards,
		&all); err != nil || all != 40 {
		t.Error("calls on the queue:", all, "in", shards, "shards", err)
	}
	shardsEnd(t, q, l, after, shards)
}

// plansOn has whoever has the shard of a plan put calls on the queue, and the one who takes it next go on from there.
func plansOn(t *testing.T, q *Queue, lost, other *Lease) (after *Lease) {
	t.Helper()
	ctx := context.Background()
	calls := func(n int) iter.Seq[run.Call] {
		return func(yield func(run.Call) bool) {
			for i := range n {
				if !yield(call("a", i/2)) { // each twice
					return
				}
			}
		}
	}
	if _, err := q.put(ctx, lost, "variants", 10, withMarks(calls(10))); !errors.Is(err, errFenced) {
		t.Error("who lost the shard plans on:", err)
	}
	if _, err := q.put(ctx, other, "variants", 60, withMarks(calls(60))); err != nil {
		t.Fatal(err)
	}
	if n, err := q.put(ctx, other, "variants", 80, withMarks(calls(80))); err != nil ||
		n != 80 { // as one that comes after it would
		t.Fatal(n, err)
	}
	if err := q.free(ctx, other); err != nil {
		t.Fatal(err)
	}
	after, what, err := q.take(ctx, shardArgs{"aa", 0, 0}, "three/0")
	if err != nil || what != taken {
		t.Fatal(what, err)
	}
	want := Mark{}
	for c := range calls(79) { // the last was seen before
		want = want.After(c.Key())
	}
	if after.Mark() != want {
		t.Errorf("who plans next begins after %d calls, want 79", after.Mark().Calls)
	}
	if n, err := q.put(ctx, after, "variants", 80, func(func(run.Call, Mark) bool) {}); err != nil || n != 40 {
		t.Error("calls that wait since before are none:", n, err)
	}
	return after
}

// shardsEnd has the plan and all shards of its wave end, each twice, and looks at what follows.
func shardsEnd(t *testing.T, q *Queue, lost, planner *Lease, shards int) {
	t.Helper()
	ctx := context.Background()
	if err := q.done(ctx, lost, false); err != nil {
		t.Error(err)
	}
	if p, _ := q.Progress(ctx, "aa"); p.Planned {
		t.Error("who lost the shard said that it is done")
	}
	if err := q.done(ctx, planner, false); err != nil {
		t.Error(err)
	}
	for n := 1; n <= shards; n++ {
		x, what, err := q.take(ctx, shardArgs{"aa", 0, n}, "one/1")
		if err != nil || what != taken {
			t.Fatal(what, err)
		}
		for range 2 { // twice is once
			if err := q.done(ctx, x, false); err != nil {
				t.Fatal(err)
			}
		}
		if _, what, err := q.take(ctx, shardArgs{"aa", 0, n}, "one/1"); err != nil || what != useless {
			t.Error(what, err)
		}
	}
	if p, err := q.Progress(ctx, "aa"); err != nil || p.Wave != 1 || p.Planned || p.State != Active {
		t.Error(p, err)
	}
	var jobs int
	if err := q.pool.QueryRow(ctx, "SELECT count(*) FROM river_job WHERE args->>'wave' = '1'").Scan(&jobs); err != nil ||
		jobs != 1 {
		t.Error("the next wave is planned by", jobs, "jobs", err)
	}
}
