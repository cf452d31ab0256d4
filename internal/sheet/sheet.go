// Package sheet writes and reads the cells of tables that people open in a
// spreadsheet: no cell runs as a formula there, and what was changed for that
// is changed back when the table is read.
package sheet

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Guard returns text as a cell that no spreadsheet takes for a formula: text that begins with = + - @ or their full-width forms, after any
// blanks and apostrophes, or with a tab or a line end after them, gets an apostrophe before it. Unguard takes it away again: Unguard(Guard(s)) is s for every s.
func Guard(s string) string {
	if runs(s) {
		return "'" + s
	}
	return s
}

// Unguard returns the text that Guard was given. A cell that Guard could not have changed is returned as it is.
func Unguard(s string) string {
	if rest, ok := strings.CutPrefix(s, "'"); ok && runs(rest) {
		return rest
	}
	return s
}

// runs reports whether a spreadsheet might take text for a formula. Apostrophes before it do not count, so that the answer is the same
// for a text and for what Guard made of it.
func runs(s string) bool {
	s = strings.TrimLeft(s, "' \u00a0\u3000")
	if s == "" {
		return false
	}
	if strings.ContainsRune("\t\r\n", rune(s[0])) {
		return true
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " '\u00a0\u3000\t\r\n"))
	return strings.ContainsRune("=+-@＝＋－＠", first)
}

// maxTable bounds a table that is read, in bytes.
const maxTable = 256 << 20

// A Record is one row of a table by the names of its columns, unguarded.
type Record map[string]string

// Each reads a table with a header from r and passes each row with its line to visit. Comma, semicolon or tab separate cells, whichever the
// header has most; a byte-order mark is passed over. Column names are lower-cased and trimmed. The error names FILE:LINE and what would be
// right: a column that is required and missing, a name twice, a row of another length, text that is no UTF-8, a table without rows.
func Each(file string, r io.Reader, required []string, visit func(line int, row Record) error) error {
	lines := bufio.NewReaderSize(io.LimitReader(r, maxTable+1), 1<<16)
	if b, err := lines.Peek(3); err == nil && bytes.Equal(b, []byte("\ufeff")) {
		if _, err := lines.Discard(3); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	counted := &counter{r: lines}
	head, _ := lines.Peek(4096)
	if i := bytes.IndexByte(head, '\n'); i >= 0 {
		head = head[:i]
	}
	c := csv.NewReader(counted)
	for _, separator := range ";\t" {
		if strings.Count(string(head), string(separator)) > strings.Count(string(head), string(c.Comma)) {
			c.Comma = separator
		}
	}
	columns, err := c.Read()
	if err == io.EOF {
		return fmt.Errorf("%s:1: no rows: want a header and a row for each answer", file)
	}
	if err != nil {
		return explain(file, err)
	}
	at := map[string]int{}
	for i := range columns {
		columns[i] = strings.ToLower(strings.TrimSpace(columns[i]))
		if _, twice := at[columns[i]]; twice && columns[i] != "" {
			return fmt.Errorf("%s:1: column %q stands there twice", file, columns[i])
		}
		at[columns[i]] = i
	}
	for _, name := range required {
		if _, ok := at[name]; !ok {
			return fmt.Errorf("%s:1: no column %q; want the columns of the exported sheet: %s", file, name, strings.Join(required, ", "))
		}
	}
	rows := 0
	for {
		cells, err := c.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return explain(file, err)
		}
		if counted.n > maxTable {
			return fmt.Errorf("%s: is larger than %d MiB; split it", file, maxTable>>20)
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

type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// explain puts a fault of the CSV in words of ours, with its line.
func explain(file string, err error) error {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return fmt.Errorf("%s: %w", file, err)
	}
	why := "no valid CSV: " + p.Err.Error()
	if errors.Is(p.Err, csv.ErrFieldCount) {
		why = "the row has other columns than the header; save the sheet as it was, with every column"
	}
	return fmt.Errorf("%s:%d: %s", file, p.StartLine, why)
}
