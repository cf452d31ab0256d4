package within

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// InTheWay says what stands where a folder, or one above it, belongs, such as "x: is a pipe, where a folder
// belongs"; "" if nothing does.
func InTheWay(folder string) string {
	for at := filepath.Clean(folder); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err == nil && info.IsDir():
			return ""
		case err == nil:
			return at + ": is " + Kind(info.Mode()) + ", where a folder belongs"
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ELOOP):
			if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				return at + ": is a link that leads nowhere, where a folder belongs"
			}
		case !errors.Is(err, syscall.ENOTDIR): // such as that it may not be read: who opens what is in it says so
			return ""
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// Kind names what has a mode, such as "a pipe".
func Kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode.IsRegular():
		return "a file"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	}
	return "a device or a socket"
}
