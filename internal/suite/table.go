package suite

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"

	"hallmark/internal/base/strictyaml"
)

// table reads CSV or TSV rows under a header; an empty cell is an absent value.
func (r *reader) table(data []byte, tabs bool) error {
	r.plain = true
	records := csvRecords(r.file, data)
	if tabs {
		records = tsvRecords(data)
	}
	header, line, err := records()
	if err != nil {
		return err
	}
	if len(header) > maxColumns {
		return r.faultf(line, "%d columns, at most %d are read", len(header), maxColumns)
	}
	r.head = line
	for i, name := range header {
		header[i] = strings.TrimFunc(name, func(c rune) bool { return unicode.IsSpace(c) || unicode.Is(unicode.Cf, c) })
		if header[i] == "" {
			continue
		}
		if slices.Contains(header[:i], header[i]) {
			return r.faultf(line, "column %q twice; keep one", header[i])
		}
		if before := slices.IndexFunc(header[:i], func(h string) bool {
			return columnName(h) == columnName(name)
		}); before >= 0 && isColumn(columnName(name)) {
			return r.faultf(line, "columns %q and %q are one but for case and spacing; keep one",
				header[before], header[i])
		}
	}
	for {
		record, line, err := records()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case len(record) != len(header):
			return r.faultf(line,
				"%d cells, want %d as in the header; quote a cell that holds the separator", len(record), len(header))
		}
		n := &strictyaml.Node{Kind: strictyaml.Dict, Line: line}
		for i, text := range record {
			v := &strictyaml.Node{Kind: strictyaml.Scalar, Text: text, Line: line}
			if strings.TrimSpace(text) == "" {
				v.Kind = strictyaml.Null
			}
			if header[i] != "" {
				n.Add(key(header[i], line), v)
			}
		}
		if err := r.take(n); err != nil {
			return err
		}
	}
}

// csvRecords reads RFC 4180: quoted cells may hold separators, line breaks and doubled quotes. The separator is a
// semicolon where the header has no comma, as spreadsheets write it in half of the world.
func csvRecords(file string, data []byte) func() ([]string, int, error) {
	cr := csv.NewReader(bytes.NewReader(data))
	cr.FieldsPerRecord = -1
	if head, _, _ := bytes.Cut(data, []byte{'\n'}); !bytes.Contains(head, []byte{','}) &&
		bytes.Contains(head, []byte{';'}) {
		cr.Comma = ';'
	}
	return func() ([]string, int, error) {
		record, err := cr.Read()
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			if errors.Is(bad.Err, csv.ErrQuote) && bad.StartLine != bad.Line {
				return nil, 0, strictyaml.Faultf(file, bad.StartLine, "a quoted cell goes on to line %d and does "+
					"not end properly; double a quote inside a quoted cell", bad.Line)
			}
			return nil, 0, strictyaml.Faultf(file, bad.StartLine,
				"not valid CSV: %v; quote a cell that holds a quote and double the quote", bad.Err)
		}
		if err != nil {
			return nil, 0, err
		}
		line, _ := cr.FieldPos(0)
		return record, line, nil
	}
}

// tsvRecords splits lines at tabs. A cell has no line break; quotes around a whole cell are dropped, any other is
// text, for prose in such files has stray ones.
func tsvRecords(data []byte) func() ([]string, int, error) {
	line := 0
	return func() ([]string, int, error) {
		for len(data) > 0 {
			text, rest, _ := bytes.Cut(data, []byte{'\n'})
			data = rest
			line++
			text = bytes.TrimSuffix(text, []byte{'\r'})
			if len(text) == 0 {
				continue
			}
			cells := strings.Split(string(text), "\t")
			for i, c := range cells {
				if len(c) >= 2 && c[0] == '"' && c[len(c)-1] == '"' {
					cells[i] = strings.ReplaceAll(c[1:len(c)-1], `""`, `"`)
				}
			}
			return cells, line, nil
		}
		return nil, 0, io.EOF
	}
}
