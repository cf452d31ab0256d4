package within

import (
	"os"
	"path/filepath"
	"testing"
)

func TestInTheWay(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(name, to string) string {
		at := filepath.Join(dir, name)
		if err := os.Symlink(to, at); err != nil {
			t.Skip(err)
		}
		return at
	}
	nowhere, circle, folder := link("nowhere", "gone"), link("circle", "circle"), link("folder", dir)
	for path, want := range map[string]string{
		dir: "", folder: "", filepath.Join(dir, "new", "deep"): "", filepath.Join(folder, "new"): "",
		file:                           file + ": is a file, where a folder belongs",
		filepath.Join(file, "a", "b"):  file + ": is a file, where a folder belongs",
		nowhere:                        nowhere + ": is a link that leads nowhere, where a folder belongs",
		filepath.Join(nowhere, "deep"): nowhere + ": is a link that leads nowhere, where a folder belongs",
		filepath.Join(circle, "deep"):  circle + ": is a link that leads nowhere, where a folder belongs",
		os.DevNull:                     os.DevNull + ": is a device or a socket, where a folder belongs",
	} {
		if got := InTheWay(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
