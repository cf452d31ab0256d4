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

// Annotations have their time, so a second one alike is a copy in the place of another; rows that are gone show.
func TestScan(t *testing.T) {
	hash := new(row.Hasher).Row("annotation", "a")
	cells := func(id int64, text string) []row.Cell { return []row.Cell{{V: id}, {V: text}, {V: hash[:]}} }
	var notes row.Notes
	scan := row.Scan{Table: "annotation", Notes: &notes}
	taken := 0
	for i, text := range []string{"a", "b", "a"} {
		scan.Row(cells(int64(i), text), func(any, []row.Cell) string { taken++; return "" })
	}
	scan.Counted(5)
	var said []string
	for _, d := range notes.Damages() {
		said = append(said, d.String())
	}
	want := "annotation: 2 of its 5 rows are gone; annotation 1: its hash is not that of its content; " +
		"annotation 2: it is a copy of another row"
	if got := strings.Join(said, "; "); got != want || taken != 1 {
		t.Errorf("%d taken, %s, want %s", taken, got, want)
	}
	if _, damaged := notes.Hold(); damaged {
		t.Error("an annotation counts as a hold")
	}
	notes.Add(run.Damage{Table: "tally", Row: "hold"})
	if _, damaged := notes.Hold(); !damaged {
		t.Error("the tally of holds does not count")
	}
}
