package shelf

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Few texts touch no disk. Of many the file has no name, and is its user's alone.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := &Shelf{Most: 10}
	defer s.Close()
	if _, err := s.Put("0123456789"); err != nil || s.file != nil {
		t.Fatalf("%v, a file: %v", err, s.file != nil)
	}
	if _, err := s.Put("a"); err != nil || s.file == nil {
		t.Fatalf("%v, a file: %v", err, s.file != nil)
	}
	info, err := s.file.Stat()
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != 10 {
		t.Errorf("%v, %v", info, err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 0 {
		t.Errorf("%q are there", names)
	}
}

// Where there is no room, and where a text cannot be read back, the error says so; what was put before stays.
func TestFaults(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", dir)
	s := &Shelf{Most: 1}
	first, err := s.Put("first")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put("second"); err == nil || !strings.Contains(err.Error(), "folder "+dir+" meanwhile") ||
		!strings.Contains(err.Error(), "have TMPDIR name a folder") {
		t.Errorf("no folder: %v", err)
	}
	if got, err := s.Get(first); err != nil || *got != "first" {
		t.Errorf("%v, %v", got, err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put("third"); err != nil {
		t.Fatal(err)
	}
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	defer full.Close()
	whole := s.file
	s.file = full
	if _, err := s.Put("fourth"); err == nil || !strings.Contains(err.Error(), syscall.ENOSPC.Error()) {
		t.Errorf("a full disk: %v", err)
	}
	s.file = whole
	if _, err := s.Put("fourth"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(first); got != nil || err == nil || !strings.Contains(err.Error(), "cannot be read back") {
		t.Errorf("a closed file: %v, %v", got, err)
	}
}
