package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hallmark/internal/atomicfile"
)

// A folder that came from elsewhere may bring a store of its own, in the place where this program keeps one, with answers in it that no
// model gave. So the stores that this user made are noted in the user's own configuration folder, each in a small file that is named by the
// hash of the store's path. A store without a note is the user's only where no note can be kept, by the owner of the file.

// Note remembers that this user made the store in a file, or takes it for the user's own from now on. Where there is no folder for notes it
// does nothing.
func Note(path string) error {
	dir, err := notes()
	if err != nil {
		return nil
	}
	note, content, err := noteOn(dir, path)
	if err != nil {
		return err
	}
	return atomicfile.Write(note, func(w io.Writer) error {
		_, err := io.WriteString(w, content)
		return err
	})
}

// Make makes an empty file for a store and notes it, where there is none or one without content, before anything is in it: so a kill leaves no
// store of the user's without a note. What hinders it shows when the store is opened.
func Make(path string) error {
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return nil
	}
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
		f.Close()
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > 0 {
		return nil
	}
	return Note(path)
}

// Own reports whether this user made the store in a file.
func Own(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil || !ofUser(info) {
		return false, err
	}
	dir, err := notes()
	if err != nil {
		return true, nil
	}
	note, content, err := noteOn(dir, path)
	if err != nil {
		return false, err
	}
	have, err := os.ReadFile(note)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return string(have) == content, err
}

// notes returns the folder of the notes.
func notes() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "hallmark", "stores")
	return dir, os.MkdirAll(dir, 0o700)
}

// noteOn returns the path of the note on a store, and what it says: the store's path, and what tells its file from one that takes its place.
func noteOn(dir, path string) (note, content string, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return "", "", err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", "", err
	}
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(dir, hex.EncodeToString(sum[:])), fmt.Sprintf("%s\n%s\n", path, identity(info)), nil
}
