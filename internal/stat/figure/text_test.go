package figure

import "testing"

// Each way of writing a number at its ends: what rounds to 0 or 1 and is neither, what is below 0, what is whole.
func TestText(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Share.Text(.2444), "24.4\u202f%"}, {Share.Text(.0001), "<0.1\u202f%"}, {Share.Text(.9999), ">99.9\u202f%"},
		{Share.Text(-.25), "−25.0\u202f%"}, {Share.Text(-1), "−100.0\u202f%"}, {Share.Text(-.9999), "<−99.9\u202f%"},
		{Share.Text(1), "100.0\u202f%"}, {Share.Text(0), "0.0\u202f%"},
		{Mean.Text(.8421), "0.842"}, {Mean.Text(-1.5), "−1.500"}, {Count.Text(1234567), "1,234,567"},
		{Nats.Text(.3126), "0.313\u202fnats"}, {Points.Text(.24414), "24.41"}, {Chance.Text(.00003), "0.00003"},
		{Share.Change(.123), "+12.3"}, {Share.Change(-.0004), "0.0"}, {Mean.Change(-.0421), "−0.042"},
		{Mean.Change(.00001), "0.000"},
		{Whole(.246), "25"}, {Whole(-.001), "0"}, {WholeChange(.246), "+25"}, {WholeChange(-.246), "−25"},
		{WholeChange(.001), "0"},
		{Trimmed(12), "12"}, {Trimmed(12.34), "12.3"}, {Rough(.349), ".35"}, {Rough(-.349), "−.35"},
		{Rough(-.001), ".00"}, {Rough(1), "1.00"}, {Rough(12.6), "13"},
		{Short(.75), ".75"}, {Short(0), "0"}, {Short(-2), "-2"}, {Plain(1e7), "10000000"}, {Exact(.1), "0.1"},
		{Digits(.123456, 4), "0.1235"}, {Digits(1234567, 4), "1.235e+06"}, {Digits(2, 6), "2"},
		{Probability(.00001), "<0.0001"}, {Probability(.0012), "0.0012"}, {Probability(.25), "0.250"},
		{Perplexity(6.666), "6.67"}, {Perplexity(1234.5), "1234"}, {Perplexity(123456), "1e+05"},
		{Bracketed(Hundredfold(Trimmed), " %", .125, .101, .15), "12.5 % [10.1, 15]"}, {InPercent(.2444, 1), "24.4 %"},
		{InPercent(-.246, 0), "−25 %"}, {Hyphened(Decimal(-1.5)), "-1.500"},
		{Counted(1, "case"), "1 case"},
		{Counted(1200, "case"), "1,200 cases"}, {Grouped(-1234), "-1,234"},
		{Compact(9999), "9999"}, {Compact(12345), "12.3k"}, {Compact(4_500_000), "4.5M"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
