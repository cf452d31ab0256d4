package answer

import (
	_ "embed"
	"slices"
	"strings"
	"testing"
)

//go:embed testdata/same.txt
var samePairs string

type goldenPair struct {
	line                                int
	kind, question, gold, value, reason string
	alias                               string
	context                             Context
	want                                string
	known                               string // what is read, where that is known to be another verdict
}

// goldenPairs reads testdata/same.txt. Pairs under "known:" have what is read instead as a seventh column.
func goldenPairs(t testing.TB) (ps []goldenPair) {
	known := false
	for i, line := range strings.Split(samePairs, "\n") {
		if strings.HasPrefix(line, "known:") {
			known = true
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(line, " | ")
		if len(c) != 6 && !(known && len(c) == 7) {
			t.Fatalf("same.txt:%d: %d columns, not 6", i+1, len(c))
		}
		p := goldenPair{line: i + 1, kind: c[0], question: c[1], value: strings.ReplaceAll(c[3], `\n`, "\n"), want: c[4],
			reason: c[5]}
		if len(c) == 7 {
			p.known = c[6]
		}
		p.context.Question = c[1]
		gold, rival, ok := strings.Cut(c[2], " ~ ")
		if ok {
			p.context.Rivals = []string{rival}
		}
		gold, alias, ok := strings.Cut(gold, " = ")
		if ok && p.kind != "formula" {
			p.alias = alias
		} else if ok {
			gold += " = " + alias
		}
		p.gold = gold
		ps = append(ps, p)
	}
	return ps
}

func TestSame(t *testing.T) {
	right, wrong := map[string]int{}, map[string]int{}
	for _, p := range goldenPairs(t) {
		r := NewReference(p.gold, p.context)
		verdict, why := r.Compare(p.value)
		if p.alias != "" && verdict != Same {
			verdict, why = NewReference(p.alias, p.context).Compare(p.value)
		}
		got := verdict.String()
		want := p.want
		if p.known != "" {
			want = p.known
		}
		if got == p.want {
			right[p.kind]++
		} else {
			wrong[p.kind]++
		}
		if got != want {
			t.Errorf("same.txt:%d: %s %q, %q, %q: %s (%s), want %s (%s)", p.line, r.Kind, p.question, p.gold, p.value, got, why,
				want, p.reason)
		}
	}
	t.Logf("as written: %v; otherwise: %v", right, wrong)
}

// both compares two answers with each other, in both directions.
func both(a, b, question string) (Verdict, string) {
	v, why := NewReference(a, Context{Question: question}).Compare(b)
	w, _ := NewReference(b, Context{Question: question}).Compare(a)
	if v != w {
		return Unsure, "one says more than the other"
	}
	return v, why
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		a, b, question string
		want           Verdict
	}{
		{"J. Smith", "A. Smith", "Who wrote it?", Different},
		{"J. Smith", "A. Smith", "", Different},
		{"A. Smith", "Adam Smith", "Who wrote it?", Same},
		{"Smith, A.", "A. Smith", "Who wrote it?", Same},
		{"L-851", "L-852", "Which pump is it?", Different},
		{"L-851", "L", "Which pump is it?", Unsure},
		{"L-851", "L 851", "Which pump is it?", Same},
		{"Paris", "Paris, Texas", "What is the capital of France?", Unsure}, // from Paris, Texas on, Paris says less
	} {
		if got, why := both(c.a, c.b, c.question); got != c.want {
			t.Errorf("%q, %q: %s (%s), want %s", c.a, c.b, got, why, c.want)
		}
	}
}

// A value with the words of a name holds a key.
func TestKeys(t *testing.T) {
	for _, p := range goldenPairs(t) {
		r := NewReference(p.gold, Context{Question: p.question})
		keys := r.Keys()
		verdict, why := r.Compare(p.value)
		if verdict != Same || r.Kind != NameKind || why == "another name of the same in the data" ||
			why == "the first letters" {
			continue
		}
		v := words().read(p.value)
		if !slices.ContainsFunc(v.tokens, func(t token) bool {
			return slices.ContainsFunc(keys, func(k string) bool {
				return k == t.word || r.x.similar(k, t.word) || slip(k, t.word) || r.x.groups[k] == t.group
			})
		}) && !slices.Contains(keys, key(v.main)) {
			t.Errorf("same.txt:%d: %q holds none of %q", p.line, p.value, keys)
		}
	}
}

func TestHostileValuesAreCheap(t *testing.T) {
	for _, unit := range []string{"a", "a ", "A.", "'", "s'", "(", "a, ", "and ", "not ", "é", "\xff", "ab ba ", "1,",
		"$\\", "ﷺ"} {
		s := strings.Repeat(unit, maxValue/len(unit))
		n := testing.AllocsPerRun(1, func() { NewReference(s, Context{Question: s, Rivals: []string{s}}).Compare(s) })
		if n > 20_000 { // 8,223 at most, in 400 bytes
			t.Errorf("%q: %.0f allocations", unit, n)
		}
	}
}

func FuzzCompare(f *testing.F) {
	for _, p := range goldenPairs(f) {
		f.Add(p.question, p.gold, p.value)
	}
	f.Fuzz(func(t *testing.T, question, gold, value string) {
		r := NewReference(gold, Context{Question: question, Rivals: []string{value}})
		r.Compare(value)
		r = NewReference(gold, Context{Question: question})
		r.Compare(value)
		both(gold, value, question)
		if got, why := r.Compare(gold); len(gold) <= maxValue && r.Kind == NameKind && got != Same && len(r.names) > 0 &&
			len(r.names[0]) < maxTokens {
			t.Errorf("%q is %s to itself: %s", gold, got, why)
		}
	})
}

func BenchmarkNewReference(b *testing.B) {
	words()
	for b.Loop() {
		NewReference("Charles Darwin", Context{Question: "Who wrote On the Origin of Species?"})
	}
}

func BenchmarkCompare(b *testing.B) {
	for _, c := range [][3]string{{"Who wrote On the Origin of Species?", "Charles Darwin", "Darwin"},
		{"What is the capital of France?", "Paris", "Lyon"}, {"What is the capital of the United States?", "Washington, D.C.",
			"Washington, District of Columbia"}} {
		r := NewReference(c[1], Context{Question: c[0]})
		b.Run(c[2], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Compare(c[2])
			}
		})
	}
}
