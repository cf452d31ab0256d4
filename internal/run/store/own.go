package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"hallmark/internal/atomicfile"
)

// A folder that came from elsewhere may bring a store of its own, or a part of one, in the place where this program keeps one, with answers in
// it that no model gave. So the stores of this user are noted in the user's own configuration folder, each in a small file that is named by the
// hash of the store's path. It tells the store's file from another that takes its place, and how it was left: by its size and time, or open.

// Own returns nil if the store in a file is this user's, and else why it may not be.
func Own(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !ofUser(info) {
		return errors.New("it belongs to another user")
	}
	if info.Size() == 0 {
		return nil
	}
	n, err := noteOn(path)
	if err != nil {
		return fmt.Errorf("no note can be kept of which stores are yours (%v)", err)
	}
	have, err := os.ReadFile(n.file)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("it was not made by you in this place")
	}
	if err != nil {
		return err
	}
	switch string(have) {
	case n.open():
		return nil
	case n.closed():
		if hasLog(path) {
			return errors.New("a log of changes lies beside it that you did not leave there (" + filepath.Base(path) + "-wal): remove that")
		}
		return nil
	}
	if strings.HasPrefix(string(have), n.is) {
		return errors.New("it was changed since you used it last")
	}
	return errors.New("it is another file than the one that you made in this place")
}

// Beside returns an error where a file that the database keeps beside its own is a link, or another name of a file that is elsewhere too.
func Beside(path string) error {
	for _, ending := range []string{"-wal", "-shm", "-journal"} {
		if info, err := os.Lstat(path + ending); err == nil && (!info.Mode().IsRegular() || links(info) > 1) {
			return fmt.Errorf("%s is no file of its own, and may have come with the folder: remove it", path+ending)
		}
	}
	return nil
}

// hasLog reports whether a database has changes that are not yet in its file.
func hasLog(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > 0
}

// prepare makes an empty file for a store where there is none, and notes one without content as the user's own, before anything is in it: so a
// kill leaves no store of the user's without a note. What hinders it shows when the store is opened.
func prepare(path string) {
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
		f.Close()
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && (info.Size() == 0 || Own(path) == nil) {
		noteOpened(path)
	}
}

// noteOpened notes that a store is the user's own, and open: then nobody knows how it will be left. Where no note can be kept there is none, and
// Own says so.
func noteOpened(path string) {
	if n, err := noteOn(path); err == nil {
		n.write(n.open())
	}
}

// noteClosed notes how a store was left that was open, unless another process has it open still.
func noteClosed(path string) {
	n, err := noteOn(path)
	if err != nil {
		return
	}
	if _, err := os.Lstat(path + "-wal"); err == nil {
		return
	}
	n.write(n.closed())
	if _, err := os.Lstat(path + "-wal"); err == nil { // another process opened it meanwhile
		n.write(n.open())
	}
}

// A note is what is noted of a store.
type note struct {
	file string // of the note
	is   string // what tells the store's file from others
	left string // how it is now
}

func (n note) open() string   { return n.is + "open\n" }
func (n note) closed() string { return n.is + n.left }

func (n note) write(text string) {
	_ = atomicfile.Write(n.file, func(w io.Writer) error { // Own says that there is none
		_, err := io.WriteString(w, text)
		return err
	})
}

// noteOn returns the note on a store as it would be made now.
func noteOn(path string) (n note, err error) {
	dir, err := notes()
	if err != nil {
		return n, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return n, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return n, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return n, err
	}
	name := sha256.Sum256([]byte(path))
	return note{
		file: filepath.Join(dir, hex.EncodeToString(name[:])),
		is:   fmt.Sprintf("%s\n%s\n", path, identity(info)),
		left: fmt.Sprintf("%d %d\n", info.Size(), info.ModTime().UnixNano()),
	}, nil
}

// notes returns the folder of the notes.
func notes() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		u, errUser := user.Current()
		if errUser != nil || u.HomeDir == "" {
			return "", err
		}
		dir = filepath.Join(u.HomeDir, ".config")
	}
	dir = filepath.Join(dir, "hallmark", "stores")
	return dir, os.MkdirAll(dir, 0o700)
}
