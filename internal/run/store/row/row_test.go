package row_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

// The hash of a row is that of the bytes that docs/store.md describes, which are written out here; a text that is
// hashed in pieces has the same.
func TestHasher(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	var h row.Hasher
	for range 2 { // it keeps its buffer
		got := h.Row("tab", nil, int64(-2), true, 1.5, "é", []byte{0, 255}, long)
		want := sha256.Sum256([]byte("t\x03\x00\x00\x00\x00\x00\x00\x00tab" + "n" +
			"i\xfe\xff\xff\xff\xff\xff\xff\xff" + "i\x01\x00\x00\x00\x00\x00\x00\x00" +
			"f\x00\x00\x00\x00\x00\x00\xf8\x3f" + "t\x02\x00\x00\x00\x00\x00\x00\x00\xc3\xa9" +
			"b\x02\x00\x00\x00\x00\x00\x00\x00\x00\xff" + "t\x40\x0d\x03\x00\x00\x00\x00\x00" + long))
		if got != want {
			t.Errorf("%s, want %s", hex.EncodeToString(got[:]), hex.EncodeToString(want[:]))
		}
	}
}

// rows are what a query returned, the next of them first.
type rows [][]any

func (r *rows) Columns() ([]string, error) { return make([]string, len((*r)[0])), nil }
func (r *rows) Next() bool                 { return len(*r) > 0 }
func (r *rows) Err() error                 { return nil }
func (r *rows) Close() error               { return nil }
func (r *rows) Scan(to ...any) error {
	for i, v := range (*r)[0] {
		to[i].(*row.Cell).V = v
	}
	*r = (*r)[1:]
	return nil
}

// Annotations have their time, so a second one alike is a copy in the place of another.
func TestReadRows(t *testing.T) {
	hash := new(row.Hasher).Row("annotation", "a")
	var beside row.Beside
	notes, taken := &beside.Notes, 0
	n, err := beside.ReadRows(&rows{{int64(0), "a", hash[:]}, {int64(1), "b", hash[:]}, {int64(2), "a", hash[:]}},
		"annotation", false, func(any, []row.Cell) string { taken++; return "" })
	var said []string
	for _, d := range notes.Damages() {
		said = append(said, d.String())
	}
	want := "annotation 1: its hash is not that of its content; annotation 2: it is a copy of another row"
	if got := strings.Join(said, "; "); got != want || taken != 1 || n != 3 || err != nil {
		t.Errorf("%d of %d taken, %s, %v, want %s", taken, n, got, err, want)
	}
	if _, damaged := notes.Hold(); damaged {
		t.Error("an annotation counts as a hold")
	}
	notes.Add(run.Damage{Table: "tally", Row: "hold"})
	if _, damaged := notes.Hold(); !damaged {
		t.Error("the tally of holds does not count")
	}
}
