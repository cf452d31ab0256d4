// Package sheet writes and reads the cells of tables that people open in a
// spreadsheet: no cell runs as a formula there, and what was changed for that
// is changed back when the table is read.
package sheet

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"
)

// Guard returns text as a cell that no spreadsheet takes for a formula, whether it separates cells at commas, at
// semicolons or at tabs. With another separator than the file has, a spreadsheet sees no quotes around the cell: a
// new cell begins after each separator and line end in it. So each of these parts, and the text itself, gets an
// apostrophe before it if it begins with = + - @ or their full-width forms, after any blanks, apostrophes and
// quotes; so does a text that begins with a tab or a line end. Unguard(Guard(s)) is s for every s.
func Guard(s string) string {
	return eachRunning(s, func(part string) string { return "'" + part })
}

// Write writes a table by RFC 4180, with CRLF. It guards no cell.
func Write(w io.Writer, columns []string, rows iter.Seq[[]string]) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	err := out.Write(columns)
	for row := range rows {
		if err != nil {
			break
		}
		err = out.Write(row)
	}
	out.Flush()
	return cmp.Or(err, out.Error())
}

// Unguard returns the text that Guard was given. A cell that Guard could not have changed is returned as it is.
func Unguard(s string) string {
	return eachRunning(s, func(part string) string { return strings.TrimPrefix(part, "'") })
}

// breaks are where a spreadsheet may begin a new cell within one, and before are what it may pass over at the
// beginning of a cell.
const breaks, before = ";\t\r\n", " '\"\u00a0\u3000"

// eachRunning returns text with each of its parts changed that might run as a formula. Whether one might is the same
// for it and with apostrophes before it, so that it is the same for a text and for what Guard made of it.
func eachRunning(s string, change func(part string) string) string {
	var out strings.Builder
	for first := true; ; first = false {
		end := strings.IndexAny(s, breaks)
		part := s
		if end >= 0 {
			part = s[:end]
		}
		start := strings.TrimLeft(part, before)
		r, _ := utf8.DecodeRuneInString(start)
		blank := first && start == "" && end >= 0 && s[end] != ';' // the text begins with a tab or a line end
		if blank || strings.ContainsRune("=+-@＝＋－＠", r) {
			part = change(part)
		}
		out.WriteString(part)
		if end < 0 {
			return out.String()
		}
		out.WriteByte(s[end])
		s = s[end+1:]
	}
}

// maxTable bounds a table that is read, in bytes.
const maxTable = 256 << 20

// A Record is one row of a table by the names of its columns, unguarded.
type Record map[string]string

// Each reads a table with a header from r and passes each row with its line to visit. Comma, semicolon or tab
// separate cells, whichever the header has most; a byte-order mark is passed over. Column names are lower-cased and
// trimmed. The error names FILE:LINE and what would be right: a column that is required and missing, a name twice,
// a row of another length, text that is no UTF-8, a table without rows.
func Each(file string, r io.Reader, required []string, visit func(line int, row Record) error) error {
	lines := bufio.NewReaderSize(io.LimitReader(r, maxTable+4), 1<<16) // one more than a mark and the table
	if b, err := lines.Peek(3); err == nil && bytes.Equal(b, []byte("\ufeff")) {
		_, _ = lines.Discard(3) // which is there
	}
	start, _ := lines.Peek(4096)
	c := csv.NewReader(lines)
	c.Comma = Separator(string(start))
	columns, err := c.Read()
	if err == io.EOF {
		return fmt.Errorf("%s:1: no rows: want a header and a row for each answer", file)
	}
	if err != nil {
		return explain(file, err)
	}
	if err := name(file, columns, required); err != nil {
		return err
	}
	rows := 0
	for {
		cells, err := c.Read()
		if c.InputOffset() > maxTable { // where its last row may be cut
			return fmt.Errorf("%s: is larger than %d MiB; split it", file, maxTable>>20)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return explain(file, err)
		}
		line, _ := c.FieldPos(0)
		row := Record{}
		for i, cell := range cells {
			if !utf8.ValidString(cell) {
				return fmt.Errorf("%s:%d: column %q is not UTF-8; save the sheet as CSV UTF-8", file, line, columns[i])
			}
			row[columns[i]] = Unguard(cell)
		}
		rows++
		if err := visit(line, row); err != nil {
			return fmt.Errorf("%s:%d: %w", file, line, err)
		}
	}
	if rows == 0 {
		return fmt.Errorf("%s:1: no rows: want one for each answer", file)
	}
	return nil
}

// Separator is the one that the header of a table has most: a comma, or a semicolon or tab where that is ahead.
func Separator(start string) rune {
	head, _, _ := strings.Cut(start, "\n")
	most := ','
	for _, r := range ";\t" {
		if strings.Count(head, string(r)) > strings.Count(head, string(most)) {
			most = r
		}
	}
	return most
}

// name makes the header the names of its columns, and returns what is wrong with them.
func name(file string, header, required []string) error {
	there := map[string]bool{}
	for i := range header {
		header[i] = strings.ToLower(strings.TrimSpace(header[i]))
		if there[header[i]] && header[i] != "" {
			return fmt.Errorf("%s:1: column %q stands there twice", file, header[i])
		}
		there[header[i]] = true
	}
	for _, want := range required {
		if !there[want] {
			return fmt.Errorf("%s:1: no column %q; want the columns of the exported sheet: %s", file, want,
				strings.Join(required, ", "))
		}
	}
	return nil
}

// explain puts a fault of the CSV in words of ours, with its line.
func explain(file string, err error) error {
	p, ok := errors.AsType[*csv.ParseError](err)
	if !ok {
		return fmt.Errorf("%s: %w", file, err)
	}
	why := "no valid CSV: " + p.Err.Error()
	if errors.Is(p.Err, csv.ErrFieldCount) {
		why = "the row has other columns than the header; save the sheet as it was, with every column"
	}
	return fmt.Errorf("%s:%d: %s", file, p.StartLine, why)
}
