// Package atomicfile writes files that are there whole or not at all. Everything that writes a report or an export
// does so through it.
package atomicfile

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/within"
)

// Write makes the file at path hold what write writes. A reader, a crash of the process or of the machine sees the
// old content or the new, never a part of it. If write or the disk fails, the old file stays and the error, which
// wraps the cause, names the file.
//
// The file is its owner's alone, also where another was there, as answers of a model may hold anything; its folder
// must exist. A symbolic link is followed within its folder; one that leads out of it is an error, since a folder that
// came from elsewhere may hold a link to any file. What is no regular file, such as /dev/stdout or a pipe, is written
// to directly, if something reads it.
func Write(path string, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, inputfile.Cause(err)) // whose path may be that of the temporary file
		}
	}()
	target := path
	_, noLink := os.Readlink(path)
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return errors.New("is a folder")
	case err == nil && !info.Mode().IsRegular():
		return direct(path, write)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil || noLink == nil: // a link to a file that is still missing stays, and the file is made
		if target, err = follow(path); err != nil {
			return err
		}
	}
	// In the same folder, as only there a rename is sure to be one step; hidden, so that no pattern finds it.
	temp := filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+"."+rand.Text()[:10]+".tmp")
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	renamed := false
	defer func() { // also when write panics
		if !renamed {
			f.Close()
			os.Remove(temp)
		}
	}()
	for _, step := range []func() error{
		func() error { return fill(f, write) }, f.Sync, f.Close, func() error { return os.Rename(temp, target) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	renamed = true
	return syncFolder(filepath.Dir(target))
}

// follow returns the file that path leads to; an error where it is a link that leads out of its folder.
func follow(path string) (string, error) {
	in, err := within.Folder(filepath.Dir(path), path)
	if err != nil {
		return "", err
	}
	if in {
		return within.Real(path)
	}
	to, err := os.Readlink(path)
	if err != nil {
		return "", err
	}
	return "", fmt.Errorf("is a link to %q, outside its folder; name that file itself, or remove the link", to)
}

func fill(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 64<<10)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

func direct(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0) // which does not wait for a reader
	if errors.Is(err, syscall.ENXIO) {
		return errors.New("is a pipe that nothing reads, or a socket; name a file, or start its reader first")
	}
	if err != nil {
		return err
	}
	return cmp.Or(fill(f, write), f.Close())
}

// syncFolder makes the rename survive a crash of the machine. Windows has no such call and needs none.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return cmp.Or(d.Sync(), d.Close())
}

// WriteBytes is Write of data that are there.
func WriteBytes(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteFolder writes files into a folder, made where it is not, each whole or not at all, and returns their names
// in order.
func WriteFolder(dir string, files map[string][]byte) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		if err := WriteBytes(filepath.Join(dir, name), files[name]); err != nil {
			return nil, err
		}
	}
	return names, nil
}
