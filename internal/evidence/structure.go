package evidence

import (
	"hallmark/internal/arithmetic"
	"strings"
	"unicode"
)

// WordCount returns the number of words: runs between blanks that hold a letter or digit.
func WordCount(plain string) int {
	n := 0
	for _, f := range strings.Fields(plain) {
		if strings.IndexFunc(f, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) >= 0 {
			n++
		}
	}
	return n
}

// Bullets returns the items of the outermost list of a text: lines that open with -, *, •, +, a dash, or a number or letter with a
// point or bracket.
func Bullets(plain string) (items []string) {
	least := len(plain) // the indent of the outermost list
	for line := range strings.Lines(plain) {
		trimmed := strings.TrimLeft(line, " \t")
		indent := len(line) - len(trimmed)
		text, ok := bulletText(strings.TrimSpace(trimmed))
		if !ok || indent > least {
			continue
		}
		if indent < least {
			least, items = indent, nil
		}
		items = append(items, text)
	}
	return items
}

func bulletText(line string) (string, bool) {
	for _, mark := range []string{"- ", "* ", "+ ", "• ", "•", "‣ ", "◦ ", "– ", "— ", "· "} {
		if text, ok := strings.CutPrefix(line, mark); ok && text != "" {
			return strings.TrimSpace(text), true
		}
	}
	rest := strings.TrimPrefix(line, "(")
	n := 0
	for n < len(rest) && n < 3 && isDigit(rest[n]) {
		n++
	}
	if n == 0 && len(rest) > 1 && rest[0]|0x20 >= 'a' && rest[0]|0x20 <= 'z' && (rest[1] == ')' || rest[1] == '.' && rest[0] >= 'a') {
		n = 1
	}
	if n == 0 || n+1 >= len(rest) || rest[n] != '.' && rest[n] != ')' || rest[n+1] != ' ' {
		return "", false
	}
	return strings.TrimSpace(rest[n+2:]), true
}

var stepping = Listed("step") // opens a step

// Steps returns the steps that a text shows: the items of its list; else the lines or sentences that open with "Step", an ordinal word
// or "then"; else its equalities; else the links of a chain a → b → c.
func (t *Text) Steps() []string {
	if b := Bullets(t.Plain); len(b) > 1 {
		return b
	}
	var steps []string
	for i, s := range t.Sentences {
		if stepping[t.Words[s.Words.Start].Fold] {
			steps = append(steps, t.Sentence(i))
		}
	}
	if len(steps) > 1 {
		return steps
	}
	var lines []string
	for line := range strings.Lines(t.Plain) {
		if strings.ContainsAny(line, "=→") && strings.ContainsAny(line, "0123456789") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if len(lines) == 1 {
		// One line that chains: each arrow or equality is a step.
		if links := strings.Split(lines[0], "→"); len(links) > 1 {
			return links[1:]
		}
		if eqs := arithmetic.Equalities(t.Plain); len(eqs) > 1 {
			lines = lines[:0]
			for _, e := range eqs {
				lines = append(lines, e.Text)
			}
		}
	}
	if len(lines) > 0 {
		return lines
	}
	return steps
}
