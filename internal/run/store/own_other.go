//go:build !unix

package store

import "io/fs"

func ofUser(fs.FileInfo) bool { return true }

func identity(fs.FileInfo) string { return "" }
