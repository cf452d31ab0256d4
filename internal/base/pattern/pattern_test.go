package pattern

import (
	"regexp"
	"slices"
	"sync"
	"testing"
)

// Every method says what the method of regexp.Regexp says, with signs and without.
func TestPattern(t *testing.T) {
	check(t, `(\w)(\d)`, []string{"1", "2", "3"}, "", "a", "a1", "a1 b2 é3")
	check(t, `(?i)(s)(k)`, []string{"sk"}, "", "s-k", "SK", "a sK Sk", "ſk", "sK")
}

func check(t *testing.T, expression string, signs []string, texts ...string) {
	t.Helper()
	re := regexp.MustCompile(expression)
	for i := range 2 * len(texts) {
		p, s := New(expression, signs[:i%2*len(signs)]...), texts[i/2]
		if p.MatchString(s) != re.MatchString(s) || p.FindString(s) != re.FindString(s) ||
			!slices.Equal(p.FindStringIndex(s), re.FindStringIndex(s)) ||
			!slices.Equal(p.FindStringSubmatch(s), re.FindStringSubmatch(s)) ||
			!slices.Equal(p.FindStringSubmatchIndex(s), re.FindStringSubmatchIndex(s)) ||
			!slices.Equal(p.FindAllString(s, -1), re.FindAllString(s, -1)) ||
			!slices.EqualFunc(p.FindAllStringIndex(s, 1), re.FindAllStringIndex(s, 1), slices.Equal) ||
			!slices.EqualFunc(p.FindAllStringSubmatch(s, -1), re.FindAllStringSubmatch(s, -1), slices.Equal) ||
			!slices.EqualFunc(p.FindAllStringSubmatchIndex(s, -1), re.FindAllStringSubmatchIndex(s, -1), slices.Equal) ||
			p.ReplaceAllString(s, "$2$1") != re.ReplaceAllString(s, "$2$1") ||
			p.ReplaceAllStringFunc(s, func(string) string { return "x" }) != re.ReplaceAllString(s, "x") ||
			p.Regexp().String() != re.String() {
			t.Errorf("%q: another result than of package regexp", s)
		}
	}
}

// A pattern is compiled once, however many use it at the same time, and a malformed one panics at each use only.
func TestPatternFirstUse(t *testing.T) {
	p := New(`a+`)
	var all sync.WaitGroup
	got := make([]*regexp.Regexp, 8)
	for i := range got {
		all.Go(func() { got[i] = p.Regexp() })
	}
	all.Wait()
	if slices.ContainsFunc(got, func(re *regexp.Regexp) bool { return re != got[0] }) {
		t.Error("compiled several times")
	}
	malformed := New(`(`)
	for range 2 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a malformed pattern was used")
				}
			}()
			malformed.MatchString("")
		}()
	}
}
