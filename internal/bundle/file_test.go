package bundle

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/base/shelf"
	"hallmark/internal/run"
)

// makeFile is Make of a bundle that has its file.
func makeFile(ctx context.Context, store run.Store, plan *assay.Plan, opt Options) (*Bundle, error) {
	b, err := Make(ctx, store, plan, opt)
	if err == nil {
		b.File = pack(b.made)
	}
	return b, err
}

// Members that are in a file meanwhile make the same zip file as those in memory, and what cannot be read back is an
// error.
func TestShelved(t *testing.T) {
	texts := map[string]string{"a.txt": "one\n", "b.txt": strings.Repeat("many words ", 40_000), "c.txt": ""}
	on := &shelf.Shelf{Most: 1}
	var held, away []member
	for name, text := range texts {
		s, err := shelve(on, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
		if err != nil {
			t.Fatal(err)
		}
		held, away = append(held, member{name: name, data: []byte(text)}), append(away, member{name: name, away: s})
	}
	file := pack(held)
	if !bytes.Equal(file, pack(away)) || len(file) != packedBytes(away) {
		t.Error("the files differ")
	}
	for i := range held {
		if held[i].sha256() != away[i].sha256() {
			t.Errorf("%s: the hashes differ", held[i].name)
		}
	}
	if err := on.Close(); err != nil {
		t.Fatal(err)
	}
	if err := (&Bundle{made: away}).Copy(io.Discard); err == nil || !strings.Contains(err.Error(), "cannot be read back") {
		t.Errorf("a file that is gone: %v", err)
	}
}
