package quantity

import (
	"os"
	"strings"
	"testing"
)

// The golden table: what people write, and whether it is the gold.
func TestSame(t *testing.T) {
	data, err := os.ReadFile("testdata/same.txt")
	if err != nil {
		t.Fatal(err)
	}
	pairs := 0
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, " | ")
		if len(f) != 5 {
			t.Fatalf("same.txt:%d: %d columns", i+1, len(f))
		}
		pairs++
		kind, option, _ := strings.Cut(f[0], " ")
		var got Verdict
		why := "nothing is read"
		if kind == "date" {
			gold, ok := dateIn(f[1])
			value, ok2 := dateIn(f[2])
			if ok && ok2 {
				got, why = CompareDates(gold, value)
			}
		} else {
			var o Options
			if u, ok := strings.CutPrefix(option, "in "); ok {
				if o.GoldUnit, ok = parseUnit(u); !ok {
					t.Fatalf("same.txt:%d: unit %q", i+1, u)
				}
			} else if x, ok := strings.CutPrefix(option, "±"); ok {
				o.Tolerance, _ = Number(x)
			}
			o.ExactDigits = option == "exact"
			gold, ok := quantityIn(f[1])
			value, ok2 := quantityIn(f[2])
			if ok && ok2 {
				got, why = Compare(gold, value, o)
			}
		}
		if got.String() != f[3] {
			t.Errorf("same.txt:%d: %s for %s: %s (%s), want %s: %s", i+1, f[2], f[1], got, why, f[3], f[4])
		}
	}
	if pairs < 320 {
		t.Errorf("only %d pairs", pairs)
	}
}

func quantityIn(s string) (Quantity, bool) {
	if q, ok := Parse(s); ok {
		return q, true
	}
	if qs := Scan(s); len(qs) > 0 {
		return qs[0], true
	}
	return Quantity{}, false
}

func dateIn(s string) (Date, bool) {
	if d, ok := ParseDate(s); ok {
		return d, true
	}
	if ds := Dates(s); len(ds) > 0 {
		return ds[0], true
	}
	return Date{}, false
}

// parseUnit reads a text that is one unit: "km/h", "square metres", "USD".
func parseUnit(name string) (Unit, bool) {
	s := plain(strings.TrimSpace(name)).s
	u, end := units().parse(s, 0)
	return u, end == len(s) && end > 0
}
