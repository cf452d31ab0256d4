package world

import (
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hallmark/internal/base/seed"
	"hallmark/internal/suite"
	"hallmark/internal/text/identifier"
	"hallmark/internal/text/quantity"

	"golang.org/x/text/currency"
	"golang.org/x/text/language"
)

// relation returns a relation of earth that must be there.
func relation(t *testing.T, name string) *Relation {
	t.Helper()
	r := Earth().Relation(name)
	if r == nil {
		t.Fatalf("earth has no relation %q", name)
	}
	return r
}

// value returns the value of a subject that must have one.
func value(t *testing.T, name, subject string) string {
	t.Helper()
	r := relation(t, name)
	facts := values(r, subject)
	if len(facts) != 1 {
		t.Fatalf("%s of %s: %d facts", name, subject, len(facts))
	}
	return facts[0].Value
}

// The generators need so many of each kind, in every domain and at every difficulty.
func TestEarthIsLargeEnough(t *testing.T) {
	w := Earth()
	count := map[string]int{}
	add := func(kind, domain, difficulty string) { count[kind+" "+domain+" "+difficulty]++ }
	for _, d := range w.Definitions {
		add("definitions", d.Domain, d.Difficulty)
	}
	for _, p := range w.Premises {
		add("premises", p.Domain, p.Difficulty)
	}
	for _, l := range w.Lists {
		add("lists", l.Domain, l.Difficulty)
	}
	for _, h := range w.Homonyms {
		add("homonyms", h.Domain, h.Difficulty)
	}
	for _, p := range w.Pages {
		add("pages", p.Domain, p.Difficulty)
	}
	for _, k := range w.Works {
		add("works", k.Domain, k.Difficulty)
	}
	for _, want := range []struct {
		kind  string
		least int
	}{{"definitions", 4}, {"premises", 5}, {"lists", 4}, {"homonyms", 3}, {"pages", 3}, {"works", 5}} {
		for _, domain := range suite.Domains {
			for _, difficulty := range suite.Difficulties {
				if n := count[want.kind+" "+domain+" "+difficulty]; n < want.least {
					t.Errorf("%d %s that are %s and %s; want at least %d", n, want.kind, domain, difficulty, want.least)
				}
			}
		}
	}
	for _, least := range []struct {
		what    string
		n, want int
	}{
		{"definitions", len(w.Definitions), 60}, {"premises", len(w.Premises), 70}, {"lists", len(w.Lists), 40}, {"homonyms", len(w.Homonyms), 30},
		{"pages", len(w.Pages), 40}, {"RFCs", worksOf(w, "rfc"), 60}, {"countries", len(subjectsOf(relation(t, "alpha-2 code"))), 180},
	} {
		if least.n < least.want {
			t.Errorf("%d %s; want at least %d", least.n, least.what, least.want)
		}
	}
	// Somebody heads something in every domain, and every difficulty of it is there.
	for _, domain := range suite.Domains {
		seen := map[string]int{}
		for _, r := range w.Relations {
			if r.Dated && r.Domain == domain && r.Value == "person" {
				for _, f := range r.Facts {
					seen[f.Difficulty]++
				}
			}
		}
		if seen["easy"]+seen["medium"]+seen["hard"] < 30 {
			t.Errorf("%s: %v terms of office; want 30", domain, seen)
		}
	}
}

// Every entry says how hard it is, and every table where it is from.
func TestEverySourceIsUsed(t *testing.T) {
	w := Earth()
	used := map[string]bool{}
	for _, x := range w.Relations {
		used[x.Source] = true
		for _, f := range x.Facts {
			if f.Difficulty == "" {
				t.Errorf("%s of %s has no difficulty", x.Name, f.Subject)
			}
		}
	}
	for _, x := range w.Works {
		used[x.Source] = true
	}
	for _, x := range w.Homonyms {
		used[x.Source] = true
	}
	for _, x := range w.Premises {
		used[x.Source] = true
	}
	for _, x := range w.Definitions {
		used[x.Source] = true
	}
	for _, x := range w.Lists {
		used[x.Source] = true
	}
	for _, x := range w.Texts {
		used[x.Source] = true
	}
	for _, x := range w.Units {
		used[x.Source] = true
	}
	for _, x := range w.Pages {
		used[x.Source] = true
	}
	for _, key := range slices.Sorted(maps.Keys(w.Sources)) {
		if !used[key] {
			t.Errorf("no table names source %q", key)
		}
	}
	// What changes with time is known through the day that the world is told on, and no table claims more.
	for _, r := range w.Relations {
		if r.Dated && w.Sources[r.Source].Through == "" {
			t.Errorf("%s is dated and its source %q has no end", r.Name, r.Source)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(w.Sources)) {
		if through := w.Sources[key].Through; through != "" && through != w.AsOf {
			t.Errorf("source %q holds through %s, and the world is told on %s", key, through, w.AsOf)
		}
	}
}

func TestCountryCodesAgainstCLDR(t *testing.T) {
	two, three, digits, tld := relation(t, "alpha-2 code"), relation(t, "alpha-3 code"), relation(t, "numeric country code"), relation(t, "top-level domain")
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
	for _, c := range []struct{ name, shape string }{{"alpha-2 code", `^[A-Z]{2}$`}, {"alpha-3 code", `^[A-Z]{3}$`}, {"numeric country code", `^[0-9]{3}$`},
		{"currency code", `^[A-Z]{3}$`}, {"top-level domain", `^\.[a-z]{2}$`}, {"postal code", `^[A-Z]{2}$`}, {"symbol", `^[A-Z][a-z]?$`}} {
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

func TestElementsAreComplete(t *testing.T) {
	numbers, symbols := relation(t, "atomic number"), relation(t, "symbol")
	if len(numbers.Facts) != 118 || len(symbols.Facts) != 118 {
		t.Fatalf("%d numbers, %d symbols", len(numbers.Facts), len(symbols.Facts))
	}
	for i, f := range numbers.Facts {
		if f.Value != strconv.Itoa(i+1) || symbols.Facts[i].Subject != f.Subject {
			t.Errorf("row %d: %s has number %s", i+1, f.Subject, f.Value)
		}
	}
	for element, number := range map[string]string{"gold": "79", "uranium": "92", "oganesson": "118", "iron": "26", "tungsten": "74", "mercury": "80"} {
		if got := value(t, "atomic number", element); got != number {
			t.Errorf("%s: %s, want %s", element, got, number)
		}
	}
	for _, f := range relation(t, "year of discovery").Facts {
		if y, _ := strconv.Atoi(f.Value); y < 1660 || y > 2010 {
			t.Errorf("%s was discovered in %d", f.Subject, y)
		}
	}
	// The noble gases that the list names stand in one group: the numbers differ by the lengths of the periods.
	gases := list(t, "the noble gases that occur in nature")
	var at []int
	for _, g := range gases.Items {
		n, _ := strconv.Atoi(value(t, "atomic number", g.Name))
		at = append(at, n)
	}
	if !slices.Equal(at, []int{2, 10, 18, 36, 54, 86}) {
		t.Errorf("noble gases at %v", at)
	}
}

func list(t *testing.T, name string) *List {
	t.Helper()
	w := Earth()
	i := slices.IndexFunc(w.Lists, func(l List) bool { return l.Name == name })
	if i < 0 {
		t.Fatalf("no list %q", name)
	}
	return &w.Lists[i]
}

func (l *List) names() []string {
	var all []string
	for _, i := range l.Items {
		all = append(all, i.Name)
	}
	return all
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
	faces, edges, vertices := relation(t, "number of faces"), relation(t, "number of edges"), relation(t, "number of vertices")
	for i, f := range faces.Facts {
		if e := edges.Facts[i]; num(vertices.Facts[i]).Int64()-num(e).Int64()+num(f).Int64() != 2 || e.Subject != f.Subject {
			t.Errorf("%s: %s faces, %s edges, %s vertices are against Euler's formula", f.Subject, f.Value, e.Value, vertices.Facts[i].Value)
		}
	}
	for _, f := range relation(t, "ASCII code").Facts {
		c := map[string]byte{"capital letter A": 'A', "small letter z": 'z', "digit 0": '0', "space": ' ', "commercial at sign": '@', "tilde": '~', "line feed": '\n',
			"question mark": '?', "backslash": '\\', "underscore": '_', "colon": ':', "semicolon": ';', "equals sign": '=', "slash": '/', "asterisk": '*', "plus sign": '+',
			"comma": ',', "full stop": '.', "number sign": '#', "ampersand": '&', "dollar sign": '$', "per cent sign": '%', "exclamation mark": '!', "escape character": 27,
			"delete character": 127, "carriage return": '\r', "horizontal tab": '\t', "capital letter Z": 'Z', "small letter a": 'a', "digit 9": '9'}[strings.TrimPrefix(f.Subject, "the ")]
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
	for codon, acid := range map[string]string{"AUG": "methionine", "UGG": "tryptophan", "UUU": "phenylalanine", "GGG": "glycine", "CAU": "histidine", "AAA": "lysine"} {
		if got := value(t, "amino acid", codon); got != acid {
			t.Errorf("%s encodes %s, not %s", codon, got, acid)
		}
	}
	serine := slices.Sorted(slices.Values(with(code, "Serine")))
	if got := slices.Sorted(slices.Values(list(t, "the codons of serine in the standard genetic code").names())); !slices.Equal(got, serine) {
		t.Errorf("codons of serine: the list has %v, the table %v", got, serine)
	}
}

// Two tables that say the same say it alike.
func TestTablesAgree(t *testing.T) {
	w := Earth()
	for country, code := range map[string]string{"the United States": "USD", "the United Kingdom": "GBP", "India": "INR", "Mexico": "MXN", "Egypt": "EGP"} {
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
		base := map[string]string{"length": "m", "mass": "kg", "time": "s", "volume": "l", "speed": "m/s", "force": "n", "pressure": "pa", "energy": "j", "power": "w"}[u.Dimension]
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
	}{{"the inch, in millimetres", "inch", 1000}, {"the mile, in metres", "mile", 1}, {"the nautical mile, in metres", "nautical mile", 1}, {"the pound, in kilograms", "pound", 1},
		{"the astronomical unit, in metres", "astronomical unit", 1}, {"the light-year, in metres", "light-year", 1}, {"the imperial gallon, in litres", "imperial gallon", 1},
		{"the standard atmosphere, in pascals", "standard atmosphere", 1}, {"the metric carat, in milligrams", "metric carat", 1_000_000}} {
		v, ok := ratOf(value(t, "exact value", c.constant))
		if want := new(big.Rat).Mul(unit[c.unit], big.NewRat(c.times, 1)); !ok || v.Cmp(want) != 0 {
			t.Errorf("%s: %s, the unit says %s", c.constant, v.FloatString(6), want.FloatString(6))
		}
	}
	for _, c := range [][3]string{{"foot", "inch", "12"}, {"yard", "foot", "3"}, {"mile", "yard", "1760"}, {"mile", "furlong", "8"}, {"fathom", "foot", "6"}, {"pound", "ounce", "16"},
		{"stone", "pound", "14"}, {"pound", "grain", "7000"}, {"long ton", "pound", "2240"}, {"short ton", "pound", "2000"}, {"troy ounce", "grain", "480"}, {"chain", "yard", "22"},
		{"US gallon", "cubic inch", "231"}, {"US gallon", "US fluid ounce", "128"}, {"imperial gallon", "imperial pint", "8"}, {"oil barrel", "US gallon", "42"},
		{"square mile", "acre", "640"}, {"hour", "minute", "60"}, {"kibibyte", "byte", "1024"}, {"standard atmosphere", "torr", "760"}} {
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
	for prefix, unitName := range map[string]string{"kilo": "kilometre", "centi": "centimetre", "milli": "millimetre", "micro": "micrometre", "nano": "nanometre", "hecto": "hectolitre", "mega": "megabyte", "giga": "gigabyte"} {
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
	for day, name := range map[string]string{"1790-06-01": "George Washington", "1863-01-01": "Abraham Lincoln", "1944-06-06": "Franklin D. Roosevelt", "1974-08-10": "Gerald Ford",
		"2021-01-19": "Donald Trump", "2021-01-21": "Joe Biden", "2025-01-31": "Donald Trump"} {
		if f, ok := presidents.At("President of the United States", day); !ok || f.Value != name {
			t.Errorf("%s: %v, want %s", day, f, name)
		}
	}
	if f, ok := relation(t, "head of a scientific body").At("Director-General of CERN", "2012-07-04"); !ok || f.Value != "Rolf-Dieter Heuer" {
		t.Errorf("CERN in 2012: %v", f)
	}
}

// Definitions hold their parts in all their forms, premises are put right by their truth, short forms are short; not by
// the reader's own code.
func TestDefinitionsAndPremises(t *testing.T) {
	w := Earth()
	patterns := make([][][]*regexp.Regexp, len(w.Definitions))
	for i, d := range w.Definitions {
		patterns[i], _ = Patterns(d.Parts)
	}
	for n, d := range w.Definitions {
		for i, part := range d.Parts {
			for _, text := range []string{d.Text, d.Short} {
				if !slices.ContainsFunc(part, func(s string) bool { return regexp.MustCompile("(?i)" + s).MatchString(text) }) {
					t.Errorf("%s: %q lacks part %d", d.Term, text, i+1)
				}
			}
			// A part that anything matches decides nothing.
			for _, s := range part {
				if regexp.MustCompile("(?i)" + s).MatchString("It is a thing that one can have in mind.") {
					t.Errorf("%s: wording %q of part %d matches what says nothing", d.Term, s, i+1)
				}
			}
		}
		// No definition passes for another, so that the parts tell them apart.
		for _, other := range w.Definitions {
			lacks := slices.ContainsFunc(patterns[n], func(part []*regexp.Regexp) bool {
				return !slices.ContainsFunc(part, func(re *regexp.Regexp) bool { return re.MatchString(other.Text) })
			})
			if other.Term != d.Term && !lacks {
				t.Errorf("the text of %q passes for a definition of %q", other.Term, d.Term)
			}
		}
		if n := len(strings.Fields(d.Short)); n > ShortWords+4 { // signs of a formula between blanks are no words
			t.Errorf("%s: %d fields", d.Term, n)
		}
	}
	for _, p := range w.Premises {
		if !slices.ContainsFunc(p.Repair, func(s string) bool { return strings.Contains(strings.ToLower(p.Truth), strings.ToLower(s)) }) {
			t.Errorf("%s: the truth %q holds none of %q", p.False, p.Truth, p.Repair)
		}
		for _, s := range p.Repair {
			if len(s) < 2 || holds("It is a thing that one can have in mind.", s) {
				t.Errorf("%s: %q repairs nothing", p.False, s)
			}
		}
		for _, s := range p.Follows {
			if holds(p.Asked, s) {
				t.Errorf("%s: the question itself holds %q, which is said to follow", p.False, s)
			}
		}
		if len(p.Follows) == 0 {
			t.Errorf("%s: nothing follows", p.False)
		}
	}
}

// The identifiers of works are such as answers are read for.
func TestIdentifiersAreRead(t *testing.T) {
	w := Earth()
	for i := range w.Works {
		for kind, text := range w.Works[i].Identifiers {
			if kind == "isbn" || kind == "doi" || kind == "url" || kind == "arxiv" {
				written := text
				if kind == "arxiv" {
					written = "arXiv:" + text
				}
				found := identifier.Find("See " + written + " for it.")
				if !slices.ContainsFunc(found, func(f identifier.Identifier) bool { return f.Kind == kind && f.Text == written }) {
					t.Errorf("%s %q is read as %v", kind, text, found)
				}
			}
		}
	}
}

// Invented names are of every kind, never taken, many, and the same at the same seed.
func TestInventedNames(t *testing.T) {
	w := Earth()
	for _, kind := range slices.Sorted(maps.Keys(w.Names)) {
		if !strings.Contains(w.Names[kind][0], "{") {
			continue // a part of names
		}
		seen := map[string]bool{}
		a, b := seed.Stream(7, "names", kind), seed.Stream(7, "names", kind)
		for range 50 {
			name, ok := w.Invent(a, kind)
			again, _ := w.Invent(b, kind)
			if !ok || name != again || w.Taken(name) || strings.ContainsAny(name, "{}") || strings.TrimSpace(name) == "" {
				t.Fatalf("%s: %q, then %q", kind, name, again)
			}
			seen[name] = true
		}
		if (kind == "person" || kind == "title" || kind == "place" || kind == "company") && len(seen) < 40 {
			t.Errorf("50 draws of a %s give %d names", kind, len(seen))
		}
	}
	for _, known := range []string{"France", "the united  kingdom", "PARIS", "Joshua Greene", "Moral Tribes: Emotion, Reason, and the Gap Between Us and Them", "Bogota", "matroid"} {
		if !w.Taken(known) {
			t.Errorf("%q is not taken", known)
		}
	}
	if _, ok := w.Invent(seed.Stream(1, "none"), "no such kind"); ok {
		t.Error("a name of a kind without patterns")
	}
}
