// Package inputfile opens what this program reads. A working folder may be a stranger's, and a pipe, a device or a
// socket in the place of a file would hold a read for ever; so an input is a regular file, or a stream that the
// shell gave: /dev/stdin, or /dev/fd/63 of <(…).
package inputfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
)

// A File is an input that is open.
type File struct {
	file *os.File
	info fs.FileInfo
}

// Open opens the file at path and does not wait: it refuses what is neither a regular file nor a stream of the
// shell. Errors are of type *fs.PathError.
func Open(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return open(path, streamed(path), info, func(flag int) (*os.File, error) { return os.OpenFile(path, flag, 0) })
}

// ErrTooLarge is wrapped where a file holds more than is read of it.
var ErrTooLarge = errors.New("the file is too large")

// Read returns what the file at path holds; more than most bytes are an error that wraps ErrTooLarge.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	return readMost(path, f, f.Size(), most)
}

// readMost reads r, of which size bytes are known to be there.
func readMost(path string, r io.Reader, size, most int64) ([]byte, error) {
	if size > most {
		return nil, tooLarge(path, most)
	}
	var data bytes.Buffer
	data.Grow(int(max(size, 0)) + bytes.MinRead) // a text that grows is there twice meanwhile
	_, err := data.ReadFrom(io.LimitReader(r, most+1))
	if err == nil && int64(data.Len()) > most {
		err = tooLarge(path, most)
	}
	return data.Bytes(), err
}

func tooLarge(path string, most int64) error {
	n, unit := most>>20, "MiB"
	if n == 0 {
		n, unit = most>>10, "KiB"
	}
	return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: more than %d %s", ErrTooLarge, n, unit)}
}

// streamed reports whether a path is one that a shell or a system gives to a stream.
func streamed(path string) bool {
	for _, pattern := range []string{"/dev/stdin", "/dev/fd/*", "/proc/*/fd/*"} {
		if ok, err := filepath.Match(pattern, path); ok && err == nil {
			return true
		}
	}
	return false
}

func open(path string, stream bool, info fs.FileInfo, file func(flag int) (*os.File, error)) (*File, error) {
	if err := check(path, info, stream); err != nil { // before it is opened, as to open a device may do something
		return nil, err
	}
	f, err := file(os.O_RDONLY | syscall.O_NONBLOCK) // so that one that took its place since does not hold it
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(path, info, stream)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &File{f, info}, nil
}

// check returns an error where what is at path is no input.
func check(path string, info fs.FileInfo, stream bool) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return fault(path, "is a folder; name a file in it")
	case mode.IsRegular(), stream:
		return nil
	case mode&fs.ModeNamedPipe != 0:
		return fault(path, "is a pipe, which may never end; name a regular file, or /dev/stdin with < PIPE")
	default:
		return fault(path, "is a device or a socket; name a regular file")
	}
}

func fault(path, what string) error {
	return &fs.PathError{Op: "open", Path: path, Err: errors.New(what)}
}

// Cause returns an error of a file system without the operation and the path, for a message that names the path itself.
func Cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}

// waiting counts reads of streams that are under way.
var waiting atomic.Int32

// Waiting reports whether a read of a stream is under way, which may never end.
func Waiting() bool { return waiting.Load() > 0 }

// A Stream is a reader whose reads Waiting counts.
type Stream struct{ From io.Reader }

// Read implements io.Reader.
func (s Stream) Read(p []byte) (int, error) {
	waiting.Add(1)
	defer waiting.Add(-1)
	return s.From.Read(p)
}

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	if f.info.Mode().IsRegular() {
		return f.file.Read(p)
	}
	return Stream{f.file}.Read(p)
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (int, error) { return f.file.ReadAt(p, off) }

// Close implements io.Closer.
func (f *File) Close() error { return f.file.Close() }

// Stat returns what the file was when it was opened.
func (f *File) Stat() (fs.FileInfo, error) { return f.info, nil }

// Size returns the size in bytes of a regular file, and 0 of a stream.
func (f *File) Size() int64 {
	if !f.info.Mode().IsRegular() {
		return 0
	}
	return f.info.Size()
}

// Folder returns the files of a folder, as os.DirFS does, of which only regular ones and folders are opened.
func Folder(dir string) fs.FS {
	return folder{os.DirFS(dir), func(name string, flag int) (*os.File, error) {
		return os.OpenFile(filepath.Join(dir, filepath.FromSlash(name)), flag, 0)
	}}
}

// InRoot returns the files of a root, of which only regular ones and folders are opened, and no link that leads out.
func InRoot(root *os.Root) fs.FS {
	return folder{root.FS(), func(name string, flag int) (*os.File, error) {
		return root.OpenFile(filepath.FromSlash(name), flag, 0)
	}}
}

// A folder opens files without waiting.
type folder struct {
	fsys fs.FS
	file func(name string, flag int) (*os.File, error)
}

func (d folder) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(d.fsys, name) }
func (d folder) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(d.fsys, name) }

// ReadFile reads a file whole, if it is at most mostWhole bytes: fs.ReadFile asks for it.
func (d folder) ReadFile(name string) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fault(name, "is a folder; name a file in it")
	}
	return readMost(name, f, info.Size(), mostWhole)
}

// mostWhole is how many bytes of a file of a folder are read at once. Tokenizers of today's models have up to 40
// MiB; tensors are read one by one.
const mostWhole = 512 << 20

func (d folder) Open(name string) (fs.File, error) {
	info, err := d.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return d.fsys.Open(name)
	}
	return open(name, false, info, func(flag int) (*os.File, error) { return d.file(name, flag) })
}
