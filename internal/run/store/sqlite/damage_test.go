package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

// A row that is not as it was written counts as absent and is named. What is stored in its place counts; the row stays
// as it is.
func TestDamagedRowIsAbsent(t *testing.T) {
	ctx := context.Background()
	for change, want := range map[string]string{
		"UPDATE record SET response = replace(response, 'answer', 'Answer') WHERE id = 2": "its hash is not that of its " +
			"content",
		"UPDATE record SET raw = x'00' WHERE id = 2": "the hash of its raw body is not that of its " +
			"content",
		"UPDATE record SET key = zeroblob(32) WHERE id = 2":             "",
		"UPDATE record SET repeat = 1 WHERE id = 2":                     "its hash is not that of its content",
		"UPDATE record SET request = request || ' ' WHERE id = 2":       "its hash is not that of its content",
		"UPDATE record SET response = NULL, failure = 'x' WHERE id = 2": "its hash is not that of its content",
		"UPDATE record SET transient = 1 WHERE id = 2":                  "its hash is not that of its content",
		"UPDATE record SET at = NULL WHERE id = 2":                      "its hash is not that of its content",
		"UPDATE record SET hash = NULL WHERE id = 2":                    "its hash is missing",
		"UPDATE record SET hash = zeroblob(32) WHERE id = 2":            "its hash is not that of its content",
		"UPDATE record SET model = 7 WHERE id = 2":                      "its hash is not that of its content",
		"DELETE FROM record WHERE id = 2":                               "",
	} {
		s := open(t, filepath.Join(t.TempDir(), "a.db"))
		rs := records(0, 4)
		if err := s.Add(ctx, rs); err != nil {
			t.Fatal(err)
		}
		if _, err := s.writer.Exec("PRAGMA foreign_keys = 0; " + change); err != nil {
			t.Fatal(err)
		}
		if n := count(t, s, rs); n != 3 {
			t.Errorf("%s: %d records count, want 3", change, n)
		}
		if d := s.Damages(); want != "" && (len(d) != 1 || d[0].Row != "2" || d[0].What != want ||
			d[0].Key != rs[1].Call.Key().String()) {
			t.Errorf("%s: %v, want %q", change, d, want)
		}
		var before, after string
		kept := "SELECT coalesce(quote(key) || request || coalesce(response, '') || coalesce(quote(hash), ''), '') FROM (SELECT 1) LEFT JOIN record ON id = 2"
		if err := s.reader.QueryRow(kept).Scan(&before); err != nil {
			t.Fatal(err)
		}
		again := records(1, 2)
		text := "another answer"
		again[0].Response.Text = &text
		for range 2 { // the second time there is a whole one
			if err := s.Add(ctx, again); err != nil {
				t.Fatal(err)
			}
		}
		for _, bare := range []bool{false, true} {
			found, err := s.Lookup(run.Bare(ctx, bare), []run.Key{rs[0].Call.Key(), rs[1].Call.Key()})
			if r := found[rs[1].Call.Key()]; err != nil || len(found) != 2 || r.Response == nil || *r.Response.Text != text {
				t.Errorf("%s: what came in its place does not count: %+v, %v", change, r, err)
			}
		}
		if err := s.reader.QueryRow(kept).Scan(&after); err != nil || before != after {
			t.Errorf("%s: the damaged row was changed from %q to %q, %v", change, before, after, err)
		}
		c, err := s.Check(ctx)
		if err != nil || c.Rows["record"] != 5 && !strings.HasPrefix(change, "DELETE") || len(c.Notes) != 0 {
			t.Errorf("%s: %+v, %v", change, c, err)
		}
		s.Close()
	}
}

// A reading without raw bodies has the same records with the same sums, and does not meet a raw body that is damaged.
func TestBare(t *testing.T) {
	ctx := context.Background()
	s := open(t, filepath.Join(t.TempDir(), "a.db"))
	defer s.Close()
	rs := records(0, 4)
	for i := range rs {
		rs[i].Response.Raw = []byte("a raw body")
	}
	if err := s.Add(ctx, rs); err != nil {
		t.Fatal(err)
	}
	keys := make([]run.Key, len(rs))
	for i, r := range rs {
		keys[i] = r.Call.Key()
	}
	full, err := s.Lookup(ctx, keys)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.writer.Exec("UPDATE record SET raw = x'00' WHERE id = 2"); err != nil {
		t.Fatal(err)
	}
	bare, err := s.Lookup(run.Bare(ctx, true), keys)
	if err != nil || len(bare) != len(full) || len(s.Damages()) != 0 {
		t.Errorf("%d records without raw bodies, want %d; %v, %v", len(bare), len(full), s.Damages(), err)
	}
	for k, r := range full {
		if b := bare[k]; b.Sum != r.Sum || b.Response == nil || *b.Response.Text != *r.Response.Text ||
			b.Response.Raw != nil || r.Response.Raw == nil {
			t.Errorf("without its raw body %+v, with it %+v", b, r)
		}
	}
}

// In a file of an earlier version the key and the JSON speak for a row; what they show to be damaged is asked again.
func TestDamagedEarlier(t *testing.T) {
	ctx := context.Background()
	for old := 1; old < version; old++ {
		rs := records(0, 3)
		s := open(t, earlier(t, old, rs))
		defer s.Close()
		if _, err := s.writer.Exec("UPDATE record SET request = replace(request, 'sentence', 'Sentence') WHERE id = 2; " +
			"UPDATE record SET response = '{' WHERE id = 3"); err != nil {
			t.Fatal(err)
		}
		if n := count(t, s, rs); n != 1 {
			t.Errorf("version %d: %d records count, want 1", old, n)
		}
		if d := s.Damages(); len(d) != 2 || d[0].What != "its key is not that of its call" ||
			!strings.HasPrefix(d[1].What, "its response does not read: ") {
			t.Errorf("version %d: %v", old, d)
		}
		if err := s.Add(ctx, rs); err != nil {
			t.Fatal(err)
		}
		if n := count(t, s, rs); n != 3 {
			t.Errorf("version %d: %d records count once they were asked again, want 3", old, n)
		}
	}
}

// patch changes the nth place in a file that holds the text.
func patch(t *testing.T, path, from, to string, n int) bool {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for range n {
		i := bytes.Index(b[at+1:], []byte(from))
		if i < 0 {
			return false
		}
		at += 1 + i
	}
	copy(b[at:], to)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return true
}

// The records of a model whose row, or whose place in the index, is damaged are absent or whole, and can be stored
// again.
func TestDamagedModel(t *testing.T) {
	ctx := context.Background()
	places := 0
	for n := 1; n < 9; n++ {
		path := filepath.Join(t.TempDir(), "a.db")
		s := open(t, path)
		rs := records(0, 3)
		if err := s.Add(ctx, rs); err != nil {
			t.Fatal(err)
		}
		s.Close()
		if !patch(t, path, "revision 0123", "revision X123", n) {
			break
		}
		places++
		s = open(t, path)
		before := count(t, s, rs)
		if before == 0 && !strings.Contains(fmt.Sprint(s.Damages()), "the row of its model, 1, is damaged") {
			t.Errorf("place %d: %v", n, s.Damages())
		}
		if err := s.Add(ctx, rs); err != nil {
			t.Fatal(err)
		}
		if err := s.Add(ctx, records(3, 6)); err != nil {
			t.Fatal(err)
		}
		if got := count(t, s, records(0, 6)); got != 6 {
			t.Errorf("place %d: %d of 6 records once they were stored again, %d before: %v", n, got, before, s.Damages())
		}
		s.Close()
	}
	if places < 2 {
		t.Errorf("%d places, want a table and an index", places)
	}
}

// What people said, and what tries cost, is not shown with less: a row that is damaged or gone is named.
func TestDamagedOther(t *testing.T) {
	ctx := context.Background()
	for change, want := range map[string]string{
		"UPDATE annotation SET label = '{\"truth\":\"pass\"}' WHERE id = 1": "annotation 1: its hash is not that of its " +
			"content",
		"UPDATE annotation SET run = 'other' WHERE id = 1": "annotation 1: its hash is not that of its content",
		"DELETE FROM annotation WHERE id = 1":              "annotation: 1 of its 2 rows are gone",
		"UPDATE annotation SET (run, unit, rater, label, at, hash) = (SELECT run, unit, rater, label, at, hash FROM " +
			"annotation WHERE id = 1) WHERE id = 2": "annotation 2: it is a copy of another row",
		"UPDATE usage SET usd = 0 WHERE id = 2": "usage 2: its hash is not " +
			"that of its content",
		"DELETE FROM usage": "usage: 2 of its 2 rows " +
			"are gone",
		"DELETE FROM run WHERE id = 'def'": "run: 1 of its 2 rows are " +
			"gone",
		"UPDATE run SET plan = '{}' WHERE id = 'def'": "run def: its hash is not " +
			"that of its content",
		"UPDATE run SET result = '{}' WHERE id = 'abc'": "run abc: its result is " +
			"not as it was written",
		"UPDATE tally SET n = 1 WHERE name = 'usage'": "tally usage: its hash is " +
			"not that of its content",
		"UPDATE hold SET calls = 0 WHERE id = 2": "hold 2: its hash is not " +
			"that of its content",
		"DELETE FROM hold WHERE id = 1": "hold: 1 of its 2 rows are " +
			"gone",
		"DELETE FROM tally WHERE name = 'annotation'": "tally annotation: it is gone",
		"DELETE FROM tally WHERE name = 'mark'":       "tally mark: it is gone",
		"UPDATE tally SET n = n + 1 WHERE name = 'mark'": "tally mark: its hash is " +
			"not that of its content",
		"UPDATE tally SET hash = NULL WHERE name = 'run'": "tally run: its hash is " +
			"missing",
		"INSERT INTO tally (name, n, older) VALUES ('x', 1, 1)": `tally "x": Hallmark makes no such row`,
		"INSERT INTO usage SELECT 99, " + row.UsageColumns + ", hash FROM usage WHERE id = 1": "usage: it has 1 rows more " +
			"than were written",
	} {
		s := open(t, filepath.Join(t.TempDir(), "a.db"))
		for _, id := range []string{"abc", "def"} {
			if err := s.PutRun(ctx, run.Header{ID: id, Plan: json.RawMessage("[]"), Result: json.RawMessage("[]")}); err != nil {
				t.Fatal(err)
			}
			if err := s.Annotate(ctx, []run.Annotation{{Run: id, Unit: "u", Rater: "ann",
				Label: json.RawMessage("{}")}}); err != nil {
				t.Fatal(err)
			}
			if err := s.AddUsage(ctx, []run.Usage{{Run: id, Tries: 1, USD: 1}}); err != nil {
				t.Fatal(err)
			}
			if err := s.PutHold(ctx, &run.Hold{Run: id, Total: run.Cost{Calls: 1}}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.writer.Exec(change); err != nil {
			t.Fatal(err)
		}
		c, err := s.Check(ctx)
		if err != nil || len(c.Damages) != 1 || c.Damages[0].String() != want {
			t.Errorf("%s: %v, %v, want %q", change, c.Damages, err, want)
		}
		s.Close()
	}
}

// The numbers of rows are in no hash: what a rater said last is told by its time, and a clock that was set back changes
// no order.
func TestAnnotationsKeepTheirOrder(t *testing.T) {
	ctx := context.Background()
	s := open(t, filepath.Join(t.TempDir(), "a.db"))
	defer s.Close()
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for i, label := range []string{`1`, `2`, `3`} {
		if err := s.Annotate(ctx, []run.Annotation{{Run: "abc", Unit: "u", Rater: "ann", Label: json.RawMessage(label),
			At: now.Add(-time.Duration(i) * time.Hour)}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, change := range []string{"UPDATE annotation SET id = -id"} {
		if _, err := s.writer.Exec(change); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.Annotations(ctx, "abc")
	var said string
	for _, a := range all {
		said += string(a.Label)
	}
	if err != nil || said != "123" {
		t.Errorf("%s, %v", said, err)
	}
}

// Where it is not known what was sent under a budget, none is kept: not by a session that begins, nor by one that is
// under way.
func TestDamagedHold(t *testing.T) {
	ctx := context.Background()
	for _, change := range []string{
		"UPDATE hold SET calls = 0 WHERE id = 1", "UPDATE hold SET run = 'other' WHERE id = 1",
		"DELETE FROM hold WHERE id = 1",
		"DELETE FROM hold", "UPDATE tally SET n = 1 WHERE name = 'hold'", "DELETE FROM tally WHERE name = 'hold'",
	} {
		s := open(t, filepath.Join(t.TempDir(), "a.db"))
		defer s.Close()
		var holds [2]run.Hold
		for i := range holds {
			holds[i] = run.Hold{Run: "abc", Total: run.Cost{Calls: 1}}
			if err := s.PutHold(ctx, &holds[i], nil); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.writer.Exec(change); err != nil {
			t.Fatal(err)
		}
		_, _, err := run.OpenSession(ctx, s, "abc", time.Now)
		if err == nil || !strings.Contains(err.Error(), "run without --budget") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", change, err)
		}
		switch {
		case strings.Contains(change, "calls = 0"):
			err = s.PutHold(ctx, &holds[1], func(*run.Hold, []run.Hold) error { return nil })
		case strings.HasPrefix(change, "DELETE FROM hold"):
			err = s.PutHold(ctx, &holds[0], nil)
		}
		if err == nil || !strings.Contains(err.Error(), "run without --budget") {
			t.Errorf("%s: under way: %v", change, err)
		}
	}
}

// A row whose usage no answer can have counts as damaged, though its hash holds: a store may come from elsewhere.
func TestAbsurdUsageIsDamage(t *testing.T) {
	ctx := context.Background()
	for _, usage := range []string{`"usage":{"prompt_tokens":9223372036854775807,"completion_tokens":9}`,
		`"usage":{"prompt_tokens":-1,"completion_tokens":9}`,
		`"usage":{"prompt_tokens":1,"completion_tokens":9,"usd":1e308}`} {
		s := open(t, filepath.Join(t.TempDir(), "a.db"))
		rs := records(0, 4)
		if err := s.Add(ctx, rs); err != nil {
			t.Fatal(err)
		}
		if _, err := s.writer.Exec("UPDATE record SET response = replace(response, ?, ?) WHERE id = 2",
			`"usage":{"prompt_tokens":30,"completion_tokens":9}`, usage); err != nil {
			t.Fatal(err)
		}
		cells := make([]any, 10)
		into := make([]any, len(cells))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := s.reader.QueryRow("SELECT key, model, repeat, request, response, raw_hash, failure, transient, " +
			"attempts, at FROM record WHERE id = 2").Scan(into...); err != nil {
			t.Fatal(err)
		}
		hash := new(row.Hasher).Row("record", cells...)
		if _, err := s.writer.Exec("UPDATE record SET hash = ? WHERE id = 2", hash[:]); err != nil {
			t.Fatal(err)
		}
		if n := count(t, s, rs); n != 3 {
			t.Errorf("%s: %d records count, want 3", usage, n)
		}
		if d := s.Damages(); len(d) != 1 || !strings.HasPrefix(d[0].What, "its usage cannot be") {
			t.Errorf("%s: %v", usage, d)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
