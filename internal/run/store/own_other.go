//go:build !unix

package store

import "io/fs"

func ofUser(fs.FileInfo) bool { return true }

func links(fs.FileInfo) int { return 1 }
