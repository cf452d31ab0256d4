package weights

import (
	"embed"
	"io/fs"
)

// Embedded returns the folder of a model that a program carries with it. It panics where there is none, as a build
// without its model is broken.
func Embedded(in embed.FS, folder string) fs.FS {
	sub, err := fs.Sub(in, folder)
	if err == nil {
		_, err = fs.Stat(sub, weightsFile)
	}
	if err != nil {
		panic(err)
	}
	return sub
}

// Contents returns the files that lie in an embedded folder, by name.
func Contents(embedded fs.FS) map[string][]byte {
	files := map[string][]byte{}
	entries, err := fs.ReadDir(embedded, ".")
	for _, e := range entries {
		if files[e.Name()], err = fs.ReadFile(embedded, e.Name()); err != nil {
			break
		}
	}
	if err != nil {
		panic(err) // the folder is in the binary
	}
	return files
}
