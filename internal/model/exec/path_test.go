package exec

import (
	"path/filepath"
	"testing"
)

func TestIsPath(t *testing.T) {
	dir := t.TempDir()
	for value, want := range map[string]bool{
		dir: true, filepath.Join(dir, "new"): true, dir + ":" + dir: true, "/wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": false,
		"/wJalrXUtnFEMI": false, "wJalr": false, "": false,
	} {
		if got := isPath(value); got != want {
			t.Errorf("%s: %v", value, got)
		}
	}
}
