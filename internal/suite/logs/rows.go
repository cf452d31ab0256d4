package logs

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/base/sheet"
)

// readTable reads a CSV, or rows of JSON, of any columns.
func readTable(f *file) error {
	if f.kind == Table {
		f.source.Tool = "table"
	}
	f.lacks("no log-probabilities and no settings of the model")
	x := &rows{f: f, keys: map[string]bool{}}
	switch text := textIn(f.head); {
	case bytes.HasPrefix(text, []byte("[")):
		d := newDocument(f)
		if err := list(d, "the file", func(at int, o *object) error { return x.take(at, *o) }); err != nil {
			return err
		}
		return d.end()
	case bytes.HasPrefix(text, []byte("{")):
		return eachLine(f, x.take)
	}
	return readCSV(f)
}

// An object is a row of JSON with its keys.
type object map[string]json.RawMessage

func (o object) cell(name string) tableCell {
	raw, ok := o[name]
	if !ok || string(raw) == "null" {
		return tableCell{raw: raw, empty: true}
	}
	return tableCell{text: textOf(raw), raw: raw}
}

// textOf is the text of a value: of a string what it says, of another its JSON.
func textOf(raw []byte) string {
	if n := len(raw) - 1; n > 0 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1:n])
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	return text
}

// UnmarshalJSON implements json.Unmarshaler. The values stay where they are read, so that they are good until the
// next row is.
func (o *object) UnmarshalJSON(b []byte) error {
	if b[0] != '{' {
		return json.Unmarshal(b, (*map[string]json.RawMessage)(o))
	}
	*o = make(object, 8)
	for i := 1; ; { // it is valid JSON
		i += between(b[i:])
		if b[i] == '}' {
			return nil
		}
		end := i + extent(b[i:])
		key := textOf(b[i:end])
		i = end + between(b[end:])
		end = i + extent(b[i:])
		if _, twice := (*o)[key]; twice {
			return fmt.Errorf("key %q stands there twice; keep one", jsonl.Excerpt([]byte(key)))
		}
		(*o)[key], i = b[i:end:end], end
	}
}

// FromLine is as UnmarshalJSON, faster, of the objects that jsonl.Split takes and that have each key once.
func (o *object) FromLine(line []byte) bool {
	var values [32][]byte
	var keys [len(values)][]byte
	n, once := 0, true
	ok := jsonl.Split(line, func(key []byte) *[]byte {
		if n == len(keys) || slices.ContainsFunc(keys[:n], func(k []byte) bool { return bytes.Equal(k, key) }) {
			once = false
			return nil
		}
		keys[n] = key
		n++
		return &values[n-1]
	})
	if !ok || !once {
		return false
	}
	*o = make(object, n)
	for i, key := range keys[:n] {
		(*o)[string(key)] = values[i][:len(values[i]):len(values[i])]
	}
	return true
}

// elements are the values of a list, where valid JSON is one. They stay where they are read.
func elements(b []byte) (list []json.RawMessage, ok bool) {
	if len(b) == 0 || b[0] != '[' {
		return nil, false
	}
	for i := 1; ; {
		i += between(b[i:])
		if b[i] == ']' {
			return list, true
		}
		end := i + extent(b[i:])
		list, i = append(list, b[i:end:end]), end
	}
}

// between is how many bytes stand before the next value of an object.
func between(b []byte) int {
	return len(b) - len(bytes.TrimLeft(b, " \t\r\n,:"))
}

// extent is the length of the value that valid JSON begins with.
func extent(b []byte) int {
	for i, depth := 0, 0; ; i++ {
		switch b[i] {
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		default:
			if depth == 0 {
				if n := bytes.IndexAny(b, " \t\r\n,:}]"); n >= 0 {
					return n
				}
				return len(b)
			}
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
}

// Rows are laid out as they come. Those of JSON have keys, of which a later row may have others than an earlier one.
type rows struct {
	f    *file
	n    int
	keys map[string]bool
	l    *layout
	r    Row
}

func (x *rows) take(at int, o object) error {
	if len(o) > mostColumns {
		return x.f.errorf(at, "%d keys, at most %d are read; leave out what is not needed", len(o), mostColumns)
	}
	fresh := x.l == nil
	for key := range o {
		if !x.keys[key] {
			fresh, x.keys[key] = true, true
		}
	}
	if fresh {
		var err error
		if x.l, err = x.f.to.o.Map.lay(slices.Sorted(maps.Keys(x.keys)), x.f.kind); err != nil {
			return x.f.errorf(at, "%w", err)
		}
	}
	return x.put(at, func(i int) tableCell { return o.cell(x.l.names[i]) })
}

// put takes a row that is laid out.
func (x *rows) put(at int, cell func(i int) tableCell) error {
	if err := x.l.row(x.n, cell, &x.r); err != nil {
		return x.f.errorf(at, "%w", err)
	}
	x.n++
	return x.f.take(at, &x.r)
}

// eachLine visits the rows of a file of JSON Lines; errors of visit have their place already.
func eachLine[T any](f *file, visit func(line int, row T) error) error {
	var own error
	err := jsonl.Each(f.name, f.r, func(line int, row T) error {
		own = visit(line, row)
		return own
	}, nil)
	if own != nil {
		return own
	}
	return err
}

// readCSV reads a CSV, whose cells are separated by comma, semicolon or tab, whichever its header has most.
func readCSV(f *file) error {
	if bytes.HasPrefix(f.head, bom) {
		_, _ = f.r.Discard(len(bom)) // they were peeked
	}
	x := &rows{f: f}
	return f.cells(sheet.Separator(string(f.head)), func(names []string) (err error) {
		for i := range names {
			names[i] = strings.TrimSpace(names[i])
		}
		if x.l, err = f.to.o.Map.lay(names, f.kind); err != nil {
			return f.errorf(1, "%w", err)
		}
		return nil
	}, func(at int, cells []string) error {
		for i, text := range cells {
			if !utf8.ValidString(text) {
				return f.errorf(at, "column %q is not UTF-8; save the table as CSV UTF-8",
					jsonl.Excerpt([]byte(x.l.names[i])))
			}
		}
		return x.put(at, func(i int) tableCell {
			text := sheet.Unguard(cells[i])
			return tableCell{text: text, empty: text == ""}
		})
	})
}

// cells reads a CSV: its header, and each row with the number of its line.
func (f *file) cells(comma rune, header func(names []string) error, row func(line int, cells []string) error) error {
	in := &allowance{r: f.r, left: mostValue}
	c := csv.NewReader(in)
	c.Comma, c.ReuseRecord = comma, true
	names, err := c.Read()
	if err != nil {
		return csvFault(f, err)
	}
	if err := header(slices.Clone(names)); err != nil {
		return err
	}
	for {
		in.left = mostValue
		cells, err := c.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return csvFault(f, err)
		}
		line, _ := c.FieldPos(0)
		if err := row(line, cells); err != nil {
			return err
		}
	}
}

// csvFault puts a fault of a CSV in words of ours.
func csvFault(f *file, err error) error {
	var p *csv.ParseError
	switch {
	case errors.Is(err, errTooLong):
		return f.errorf(0, "a row %w", err)
	case !errors.As(err, &p):
		return f.errorf(0, "%w", err)
	case errors.Is(p.Err, csv.ErrFieldCount):
		return f.errorf(p.StartLine, "the row has other columns than the header; quote a cell that holds the separator")
	}
	return f.errorf(p.StartLine, "no valid CSV: %w; quote a cell that holds a quote, and double the quote", p.Err)
}
