package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/storetest"
)

func open(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func records(from, to int) []run.Record {
	var rs []run.Record
	for i := from; i < to; i++ {
		text := fmt.Sprintf("the answer to question %d", i)
		rs = append(rs, run.Record{
			Call: run.Call{
				Model: "http://localhost:8080/v1#some-model with an identity of usual length, revision 0123456789abcdef",
				Request: model.Request{System: "Answer in one sentence.", Prompt: fmt.Sprintf("Question %d: what is it?", i),
					MaxTokens: 64},
			},
			Response: &model.Response{Text: &text, Finish: "stop", Usage: model.Usage{PromptTokens: 30, CompletionTokens: 9}},
			Attempts: 1, At: time.Unix(1, 2),
		})
	}
	return rs
}

// count returns how many of the records are stored.
func count(t testing.TB, s *Store, rs []run.Record) int {
	t.Helper()
	keys := make([]run.Key, len(rs))
	for i, r := range rs {
		keys[i] = r.Call.Key()
	}
	found, err := s.Lookup(context.Background(), keys)
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

func TestContract(t *testing.T) {
	storetest.Test(t, func(t testing.TB) run.Store {
		return open(t, filepath.Join(t.TempDir(), "a folder", "100% #1?.db"))
	})
}

func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	rs := records(0, 300)
	s := open(t, path)
	if err := s.Add(t.Context(), rs[:200]); err != nil {
		t.Fatal(err)
	}
	if err := s.PutRun(t.Context(), run.Header{ID: "abc", Plan: json.RawMessage("{}")}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	defer s.Close()
	if err := s.Add(t.Context(), rs[200:]); err != nil { // the model's identity is in the file already
		t.Fatal(err)
	}
	if n := count(t, s, rs); n != 300 {
		t.Errorf("%d of 300 records", n)
	}
	if _, err := s.Run(t.Context(), "abc"); err != nil {
		t.Error(err)
	}
}

// The file is in the mode that the promise of Add needs.
func TestDurability(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "a.db"))
	defer s.Close()
	var mode string
	var sync int
	if err := s.writer.QueryRow("PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
		t.Errorf("journal_mode is %q, %v", mode, err)
	}
	if err := s.writer.QueryRow("PRAGMA synchronous").Scan(&sync); err != nil || sync != 2 {
		t.Errorf("synchronous is %d, %v, want 2 (FULL)", sync, err)
	}
	if _, err := s.reader.Exec("DELETE FROM record"); err == nil {
		t.Error("a reader can write")
	}
}

func TestSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := open(t, path)
	if err := s.Add(t.Context(), records(0, 4000)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	// 20,000 calls stay small. The identity alone, 91 bytes, would be a fifth more.
	if bytes := info.Size() / 4000; bytes > 450 {
		t.Errorf("a call without a raw body takes %d bytes, want at most 450", bytes)
	}
}

func TestErrorsNameFileAndRemedy(t *testing.T) {
	dir := t.TempDir()
	make := func(name string, statements ...string) string {
		path := filepath.Join(dir, name)
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, s := range statements {
			if _, err := db.Exec(s); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	newer := filepath.Join(dir, "newer.db")
	open(t, newer).Close()
	make("newer.db", "PRAGMA user_version = 5")
	for path, want := range map[string]string{
		write("text.db", strings.Repeat("this is no database\n", 100)): "is not a hallmark store (no SQLite database): " +
			"name another file with --store",
		make("other.db", "CREATE TABLE t (x)"):         "is an SQLite database of another program, not a hallmark store",
		make("marked.db", "PRAGMA application_id = 7"): "is an SQLite database of another program",
		newer: "was written by a newer hallmark (store version 5, this one knows up to 4): update hallmark",
		dir:   "is a folder: name a file in it",
		filepath.Join(write("file", "x"), "below", "a.db"): "cannot make the store's folder: not a directory",
		"/proc/self/hallmark.db":                           "cannot be opened",
	} {
		if strings.HasPrefix(path, "/proc") {
			if _, err := os.Stat("/proc/self"); err != nil {
				continue
			}
		}
		before, _ := os.ReadFile(path)
		s, err := Open(context.Background(), path)
		if err == nil {
			s.Close()
			t.Errorf("%s: opened", path)
			continue
		}
		if !strings.HasPrefix(err.Error(), path+": "+want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got  %v\nwant %s: %s…", err, path, want)
		}
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("%s was changed", path)
		}
	}
	if _, err := Open(context.Background(), ""); err == nil || !strings.Contains(err.Error(), "want sqlite:FILE") {
		t.Errorf("no name: got %v", err)
	}
}

func TestEmptyFileBecomesAStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	open(t, path).Close()
	open(t, path).Close()
}

func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := open(t, path)
	rs := records(0, 300)
	if err := s.Add(t.Context(), rs); err != nil {
		t.Fatal(err)
	}
	s.Close()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 5 * 4096; i < len(b); i++ { // past the header and the schema
		b[i] = 0xa5
	}
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	s, err = Open(t.Context(), path)
	if err == nil {
		defer s.Close()
		keys := make([]run.Key, len(rs))
		for i, r := range rs {
			keys[i] = r.Call.Key()
		}
		_, err = s.Lookup(t.Context(), keys)
	}
	if err == nil || !strings.HasPrefix(err.Error(), path+": is damaged (") {
		t.Errorf("got %v", err)
	}
}

// A full disk, by the database's own limit on its pages.
func TestFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := open(t, path)
	defer s.Close()
	if _, err := s.writer.Exec("PRAGMA max_page_count = 50"); err != nil {
		t.Fatal(err)
	}
	fill(t, s, path)
	if _, err := s.writer.Exec("PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(t.Context(), records(10_000, 11_000)); err != nil {
		t.Errorf("once there is space: %v", err)
	}
}

// A full disk, by a file system of one megabyte.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small file system here (wants root on Linux): %v: %s", err, out)
	}
	defer exec.Command("umount", dir).Run()
	path := filepath.Join(dir, "a.db")
	s := open(t, path)
	stored := fill(t, s, path)
	s.Close()
	s = open(t, path) // also to a process that starts on the full disk
	defer s.Close()
	if n := count(t, s, stored); n != len(stored) {
		t.Errorf("%d of %d records are left", n, len(stored))
	}
}

// fill adds records until the store is full, and fails unless all that was added before is there, and nothing else.
func fill(t *testing.T, s *Store, path string) (stored []run.Record) {
	t.Helper()
	const batch = 100
	for i := 0; i < 10_000; i += batch {
		rs := records(i, i+batch)
		if err := s.Add(t.Context(), rs); err != nil {
			if want := path +
				": the disk is full: what was stored before is safe; free some space"; !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got  %v\nwant %s…", err, want)
			}
			if n := count(t, s, stored); n != len(stored) {
				t.Errorf("%d of %d records are left", n, len(stored))
			}
			if n := count(t, s, rs); n != 0 {
				t.Errorf("%d records of the refused batch are stored", n)
			}
			if len(stored) == 0 {
				t.Error("nothing fitted: the test tests nothing")
			}
			return stored
		}
		stored = append(stored, rs...)
	}
	t.Fatal("the store never filled up")
	return nil
}

// Another process that never lets go of the lock is an error; one that does is waited for.
func TestBusy(t *testing.T) {
	defer func(d time.Duration) { busyTimeout = d }(busyTimeout)
	busyTimeout = 500 * time.Millisecond
	path := filepath.Join(t.TempDir(), "a.db")
	s := open(t, path)
	defer s.Close()
	other := open(t, path)
	defer other.Close()
	tx, err := other.writer.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Add(t.Context(), records(0, 1))
	if err == nil || !strings.HasPrefix(err.Error(), path+": another process has kept the store locked for 500ms") {
		t.Errorf("got %v", err)
	}
	if n := count(t, s, records(0, 1)); n != 0 {
		t.Error("reading does not wait, and finds nothing")
	}
	time.AfterFunc(100*time.Millisecond, func() { tx.Rollback() })
	if err := s.Add(t.Context(), records(0, 1)); err != nil {
		t.Errorf("a lock that is let go: %v", err)
	}
}

// Processes that start at once on a store that is still missing all work, and none loses a record.
func TestManyOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "a.db")
	const processes, each = 6, 8
	var wg sync.WaitGroup
	for p := range processes {
		wg.Go(func() {
			s, err := Open(context.Background(), path)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for i := range each {
				if err := s.Add(context.Background(), records(p*each+i, p*each+i+2)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s := open(t, path)
	defer s.Close()
	if n := count(t, s, records(0, processes*each+1)); n != processes*each+1 {
		t.Errorf("%d of %d records", n, processes*each+1)
	}
}

// What a store is given by somebody else is not believed: a trigger, a view, an index, a column, a table taken away.
func TestAlteredSchema(t *testing.T) {
	for change, want := range map[string]string{
		"CREATE TRIGGER t AFTER INSERT ON record BEGIN UPDATE record SET outcome = 'x'; END": `holds the trigger "t"`,
		"CREATE VIEW v AS SELECT 1":              `holds the view "v"`,
		"CREATE TABLE more (x)":                  `holds the table "more"`,
		"CREATE INDEX i ON record (model)":       `holds the index "i"`,
		"ALTER TABLE record ADD COLUMN x TEXT":   `holds the table "record"`,
		"DROP INDEX annotation_run":              `lacks the index "annotation_run"`,
		"ALTER TABLE annotation RENAME TO other": `holds the `,
	} {
		path := filepath.Join(t.TempDir(), "a.db")
		s := open(t, path)
		if err := s.Add(t.Context(), records(0, 3)); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(change); err != nil {
			t.Fatalf("%s: %v", change, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		s, err = Open(t.Context(), path)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.HasPrefix(err.Error(), path+": "+want) ||
			!strings.Contains(err.Error(), "name another file with --store") {
			t.Errorf("%s: %v, want %q", change, err, want)
		}
	}
}

// A store holds what a model said, which is nobody else's business.
func TestOwnerAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are not kept so")
	}
	dir := filepath.Join(t.TempDir(), "made")
	s := open(t, filepath.Join(dir, "a.db"))
	if err := s.Add(t.Context(), records(0, 3)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{"": 0o700, "a.db": 0o600, "a.db-wal": 0o600} {
		info, err := os.Stat(filepath.Join(dir, path))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q has mode %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
}
