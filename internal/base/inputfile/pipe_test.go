//go:build unix

package inputfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe in the place of a file is refused at once, also where it takes the place after the look.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, open := range map[string]func() error{
		"read":   func() error { _, err := Read(pipe, 9); return err },
		"folder": func() error { _, err := fs.ReadFile(Folder(dir), "pipe"); return err },
		"root":   func() error { _, err := fs.ReadFile(InRoot(root), "pipe"); return err },
		"late": func() error {
			info, err := os.Stat(file)
			if err == nil {
				_, err = open(pipe, false, info, func(flag int) (*os.File, error) { return os.OpenFile(pipe, flag, 0) })
			}
			return err
		},
	} {
		if err := open(); err == nil || !strings.Contains(err.Error(), "is a pipe") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// blocked is a reader that tells when it is read, and waits.
type blocked chan struct{}

func (b blocked) Read([]byte) (int, error) {
	b <- struct{}{}
	<-b
	return 0, nil
}

func TestWaiting(t *testing.T) {
	b, done := make(blocked), make(chan struct{})
	if Waiting() {
		t.Error("waits before a read")
	}
	go func() {
		_, _ = Stream{b}.Read(nil)
		close(done)
	}()
	<-b
	if !Waiting() {
		t.Error("does not wait during a read")
	}
	b <- struct{}{}
	<-done
	if Waiting() {
		t.Error("waits after the read")
	}
}
