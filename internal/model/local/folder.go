package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/within"
)

// Folder returns the files of a model's folder. One that is named from the working folder may have come with it: no
// link in it leads out of the working folder, or of the folder itself. One that is named by its full path is
// trusted as it stands, such as a cache full of links.
func Folder(dir string) fs.FS {
	files := inputfile.Folder(dir)
	if filepath.IsAbs(dir) {
		return files
	}
	return linksWithin{files, dir}
}

// linksWithin opens files that no link has elsewhere.
type linksWithin struct {
	fs.FS
	dir string
}

// Open implements fs.FS.
func (l linksWithin) Open(name string) (fs.File, error) {
	if err := l.check(name); err != nil {
		return nil, err
	}
	return l.FS.Open(name)
}

// ReadFile implements fs.ReadFileFS.
func (l linksWithin) ReadFile(name string) ([]byte, error) {
	if err := l.check(name); err != nil {
		return nil, err
	}
	return fs.ReadFile(l.FS, name)
}

// check reports where a link leads out.
func (l linksWithin) check(name string) error {
	path := filepath.Join(l.dir, filepath.FromSlash(name))
	for _, folder := range []string{".", l.dir} {
		if in, err := within.Folder(folder, path); in && err == nil {
			return nil
		}
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil // to be found missing
	}
	full, err := filepath.Abs(l.dir)
	if err != nil {
		return err
	}
	return &fs.PathError{Op: "open", Path: name,
		Err: fmt.Errorf("leads out of the working folder by a link; type the folder's full path, %s, if you trust it",
			full)}
}
