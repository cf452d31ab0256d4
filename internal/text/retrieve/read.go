package retrieve

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/jsonl"
)

// A File is one file of passages. Open is called more than once and must give the same bytes.
type File struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// Paths returns the files of paths on disk.
func Paths(paths ...string) []File {
	var files []File
	for _, p := range paths {
		files = append(files, File{p, func() (io.ReadCloser, error) { return inputfile.Open(p) }})
	}
	return files
}

// readers are a file's bytes, unpacked where it is gzip.
type readers struct {
	io.Reader
	io.Closer
}

// maxRatio bounds how many times its size a packed file unpacks to, beyond the first 64 MiB. Text packs to a tenth
// or so.
const maxRatio = 100

// A counter counts the bytes that pass.
type counter struct {
	io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// An unpacked is what a packed stream holds, and an error where that is out of all proportion.
type unpacked struct{ from, packed *counter }

func (u unpacked) Read(p []byte) (int, error) {
	n, err := u.from.Read(p)
	if u.from.n > 64<<20 && u.from.n > maxRatio*u.packed.n {
		return 0, fmt.Errorf("unpacks to more than %d times its size; unpack it, if that is right", maxRatio)
	}
	return n, err
}

// open opens a file and unpacks it if it begins as gzip does. A name in .gz that does not is an error.
func (f File) open() (io.ReadCloser, error) {
	file, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w; name a file of passages, one JSON object a line", f.Name, inputfile.Cause(err))
	}
	r := bufio.NewReaderSize(file, 1<<18)
	head, err := r.Peek(2)
	switch packed := string(head) == "\x1f\x8b"; {
	case err != nil && !errors.Is(err, io.EOF):
		err = fmt.Errorf("%s: %w", f.Name, inputfile.Cause(err))
	case packed:
		in := &counter{Reader: r}
		var z *gzip.Reader
		if z, err = gzip.NewReader(in); err == nil {
			return readers{bufio.NewReaderSize(unpacked{&counter{Reader: z}, in}, 1<<18), file}, nil
		}
		err = &jsonl.Fault{File: f.Name, Line: 1, Err: fmt.Errorf("damaged gzip: %w", err)}
	case strings.HasSuffix(f.Name, ".gz") && len(head) > 0:
		err = &jsonl.Fault{File: f.Name, Line: 1,
			Err: errors.New("named .gz but not gzip; pack it, or give it another name")}
	default:
		return readers{r, file}, nil
	}
	file.Close()
	return nil, err
}

// maxBlank bounds the blank lines of a file, of which a few bytes of gzip hold any number.
const maxBlank = 10_000

// eachLine calls visit with every line of a file that is not blank, without its end, until visit refuses one. The
// line is valid only during the call.
func (f File) eachLine(visit func(number int, line []byte) error) error {
	file, err := f.open()
	if err != nil {
		return err
	}
	defer file.Close() // only read
	r, blank := bufio.NewReaderSize(file, MaxLine+1), 0
	for n := 1; ; n++ {
		line, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return &jsonl.Fault{File: f.Name, Line: n, Err: errLong}
		case err != nil && !errors.Is(err, io.EOF):
			return &jsonl.Fault{File: f.Name, Line: n, Err: inputfile.Cause(err)}
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if refused := visit(n, line); refused != nil {
				return refused
			}
		} else if blank++; blank > maxBlank {
			return &jsonl.Fault{File: f.Name, Line: n,
				Err: fmt.Errorf("more than %d blank lines; take them out", maxBlank)}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// keys are those of a passage: three for its id, that of its title and two for its text.
var keys = [...]string{"id", "_id", "doc_id", "title", "text", "contents"}

// fields holds the raw JSON of a passage, in the order of keys; nil is absent.
type fields [len(keys)][]byte

func (f *fields) at(key []byte) *[]byte {
	for i, k := range keys {
		if string(key) == k {
			return &f[i]
		}
	}
	return nil
}

// A reading is a passage as bytes, which are part of the line it was read from where nothing had to be decoded.
type reading struct{ id, title, text []byte }

// parse reads a passage from a line.
func parse(line []byte) (TitledPassage, error) {
	r, err := read(line)
	return TitledPassage{string(r.id), string(r.title), string(r.text)}, err
}

// read reads a passage: its id from id, _id or doc_id (a string or a whole number), its title, its text from text
// or contents; of these the first that is there counts. Other fields are ignored.
func read(line []byte) (r reading, err error) {
	if !utf8.Valid(line) {
		return r, errors.New("the line is not UTF-8; save the file as UTF-8")
	}
	var f fields
	if !jsonl.Split(line, f.at) {
		f = fields{}
		if err := decode(line, &f); err != nil {
			return r, err
		}
	}
	if r.id, err = identifier(first(f[:3]...)); err != nil {
		return r, err
	}
	if r.title, err = textOf("title", f[3]); err != nil {
		return r, err
	}
	if r.text, err = textOf("text", first(f[4:]...)); err == nil && len(bytes.TrimSpace(r.text)) == 0 {
		err = fmt.Errorf("passage %q has no text; write it under text or contents, or leave the line out", r.id)
	}
	return r, err
}

// decode splits a line with encoding/json: the reference for jsonl.Split.
func decode(line []byte, f *fields) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil || object == nil {
		if line[0] != '{' {
			return fmt.Errorf("want a JSON object, found %q", jsonl.Excerpt(line))
		}
		return fmt.Errorf("no valid JSON: %v", err)
	}
	for key, raw := range object {
		if at := f.at([]byte(key)); at != nil {
			*at = raw
		}
	}
	return nil
}

// first returns the first value that is there.
func first(values ...[]byte) []byte {
	for _, v := range values {
		if v != nil && string(v) != "null" {
			return v
		}
	}
	return nil
}

func identifier(raw []byte) (id []byte, err error) {
	if raw == nil {
		return nil, errors.New(`a passage without an id; write {"id": "d1", "title": "…", "text": "…"}`)
	}
	if id = raw; raw[0] == '"' {
		if id, err = unquoted(raw); err != nil {
			return nil, err
		}
	} else if len(bytes.Trim(id, "0123456789")) > 0 {
		return nil, fmt.Errorf("id is %s; want a string or a whole number", jsonl.Excerpt(raw))
	}
	switch {
	case len(bytes.TrimSpace(id)) == 0:
		return nil, errors.New("id is empty; each passage needs one of its own")
	case len(id) > MaxID:
		return nil, fmt.Errorf("an id of %d bytes; want at most %d", len(id), MaxID)
	}
	return id, nil
}

func textOf(name string, raw []byte) ([]byte, error) {
	switch {
	case raw == nil || string(raw) == "null":
		return nil, nil
	case raw[0] != '"':
		return nil, fmt.Errorf("%s is %s; want a string", name, jsonl.Excerpt(raw))
	}
	return unquoted(raw)
}

// unquoted decodes a raw JSON string of valid UTF-8.
func unquoted(raw []byte) ([]byte, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], nil
	}
	s, err := jsonl.Text(raw)
	return []byte(s), err
}
