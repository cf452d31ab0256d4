//go:build unix

package store

import (
	"io/fs"
	"os"
	"syscall"
)

// ofUser reports whether a file belongs to the user of this process.
func ofUser(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(s.Uid) == os.Geteuid()
}

// links returns the number of names that a file has.
func links(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Nlink)
	}
	return 1
}
