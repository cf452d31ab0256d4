package evidence

import (
	"strings"

	"hallmark/internal/base/pattern"
	"hallmark/internal/text/arithmetic"
)

// WordCount returns the number of words: runs between blanks that hold a letter or digit.
func WordCount(plain string) int {
	n := 0
	for _, f := range strings.Fields(plain) {
		if strings.IndexFunc(f, inWord) >= 0 {
			n++
		}
	}
	return n
}

var bullet = pattern.New(`(?m)^([ \t]*)(?:[-*+‣◦–—·] |•|\(?(?:[0-9]{1,3}[.)]|[a-z][.)]|[A-Z]\)) )(.*\S)`)

// Bullets returns the items of the outermost list of a text: lines that open with -, *, •, +, a dash, or a number
// or letter with a point or bracket.
func Bullets(plain string) (items []string) {
	least := len(plain) // the indent of the outermost list
	for _, m := range bullet.FindAllStringSubmatch(plain, -1) {
		if len(m[1]) < least {
			least, items = len(m[1]), nil
		}
		if len(m[1]) == least {
			items = append(items, strings.TrimSpace(m[2]))
		}
	}
	return items
}

// Steps returns the steps that a text shows: the items of its list; else the sentences that open with "Step", an
// ordinal word or "then"; else the lines with equalities; else the links of a chain a → b → c, or equalities in one
// line.
func (t *Text) Steps() []string {
	var opened, lines, equal []string
	for i, s := range t.Sentences {
		if t.Is(s.Words.Start, "step") {
			opened = append(opened, t.Sentence(i))
		}
	}
	for line := range strings.Lines(t.Plain) {
		if strings.ContainsAny(line, "=→") && strings.ContainsAny(line, "0123456789") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	for _, e := range arithmetic.Equalities(t.Plain) {
		equal = append(equal, e.Text)
	}
	for _, steps := range [][]string{Bullets(t.Plain), opened, lines, strings.Split(t.Plain, "→")[1:], equal} {
		if len(steps) > 1 {
			return steps
		}
	}
	return lines
}
