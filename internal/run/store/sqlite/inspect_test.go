package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hallmark/internal/run"
)

// contents are the files of a folder, and when they were changed last.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range names(t, dir) {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = info.ModTime().String() + string(data)
	}
	return all
}

// TestInspect: whatever lies beside a store, it is read, and nothing on the disk changes.
func TestInspect(t *testing.T) {
	ctx := t.Context()
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary)
	rs := records(0, 3)
	from := filepath.Join(t.TempDir(), "a.db")
	s := open(t, from)
	if err := s.Add(ctx, rs); err != nil {
		t.Fatal(err)
	}
	if err := s.PutRun(ctx, run.Header{ID: "abc"}); err != nil {
		t.Fatal(err)
	}
	copied := func(endings ...string) string {
		path := filepath.Join(t.TempDir(), "a.db")
		for _, ending := range endings {
			data, err := os.ReadFile(from + ending)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path+ending, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	paths := map[string]string{"killed": copied("", "-wal", "-shm"), "killed, without the log's index": copied("", "-wal"),
		"in use": from}
	check := func(name, path string) {
		t.Helper()
		before := contents(t, filepath.Dir(path))
		s, err := Inspect(ctx, path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if n := count(t, s, rs); n != 3 {
			t.Errorf("%s: %d of 3 records", name, n)
		}
		if c, err := s.Check(ctx); err != nil || len(c.Damages)+len(c.Notes) != 0 || c.Rows["record"] != 3 ||
			c.Rows["run"] != 1 {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		if err := s.Settled(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		after := contents(t, filepath.Dir(path))
		for name, was := range before {
			if after[name] != was {
				t.Errorf("%s: %s was changed", path, name)
			}
		}
		if len(after) != len(before) {
			t.Errorf("%s: %d files, and %d before", name, len(after), len(before))
		}
		if left := names(t, temporary); len(left) > 0 {
			t.Errorf("%s: %q is left", name, left)
		}
	}
	for name, path := range paths {
		check(name, path)
	}
	if err := s.Add(ctx, records(3, 4)); err != nil {
		t.Errorf("the store that was in use: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	rs = records(0, 4)[:3]

	// One that was closed, and one beside which a journal lies, which Open plays back and removes.
	plain := paths["killed"]
	if s, err := Open(ctx, plain); err != nil {
		t.Fatal(err)
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	check("closed", plain)
	if err := os.WriteFile(plain+"-journal", []byte(strings.Repeat("x", 2000)), 0o600); err != nil {
		t.Fatal(err)
	}
	check("a journal", plain)
	if s, err := Open(ctx, plain); err != nil {
		t.Fatal(err)
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(plain + "-journal"); err == nil {
		t.Error("Open leaves such a journal, so that nothing was shown")
	}

	// One that is written meanwhile, and an empty file.
	held, err := Inspect(ctx, plain)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	other := open(t, plain)
	if err := other.Add(ctx, records(4, 5)); err != nil {
		t.Fatal(err)
	}
	if err := held.Settled(); err == nil || !strings.Contains(err.Error(),
		"was written by another command while it was read") {
		t.Errorf("Settled: %v", err)
	}
	other.Close()
	empty := filepath.Join(t.TempDir(), "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Inspect(ctx, empty); err == nil || !strings.Contains(err.Error(), "is empty") {
		t.Errorf("empty: %v", err)
	}
	if info, err := os.Stat(empty); err != nil || info.Size() != 0 || len(names(t, filepath.Dir(empty))) != 1 {
		t.Errorf("the empty file was written: %v", err)
	}
}
