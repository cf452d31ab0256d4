package quantity

import (
	"strings"
	"testing"
)

// What Scan finds in prose, value by value, with the unit or the word behind.
func TestScan(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"1,234.50 USD", "2469/2 USD"}, {"$1,234.50", "2469/2 $"}, {"-5", "-5"}, {"3/4 cup", "3/4 cup"},
		{"L1 and H2O and B12", ""}, {"1. Paris", ""},
		{"36. That is what the rule says.", "36"}, {"3. Paris\n4. Rome", ""}, {"It is this:\n3. Paris", ""},
		{"Step 2: 54,000", "54000"}, {"1\u202f234", "1234"}, {"-$5", "-5 $"}, {"minus 5", "-5"}, {"5 minus 3", "5 3"},
		{"1e999999999", "?"},
		{"50,000 → 60,000", "50000 60000"}, {"10-15", "10..15"}, {"The 3rd of 20 km", "3 20 km"}, {"one of them", ""},
		{"which one is it", ""},
		{"5 in London", "5 in"}, {"31.12.2026", "778/25 2026"}, {"a second time", ""}, {"metres per second", ""},
		{"it fell by a third in 20 minutes", "1/3 in 20 minutes"},
		{"GPT-4 and COVID-19", "4 19"}, {"10/11/2026", "10 11 2026"}, {"5 100-page books", "5 100 page"},
		{"约300万人", "300 万人"}, {"16 - 3 - 4", "16 3 4"},
		{"It's -12", "-12"}, {"2 -3", "2 3"}, {"x=-2", "-2"}, {"between 5 and 10 kg", "5..10 kg"}, {"5 and 10", "5 10"},
		{"the 1960s", "1960 s"},
	} {
		var got []string
		for _, q := range Scan(c.in) {
			s := "?"
			if q.Value != nil {
				s = q.Value.RatString()
			}
			if q.High != nil {
				s += ".." + q.High.Value.RatString()
			}
			if !q.Unit.IsZero() {
				s += " " + q.Unit.Name
			} else if q.Word != "" && strings.Contains(c.want, " "+q.Word) {
				s += " " + q.Word
			}
			got = append(got, s)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("Scan(%q) = %q, want %q", c.in, s, c.want)
		}
	}
}

func TestDates(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"on 20 July 1969", "1969-07-20"}, {"July 20th, 1969", "1969-07-20"}, {"1969-07-20", "1969-07-20"},
		{"August 2025", "2025-08"}, {"7/20/1969", "1969-07-20"},
		{"20.07.1969", "1969-07-20"}, {"09/2026", "2026-09"}, {"2026-11", "2026-11"},
		{"in 1969, and 2012", "1969 2012"}, {"13 of 20", ""}, {"the 3rd of May 2020", "2020-05-03"},
		{"Sept. 2026", "2026-09"}, {"3/5/1921, i.e. 3 May 1921", "1921-05-03 1921-05-03"}, {"1,969 people", ""},
		{"$1969", ""}, {"It may be 1969", "1969"}, {"19.690", ""},
		{"the 1960s and the 19th century", "1960s 1801/1900"}, {"44 BC", "-0044"}, {"4 July", "--07-04"},
		{"1914–1918", "1914 1918"}, {"31 people in March", ""},
		{"'94", "1994"}, {"In ’07, after it", "2007"}, {"the '20 people' rule", ""}, {"'94'", ""}, {"5'10", ""}, {"'94%", ""},
	} {
		var got []string
		for _, d := range Dates(c.in) {
			got = append(got, d.String())
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("Dates(%q) = %q, want %q", c.in, s, c.want)
		}
	}
}

// Hostile text takes time linear in its size: in quadratic time these would run into the limit of go test.
func TestHostileTextIsCheap(t *testing.T) {
	for _, unit := range []string{"9", "9,", "9 ", "1/", "1,23,", "23,", "1e", "é", "²", "one ", "one hundred ", "a ",
		"1 m ", "5 ft ", "5 to ", "1-", "1 and ", "1–", "m/", "1 m/", "5'", "'94 ", "June ", "1 June ", "19", "½", "$", "-",
		`\frac{1}`, "10^", "1 000 ", "1.000.", "and a half ", "step ", "about ", "square ", "per ", "1 per ", "twenty ",
		"point one ", "年1"} {
		s := strings.Repeat(unit, 1<<15/len(unit))
		Scan(s)
		Dates(s)
		Number(s)
		Parse(s)
		ParseDate(s)
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"It is 3.5 km.", "1,234", `\frac{1}{2}`, "1e999999999", "½", "\xff", "5 ft 11 in",
		"between 6 and 10", "1 1/2", "٤٢", "$5–$10 million", "5'11\"", "20 July '69", "1969年7月20日", "3/5/1921",
		"an hour and a half", "-$5.5bn", "10^-3 m s⁻²", "the '60s", "44 B.C."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		qs := Scan(s)
		at := 0
		for _, q := range Each(qs) {
			if q.Start < at || q.NumEnd < q.Start || q.End < q.NumEnd && q.High == nil || q.End > len(s) {
				t.Errorf("%q: bytes %d, %d, %d", s, q.Start, q.NumEnd, q.End)
			}
			at = q.Start
			Compare(qs[0], q, Options{})
			Compare(q, qs[0], Options{})
		}
		ds := Dates(s)
		for _, d := range ds {
			if d.Start < 0 || d.End <= d.Start || d.End > len(s) {
				t.Errorf("%q: date at %d to %d", s, d.Start, d.End)
			}
			CompareDates(ds[0], d)
			_ = d.String()
		}
		Parse(s)
		ParseDate(s)
	})
}

func BenchmarkScanCompare(b *testing.B) {
	for _, s := range []string{"42", "It is 42.", "8,849 m", "about 1.5 million people", "three hundred and sixty-five"} {
		gold, _ := Parse("42")
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, q := range Scan(s) {
					Compare(gold, q, Options{})
				}
			}
		})
	}
}

func BenchmarkDates(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Dates("It was on 20 July 1969.")
	}
}
