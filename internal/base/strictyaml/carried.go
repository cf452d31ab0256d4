package strictyaml

import (
	"fmt"
	"io/fs"
)

// Carried fills what into points to from the YAML files that a program carries, those of a pattern of fs.Glob, each of
// which adds to what is there. It panics where they do not hold, as only whoever wrote them can mend that; a test of
// the package that carries them reads them.
func Carried(files fs.FS, pattern string, into any) {
	names, err := fs.Glob(files, pattern)
	for _, name := range names {
		if err = carried(files, name, into); err != nil {
			break
		}
	}
	if err != nil || len(names) == 0 {
		panic(fmt.Sprintf("carried files %s: %v", pattern, err))
	}
}

func carried(files fs.FS, name string, into any) error {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	n, err := Read(name, data)
	if err != nil {
		return err
	}
	return (&Decoder{File: name, Extend: true}).Decode(n, into, "the file")
}
