package world

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hallmark/internal/text/quantity"

	"golang.org/x/text/currency"
	"golang.org/x/text/language"
)

func TestCountryCodesAgainstCLDR(t *testing.T) {
	two, three, digits, tld := relation(t, "alpha-2 code"), relation(t, "alpha-3 code"),
		relation(t, "numeric country code"), relation(t, "top-level domain")
	var codes []string
	for _, country := range subjectsOf(two) {
		code := values(two, country)[0].Value
		region, err := language.ParseRegion(code)
		if err != nil || !region.IsCountry() {
			t.Errorf("%s: %s is no region: %v", country, code, err)
			continue
		}
		if got := values(three, country)[0].Value; got != region.ISO3() {
			t.Errorf("%s: alpha-3 %s, CLDR has %s", country, got, region.ISO3())
		}
		if got := values(digits, country)[0].Value; got != fmt.Sprintf("%03d", region.M49()) {
			t.Errorf("%s: numeric %s, CLDR has %03d", country, got, region.M49())
		}
		domain, err := region.TLD()
		if err != nil {
			t.Errorf("%s: %v", country, err)
		}
		if got := values(tld, country)[0].Value; got != "."+strings.ToLower(domain.String()) {
			t.Errorf("%s: top-level domain %s, CLDR has .%s", country, got, strings.ToLower(domain.String()))
		}
		codes = append(codes, values(three, country)[0].Value)
	}
	if !slices.IsSorted(codes) || len(slices.Compact(slices.Clone(codes))) != len(codes) {
		t.Error("the rows of countries.csv are not sorted by alpha-3 code, each once")
	}
	for _, c := range []struct{ name, shape string }{{"alpha-2 code", `^[A-Z]{2}$`}, {"alpha-3 code", `^[A-Z]{3}$`},
		{"numeric country code", `^[0-9]{3}$`},
		{"currency code", `^[A-Z]{3}$`}, {"top-level domain", `^\.[a-z]{2}$`}, {"postal code", `^[A-Z]{2}$`},
		{"symbol", `^[A-Z][a-z]?$`}} {
		for _, f := range relation(t, c.name).Facts {
			if !regexp.MustCompile(c.shape).MatchString(f.Value) {
				t.Errorf("%s of %s: %q is not as %s", c.name, f.Subject, f.Value, c.shape)
			}
		}
	}
}

func TestCurrenciesAgainstCLDR(t *testing.T) {
	// Where the tables differ, the reason.
	differ := map[string]string{
		"HRV": "the euro since 2023, after the CLDR of golang.org/x/text",
		"MRT": "the ouguiya was redenominated in 2018: MRU",
	}
	two, three := relation(t, "alpha-2 code"), relation(t, "alpha-3 code")
	for _, f := range relation(t, "currency code").Facts {
		unit, err := currency.ParseISO(f.Value)
		if err != nil && differ[values(three, f.Subject)[0].Value] == "" {
			t.Errorf("%s: %s is no currency: %v", f.Subject, f.Value, err)
			continue
		}
		region := language.MustParseRegion(values(two, f.Subject)[0].Value)
		known, ok := currency.FromRegion(region)
		reason := differ[values(three, f.Subject)[0].Value]
		if same := ok && known == unit; !same && reason == "" {
			t.Errorf("%s: %s, CLDR has %s (%v)", f.Subject, f.Value, known, ok)
		} else if same && reason != "" {
			t.Errorf("%s: %s agrees with CLDR now; drop the reason %q", f.Subject, f.Value, reason)
		}
	}
}

// What can be computed is computed again.
func TestComputedTables(t *testing.T) {
	num := func(f Fact) *big.Int {
		n, ok := new(big.Int).SetString(f.Value, 10)
		if !ok {
			t.Fatalf("%s: %q is no number", f.Subject, f.Value)
		}
		return n
	}
	p := int64(1)
	for i, f := range relation(t, "value").Facts {
		for p++; !big.NewInt(p).ProbablyPrime(0); p++ { // exact below 2^64
		}
		if num(f).Int64() != p || !strings.HasPrefix(f.Subject, fmt.Sprintf("the %d", i+1)) {
			t.Errorf("%s is %d, not %s", f.Subject, p, f.Value)
		}
	}
	var small []string
	for _, f := range relation(t, "value").Facts[:8] {
		small = append(small, f.Value)
	}
	if got := list(t, "the prime numbers below 20").names(); !slices.Equal(got, small) {
		t.Errorf("primes below 20: %v, the table begins %v", got, small)
	}
	a, b := big.NewInt(1), big.NewInt(1) // F(1), F(2)
	for i, f := range relation(t, "numerical value").Facts {
		a, b = b, new(big.Int).Add(a, b)
		if f.Subject != fmt.Sprintf("the Fibonacci number F(%d)", i+3) || num(f).Cmp(b) != 0 {
			t.Errorf("%s = %s, want F(%d) = %d", f.Subject, f.Value, i+3, b)
		}
	}
	for _, f := range relation(t, "decimal value").Facts {
		n, err := strconv.Atoi(strings.TrimSuffix(f.Subject, "!"))
		if err != nil || num(f).Cmp(new(big.Int).MulRange(1, int64(n))) != 0 {
			t.Errorf("%s = %s", f.Subject, f.Value)
		}
	}
	for _, f := range relation(t, "number of positive divisors").Facts {
		n, _ := strconv.Atoi(f.Subject)
		k := 0
		for d := 1; d <= n; d++ {
			if n%d == 0 {
				k++
			}
		}
		if strconv.Itoa(k) != f.Value {
			t.Errorf("%s has %d divisors, not %s", f.Subject, k, f.Value)
		}
	}
	worth := map[byte]int{'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100, 'D': 500, 'M': 1000}
	for _, f := range relation(t, "Roman numeral").Facts {
		sum := 0
		for i := range len(f.Value) {
			v := worth[f.Value[i]]
			if i+1 < len(f.Value) && worth[f.Value[i+1]] > v {
				v = -v
			}
			sum += v
		}
		if strconv.Itoa(sum) != f.Subject {
			t.Errorf("%s is worth %d, not %s", f.Value, sum, f.Subject)
		}
	}
	faces, edges, vertices := relation(t, "number of faces"), relation(t, "number of edges"),
		relation(t, "number of vertices")
	for i, f := range faces.Facts {
		if e := edges.Facts[i]; num(vertices.Facts[i]).Int64()-num(e).Int64()+num(f).Int64() != 2 || e.Subject != f.Subject {
			t.Errorf("%s: %s faces, %s edges, %s vertices are against Euler's formula", f.Subject, f.Value, e.Value,
				vertices.Facts[i].Value)
		}
	}
	for _, f := range relation(t, "ASCII code").Facts {
		c := map[string]byte{"capital letter A": 'A', "small letter z": 'z', "digit 0": '0', "space": ' ',
			"commercial at sign": '@', "tilde": '~', "line feed": '\n',
			"question mark": '?', "backslash": '\\', "underscore": '_', "colon": ':', "semicolon": ';', "equals sign": '=',
			"slash": '/', "asterisk": '*', "plus sign": '+',
			"comma": ',', "full stop": '.', "number sign": '#', "ampersand": '&', "dollar sign": '$', "per cent sign": '%',
			"exclamation mark": '!', "escape character": 27,
			"delete character": 127, "carriage return": '\r', "horizontal tab": '\t', "capital letter Z": 'Z',
			"small letter a": 'a', "digit 9": '9'}[strings.TrimPrefix(f.Subject, "the ")]
		if want := strconv.Itoa(int(c)); f.Value != want {
			t.Errorf("%s: %s, want %s", f.Subject, f.Value, want)
		}
	}
}

func TestGeneticCode(t *testing.T) {
	code, counts := relation(t, "amino acid"), relation(t, "number of codons")
	stops := list(t, "the stop codons of the standard genetic code").names()
	seen := map[string]int{}
	for _, a := range "UCAG" {
		for _, b := range "UCAG" {
			for _, c := range "UCAG" {
				codon := string([]rune{a, b, c})
				facts := values(code, codon)
				if slices.Contains(stops, codon) {
					if len(facts) != 0 {
						t.Errorf("%s stops and encodes %s", codon, facts[0].Value)
					}
					continue
				}
				if len(facts) != 1 {
					t.Fatalf("%s: %d facts", codon, len(facts))
				}
				seen[facts[0].Value]++
			}
		}
	}
	if len(seen) != 20 || len(counts.Facts) != 20 {
		t.Errorf("%d amino acids encoded, %d in the table", len(seen), len(counts.Facts))
	}
	for _, f := range counts.Facts {
		if f.Value != strconv.Itoa(seen[f.Subject]) {
			t.Errorf("%s: %s codons in the table, %d in the code", f.Subject, f.Value, seen[f.Subject])
		}
	}
	// Known rows, from the code as Crick and others gave it.
	for codon, acid := range map[string]string{"AUG": "methionine", "UGG": "tryptophan", "UUU": "phenylalanine",
		"GGG": "glycine", "CAU": "histidine", "AAA": "lysine"} {
		if got := value(t, "amino acid", codon); got != acid {
			t.Errorf("%s encodes %s, not %s", codon, got, acid)
		}
	}
	serine := slices.Sorted(slices.Values(with(code, "Serine")))
	if got := slices.Sorted(slices.Values(list(t,
		"the codons of serine in the standard genetic code").names())); !slices.Equal(got, serine) {
		t.Errorf("codons of serine: the list has %v, the table %v", got, serine)
	}
}

// Two tables that say the same say it alike.
func TestTablesAgree(t *testing.T) {
	w := Earth()
	for country, code := range map[string]string{"the United States": "USD", "the United Kingdom": "GBP", "India": "INR",
		"Mexico": "MXN", "Egypt": "EGP"} {
		if got := value(t, "currency code", country); got != code {
			t.Errorf("%s: %s", country, got)
		}
	}
	unit := map[string]*big.Rat{}
	for _, u := range w.Units {
		f, ok := ratOf(u.Factor)
		if !ok {
			t.Fatal(u.Name)
		}
		unit[u.Name] = f
		// The units that answers are read in have the same factors.
		base := map[string]string{"length": "m", "mass": "kg", "time": "s", "volume": "l", "speed": "m/s", "force": "n",
			"pressure": "pa", "energy": "j", "power": "w"}[u.Dimension]
		for _, s := range u.Symbols {
			n, known := quantity.Parse("1 " + s)
			in, _ := quantity.Parse("1 " + base)
			if got, converts := n.In(in.Unit); base != "" && known && !n.Unit.IsZero() && converts && got.Cmp(f) != 0 {
				t.Errorf("%s: factor of %s is %s here, %s where answers are read", u.Name, s, f.RatString(), got.RatString())
			}
		}
	}
	for _, c := range []struct {
		constant, unit string
		times          int64
	}{{"the inch, in millimetres", "inch", 1000}, {"the mile, in metres", "mile", 1}, {"the nautical mile, in metres",
		"nautical mile", 1}, {"the pound, in kilograms", "pound", 1},
		{"the astronomical unit, in metres", "astronomical unit", 1}, {"the light-year, in metres", "light-year", 1},
		{"the imperial gallon, in litres", "imperial gallon", 1},
		{"the standard atmosphere, in pascals", "standard atmosphere", 1}, {"the metric carat, in milligrams", "metric carat",
			1_000_000}} {
		v, ok := ratOf(value(t, "exact value", c.constant))
		if want := new(big.Rat).Mul(unit[c.unit], big.NewRat(c.times, 1)); !ok || v.Cmp(want) != 0 {
			t.Errorf("%s: %s, the unit says %s", c.constant, v.FloatString(6), want.FloatString(6))
		}
	}
	for _, c := range [][3]string{{"foot", "inch", "12"}, {"yard", "foot", "3"}, {"mile", "yard", "1760"},
		{"mile", "furlong", "8"}, {"fathom", "foot", "6"}, {"pound", "ounce", "16"},
		{"stone", "pound", "14"}, {"pound", "grain", "7000"}, {"long ton", "pound", "2240"},
		{"short ton", "pound", "2000"}, {"troy ounce", "grain", "480"}, {"chain", "yard", "22"},
		{"US gallon", "cubic inch", "231"}, {"US gallon", "US fluid ounce", "128"},
		{"imperial gallon", "imperial pint", "8"}, {"oil barrel", "US gallon", "42"},
		{"square mile", "acre", "640"}, {"hour", "minute", "60"}, {"kibibyte", "byte", "1024"},
		{"standard atmosphere", "torr", "760"}} {
		want, _ := ratOf(c[2])
		if got := new(big.Rat).Quo(unit[c[0]], unit[c[1]]); got.Cmp(want) != 0 {
			t.Errorf("a %s is %s of a %s, want %s", c[0], got.RatString(), c[1], c[2])
		}
	}
	for _, f := range relation(t, "year of death").Facts {
		born, _ := strconv.Atoi(value(t, "year of birth", f.Subject))
		if died, _ := strconv.Atoi(f.Value); died-born < 20 || died-born > 100 {
			t.Errorf("%s lived from %d to %d", f.Subject, born, died)
		}
	}
	for _, f := range relation(t, "SI unit").Facts {
		i := slices.IndexFunc(w.Units, func(u Unit) bool { return u.Name == f.Value })
		if i >= 0 && w.Units[i].Factor != "1" {
			t.Errorf("%s is the SI unit of %s, and its factor is %s", f.Value, f.Subject, w.Units[i].Factor)
		}
	}
	powers := relation(t, "power of ten")
	for prefix, unitName := range map[string]string{"kilo": "kilometre", "centi": "centimetre", "milli": "millimetre",
		"micro": "micrometre", "nano": "nanometre", "hecto": "hectolitre", "mega": "megabyte", "giga": "gigabyte"} {
		n, _ := strconv.Atoi(values(powers, prefix)[0].Value)
		want := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil))
		if n < 0 {
			want.Inv(want)
		}
		if strings.HasSuffix(unitName, "byte") {
			want.Mul(want, big.NewRat(8, 1))
		}
		if unit[unitName].Cmp(want) != 0 {
			t.Errorf("%s: 10^%d, and the %s is %s", prefix, n, unitName, unit[unitName].RatString())
		}
	}
}

// Terms of office do not run backwards or overlap (Read checks that); here: no term is absurd and the handed-over
// offices leave no large gap.
func TestTermsOfOffice(t *testing.T) {
	w := Earth()
	for i := range w.Relations {
		r := &w.Relations[i]
		if !r.Dated {
			continue
		}
		for _, subject := range subjectsOf(r) {
			var last *Fact
			for _, f := range values(r, subject) {
				from, err := time.Parse(time.DateOnly, f.From)
				if err != nil {
					t.Errorf("%s: %s has no beginning", subject, f.Value)
					continue
				}
				if f.Through != "" {
					through, _ := time.Parse(time.DateOnly, f.Through)
					if days := through.Sub(from).Hours() / 24; days < 14 || days > 71*366 {
						t.Errorf("%s: %s for %.0f days", subject, f.Value, days)
					}
				}
				if last != nil && last.Value == f.Value {
					t.Errorf("%s: two terms of %s in a row; join them", subject, f.Value)
				}
				last = f
			}
		}
	}
	presidents := relation(t, "office holder")
	for day, name := range map[string]string{"1790-06-01": "George Washington", "1863-01-01": "Abraham Lincoln",
		"1944-06-06": "Franklin D. Roosevelt", "1974-08-10": "Gerald Ford",
		"2021-01-19": "Donald Trump", "2021-01-21": "Joe Biden", "2025-01-31": "Donald Trump"} {
		if f, ok := presidents.At("President of the United States", day); !ok || f.Value != name {
			t.Errorf("%s: %v, want %s", day, f, name)
		}
	}
	if f, ok := relation(t, "head of a scientific body").At("Director-General of CERN", "2012-07-04"); !ok ||
		f.Value != "Rolf-Dieter Heuer" {
		t.Errorf("CERN in 2012: %v", f)
	}
}
