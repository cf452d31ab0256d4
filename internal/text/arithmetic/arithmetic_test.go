package arithmetic

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEval(t *testing.T) {
	for in, want := range map[string]string{
		"50000*1.2*0.9*1.05": "56700", "2+3*4": "14", "(2+3)*4": "20", "-2^2": "4", "2^-1": "1/2", "50,000 + 20%": "60000",
		"100 - 10%": "90", "20% * 50": "10",
		"7 ÷ 2": "7/2", "3 × 4 − 2": "10", "$5 * 2": "10", "1/3": "1/3", "--3": "3", "10%": "1/10",
	} {
		v, err := Eval(in)
		if err != nil || v.RatString() != want {
			t.Errorf("Eval(%q) = %v, %v; want %s", in, v, err, want)
		}
	}
	for _, in := range []string{"", "1/0", "2^99999", "9^9^9^9", "((1)", "1+", "x", "1 2", strings.Repeat("(", 100) + "1",
		strings.Repeat("1", 5000), "1.2.3", "9^1000^1"} {
		if v, err := Eval(in); err == nil && in != "9^9^9^9" && in != "9^1000^1" {
			t.Errorf("Eval(%.20q) = %v, want an error", in, v)
		}
	}
}

// TestEvalSums checks Eval against math/big on random sums of products.
func TestEvalSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := new(big.Rat)
		var b strings.Builder
		for i, n := 0, rapid.IntRange(1, 8).Draw(t, "terms"); i < n; i++ {
			x, y := rapid.Int64Range(0, 1e6).Draw(t, "x"), rapid.Int64Range(1, 1e6).Draw(t, "y")
			r := big.NewRat(x, y)
			if i > 0 {
				b.WriteString(" + ")
			}
			b.WriteString(big.NewInt(x).String() + "/" + big.NewInt(y).String())
			want.Add(want, r)
		}
		if got, err := Eval(b.String()); err != nil || got.Cmp(want) != 0 {
			t.Fatalf("Eval(%q) = %v, %v; want %v", b.String(), got, err, want)
		}
	})
}

func TestEqualities(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"50,000 × 1.2 = 60,000", "+"}, {"60,000 × 0.9 = 53,000", "-"}, {"10/3 = 3.33", "+"}, {"10/3 = 3.4", "-"},
		{"50,000 + 20% = 60,000", "+"},
		{"x + 5 = 10", ""}, {"2x - 5 = 11", ""}, {"16 - 3 - 4 = <<16-3-4=9>>9", "+"}, {"P(A) = 3", ""},
		{"3 apples + 4 apples = 7 apples", "+"},
		{".5*10=5", "+"}, {"-48 + 21 + (-3) = -30", "+"}, {"12 - (3+4) = 12 - 7 = 5", "+"}, {"45% + 5% = 50%", "+"},
		{"3/4 = 75%", "+"}, {"4.20+9.45+1.35=14.999999999999998", "+"},
		{"2 + 2 = 4, 4 + 5 = 9. So there are 11.", "++"}, {"5 - 2 = 4. That is all.", "-"},
	} {
		var got strings.Builder
		for _, e := range Equalities(c.in) {
			got.WriteString(map[bool]string{true: "+", false: "-"}[e.Holds])
		}
		if got.String() != c.want {
			t.Errorf("Equalities(%q) = %q, want %q", c.in, got.String(), c.want)
		}
	}
}
