// Package within tells whether a path leads out of a folder, and what is in its way.
package within

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder reports whether a path is that of the folder or of something in it, once every link is followed, as Real does.
func Folder(folder, path string) (bool, error) {
	f, err := Real(folder)
	if err != nil {
		return false, err
	}
	p, err := Real(path)
	if err != nil {
		return false, err
	}
	rel, err := filepath.Rel(f, p)
	return err == nil && filepath.IsLocal(rel), nil
}

// maxLinks bounds a chain of links that lead nowhere.
const maxLinks = 40

// Real returns the absolute path with every link in it followed. Of a path that does not exist yet the part that
// does is followed, and a link that leads nowhere yet counts as what it names.
func Real(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := ""
	for links := 0; ; {
		found, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(found, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if to, err := os.Readlink(path); err == nil && links < maxLinks {
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(path), to)
			}
			path, links = to, links+1
			continue
		}
		parent := filepath.Dir(path)
		if parent == path {
			return "", err
		}
		path, rest = parent, filepath.Join(filepath.Base(path), rest)
	}
}

// LeadsOut reports whether a path that nobody typed leads out of the working folder.
func LeadsOut(path string) bool {
	in, err := Folder(".", path)
	return err != nil || !in
}
