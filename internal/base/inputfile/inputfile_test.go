package inputfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	file, large := filepath.Join(dir, "file"), filepath.Join(dir, "large")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 1<<40); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	if data, err := Read(file, 4); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	for _, tt := range []struct {
		path  string
		most  int64
		is    error
		shows string
	}{
		{file, 3, ErrTooLarge, "more than 0 KiB"},
		{large, 256 << 20, ErrTooLarge, "more than 256 MiB"},
		{filepath.Join(dir, "none"), 3, fs.ErrNotExist, "none"},
		{dir, 3, nil, "is a folder; name a file in it"},
		{os.DevNull, 3, nil, "is a device or a socket"},
	} {
		_, err := Read(tt.path, tt.most)
		var p *fs.PathError
		if !errors.As(err, &p) || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.shows) {
			t.Errorf("%s: %v", tt.path, err)
		}
	}
}

func TestFolderReadsNoGiant(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "large"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "large"), 1<<40); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	if _, err := fs.ReadFile(Folder(dir), "large"); !errors.Is(err, ErrTooLarge) ||
		!strings.Contains(err.Error(), "large") {
		t.Errorf("a file of 1 TiB: %v", err)
	}
	if _, err := fs.ReadFile(Folder(dir), "."); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "in", "file"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, fsys := range []fs.FS{Folder(dir), InRoot(root)} {
		if data, err := fs.ReadFile(fsys, "in/file"); err != nil || string(data) != "text" {
			t.Errorf("%q, %v", data, err)
		}
		if entries, err := fs.ReadDir(fsys, "in"); err != nil || len(entries) != 1 {
			t.Error(entries, err)
		}
		if _, err := fs.ReadFile(fsys, "none"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		if _, err := fsys.Open("../x"); err == nil {
			t.Error("a path out of the folder is opened")
		}
	}
}

func TestStreamed(t *testing.T) {
	for path, want := range map[string]bool{"/dev/stdin": true, "/dev/fd/63": true, "/proc/self/fd/0": true,
		"/dev/zero": false, "/dev/shm/f": false,
		"dev/stdin": false, "/dev/fd/../shm/f": false, "/proc/self/cwd/fd/f": false} {
		if got := streamed(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
