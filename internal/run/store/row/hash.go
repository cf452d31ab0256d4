// Package row is what stores in databases have in common: how a row is hashed, written and read, which of the rows of
// a key counts, and when a row is damaged. docs/store.md describes it.
package row

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// A Sum is the hash of a row.
type Sum = [sha256.Size]byte

// A Hasher makes the hashes of rows. Its zero value is ready; it keeps its buffer, which long values pass through
// in pieces.
type Hasher struct{ b []byte }

// longValue is how long a value is, in bytes, that is hashed in pieces.
const longValue = 64 << 10

// Row returns the SHA-256 of the table's name and the values of a row's columns, without the row number and the
// hash. Each value is written as a letter for its type in the database and, where that has a length, the length, so
// that no two rows are written alike. It takes values as they are given to the database and as they come from it.
func (h *Hasher) Row(table string, values ...any) Sum {
	h.b = appendValue(h.b[:0], table)
	for i, v := range values {
		if text, ok := v.(string); ok && len(text) > longValue {
			return h.long(values[i:])
		}
		h.b = appendValue(h.b, v)
	}
	return sha256.Sum256(h.b)
}

// long goes on with values of which the first is a long text: the plan of a run is as long as its suites.
func (h *Hasher) long(values []any) (out Sum) {
	of := sha256.New()
	of.Write(h.b)
	for _, v := range values {
		text, ok := v.(string)
		if !ok || len(text) <= longValue {
			h.b = appendValue(h.b[:0], v)
			of.Write(h.b)
			continue
		}
		h.b = binary.LittleEndian.AppendUint64(append(h.b[:0], 't'), uint64(len(text)))
		of.Write(h.b)
		for len(text) > 0 {
			n := min(longValue, len(text))
			h.b = append(h.b[:0], text[:n]...)
			of.Write(h.b)
			text = text[n:]
		}
	}
	of.Sum(out[:0])
	return out
}

func appendValue(b []byte, v any) []byte {
	le := binary.LittleEndian
	switch v := v.(type) {
	case nil:
		return append(b, 'n')
	case bool:
		if v {
			return appendValue(b, int64(1))
		}
		return appendValue(b, int64(0))
	case int:
		return appendValue(b, int64(v))
	case int64:
		return le.AppendUint64(append(b, 'i'), uint64(v))
	case float64:
		return le.AppendUint64(append(b, 'f'), math.Float64bits(v))
	case string:
		return append(le.AppendUint64(append(b, 't'), uint64(len(v))), v...)
	case []byte:
		return append(le.AppendUint64(append(b, 'b'), uint64(len(v))), v...)
	default:
		panic(fmt.Sprintf("row: a value of type %T has no place in a row", v))
	}
}

// A Cell takes a value as it is, of whatever type a damaged row has. What it holds of bytes is valid until the next
// row.
type Cell struct{ V any }

// Scan implements sql.Scanner.
func (c *Cell) Scan(v any) error {
	if t, ok := v.(time.Time); ok { // the driver's guess from a column's type, of which we use none
		return fmt.Errorf("unexpected time %v", t)
	}
	c.V = v
	return nil
}

// Values returns what the cells hold.
func Values(cells []Cell) []any {
	out := make([]any, len(cells))
	for i, c := range cells {
		out[i] = c.V
	}
	return out
}

// Sealed returns what is wrong with the hash of a row, or nothing. A row that may be of an earlier version may lack it.
func Sealed(stored any, want Sum, mayLack bool) string {
	switch b, ok := stored.([]byte); {
	case stored == nil && mayLack:
		return ""
	case stored == nil:
		return "its hash is missing"
	case !ok || !bytes.Equal(b, want[:]):
		return "its hash is not that of its content"
	}
	return ""
}

// Rows are what a query returned: a *sql.Rows, or what stands around one.
type Rows interface {
	Columns() ([]string, error)
	Next() bool
	Scan(to ...any) error
	Err() error
	Close() error
}

// Each passes the cells of each row, and closes the rows.
func Each(rows Rows, visit func([]Cell) error) error {
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	cells, to := Cells(len(columns))
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
		if err := visit(cells); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Cells returns so many cells, and what a row is scanned into to fill them.
func Cells(n int) (cells []Cell, to []any) {
	cells, to = make([]Cell, n), make([]any, n)
	for i := range cells {
		to[i] = &cells[i]
	}
	return cells, to
}
