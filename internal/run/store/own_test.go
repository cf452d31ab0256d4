package store

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"hallmark/internal/run"
)

// TestOwn holds that a store is the user's own where a run made it, as it was left, and that no other file in its place is.
func TestOwn(t *testing.T) {
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, t.TempDir())
	}
	path := filepath.Join(t.TempDir(), "hallmark.db")
	own := func(path, want string) {
		t.Helper()
		got := "own"
		if err := Own(path); err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	make := func(path string) run.Store {
		t.Helper()
		s, err := Open(t.Context(), "sqlite:"+path)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	closed := func(s run.Store) {
		t.Helper()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	copied := func(from, to string) {
		t.Helper()
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s := make(path)
	own(path, "own")
	other := make(path) // as another process would
	closed(s)
	own(path, "own")
	closed(other)
	own(path, "own")
	again, err := Read(t.Context(), "sqlite:"+path)
	if err != nil {
		t.Fatal(err)
	}
	closed(again)
	own(path, "own")

	copied(path, path+"-wal")
	own(path, "remove that")
	if err := os.Remove(path + "-wal"); err != nil {
		t.Fatal(err)
	}
	moved := path + "2"
	copied(path, moved)
	own(moved, "was not made by you in this place")
	read, err := Read(t.Context(), "sqlite:"+moved)
	if err != nil {
		t.Fatal(err)
	}
	closed(read)
	own(moved, "was not made by you in this place")
	copied(moved, path) // over it, so that the file is the same
	own(path, "was changed since you used it last")
	closed(make(path))
	own(path, "own")
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Rename(moved, path); err != nil {
		t.Fatal(err)
	}
	own(path, "another file")
	if os.Geteuid() == 0 {
		if err := os.Chown(path, 12345, -1); err != nil {
			t.Skip(err)
		}
		own(path, "another user")
	}
}

// TestNoNotes holds that where no note can be kept no store counts as the user's own.
func TestNoNotes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, file)
	}
	path := filepath.Join(t.TempDir(), "hallmark.db")
	s, err := Open(t.Context(), "sqlite:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := Own(path); err == nil || !strings.Contains(err.Error(), "no note can be kept") {
		t.Error(err)
	}
}

func TestBeside(t *testing.T) {
	dir := t.TempDir()
	path, elsewhere := filepath.Join(dir, "hallmark.db"), filepath.Join(dir, "elsewhere")
	if err := os.WriteFile(elsewhere, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for ending, link := range map[string]func(string, string) error{"-wal": os.Symlink, "-shm": os.Link} {
		if err := link(elsewhere, path+ending); err != nil {
			t.Skipf("no links here: %v", err)
		}
		if err := Beside(path); err == nil || !strings.Contains(err.Error(), ending+" is no file of its own") {
			t.Errorf("%s: %v", ending, err)
		}
		os.Remove(path + ending)
	}
	if err := Beside(path); err != nil {
		t.Error(err)
	}
}
