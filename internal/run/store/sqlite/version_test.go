package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

// earlier makes a file as a release made it that knew the schema up to the version, with records, a run and, from
// version 2, an annotation.
func earlier(t *testing.T, version int, rs []run.Record) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "old.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	do := func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatal(err)
		}
	}
	do("PRAGMA journal_mode = WAL")
	do(layout(min(version, hashed-1)) +
		fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;", applicationID, version))
	for i := range rs {
		w, err := row.Encode(&rs[i])
		if err != nil {
			t.Fatal(err)
		}
		do("INSERT INTO model (identity) VALUES (?) ON CONFLICT DO NOTHING", w.Identity)
		do("INSERT INTO record (key, model, repeat, request, response, failure, transient, attempts, at) SELECT ?, id, 0, "+
			"?, ?, ?, 0, 1, 7 FROM model WHERE identity = ?",
			w.Key[:], w.Request, w.Response, w.Failure, w.Identity)
	}
	do(`INSERT INTO run VALUES ('abc', '{}', 1, 2, '{"n": 1}')`)
	if version > 1 {
		do(`INSERT INTO annotation (run, unit, rater, label, at) VALUES ('abc', 'u', 'ann', '{}', 3)`)
	}
	if version == hashed { // as a file of version 2 became one of it
		do(hashes)
		s := newStore(path)
		s.writer = db
		if err := s.locked(context.Background(), func(tx *sql.Tx) error { return s.seal(context.Background(), tx) }); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func versionOf(t *testing.T, s *Store) (n int) {
	t.Helper()
	if err := s.reader.QueryRow("PRAGMA user_version").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A file of an earlier version is read as it is, and becomes one of this version with what is first written to it,
// whatever that is; what it held stays.
func TestMigration(t *testing.T) {
	ctx := context.Background()
	for name, write := range map[string]func(*Store) error{
		"record": func(s *Store) error { return s.Add(ctx, records(3, 4)) },
		"run":    func(s *Store) error { return s.PutRun(ctx, run.Header{ID: "def"}) },
		"annotation": func(s *Store) error {
			return s.Annotate(ctx, []run.Annotation{{Run: "abc", Unit: "v", Rater: "bob", Label: json.RawMessage("{}")}})
		},
		"hold":  func(s *Store) error { return s.PutHold(ctx, &run.Hold{Run: "abc"}, nil) },
		"usage": func(s *Store) error { return s.AddUsage(ctx, []run.Usage{{Run: "abc", Tries: 1}}) },
		"text":  func(s *Store) error { return s.PutText(ctx, "a", []byte("b")) },
	} {
		for old := 1; old < version; old++ {
			t.Run(fmt.Sprint(name, " on version ", old), func(t *testing.T) {
				rs := records(0, 3)
				path := earlier(t, old, rs)
				s := open(t, path)
				defer s.Close()
				holds := func(want int) {
					t.Helper()
					keys := []run.Key{rs[0].Call.Key(), rs[1].Call.Key(), rs[2].Call.Key()}
					found, err := s.Lookup(ctx, keys)
					if err != nil || len(found) != 3 || !found[keys[1]].Unhashed {
						t.Fatalf("%d records, %v", len(found), err)
					}
					h, err := s.Run(ctx, "abc")
					if err != nil || string(h.Result) != `{"n": 1}` || h.Finished.UnixNano() != 2 {
						t.Fatalf("%+v, %v", h, err)
					}
					list, err := s.Annotations(ctx, "abc")
					if err != nil || len(list) < min(old-1, 1) {
						t.Fatalf("annotations %v, %v", list, err)
					}
					checked, err := s.Check(ctx)
					if err != nil || checked.Unhashed != 3 || len(checked.Damages)+len(checked.Notes) != 0 {
						t.Fatalf("%+v, %v", checked, err)
					}
					if got := versionOf(t, s); got != want {
						t.Fatalf("version %d, want %d", got, want)
					}
				}
				holds(old)
				if err := write(s); err != nil {
					t.Fatal(err)
				}
				holds(version)
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				s = open(t, path) // its schema is compared to the letter
				holds(version)
				if err := write(s); err != nil {
					t.Fatal(err)
				}
				// What has a hash cannot lose it: a record that came later, and a run.
				if err := s.Add(ctx, records(4, 5)); err != nil {
					t.Fatal(err)
				}
				if _, err := s.writer.Exec("UPDATE record SET hash = NULL; UPDATE run SET hash = NULL WHERE id = 'abc'"); err != nil {
					t.Fatal(err)
				}
				if n := count(t, s, records(0, 3)); n != 3 {
					t.Errorf("%d of the records that may lack a hash", n)
				}
				if n := count(t, s, records(4, 5)); n != 0 {
					t.Error("a record whose hash was taken away still counts")
				}
				if _, err := s.Run(ctx, "abc"); err == nil || !strings.Contains(err.Error(), "its hash is missing") {
					t.Errorf("a run whose hash was taken away: %v", err)
				}
			})
		}
	}
}

// Stores that have a file of an earlier version open, as several processes do, bring it to this version at once; none
// loses what it writes, and those that only read go on.
func TestMigrationByMany(t *testing.T) {
	rs := records(0, 40)
	path := earlier(t, 1, rs)
	ctx := context.Background()
	looker := open(t, path)
	defer looker.Close()
	var all []*Store
	for range 5 {
		s := open(t, path)
		defer s.Close()
		all = append(all, s)
	}
	var wg sync.WaitGroup
	for i, s := range all {
		wg.Go(func() {
			for j := range 4 {
				n := 100 + 10*i + j
				if err := s.Add(ctx, records(n, n+1)); err != nil {
					t.Error(err)
				}
				if got := count(t, s, records(n, n+1)) + count(t, looker, rs); got != 41 {
					t.Errorf("%d records, want 41", got)
				}
			}
		})
	}
	wg.Wait()
	if n := count(t, looker, records(0, 200)); n != 60 {
		t.Errorf("%d records, want 60", n)
	}
	checked, err := looker.Check(ctx)
	if err != nil || len(checked.Damages)+len(checked.Notes) != 0 || checked.Unhashed != 40 ||
		checked.Rows["record"] != 60 {
		t.Errorf("%+v, %v", checked, err)
	}
}
