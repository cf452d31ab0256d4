package world

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLinkLeadsOut holds that a world reads no file outside its folder, as it may be a stranger's.
func TestLinkLeadsOut(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret.yaml")
	if err := os.WriteFile(outside, []byte("name: secret\nas_of: 2026-01-01\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, mainFile)); err != nil {
		t.Skipf("no links here: %v", err)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "leads out of the folder of the world") {
		t.Errorf("a link was followed out of the folder: %v", err)
	}
}
