package oracle

import (
	"slices"
	"strings"

	"hallmark/internal/reading"
)

// rivals returns the options that a question names beside its gold, as in "Which lies further west, Lisbon or Dublin?" and "Is it lead, zinc or
// gallium?": none where the gold is none of the words around its last "or".
func rivals(prompt string, accept []string) []string {
	prompt = strings.TrimRight(prompt, " ?.!")
	at := strings.LastIndex(prompt, " or ")
	if at < 0 || len(accept) != 1 {
		return nil
	}
	left, right := prompt[:at], prompt[at+len(" or "):]
	listed := false // a comma or colon says where the options begin
	if i := strings.LastIndexAny(left, ":;?"); i >= 0 {
		left, listed = left[i+1:], true
	}
	parts := strings.Split(left, ",")
	if right, _, _ = strings.Cut(right, ","); len(parts) > 1 && !listed {
		parts, listed = parts[1:], true
	}
	asks := func(p string) bool {
		return slices.ContainsFunc(content(p), func(w string) bool { return reading.Is(w, "wh") })
	}
	for i := len(parts) - 2; i >= 0; i-- { // "which weighs more, the shot" begins its list behind the question word
		if asks(parts[i]) {
			parts = parts[i+1:]
			break
		}
	}
	gold := content(accept[0])
	if len(gold) == 0 {
		return nil
	}
	last := strings.Fields(parts[len(parts)-1])
	next := strings.Fields(right)
	var found []string
	switch {
	case slices.Equal(content(right), gold) || prefix(content(right), gold):
		if k := len(gold) + int(flag(len(next) > 0 && reading.Is(strings.ToLower(next[0]), "article"))); !listed {
			last = last[max(0, len(last)-k):]
		}
		found = append(found, strings.Join(last, " "))
	case slices.Equal(content(strings.Join(last, " ")), gold) || !listed && suffix(content(strings.Join(last, " ")), gold):
		if !listed && len(next) > len(gold)+1 {
			next = next[:len(gold)+1]
		}
		found = append(found, strings.Join(next, " "))
	case slices.ContainsFunc(parts[:len(parts)-1], func(p string) bool { return slices.Equal(content(p), gold) }):
		found = append(found, strings.Join(last, " "), right)
	default:
		return nil
	}
	for _, p := range parts[:len(parts)-1] {
		found = append(found, strings.TrimSpace(p))
	}
	const most = 6 // words of an option
	return slices.DeleteFunc(found, func(p string) bool {
		c := content(p)
		return len(c) == 0 || len(c) > most || slices.Equal(c, gold)
	})
}

// content are the words of a text in small letters, without articles and marks.
func content(s string) (words []string) {
	for _, w := range strings.Fields(strings.ToLower(s)) {
		if w = strings.Trim(w, `"'“”‘’().,:;!?`); w != "" && !reading.Is(w, "article") {
			words = append(words, w)
		}
	}
	return words
}

func prefix(words, of []string) bool {
	return len(words) >= len(of) && slices.Equal(words[:len(of)], of)
}

func suffix(words, of []string) bool {
	return len(words) >= len(of) && slices.Equal(words[len(words)-len(of):], of)
}
