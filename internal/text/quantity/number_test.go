package quantity

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNumber(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"42", "42"}, {"42.", "42"}, {"-5", "-5"}, {"−5", "-5"}, {"-$5", "-5"}, {"$-5", "-5"}, {"-€5", "-5"},
		{"€1,234.50", "2469/2"},
		{"1,234,567", "1234567"}, {"12,34,567", "1234567"}, {"1, 2, 3", "3"}, {"1,23", "123/100"}, {"(3,400)", "3400"},
		{"1\u00a0234\u202f567", "1234567"},
		{"1,234,5", "5"}, {"1{,}234", "1234"}, {`1\,234`, "1234"},
		{"1.000.000", "1000000"}, {"1.000.000,5", "2000001/2"}, {"1.234,56", "30864/25"}, {"1,5", "3/2"},
		{"0,125", "1/8"}, {"-2,5 °C", "-5/2"}, {"€ 12,50", "25/2"}, {"1,2345", "2469/2000"},
		{"8 000", "8000"}, {"1 000 000 people", "1000000"}, {"5 100-page books", "100"}, {"1 100/200", "3/2"},
		{"1 2 345", "345"}, {"100 200 30", "30"}, {"0 100", "100"},
		{"1,234", "1234"}, {"1.234", "617/500"}, {"1,2,3", "3"}, {"1.2.3", "3"}, {"3,5/7", "1/2"},
		{"31.12.2026", "2026"}, {"1,5,", "3/2"},
		{"10%", "10"}, {`50\%`, "50"}, {"3rd of 20 km", "20"}, {"10-15", "15"}, {"COVID-19", "19"},
		{"H2O boils at 100", "100"}, {"100 for H2O", "100"}, {"x=-2", "-2"},
		{"3/4", "3/4"}, {"6/8", "3/4"}, {"1 1/2", "3/2"}, {"2½", "5/2"}, {"½", "1/2"}, {"-3/4", "-3/4"}, {"5/0", "0"},
		{"10/11/2026", "2026"}, {`\frac{3}{4}`, "3/4"},
		{`-\dfrac{3}{4}`, "-3/4"}, {`\frac12`, "1/2"}, {`\frac{-1}{2}`, "-1/2"}, {"0.75", "3/4"}, {".5", "1/2"},
		{"3.5.2", "2"},
		{"1.5e10", "15000000000"}, {"1E-3", "1/1000"}, {"6.02 × 10^23", "602000000000000000000000"},
		{`6.02 \times 10^{23}`, "602000000000000000000000"},
		{"3*10^-2", "3/100"}, {"10²", "100"}, {"102", "102"}, {"10^6", "1000000"}, {"10⁻³", "1/1000"}, {"2^10", "1024"},
		{"90^\\circ", "90"},
		{"1.5 million", "1500000"}, {"2 billionaires", "2"},
		{"It takes 5 steps.\n#### 18", "18"}, {"#### 1,000\nso 7", "1000"}, {"#### none, but 9", "9"},
		{`so \boxed{12} and 13`, "12"}, {`\boxed{\frac{1}{3}}`, "1/3"}, {`\boxed{x = 4`, "4"}, {`\boxed{} 5`, "5"},
		{"٤٢", "42"}, {"４２", "42"}, {"१२३", "123"}, {"𝟗", "9"}, {"١٬٢٣٤٫٥", "2469/2"},
		{"≈42 (in step three)", "42"}, {"the answer is 007", "7"}, {"-0", "0"}, {"1e0", "1"},
	} {
		got, ok := Number(tt.in)
		if !ok || got.RatString() != tt.want {
			t.Errorf("Number(%q) = %v, %v, want %s", tt.in, got, ok, tt.want)
		}
	}
	for _, in := range []string{"", "none", "####", "1e999999999", "9^999999999", "1e-99999", strings.Repeat("9", 1001),
		`\boxed{`} {
		if got, ok := Number(in); ok {
			t.Errorf("Number(%.40q) = %v, want none", in, got)
		}
	}
}

// The formats in which numbers are commonly written all read back as the number.
func TestNumberReadsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n")
		want := new(big.Rat).SetInt64(n)
		plain := want.RatString()
		for _, s := range []string{plain, withCommas(plain), "It is " + withCommas(plain) + ".", "7 steps\n#### " + plain,
			`\boxed{` + plain + `} 3`, plain + "%", plain + ".000"} {
			if got, ok := Number(s); !ok || got.Cmp(want) != 0 {
				t.Fatalf("Number(%q) = %v, want %v", s, got, want)
			}
		}
		d := rapid.Int64Range(1, 1<<40).Draw(t, "d")
		want.Quo(want, new(big.Rat).SetInt64(d))
		if got, ok := Number(want.String()); !ok || got.Cmp(want) != 0 {
			t.Fatalf("Number(%q) = %v", want.String(), got)
		}
	})
}

func withCommas(s string) string {
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}
