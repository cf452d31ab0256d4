package imported

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// What tells sets of answers apart is in the ids of runs, so that its quotes stay those of strconv.
func TestAppendQuote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]*`)).Draw(t, "text")
		if got, want := string(appendQuote([]byte("x"), text)), "x"+strconv.Quote(text); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}
