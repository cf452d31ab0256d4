package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A piece is a part of a text, and whether the other text has other words in its place.
type piece struct {
	Text    string
	Differs bool
}

// Bounds on what a word by word comparison reads and shows of a text.
const (
	shownOfBoth = 1200 // characters of an answer beside another
	leadOfBoth  = 160  // that stay before the first difference, where the beginning is left out
	mostWords   = 400  // compared one by one: beyond, the rest is one word
)

// wordDiff compares two hostile texts word by word and returns each in pieces, visible and cut: those that differ are
// what a longest common subsequence of the words leaves over. Where both begin alike and one is long, the beginning is
// left out but for some words before the first difference. Words are what white space parts, and each letter of a
// script that writes without spaces. What it takes is bounded by the bounds above, whatever the texts are.
func wordDiff(base, other string) (a, b []piece) {
	base, other = shortened(base, other)
	x, y := wordsOf(base), wordsOf(other)
	same := make([][2]int, 0, len(x)) // the common words, by their places
	start := 0
	for start < len(x) && start < len(y) && alikeWords(x[start], y[start]) {
		same = append(same, [2]int{start, start})
		start++
	}
	n, m := len(x), len(y)
	for n > start && m > start && alikeWords(x[n-1], y[m-1]) {
		n, m = n-1, m-1
	}
	for _, p := range common(x[start:n], y[start:m]) {
		same = append(same, [2]int{start + p[0], start + p[1]})
	}
	for i := n; i < len(x); i++ {
		same = append(same, [2]int{i, i - n + m})
	}
	return pieces(x, same, 0), pieces(y, same, 1)
}

// shortened returns both texts as they are compared: without most of a long common beginning, visible, and cut.
func shortened(base, other string) (string, string) {
	if max(len(base), len(other)) > shownOfBoth {
		alike, back := 0, 0
		for alike < len(base) && alike < len(other) && base[alike] == other[alike] {
			alike++
		}
		from := max(0, alike-leadOfBoth)
		for ; from > 0 && back < 40 && base[from-1] != ' '; back++ { // to where a word begins
			from--
		}
		for from > 0 && !utf8.RuneStart(base[from]) { // before alike, so that other has the same bytes
			from--
		}
		if from > leadOfBoth {
			base, other = "… "+base[from:], "… "+other[from:]
		}
	}
	return ended(base), ended(other)
}

// ended is a text cut at the bound, which it says, and visible.
func ended(s string) string {
	shown, left := cut(s, shownOfBoth)
	if left > 0 {
		shown += " … " + grouped(left) + " more characters"
	}
	return Visible(strings.TrimSpace(shown))
}

// wordsOf parts a text into words, each with the white space behind it; the last holds what is beyond the bound.
func wordsOf(s string) (words []string) {
	begin, space := 0, false
	for i, r := range s {
		alone := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
			unicode.Khmer)
		if i > begin && (space && !unicode.IsSpace(r) || alone) {
			words, begin = append(words, s[begin:i]), i
			if len(words) == mostWords-1 {
				break
			}
		}
		space = unicode.IsSpace(r) || alone
	}
	if begin < len(s) {
		words = append(words, s[begin:])
	}
	return words
}

func alikeWords(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// common returns the places of a longest common subsequence of two lists of words, by the table of the lengths of those
// of their ends.
func common(x, y []string) (same [][2]int) {
	if len(x) == 0 || len(y) == 0 {
		return nil
	}
	width := len(y) + 1
	length := make([]uint16, (len(x)+1)*width)
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			best := max(length[(i+1)*width+j], length[i*width+j+1])
			if alikeWords(x[i], y[j]) {
				best = length[(i+1)*width+j+1] + 1
			}
			length[i*width+j] = best
		}
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case alikeWords(x[i], y[j]):
			same = append(same, [2]int{i, j})
			i, j = i+1, j+1
		case length[(i+1)*width+j] >= length[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return same
}

// pieces joins the words of one side, those of same apart from the others.
func pieces(words []string, same [][2]int, side int) (out []piece) {
	kept := make([]bool, len(words))
	for _, p := range same {
		kept[p[side]] = true
	}
	for i, w := range words {
		if n := len(out); n > 0 && out[n-1].Differs == !kept[i] {
			out[n-1].Text += w
		} else {
			out = append(out, piece{w, !kept[i]})
		}
	}
	return out
}

// marked writes pieces in one line of text, those that differ between two marks.
func marked(list []piece, before, behind string, write func(string) string) string {
	var b strings.Builder
	for _, p := range list {
		text := strings.TrimRightFunc(p.Text, unicode.IsSpace)
		space := ""
		if len(text) < len(p.Text) {
			space = " "
		}
		if p.Differs && text != "" {
			b.WriteString(before + write(text) + behind + space)
		} else {
			b.WriteString(write(text) + space)
		}
	}
	return strings.TrimSpace(b.String())
}
