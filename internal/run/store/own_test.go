package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/run"
)

// TestOwn holds that a store is the user's own where a run made it, as it was left, and that no other file in its place
// is.
func TestOwn(t *testing.T) {
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, t.TempDir())
	}
	path := filepath.Join(t.TempDir(), "hallmark.db")
	// tried returns how a store is opened that nobody named.
	tried := func(path string, want string) {
		t.Helper()
		got := "own"
		if s, err := Read(t.Context(), "sqlite:"+path, false); err != nil {
			got = err.Error()
		} else if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	opened := func(path string, byUser bool) run.Store {
		t.Helper()
		s, err := Open(t.Context(), "sqlite:"+path, byUser)
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
	s := opened(path, false)
	tried(path, "own")
	other := opened(path, false) // as another process would
	closed(s)
	tried(path, "own")
	closed(other)
	tried(path, "own")

	copied(path, path+"-wal")
	tried(path, "a log of changes lies beside it that you did not leave there: remove hallmark.db-wal")
	if err := os.Remove(path + "-wal"); err != nil {
		t.Fatal(err)
	}
	copied(path, path+"-journal")
	tried(path, "a journal lies beside it that you did not leave there: remove hallmark.db-journal")
	if err := os.Remove(path + "-journal"); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(filepath.Dir(path), "foreign.db")
	closed(opened(foreign, false))
	moved := path + "2"
	copied(path, moved)
	tried(moved, "it was not made by you in this place")
	read, err := Read(t.Context(), "sqlite:"+moved, true)
	if err != nil {
		t.Fatal(err)
	}
	closed(read)
	tried(moved, "it was not made by you in this place")
	copied(foreign, path) // over it, so that the file is the same
	tried(path, "another store than the one that you made")
	if _, err := Open(t.Context(), "sqlite:"+path, false); err == nil || !strings.Contains(err.Error(), "another store") {
		t.Error(err)
	}
	closed(opened(path, true)) // who names it takes it over
	tried(path, "own")
	if runtime.GOOS == "windows" {
		return
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(path, 12345, -1); err != nil {
			t.Skip(err)
		}
		tried(path, "another user")
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
	s, err := Open(t.Context(), "sqlite:"+path, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(t.Context(), "sqlite:"+path, false); err == nil ||
		!strings.Contains(err.Error(), "no note can be kept") {
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
		if err := beside(path); err == nil || !strings.Contains(err.Error(), ending+" is no file of its own: remove it") {
			t.Errorf("%s: %v", ending, err)
		}
		os.Remove(path + ending)
	}
	if err := beside(path); err != nil {
		t.Error(err)
	}
}

// TestNotesOutsideTheWorkingFolder: where the home is named from the working folder on, notes there may have come with
// it, so none is believed.
func TestNotesOutsideTheWorkingFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hallmark.db")
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	for _, name := range []string{"HOME", "AppData"} {
		t.Setenv(name, ".")
	}
	s, err := Open(t.Context(), "sqlite:"+path, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Read(t.Context(), "sqlite:"+path, false); err == nil {
		s.Close()
		t.Error("a store was believed by a note in the working folder")
	}
}

// TestFileUnderTwoNames: a file of the user's that stands in the place of a store under a second name is not written
// to, as empty as it is.
func TestFileUnderTwoNames(t *testing.T) {
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, t.TempDir())
	}
	mine, path := filepath.Join(t.TempDir(), "mine"), filepath.Join(t.TempDir(), "hallmark.db")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(mine, path); err != nil {
		t.Skipf("no links here: %v", err)
	}
	if info, err := os.Stat(path); err != nil || links(info) == 1 {
		t.Skip("the names of a file are not counted here")
	}
	if s, err := Open(t.Context(), "sqlite:"+path, false); err == nil {
		s.Close()
		t.Error("a file that is elsewhere too was taken for a store")
	}
	if data, err := os.ReadFile(mine); err != nil || len(data) > 0 {
		t.Errorf("the other name has %d bytes, %v", len(data), err)
	}
}

// TestLogAfterKill holds that a log of changes which a killed command left beside a store is read, also once it begun
// anew, and that one which somebody else put in its place is not, be it over that of a command that wrote or of one
// that only read; nor is another store under the log.
func TestLogAfterKill(t *testing.T) {
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, t.TempDir())
	}
	ctx := t.Context()
	// begun opens a store by itself, has it write if told to, and returns its files and its note as a kill would leave
	// them.
	begun := func(write bool) (path string, files map[string][]byte, at string) {
		path = filepath.Join(t.TempDir(), "hallmark.db")
		s, err := Open(ctx, "sqlite:"+path, false)
		if err == nil && write {
			err = s.PutRun(ctx, run.Header{ID: "a", Plan: []byte("{}")})
		}
		n, errNote := noteOn(path)
		if err != nil || errNote != nil {
			t.Fatal(err, errNote)
		}
		files = map[string][]byte{}
		for _, name := range []string{path, path + "-wal", n.at} {
			if files[name], err = os.ReadFile(name); err != nil && name != path+"-wal" {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return path, files, n.at
	}
	foreignPath, foreign, _ := begun(true)
	log := foreign[foreignPath+"-wal"]
	as := func(own []byte) []byte { return own }
	anew := func(log []byte) []byte { // as a log is that began anew: one more in its first salt
		log = slices.Clone(log)
		binary.BigEndian.PutUint32(log[16:], binary.BigEndian.Uint32(log[16:])+1)
		return log
	}
	for name, tt := range map[string]struct {
		write bool
		log   func(own []byte) []byte
		file  func(own []byte) []byte
		want  string
	}{
		"its own":                 {true, as, as, ""},
		"its own, begun anew":     {true, anew, as, ""},
		"another's":               {true, func([]byte) []byte { return log }, as, "no command of yours left there"},
		"another's where none is": {false, func([]byte) []byte { return log }, as, "no command of yours left there"},
		"another store under it": {true, as, func([]byte) []byte {
			return foreign[foreignPath]
		}, "it is another store than the one that you made"},
		"a file without a schema": {true, as, func(own []byte) []byte {
			return make([]byte, len(own))
		}, "it is another store than the one that you made"},
	} {
		path, files, _ := begun(tt.write)
		files[path] = tt.file(files[path])
		files[path+"-wal"] = tt.log(files[path+"-wal"])
		for name, data := range files {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := fmt.Sprint(own(ctx, path)); !strings.Contains(got, cmp.Or(tt.want, "<nil>")) {
			t.Errorf("%s: %s, want %q", name, got, tt.want)
		}
	}
}
