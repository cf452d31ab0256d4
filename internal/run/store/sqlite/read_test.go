package sqlite

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/run"
)

// names lists a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// What cannot be written is read, by any version, and nothing is made beside it; what would write is refused in one
// line.
func TestReadWithoutWriting(t *testing.T) {
	ctx := t.Context()
	rs := records(0, 3)
	current := filepath.Join(t.TempDir(), "a.db")
	s := open(t, current)
	if err := s.Add(ctx, rs); err != nil {
		t.Fatal(err)
	}
	if err := s.PutRun(ctx, run.Header{ID: "abc"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{current, earlier(t, 1, rs), earlier(t, 2, rs)} {
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files := names(t, filepath.Dir(path))
		s, err := readOnly(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		if n := count(t, s, rs); n != 3 {
			t.Errorf("%d of 3 records", n)
		}
		if _, err := s.Run(ctx, "abc"); err != nil {
			t.Error(err)
		}
		if c, err := s.Check(ctx); err != nil || len(c.Damages)+len(c.Notes) != 0 || c.Rows["record"] != 3 {
			t.Errorf("%+v, %v", c, err)
		}
		for name, err := range map[string]error{
			"Add": s.Add(ctx, records(3, 4)), "PutRun": s.PutRun(ctx, run.Header{ID: "x"}),
			"AddUsage": s.AddUsage(ctx, []run.Usage{{Run: "abc", Tries: 1}}),
			"Annotate": s.Annotate(ctx, []run.Annotation{{Run: "abc", Unit: "u", Rater: "r", Label: []byte("{}")}}),
		} {
			if err == nil || !strings.HasPrefix(err.Error(), path+": cannot be written: ") ||
				!strings.Contains(err.Error(), "--store") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := names(t, filepath.Dir(path)); !slices.Equal(got, files) {
			t.Errorf("the folder has %q, and had %q", got, files)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("the file was changed, %v", err)
		}
	}
}

// A file whose log cannot be read is not shown as if there were none.
func TestReadWithLogAlone(t *testing.T) {
	from := filepath.Join(t.TempDir(), "a.db")
	s := open(t, from)
	defer s.Close()
	if err := s.Add(t.Context(), records(0, 3)); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, end := range []string{"", "-wal"} {
		b, err := os.ReadFile(from + end)
		if err != nil || len(b) == 0 {
			t.Fatal(len(b), err)
		}
		if err := os.WriteFile(filepath.Join(dir, "a.db"+end), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "a.db")
	read, err := readOnly(t.Context(), path)
	if err != nil { // where the folder cannot be written
		if !strings.Contains(err.Error(), "a.db-wal, which cannot be read without writing") {
			t.Error(err)
		}
		return
	}
	defer read.Close()
	if n := count(t, read, records(0, 3)); n != 3 {
		t.Errorf("%d of the 3 records in the log", n)
	}
}

func TestReadMakesNothing(t *testing.T) {
	dir := t.TempDir()
	_, err := Read(t.Context(), filepath.Join(dir, "below", "a.db"))
	if !errors.Is(err, os.ErrNotExist) || len(names(t, dir)) != 0 {
		t.Errorf("%v, %q", err, names(t, dir))
	}
	if _, err := Read(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "is a folder: name a file in it") {
		t.Error(err)
	}
}

// Permissions are found to forbid writing, of the file and of its folder.
func TestReadForbidden(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("permissions do not bind root: TestReadOnly and TestReadWithoutWriting show the same")
	}
	for _, forbid := range []string{".", "a.db"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.db")
		s := open(t, path)
		if err := s.Add(t.Context(), records(0, 3)); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, forbid), 0o500); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(dir, 0o700)
		readsThree(t, path)
	}
}

// readsThree holds that a store with three records can be read, and that nothing is made beside it.
func readsThree(t *testing.T, path string) {
	t.Helper()
	files := names(t, filepath.Dir(path))
	s, err := Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := count(t, s, records(0, 3)); n != 3 {
		t.Errorf("%d of 3 records", n)
	}
	if got := names(t, filepath.Dir(path)); !slices.Equal(got, files) {
		t.Errorf("the folder has %q, and had %q", got, files)
	}
}

func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	first := open(t, path)
	if err := first.Add(t.Context(), records(0, 3)); err != nil {
		t.Fatal(err)
	}
	first.Close()
	if out, err := exec.Command("mount", "--bind", dir, dir).CombinedOutput(); err != nil {
		t.Skipf("cannot mount here (wants root on Linux): %v: %s", err, out)
	}
	defer exec.Command("umount", dir).Run()
	if out, err := exec.Command("mount", "-o", "remount,bind,ro", dir).CombinedOutput(); err != nil {
		t.Skipf("cannot mount read-only here: %v: %s", err, out)
	}
	s, err := Open(t.Context(), path)
	if err == nil {
		s.Close()
	}
	if err == nil || !strings.HasPrefix(err.Error(), path+": cannot be written: ") ||
		!strings.Contains(err.Error(), "name another file with --store") {
		t.Errorf("got %v", err)
	}
	readsThree(t, path)
}
