package plot

import (
	"encoding/csv"
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

func example() Figure {
	return Figure{Name: "f", Title: "a < b & c", Columns: 2, Panels: []Panel{
		{Title: "lines", X: "n", Y: "rate", LogX: true, YRange: &Bounds{0, 1}, Series: []Series{
			{"THR", Line, 0, []Point{{2, .6, .5, .7}, At(4, .4), At(100, .1)}}, {"<script>", Faint, 1, []Point{At(2, .5), At(math.NaN(), 1), At(100, .05)}},
		}},
		{Title: "dots", Diagonal: true, Series: []Series{{"d", Dots, 2, []Point{At(0, 0), At(1, 1), At(2, math.Inf(1))}}}},
		{Title: "band", Series: []Series{{"b", Band, 3, []Point{{0, 0, -1, 1}, {1, 0, -2, 2}}}}},
	}}
}

func TestSVG(t *testing.T) {
	names, text := wellFormed(t, example().SVG())
	if names["circle"] != 2 || names["path"] != 3 || names["script"] != 0 {
		t.Errorf("elements %v: want 2 circles and 3 paths, and no script", names)
	}
	for _, want := range []string{"a < b & c", "THR", "<script>", "rate", "100"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q: %s", want, text)
		}
	}
}

func TestCSV(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(string(example().CSV()))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+3+3+3+2 {
		t.Fatalf("%d rows, want 12", len(rows))
	}
	if got, want := strings.Join(rows[1], ","), "lines,THR,2,0.6,0.5,0.7"; got != want {
		t.Errorf("first row %s, want %s", got, want)
	}
	if got, want := strings.Join(rows[2], ","), "lines,THR,4,0.4,,"; got != want {
		t.Errorf("second row %s, want %s", got, want)
	}
}

// The names of the series stand where they hide the least: here the points lie along the top and at the right.
func TestLegendMakesWay(t *testing.T) {
	s := Series{"one", Dots, 0, []Point{At(0, .9), At(.1, .9), At(.9, .9), At(1, .9), At(1, .02), At(.95, .02)}}
	_, text := wellFormed(t, Figure{Panels: []Panel{{YRange: &Bounds{0, 1}, Series: []Series{s, {"two", Dots, 1, nil}}}}}.SVG())
	if !strings.Contains(text, "one") || !strings.Contains(text, "two") {
		t.Fatalf("the series are not named: %s", text)
	}
	svg := string(Figure{Panels: []Panel{{YRange: &Bounds{0, 1}, Series: []Series{s, {"two", Dots, 1, nil}}}}}.SVG())
	if want := `<rect x="56" y="217" width="39.4" height="30" fill="#fff"`; !strings.Contains(svg, want) {
		t.Errorf("the names do not stand at the lower left: %s", svg)
	}
}

// Whatever the numbers, the picture is well-formed and holds none that is not finite, and the ticks are few and within the bounds.
func TestAnyNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Float64Range(-1e6, 1e6), rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1), math.Inf(-1), 1e-300, 7}))
		var points []Point
		for range rapid.IntRange(0, 5).Draw(t, "points") {
			points = append(points, Point{number.Draw(t, "x"), number.Draw(t, "y"), number.Draw(t, "lo"), number.Draw(t, "hi")})
		}
		kind := rapid.SampledFrom([]Kind{Line, Dots, Band, Faint}).Draw(t, "kind")
		f := Figure{Title: rapid.StringMatching("[ -~]*").Draw(t, "title"), Panels: []Panel{{LogX: rapid.Bool().Draw(t, "log"), Diagonal: true, Series: []Series{{"s", kind, 11, points}}}}}
		wellFormed(t, f.SVG())
		lo := rapid.Float64Range(-1e6, 1e6).Draw(t, "from")
		r := Bounds{lo, lo + rapid.Float64Range(1e-3, 1e6).Draw(t, "length")}
		marks := Ticks(r)
		if len(marks) < 1 && r.Hi-r.Lo > 1e-2 || len(marks) > 8 {
			t.Fatalf("%d ticks of %v", len(marks), r)
		}
	})
}
