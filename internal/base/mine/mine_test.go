package mine

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWrote holds that a file counts as the user's own by its place and its content, the last that was written or that
// before it.
func TestWrote(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	dir := t.TempDir()
	path := filepath.Join(dir, "state of\nnight")
	if Wrote(path, []byte("a")) {
		t.Error("a file that nobody wrote is the user's")
	}
	for _, content := range []string{"a", "b", "c"} {
		Note(path, []byte(content))
	}
	for content, want := range map[string]bool{"a": false, "b": true, "c": true, "d": false} {
		if got := Wrote(path, []byte(content)); got != want {
			t.Errorf("%s: %v, want %v", content, got, want)
		}
	}
	if Wrote(filepath.Join(dir, "another"), []byte("c")) {
		t.Error("the same content elsewhere is the user's")
	}
	link := filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte("c"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err == nil && !Wrote(link, []byte("c")) {
		t.Error("by a link it is not the user's")
	}
}
