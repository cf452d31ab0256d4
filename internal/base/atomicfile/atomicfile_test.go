package atomicfile_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"hallmark/internal/base/atomicfile"
)

func puts(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// check fails unless the folder holds exactly the files of want, as name: content.
func check(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if w, ok := want[e.Name()]; !ok || err != nil || string(b) != w {
			t.Errorf("%s holds %.40q, %v, want %.40q", e.Name(), b, err, w)
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%d files, want %d", len(entries), len(want))
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.html")
	big := strings.Repeat("0123456789", 100_000)
	for _, content := range []string{"one", "", big} {
		if err := atomicfile.Write(path, puts(content)); err != nil {
			t.Fatal(err)
		}
		check(t, dir, map[string]string{"report.html": content})
	}
}

func TestFailureKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	broken := errors.New("broken")
	fail := func(w io.Writer) error {
		io.WriteString(w, strings.Repeat("x", 1<<20)) // beyond the buffer
		return broken
	}
	err := atomicfile.Write(path, fail)
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want one that wraps the cause and names the file", err)
	}
	check(t, dir, map[string]string{})
	if err := atomicfile.Write(path, puts("old")); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, fail); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		atomicfile.Write(path, func(io.Writer) error { panic("no") })
	}()
	check(t, dir, map[string]string{"a": "old"})
}

func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing", "a")
	err := atomicfile.Write(missing, puts("x"))
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) ||
		strings.Contains(err.Error(), ".tmp") {
		t.Errorf("folder missing: got %v", err)
	}
	if err := atomicfile.Write(dir, puts("x")); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("folder: got %v", err)
	}
}

func TestPermissionsAndLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o606); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(link, puts("new")); err != nil {
		t.Fatal(err)
	}
	check(t, dir, map[string]string{"a": "new", "link": "new"})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v, %v, want 0600", info.Mode(), err)
	}
	if to, err := os.Readlink(link); err != nil || to != path {
		t.Errorf("the link is gone: %q, %v", to, err)
	}
	os.Remove(path)
	if err := atomicfile.Write(link, puts("again")); err != nil { // the link points nowhere
		t.Fatal(err)
	}
	check(t, dir, map[string]string{"a": "again", "link": "again"})
}

// TestLinkLeadsOut holds that no link decides which file outside the folder is written.
func TestLinkLeadsOut(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	victim := filepath.Join(elsewhere, "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"there": victim, "nowhere": filepath.Join(elsewhere, "new")} {
		link := filepath.Join(dir, name)
		if err := os.Symlink(to, link); err != nil {
			t.Skipf("no links here: %v", err)
		}
		if err := atomicfile.Write(link, puts("x")); err == nil || !strings.Contains(err.Error(), "outside its folder") {
			t.Errorf("%s: %v", name, err)
		}
	}
	check(t, elsewhere, map[string]string{"victim": "mine"})
}

func TestNoRegularFile(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	if err := atomicfile.Write(os.DevNull, puts("x")); err != nil {
		t.Errorf("/dev/null: %v", err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("/dev/null was replaced: %v, %v", info, err)
	}
	// A full disk.
	if err := atomicfile.Write("/dev/full", puts("x")); err == nil || !strings.Contains(err.Error(), "/dev/full") {
		t.Errorf("/dev/full: got %v", err)
	}
}

func TestReadersSeeWholeFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	content := func(i int) string { return strings.Repeat(fmt.Sprint(i), 200_000) }
	if err := atomicfile.Write(path, puts(content(0))); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for i := range 4 {
		writers.Go(func() {
			for range 3 {
				if err := atomicfile.Write(path, puts(content(i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) != 200_000 || strings.Count(string(b), string(b[0])) != len(b) {
			t.Fatalf("a part of a file: %d bytes", len(b))
		}
		select {
		case <-done:
			if entries, _ := os.ReadDir(dir); len(entries) != 1 {
				t.Fatalf("%d files are left", len(entries))
			}
			return
		default:
		}
	}
}
