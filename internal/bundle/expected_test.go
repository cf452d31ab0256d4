package bundle

import (
	"testing"
)

// What is written as it was expected is not held twice; what differs is, from its beginning.
func TestExpected(t *testing.T) {
	for _, tt := range []struct {
		want, written string
		held          bool
	}{{"abcdef", "abcdef", false}, {"abcdef", "abc", false}, {"abcdef", "abxdef", true}, {"abc", "abcdef", true},
		{"", "ab", true}, {"ab", "", false}} {
		e := expected{want: []byte(tt.want)}
		for i := range len(tt.written) {
			e.Write([]byte(tt.written[i : i+1]))
		}
		if got := string(e.bytes()); got != tt.written || e.parts != tt.held {
			t.Errorf("%q where %q was expected: %q, held %v", tt.written, tt.want, got, e.parts)
		}
	}
}
