package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"testing"

	"hallmark/internal/model"
)

// found is a store that finds what it holds.
type found struct {
	Store
	records map[Key]Record
}

func (f found) Lookup(_ context.Context, keys []Key) (map[Key]Record, error) {
	out := map[Key]Record{}
	for _, k := range keys {
		if r, ok := f.records[k]; ok {
			out[k] = r
		}
	}
	return out, nil
}

// Records that are looked up again count once, as they were found first, and the digest does not depend on the order.
func TestLookups(t *testing.T) {
	text := "x"
	key := func(i int) Key { return Key{byte(i * 37), byte(i)} }
	record := func(i int) Record {
		r := Record{Sum: Sum{byte(i), 1}, Unhashed: i%5 == 0}
		if i%3 > 0 {
			r.Response = &model.Response{Text: &text}
		}
		return r
	}
	var l Lookups
	store := found{records: map[Key]Record{}}
	look := func(keys ...Key) {
		t.Helper()
		if _, err := l.Watch(store).Lookup(t.Context(), keys); err != nil {
			t.Fatal(err)
		}
	}
	var keys []Key
	for i := range 100 {
		keys = append(keys, key(i))
	}
	look(keys...)
	if d := l.Digest("1"); d.Records != 0 || d.Answered != 0 || d.Version != "1" {
		t.Errorf("of no record: %+v", d)
	}
	for i := range 60 {
		store.records[key(i)] = record(i)
	}
	look(keys[50:]...)
	look(keys...)
	store.records[key(7)] = record(8) // another one by now: the first counts
	look(keys[7], keys[7])

	sorted := slices.Clone(keys[:60])
	slices.SortFunc(sorted, func(a, b Key) int { return bytes.Compare(a[:], b[:]) })
	h := sha256.New()
	for _, k := range sorted {
		sum := record(int(k[1])).Sum
		h.Write(append(k[:], sum[:]...))
	}
	want := Digest{Records: 60, Answered: 40, SHA256: hex.EncodeToString(h.Sum(nil)), Version: "2"}
	if got := l.Digest("2"); *got != want || l.Digest("2") != got {
		t.Errorf("the digest is %+v, want %+v, and the same again", *got, want)
	}
	if n := l.Unhashed(); n != 12 {
		t.Errorf("%d without a hash, want 12", n)
	}
	for i, want := range map[int][2]bool{3: {true, true}, 80: {true, false}, 200: {}} {
		if asked, found := l.Read(key(i).String()); asked != want[0] || found != want[1] {
			t.Errorf("record %d: asked %v, found %v, want %v", i, asked, found, want)
		}
	}
	if asked, _ := l.Read("no key"); asked {
		t.Error("what is no key was asked for")
	}
}
