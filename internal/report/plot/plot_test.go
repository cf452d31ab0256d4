package plot

import (
	"encoding/csv"
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"

	"hallmark/internal/report/svg"
)

func of(s svg.Series, values ...svg.Value) svg.Series {
	s.Values = values
	return s
}

func example() Figure {
	return Figure{Name: "f", Title: "a < b & c", Columns: 2, Panels: []svg.Panel{
		{Title: "lines", X: "n", Y: "rate", LogX: true, YRange: svg.Over(0, 1), Series: []svg.Series{
			of(line("THR", 0), svg.Between(2, .6, .5, .7), svg.At(4, .4), svg.At(100, .1)),
			of(faint("<script>", 1), svg.At(2, .5), svg.At(math.NaN(), 1), svg.At(100, .05)),
		}},
		{Title: "dots", Diagonal: true, Series: []svg.Series{of(dots("d", 2), svg.At(0, 0), svg.At(1, 1),
			svg.At(2, math.Inf(1)))}},
		{Title: "band", Series: []svg.Series{of(band("b", 3), svg.Between(0, 0, -1, 1), svg.Between(1, 0, -2, 2))}},
	}}
}

func TestSVG(t *testing.T) {
	names, text := map[string]int{}, ""
	for d := xml.NewDecoder(strings.NewReader(string(example().SVG()))); ; {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			names[tok.Name.Local]++
		case xml.CharData:
			text += string(tok) + " "
		}
	}
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
