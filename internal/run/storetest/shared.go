package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hallmark/internal/run"
)

// A Place is where a store is that several handles and processes open, and whose rows are changed past it.
type Place struct {
	Ref    string // names it to OpenRef, also in another process
	Change func(t testing.TB, statement string)
}

// TestShared runs what the contract says of stores that several handles and processes use at once, and of damaged
// rows, against places that place makes, each empty. The package has to hand its flags to Child in TestMain.
func TestShared(t *testing.T, place func(t testing.TB) Place, open func(ref string) (run.Store, error)) {
	for name, test := range map[string]func(*testing.T, Place, func(testing.TB) run.Store){
		"first response of many": testFirstOfMany,
		"many processes":         testProcesses,
		"damaged records":        testDamagedRecords,
		"damaged rows":           testDamagedRows,
		"damaged model":          testDamagedModel,
		"damaged hold":           testDamagedHold,
	} {
		t.Run(name, func(t *testing.T) {
			p := place(t)
			test(t, p, func(t testing.TB) run.Store {
				t.Helper()
				s := of(open(p.Ref))(t)
				t.Cleanup(func() { s.Close() })
				return s
			})
		})
	}
}

// testFirstOfMany has eight handles answer the same calls at once, in other orders: of each call one answer is
// stored, all see the same, and each writer is told which of its own are.
func testFirstOfMany(t *testing.T, _ Place, open func(testing.TB) run.Store) {
	const writers, calls, batches = 8, 120, 4
	stores := make([]run.Store, writers)
	for w := range stores {
		stores[w] = open(t)
	}
	var mu sync.Mutex
	stored := map[string]int{} // by prompt, the writer whose answer is
	var wg sync.WaitGroup
	for w, s := range stores {
		hold := run.Hold{Run: "r"}
		wg.Go(func() {
			for b := range batches {
				var records []run.Record
				for i := range calls / batches {
					n := i*batches + b
					if w%2 == 1 {
						n = calls - 1 - n
					}
					records = append(records, failed(call(fmt.Sprint(n)), "not yet"),
						answered(call(fmt.Sprint(n)), fmt.Sprint(w)))
				}
				hold.Total.Calls++
				left, err := s.AddHeld(context.Background(), &hold, records, nil)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for i, r := range records {
					if r.Response == nil || slices.Contains(left, i) {
						continue
					}
					if other, twice := stored[r.Call.Request.Prompt]; twice {
						t.Errorf("call %s is stored for %d and for %d", r.Call.Request.Prompt, other, w)
					}
					stored[r.Call.Request.Prompt] = w
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(stored) != calls {
		t.Errorf("%d of %d calls are stored", len(stored), calls)
	}
	for _, s := range stores {
		for prompt, w := range stored {
			want(t, s, answered(call(prompt), fmt.Sprint(w)))
		}
	}
	whole(t, open(t), nil)
}

// whole fails unless a check finds what is wanted, each as it says so.
func whole(t testing.TB, s run.Store, wanted []string) {
	t.Helper()
	c, err := s.(run.Checker).Check(context.Background())
	if err != nil || len(c.Damages) != len(wanted) || len(c.Notes) != 0 {
		t.Fatalf("the check finds %v, %v, %v, want %q", c.Damages, c.Notes, err, wanted)
	}
	for i, d := range c.Damages {
		if !strings.HasPrefix(d.String(), wanted[i]) {
			t.Errorf("the check finds %q, want %q", d, wanted[i])
		}
	}
}

const (
	childRef   = "HALLMARK_STORETEST_REF"
	childName  = "HALLMARK_STORETEST_NAME"
	childBatch = 40
)

// Child is for TestMain: in a process that a test of TestShared started it writes to the store and ends the process.
func Child(open func(ref string) (run.Store, error)) {
	ref := os.Getenv(childRef)
	if ref == "" {
		return
	}
	if err := write(ref, os.Getenv(childName), open); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// write adds batches of records that are its own, and answers to calls that all processes answer.
func write(ref, name string, open func(ref string) (run.Store, error)) error {
	ctx := context.Background()
	s, err := open(ref)
	if err != nil {
		return err
	}
	defer s.Close()
	batches := 12
	if name == "killed" {
		batches = 1 << 20
	}
	for b := range batches {
		var records []run.Record
		for i := range childBatch {
			records = append(records, answered(call(fmt.Sprint(name, "/", b, "/", i)), "own"))
		}
		records = append(records, answered(call(fmt.Sprint("shared ", b)), name))
		if err := s.Add(ctx, records); err != nil {
			return err
		}
		if err := s.AddUsage(ctx, []run.Usage{{Run: name, Tries: 1, At: at}}); err != nil {
			return err
		}
		if b == 0 && name == "killed" {
			fmt.Println("begun")
		}
	}
	return s.PutRun(ctx, run.Header{ID: name, Plan: json.RawMessage("{}"), Started: at})
}

// testProcesses has processes write at once, one of which is killed: what each was told is stored is, a batch is
// there or is not, and all see the same answers.
func testProcesses(t *testing.T, p Place, open func(testing.TB) run.Store) {
	start := func(name string) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childRef+"="+p.Ref, childName+"="+name)
		cmd.Stderr = os.Stderr
		return cmd
	}
	killed := start("killed")
	out := of(killed.StdoutPipe())(t)
	must(t, killed.Start())
	of(out.Read(make([]byte, 8)))(t)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			if err := start(strconv.Itoa(i)).Run(); err != nil {
				t.Errorf("process %d: %v", i, err)
			}
		})
	}
	time.Sleep(100 * time.Millisecond)
	must(t, killed.Process.Kill())
	_ = killed.Wait() // its error is that it was killed
	wg.Wait()

	a, b := open(t), open(t)
	for i := range 4 {
		for n := range 12 {
			if got := batchOf(t, a, strconv.Itoa(i), n); got != childBatch {
				t.Errorf("process %d: %d of batch %d are stored", i, got, n)
			}
			first, ok := get(t, a, call(fmt.Sprint("shared ", n)))
			if again, _ := get(t, b, call(fmt.Sprint("shared ", n))); !ok ||
				*first.Response.Text != *again.Response.Text {
				t.Errorf("two handles see other answers to call %d", n)
			}
		}
		if list, err := a.Usage(t.Context(), strconv.Itoa(i)); err != nil || len(list) != 12 {
			t.Errorf("process %d: %d usages, %v", i, len(list), err)
		}
	}
	for n := range 1 << 20 {
		got := batchOf(t, a, "killed", n)
		if got != 0 && got != childBatch {
			t.Errorf("%d of batch %d of the process that was killed are stored", got, n)
		}
		if got == 0 {
			break
		}
	}
	if all, err := a.Runs(t.Context()); err != nil || len(all) != 4 {
		t.Errorf("%d runs, %v", len(all), err)
	}
	whole(t, a, nil)
}

// batchOf returns how many records of a batch are stored.
func batchOf(t testing.TB, s run.Store, name string, batch int) int {
	t.Helper()
	var keys []run.Key
	for i := range childBatch {
		keys = append(keys, call(fmt.Sprint(name, "/", batch, "/", i)).Key())
	}
	return len(of(s.Lookup(context.Background(), keys))(t))
}

// testDamagedRecords changes each column of a record: it is absent, named with its key, and stays as it is while
// what is stored in its place counts.
func testDamagedRecords(t *testing.T, p Place, open func(testing.TB) run.Store) {
	const hash, raw = "its hash is not that of its content", "the hash of its raw body is not that of its content"
	for i, c := range []struct{ set, want string }{
		{"response = replace(response, 'before', 'BEFORE')", hash}, {"raw = hash", raw}, {"raw = NULL", raw},
		{"raw_hash = hash", hash}, {"key = hash", hash}, {"repeat = 7", hash}, {"request = request || ' '", hash},
		{"response = NULL, failure = 'x'", hash}, {"transient = 1", hash}, {"attempts = 9", hash}, {"at = NULL", hash},
		{"hash = NULL", "its hash is missing"}, {"hash = raw_hash", hash}, {"model = 77", hash},
	} {
		s := open(t)
		r := answered(call(fmt.Sprint("changed ", i)), "before")
		r.Response.Raw = []byte("a body")
		beside := answered(call(fmt.Sprint("beside ", i)), "before")
		add(t, s, r, beside)
		p.Change(t, fmt.Sprintf("UPDATE record SET %s WHERE request LIKE '%%changed %d%%'", c.set, i))
		if got, ok := get(t, s, r.Call); ok {
			t.Errorf("%s: the record counts: %+v", c.set, got)
		}
		want(t, s, beside)
		r.Response.Text = new("after")
		add(t, s, r)
		add(t, s, answered(r.Call, "later")) // there is a whole one
		for _, handle := range []run.Store{s, open(t)} {
			want(t, handle, r)
			want(t, handle, beside)
		}
		checked, err := s.(run.Checker).Check(t.Context())
		if err != nil || len(checked.Damages) != i+1 || checked.Rows["record"] != 3*(i+1) {
			t.Fatalf("%s: the check finds %v in %v rows, %v", c.set, checked.Damages, checked.Rows, err)
		}
		d := checked.Damages[i] // rows are numbered as they are added
		if d.Table != "record" || d.What != c.want || d.Key != r.Call.Key().String() && c.set != "key = hash" {
			t.Errorf("%s: the check finds %s, want %q", c.set, d, c.want)
		}
	}
}

// testDamagedRows changes and removes rows of the other tables: each is named, and none is read.
func testDamagedRows(t *testing.T, p Place, open func(testing.TB) run.Store) {
	s, ctx := open(t), context.Background()
	for i := range 9 {
		id := fmt.Sprint("run", i)
		must(t, s.PutRun(ctx, run.Header{ID: id, Plan: json.RawMessage("[]"), Result: json.RawMessage("[]"),
			Started: at}))
		must(t, s.Annotate(ctx, []run.Annotation{{Run: id, Unit: "u", Rater: "ann",
			Label: json.RawMessage("{}"), At: at}}))
		must(t, s.AddUsage(ctx, []run.Usage{{Run: id, Tries: 1, USD: 1, At: at}}))
	}
	whole(t, s, nil)
	for _, statement := range []string{
		"UPDATE annotation SET label = '{\"truth\":\"pass\"}' WHERE run = 'run1'",
		"DELETE FROM annotation WHERE run = 'run2'",
		"UPDATE usage SET usd = 0 WHERE run = 'run1'", "DELETE FROM usage WHERE run = 'run2'",
		"UPDATE run SET finished = 7 WHERE id = 'run1'", "DELETE FROM run WHERE id = 'run2'",
		"UPDATE run SET result = '{}' WHERE id = 'run3'", "UPDATE run SET plan = '{}' WHERE id = 'run4'",
	} {
		p.Change(t, statement)
	}
	s = open(t)
	whole(t, s, []string{
		"annotation: 1 of its 9 rows are gone", "annotation 2: its hash is not that of its content",
		"run: 1 of its 9 rows are gone", "run run1: its hash is not that of its content",
		"run run3: its result is not as it was written", "run run4: its ",
		"usage: 1 of its 9 rows are gone", "usage 2: its hash is not that of its content",
	})
	for _, id := range []string{"run1", "run2"} {
		if list := of(s.Usage(ctx, id))(t); len(list) != 0 {
			t.Errorf("usage of %s: %v", id, list)
		}
		if list := of(s.Annotations(ctx, id))(t); len(list) != 0 {
			t.Errorf("annotations of %s: %v", id, list)
		}
	}
	for _, id := range []string{"run1", "run2", "run4"} {
		if h, err := s.Run(ctx, id); err == nil {
			t.Errorf("run %s is there: %+v", id, h)
		}
	}
	if h, err := s.Run(ctx, "run3"); err != nil || h.Result != nil || string(h.Plan) != "[]" {
		t.Errorf("run3 is %+v, %v, want its plan alone", h, err)
	}
}

// testDamagedModel changes the name of a model: its records are absent, and are stored again.
func testDamagedModel(t *testing.T, p Place, open func(testing.TB) run.Store) {
	r := answered(call("p"), "before")
	add(t, open(t), r)
	p.Change(t, "UPDATE model SET identity = 'other'")
	s := open(t)
	if got, ok := get(t, s, r.Call); ok {
		t.Errorf("a record of a model whose name changed counts: %+v", got)
	}
	add(t, s, r)
	want(t, open(t), r)
}

// testDamagedHold keeps no budget where it is not known what a session took of it.
func testDamagedHold(t *testing.T, p Place, open func(testing.TB) run.Store) {
	hold := run.Hold{Run: "r", Total: run.Cost{Calls: 1}}
	must(t, open(t).PutHold(t.Context(), &hold, nil))
	p.Change(t, "UPDATE hold SET calls = 0")
	s := open(t)
	_, err := s.Holds(t.Context(), "r")
	other := run.Hold{Run: "r", Total: run.Cost{Calls: 1}}
	put := s.PutHold(t.Context(), &other, func(*run.Hold, []run.Hold) error { return nil })
	for _, err := range []error{err, put} {
		if err == nil || !strings.Contains(err.Error(), "run without --budget") {
			t.Errorf("got %v", err)
		}
	}
}
