// Package row is what stores in databases have in common: how a row is hashed, written and read, which of the rows of
// a key counts, and when a row is damaged. docs/store.md describes it.
package row

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"time"

	"hallmark/internal/base/lists"
)

// A Sum is the hash of a row.
type Sum = [sha256.Size]byte

// A Hasher makes the hashes of rows. Its zero value is ready; it keeps its buffer, which long texts pass through in
// pieces: the plan of a run is as long as its suites.
type Hasher struct {
	b  []byte
	of hash.Hash
}

// piece is how many bytes of a text are in the buffer at once.
const piece = 64 << 10

// Row returns the SHA-256 of the table's name and the values of a row's columns, without the row number and the
// hash. Each value is written as a letter for its type in the database and, where that has a length, the length, so
// that no two rows are written alike. It takes values as they are given to the database and as they come from it.
func (h *Hasher) Row(table string, values ...any) (out Sum) {
	if h.of == nil {
		h.of = sha256.New()
	}
	h.of.Reset()
	h.b = appendValue(h.b[:0], table)
	for _, v := range values {
		text, _ := v.(string)
		if len(text) <= piece {
			h.b = appendValue(h.b, v)
			continue
		}
		for h.b = textHead(h.b, text); text != ""; h.b = h.b[:0] {
			n := min(piece, len(text))
			h.b, text = append(h.b, text[:n]...), text[n:]
			h.of.Write(h.b)
		}
	}
	h.of.Write(h.b)
	h.of.Sum(out[:0])
	return out
}

// textHead appends what stands before a text: its letter and its length.
func textHead(b []byte, text string) []byte {
	return binary.LittleEndian.AppendUint64(append(b, 't'), uint64(len(text)))
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
		return append(textHead(b, v), v...)
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
	return lists.Map(cells, func(c Cell) any { return c.V })
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
