package inputfile

import (
	"fmt"
	"io"
)

// An Input is one named stream of rows.
type Input struct {
	Name   string
	Reader io.Reader
}

// Inputs opens the files that a command names; - is standard input. The closer closes them all.
func Inputs(stdin io.Reader, paths []string) (inputs []Input, closeAll func(), err error) {
	var opened []io.Closer
	closeAll = func() {
		for _, c := range opened {
			c.Close()
		}
	}
	for _, path := range paths {
		if path == "-" {
			inputs = append(inputs, Input{"stdin", stdin})
			continue
		}
		f, err := Open(path)
		if err != nil {
			closeAll()
			return nil, nil, fmt.Errorf("%s: %v", path, Cause(err))
		}
		opened = append(opened, f)
		inputs = append(inputs, Input{path, f})
	}
	return inputs, closeAll, nil
}

// Each opens the files one after the other, as Inputs does, and has each read.
func Each(stdin io.Reader, paths []string, read func(name string, r io.Reader) error) error {
	inputs, closeAll, err := Inputs(stdin, paths)
	if err != nil {
		return err
	}
	defer closeAll()
	for _, in := range inputs {
		if err := read(in.Name, in.Reader); err != nil {
			return err
		}
	}
	return nil
}
