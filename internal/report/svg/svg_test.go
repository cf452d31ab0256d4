package svg

import (
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// wellFormed parses an SVG file and returns its elements' names and its text.
func wellFormed(t interface{ Fatalf(string, ...any) }, svg []byte) (names map[string]int, text string) {
	names = map[string]int{}
	d := xml.NewDecoder(strings.NewReader(string(svg)))
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return names, text
		}
		if err != nil {
			t.Fatalf("no SVG: %v\n%s", err, svg)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			names[tok.Name.Local]++
			for _, a := range tok.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Fatalf("%s has %s=%q", tok.Name.Local, a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			text += string(tok) + " "
		}
	}
}

// drawn is a panel as a file.
func drawn(p Panel) []byte {
	box := Box{330, 290, 52, 12, 26, 40}
	var d Drawing
	p.Draw(&d, box)
	p.Legend(&d, box)
	return d.File(330, 290, p.Title)
}

// What text holds is escaped everywhere, and what is not finite or has no bounds is left out.
func TestPanel(t *testing.T) {
	names, text := wellFormed(t, drawn(Panel{Title: "a < b & c", X: "<x>", Y: `"y"`, LogX: true, Series: []Series{
		{Name: "<b>", Values: []Value{Between(2, .6, .5, .7), At(4, .4), At(math.NaN(), 1), At(100, .1)}, Line: true,
			Bars: true, Dots: 3},
		{Name: "two", Values: []Value{Between(2, 0, -1, 1), Between(3, 0, -2, 2), At(-1, 0)}, Band: true},
	}}))
	if names["circle"] != 3 || names["path"] != 2 || names["b"] != 0 {
		t.Errorf("elements %v: want 3 circles and 2 paths, and nothing of the text", names)
	}
	for _, want := range []string{"a < b & c", "<x>", `"y"`, "<b>", "two", "100"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q: %s", want, text)
		}
	}
}

// A drawing has a label or is hidden from screen readers, and is as wide as its place or scaled with it.
func TestFrame(t *testing.T) {
	var d Drawing
	d.Across("g", Part(-1), Part(1./3), 1./3)
	for _, tt := range []struct {
		frame Frame
		want  string
	}{
		{Frame{Class: "ok", Height: 18},
			`<svg class="ok" width="100%" height="18" aria-hidden="true"><line class="g" x1="0%" x2="33.33%" y1="0.33" y2="0.33"/></svg>`},
		{Frame{Width: 20.5, Height: 9, Label: `a "b"`},
			`<svg viewBox="0 0 20.5 9" width="100%" role="img" aria-label="a &#34;b&#34;"><line class="g" x1="0%" x2="33.33%" y1="0.33" y2="0.33"/></svg>`},
	} {
		if got := string(d.On(tt.frame)); got != tt.want {
			t.Errorf("%+v:\n%s\nwant\n%s", tt.frame, got, tt.want)
		}
	}
}

// The names of the series stand where they hide the least: here the points lie along the top and at the right.
func TestLegendMakesWay(t *testing.T) {
	s := Series{Name: "one", Dots: 2, Values: []Value{At(0, .9), At(.1, .9), At(.9, .9), At(1, .9), At(1, .02),
		At(.95, .02)}}
	svg := string(drawn(Panel{YRange: Over(0, 1), Series: []Series{s, {Name: "two", Dots: 2}}}))
	if _, text := wellFormed(t, []byte(svg)); !strings.Contains(text, "one") || !strings.Contains(text, "two") {
		t.Fatalf("the series are not named: %s", text)
	}
	if want := `<rect class="veil" x="56" width="39.4" y="217" height="30"/>`; !strings.Contains(svg, want) {
		t.Errorf("the names do not stand at the lower left: %s", svg)
	}
}

// Whatever the numbers, the picture is well-formed and holds none that is not finite, and the ticks are few and
// within the bounds.
func TestAnyNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Float64Range(-1e6, 1e6),
			rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1), math.Inf(-1), 1e-300, 7}))
		var values []Value
		for range rapid.IntRange(0, 5).Draw(t, "values") {
			values = append(values, Value{number.Draw(t, "x"), number.Draw(t, "y"), number.Draw(t, "lo"), number.Draw(t, "hi")})
		}
		yes := func(name string) bool { return rapid.Bool().Draw(t, name) }
		s := Series{Name: "s", Class: "s2", Values: values, Line: yes("line"), Band: yes("band"), Bars: yes("bars"),
			Dots: rapid.Float64Range(0, 3).Draw(t, "dots")}
		wellFormed(t, drawn(Panel{Title: rapid.StringMatching("[ -~]*").Draw(t, "title"), LogX: yes("log"), Diagonal: true,
			Series: []Series{s}}))
		lo := rapid.Float64Range(-1e6, 1e6).Draw(t, "from")
		r := Bounds{lo, lo + rapid.Float64Range(1e-3, 1e6).Draw(t, "length")}
		marks := r.Ticks()
		if len(marks) < 1 && r.Hi-r.Lo > 1e-2 || len(marks) > 8 {
			t.Fatalf("%d ticks of %v", len(marks), r)
		}
	})
}
