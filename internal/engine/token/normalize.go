package token

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A normalizer changes a text before it is split.
type normalizer struct {
	form     *norm.Form // a Unicode form, or nil
	from, to string     // a replacement, if from is not empty; else to comes before the text
}

// The bounds of what a file may ask for: a text grows at most by maxReplace bytes for each of its own, in each step.
const (
	maxReplace     = 16
	maxNormalizers = 8
	maxGrowth      = 64 // of a text by all steps together
)

var forms = map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}

// normalizers reads the normalizer of a file.
func normalizers(c *Component) ([]normalizer, error) {
	var out []normalizer
	for _, n := range c.Flat() {
		form, known := forms[n.Type]
		switch {
		case known:
			out = append(out, normalizer{form: &form})
		case n.Type == "Prepend" && n.Prepend != nil && len(*n.Prepend) <= maxReplace:
			out = append(out, normalizer{to: *n.Prepend})
		case n.Type == "Replace":
			from, to, err := n.replacement()
			if err != nil {
				return nil, fmt.Errorf("normalizer: %w", err)
			}
			out = append(out, normalizer{from: from, to: to})
		default:
			return nil, fmt.Errorf("normalizer is %q, want NFC, NFD, NFKC, NFKD, Prepend, Replace or none", n.Type)
		}
	}
	if len(out) > maxNormalizers {
		return nil, fmt.Errorf("normalizer has %d steps, want at most %d", len(out), maxNormalizers)
	}
	return out, nil
}

// replacement reads a Replace.
func (c Component) replacement() (from, to string, err error) {
	if c.Pattern == nil || c.Pattern.String == "" || c.Content == nil || len(*c.Content) > maxReplace {
		return "", "", fmt.Errorf(
			"a Replace needs pattern.String and content of at most %d bytes; a Regex is not computed", maxReplace)
	}
	return c.Pattern.String, *c.Content, nil
}

// normalized is x after all normalizers. A text that follows another gets nothing before it.
func (t *Tokenizer) normalized(x source, follows bool) (source, error) {
	most := maxGrowth*len(x.text) + 1024
	for _, n := range t.normalize {
		switch {
		case n.form != nil:
			x = x.inForm(*n.form)
		case n.from != "":
			x = x.replace(n.from, n.to)
		case x.text != "" && !follows:
			x.text = n.to + x.text
			if x.foreign != nil {
				x.foreign = slices.Concat(make([]bool, len(n.to)), x.foreign)
			}
		}
		if len(x.text) > most {
			return x, fmt.Errorf("token: the normalizer makes more than %d bytes of %d", maxGrowth,
				(most-1024)/maxGrowth)
		}
	}
	return x, nil
}

func (x source) replace(from, to string) source {
	if !strings.Contains(x.text, from) {
		return x
	}
	text := strings.ReplaceAll(x.text, from, to)
	if x.foreign != nil {
		foreign := make([]bool, 0, len(text))
		for i := 0; i < len(x.text); {
			if strings.HasPrefix(x.text[i:], from) {
				foreign = append(foreign, slices.Repeat([]bool{slices.Contains(x.foreign[i:i+len(from)], true)},
					len(to))...)
				i += len(from)
			} else {
				foreign = append(foreign, x.foreign[i])
				i++
			}
		}
		x.foreign = foreign
	}
	x.text = text
	return x
}

// inForm is x in a Unicode form. What comes of a run of characters that affect each other is foreign if any of them is.
func (x source) inForm(form norm.Form) source {
	if form.IsNormalString(x.text) && !longRun(x.text) {
		return x
	}
	var b strings.Builder
	var foreign []bool
	for rest, at := x.text, 0; rest != ""; {
		n := run(form, rest)
		s := normalForm(form, rest[:n])
		b.WriteString(s)
		if x.foreign != nil {
			foreign = append(foreign, slices.Repeat([]bool{slices.Contains(x.foreign[at:at+n], true)}, len(s))...)
		}
		rest, at = rest[n:], at+n
	}
	x.text, x.foreign = b.String(), foreign
	return x
}

// maxMarks is the number of marks after which x/text puts a joiner into a run, as the Stream-Safe Text Format of
// UAX #15 asks for, and Hugging Face's tokenizers do not.
const maxMarks = 30

// longRun reports whether s may have a run of that many marks.
func longRun(s string) bool {
	marks := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			marks = 0
			i++
			continue
		}
		p := norm.NFD.PropertiesString(s[i:])
		if p.CCC() == 0 {
			marks = 0
		} else if marks++; marks > maxMarks-2 { // a letter may hold two more
			return true
		}
		i += p.Size()
	}
	return false
}

// run is the length of the characters at the start of s that a form may reorder or compose with each other.
func run(form norm.Form, s string) int {
	n := 0
	for n < len(s) {
		p := form.PropertiesString(s[n:])
		if n > 0 && p.BoundaryBefore() {
			break
		}
		n += max(p.Size(), 1)
	}
	return n
}

// normalForm is a run in a form: x/text's, or by the definition of UAX #15 where x/text would put a joiner in.
func normalForm(form norm.Form, s string) string {
	if !longRun(s) {
		return form.String(s)
	}
	return byDefinition(form, s)
}

func byDefinition(form norm.Form, s string) string {
	decomposed := norm.NFD
	if form == norm.NFKC || form == norm.NFKD {
		decomposed = norm.NFKD
	}
	var runes []rune
	for _, r := range s {
		runes = append(runes, []rune(decomposed.String(string(r)))...)
	}
	class := func(r rune) uint8 { return norm.NFD.PropertiesString(string(r)).CCC() }
	for i := 0; i < len(runes); { // marks in the order of their classes
		j := i + 1
		for j < len(runes) && class(runes[j]) > 0 {
			j++
		}
		from := i
		if class(runes[i]) == 0 {
			from++
		}
		slices.SortStableFunc(runes[from:j], func(a, b rune) int { return int(class(a)) - int(class(b)) })
		i = j
	}
	if form == norm.NFD || form == norm.NFKD {
		return string(runes)
	}
	starter, last := -1, uint8(0) // where marks go; the class of the last mark that did not
	out := runes[:0]
	for _, r := range runes {
		c := class(r)
		if starter >= 0 && (last < c || last == 0 && len(out) == starter+1) {
			if one := []rune(norm.NFC.String(string([]rune{out[starter], r}))); len(one) == 1 {
				out[starter] = one[0]
				continue
			}
		}
		if c == 0 {
			starter, last = len(out), 0
		} else {
			last = c
		}
		out = append(out, r)
	}
	return string(out)
}
