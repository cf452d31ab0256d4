package within

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFolder(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "folder")
	for _, d := range []string{filepath.Join(folder, "in"), filepath.Join(root, "folder2")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"out": "../folder2", "home": root, "self": "in", "nowhere": "../not/yet", "later": "in/later", "loop": "loop",
		"chain": "nowhere",
	} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	for path, want := range map[string]bool{
		"": true, "in": true, "in/new/file": true, "self/x": true, "later": true, "..": false, "../folder2": false,
		"../folder2/x": false,
		"in/../../x":   false, "out": false, "out/x": false, "home/folder": true, "home/x": false, "nowhere": false,
		"nowhere/x": false, "chain": false,
		"..x": true,
	} {
		if got, err := Folder(folder, filepath.Join(folder, filepath.FromSlash(path))); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", path, got, err, want)
		}
	}
	if in, err := Folder(folder, filepath.Join(folder, "loop")); in && err == nil {
		t.Error("a loop of links is in the folder")
	}
	if in, err := Folder(folder, "/"); in || err != nil {
		t.Error("the root is in the folder", err)
	}
}
