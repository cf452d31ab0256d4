package endpoint

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// The parts of a stream, joined, are the whole text, each of whole characters and none of a stop string; whatever the
// tokens, where they cut characters, and where the stop strings begin.
func TestPartsAreTheText(t *testing.T) {
	m := tiny()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune(" abé漢😀\n\uFFFD"))).Draw(t, "text")
		ids, err := m.TextTokens(text, false, 0)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 3).Draw(t, "broken") { // tokens that are part of no character
			at := rapid.IntRange(0, len(ids)).Draw(t, "at")
			ids = append(ids[:at:at], append([]int32{int32(rapid.IntRange(130, 257).Draw(t, "byte"))}, ids[at:]...)...)
		}
		c := &choice{m: m, stops: rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("abé漢\n")), 1, 3, -1), 0, 3).Draw(t,
			"stops")}
		if rapid.Bool().Draw(t, "chat") {
			c.lead = " "
		}
		var joined strings.Builder
		for i, id := range ids {
			e := event{tokens: []generated{{id: id}}}
			if i == len(ids)-1 {
				e.finish = "length"
			}
			before := c.finish == ""
			c.take(e)
			part := c.next()
			if before && !utf8.ValidString(part) {
				t.Fatalf("part %q cuts a character", part)
			}
			joined.WriteString(part)
			if _, stopped := cutAny(m.Text(c.ids), c.stops); stopped && e.finish == "" { // as the engine does
				c.take(event{finish: "stop"})
				joined.WriteString(c.next())
				break
			}
		}
		if joined.String() != c.text() {
			t.Fatalf("parts make %q, the text is %q", joined.String(), c.text())
		}
	})
}

func cutAny(text string, stops []string) (string, bool) {
	for _, s := range stops {
		if before, _, found := strings.Cut(text, s); found {
			return before, true
		}
	}
	return text, false
}

// Offsets are those of Python's characters, whether a character is one token or several.
func TestSpelling(t *testing.T) {
	var s spelling
	for i, c := range []struct {
		bytes string
		want  int
	}{{"aé", 0}, {"\xe6", 2}, {"\xbc", 2}, {"\xa2b", 2}, {"\xff", 4}, {"c", 5}, {"", 6}} {
		if got := s.read([]byte(c.bytes)); got != c.want {
			t.Errorf("token %d, %q, stands at %d, want %d", i, c.bytes, got, c.want)
		}
	}
}
