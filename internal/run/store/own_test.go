package store

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestOwn holds that a store is the user's own where it was noted, and no other file in its place is.
func TestOwn(t *testing.T) {
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, t.TempDir())
	}
	path := filepath.Join(t.TempDir(), "hallmark.db")
	write := func() {
		t.Helper()
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	own := func(want bool, when string) {
		t.Helper()
		if got, err := Own(path); err != nil || got != want {
			t.Errorf("%s: %v, %v", when, got, err)
		}
	}
	write()
	own(false, "not noted")
	if err := Note(path); err != nil {
		t.Fatal(err)
	}
	own(true, "noted")
	write()
	own(true, "written again")
	moved := path + "2"
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	if got, err := Own(moved); err != nil || got {
		t.Error("another place", got, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	write()
	own(false, "another file in the same place")
	if os.Geteuid() == 0 {
		if err := Note(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, 12345, -1); err != nil {
			t.Skip(err)
		}
		own(false, "of another user")
	}
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HOME", "")
	if err := Note(moved); err != nil {
		t.Error("no folder for notes", err)
	}
	if got, err := Own(moved); err != nil || !got {
		t.Error("no folder for notes", got, err)
	}
}
