// Package jsonl reads files of one JSON object a line, as users' tools write
// them: with a byte-order mark or Windows line ends, with empty lines, with
// fields it does not know. Every fault is named by file and line.
package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// MaxLine bounds a line, in bytes; a longer one is a fault of the file.
const MaxLine = 64 << 20

// A Fault is what is wrong with one line of a file.
type Fault struct {
	File string
	Line int
	Err  error
}

func (f *Fault) Error() string { return fmt.Sprintf("%s:%d: %v", f.File, f.Line, f.Err) }
func (f *Fault) Unwrap() error { return f.Err }

// Each decodes every line of r that is not blank into a new T and passes it to visit with its line number. It stops
// at the first line that is no JSON object or that visit refuses, with a *Fault; where skip is not nil the fault goes
// to skip instead and reading goes on. A file without a row is an error.
func Each[T any](file string, r io.Reader, visit func(line int, row T) error, skip func(*Fault)) error {
	lines := bufio.NewReaderSize(r, 1<<16)
	rows := 0
	for n := 1; ; n++ {
		line, err := readLine(lines)
		if errors.Is(err, errTooLong) {
			return &Fault{file, n, err}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: %w", file, err)
		}
		last := errors.Is(err, io.EOF)
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			rows++
			if fault := decode(line, n, visit); fault != nil {
				f := &Fault{file, n, fault}
				if skip == nil {
					return f
				}
				skip(f)
			}
		}
		if last {
			break
		}
	}
	if rows == 0 {
		return fmt.Errorf("%s: no rows: want one JSON object a line", file)
	}
	return nil
}

func decode[T any](line []byte, n int, visit func(int, T) error) error {
	if !utf8.Valid(line) {
		return errors.New("the line is not UTF-8; save the file as UTF-8")
	}
	if line[0] != '{' {
		return fmt.Errorf("want a JSON object, found %q", Excerpt(line))
	}
	var row T
	if fast, ok := any(&row).(fromLine); ok && fast.FromLine(line) {
		return visit(n, row)
	}
	if err := json.Unmarshal(line, &row); err != nil {
		if typ, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && typ.Field != "" {
			return Plain(err)
		}
		if end, ok := errors.AsType[*json.SyntaxError](err); ok && strings.HasPrefix(end.Error(), "unexpected end") {
			return errEnds
		}
		return fmt.Errorf("no valid JSON: %v", Plain(err))
	}
	return visit(n, row)
}

// fromLine is a row that decodes itself by Split, where that takes the line; else json.Unmarshal does.
type fromLine interface{ FromLine(line []byte) bool }

var errEnds = errors.New("no valid JSON: the line ends in the middle of its object; write one object a line, or copy " +
	"the file again where it is cut off")

var errTooLong = fmt.Errorf("the line is longer than %d MiB; write one JSON object a line", MaxLine>>20)

// readLine returns the next line without its end; io.EOF comes with the last one.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if err == nil && line == nil {
			return bytes.TrimRight(part, "\r\n"), nil
		}
		line = append(line, part...)
		if len(line) > MaxLine {
			return nil, errTooLong
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

// Excerpt returns the first characters of hostile text, for a message.
func Excerpt(b []byte) string {
	const most = 40
	if len(b) <= most {
		return string(b)
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(b[cut]) {
		cut--
	}
	return string(b[:cut]) + "…"
}
