package token

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
)

// TestWithin: a text is refused by its length only where it has more tokens than there is room for, and no fewer than
// said; else it has the tokens that it has without a bound.
func TestWithin(t *testing.T) {
	archtest.OneGoroutine(t)
	var ref struct{ Tests map[string]json.RawMessage }
	archtest.ReadJSON(t, "testdata/reference.json", &ref)
	alphabet := []rune("aaeon   tr\n\t0129.,é字🜀̀\x00")
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for name := range ref.Tests {
		tok, _ := load(t, name)
		for range 300 {
			text := make([]rune, r.IntN(400))
			for i := range text {
				text[i] = alphabet[r.IntN(len(alphabet))]
			}
			parts := []Part{{"<s>", false}, {strings.Repeat(string(text), 1+r.IntN(3)), true}}
			want, err := tok.EncodeParts(parts)
			if err != nil {
				t.Fatal(err)
			}
			most := 1 + r.IntN(len(want)+40)
			got, err := tok.EncodeWithin(parts, most)
			var long *TooLong
			switch {
			case errors.As(err, &long):
				if refused++; long.Least <= most || long.Least > len(want) {
					t.Errorf("%s: at least %d tokens of %d, for %d", name, long.Least, len(want), most)
				}
			case err != nil || !slices.Equal(got, want):
				t.Errorf("%s: %d tokens, %v; want %d", name, len(got), err, len(want))
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// TestLongTextIsCheap: what a text that is far too long allocates is a few times its length, where reading it to the
// end takes a hundred times.
func TestLongTextIsCheap(t *testing.T) {
	tok, _ := load(t, "gpt2")
	text := strings.Repeat("a", 4<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := tok.EncodeWithin([]Part{{text, true}}, 1024)
	runtime.ReadMemStats(&after)
	var long *TooLong
	if took := (after.TotalAlloc - before.TotalAlloc) / uint64(len(text)); !errors.As(err, &long) || took > 8 {
		t.Errorf("%v, %d bytes a byte", err, took)
	}
}
