package evidence

import (
	"regexp"
	"strings"
)

// What cites: the number of a source in brackets, a bracket that opens with a word for sources or an address, names
// and a year in a bracket, an address, and lists of sources at the end.
var (
	citedNumber = regexp.MustCompile(`[ \t]*(?:\[\^?[0-9]{1,3}(?:[ ]?[,;–-][ ]?[0-9]{1,3})*\]|【[^】\n]{1,40}】)`)
	citedBy     = regexp.MustCompile(`(?i)^(?:` + AnyOf("cites by") + `)[ .:,]|` +
		`^(?:https?://|www\.|doi:|(?:pp?\.?|pages?) ?[0-9])|, pp?\. ?[0-9]|\bet al\b`)
	citedYear = regexp.MustCompile(`^\p{Lu}[\p{L}.'’-]*` +
		`(?:,? (?:&|and|of|the|\p{Lu}[\p{L}.'’-]*|(?:vol|no)\. ?[0-9]+|[0-9]{1,2})){0,7}` +
		`,? (?:1[5-9]|20)[0-9]{2}[a-z]?$`)
	// A quoted title and a year, in a bracket.
	citedTitle = regexp.MustCompile(`["“«][^"”»]{3,}["”»].*\b(?:1[5-9]|20)[0-9]{2}\b`)
	address    = regexp.MustCompile(`(?i)\(?(?:\bhttps?://|\bwww\.|\bdoi:)[^\s)\]]+\)?`)
	linked     = regexp.MustCompile(`\[([^\]\n]{1,200})\]\((?:https?://|www\.)[^\s)]*\)`)
	note       = regexp.MustCompile(`(?m)^[ \t]*\[\^?[0-9]{1,3}\]:?[ \t].*$`)
	references = regexp.MustCompile(`(?im)^[ \t#*_]*(?:` + AnyOf("references") + `)[*_]*[ \t]*(?::|\n)`)
)

// Uncited returns a text without what it cites: "Canberra [1]", "Canberra (Smith 2019, p. 4)", "12 million (source:
// World Bank)", addresses, notes, and a list of sources behind it; what a source is called or dated is no part of an
// answer's value. Names and a year in a bracket are left where named is false. Nothing that the text begins with is
// taken off, nor a number in brackets behind "is" or a mark, which is a value.
// A bracket with no more than names and a year stays where the rest of the text holds no number and dated says that one
// may be the answer: "the battle of Waterloo (Belgium, 1815)".
func Uncited(text string, named, dated bool) string {
	s := linked.ReplaceAllString(text, "$1")
	if m := references.FindStringIndex(s); m != nil && strings.IndexFunc(s[:m[0]], inWord) >= 0 {
		s = s[:m[0]]
	}
	s = withoutFootnotes(s)
	s = behind(s, note, func(string, string) bool { return true })
	s = behind(s, citedNumber, func(before, _ string) bool {
		before = strings.TrimRight(before, " \t*_")
		last := strings.ToLower(before[strings.LastIndexAny(before, " \t\n")+1:])
		return !strings.ContainsAny(before[max(0, len(before)-1):], ":=([,") && !Listed("values")[last]
	})
	bare := brackets.ReplaceAllString(s, "")
	s = behind(s, brackets, func(_, bracket string) bool {
		in := strings.Trim(bracket, " \t()[]*_")
		first, _, _ := strings.Cut(strings.ToLower(in), " ")
		return citedBy.MatchString(in) || citedTitle.MatchString(in) || named && citedYear.MatchString(in) &&
			!Listed("cites not")[strings.Trim(first, ".,")] && (!dated || strings.ContainsAny(bare, "0123456789"))
	})
	return strings.TrimRight(behind(s, address, func(string, string) bool { return true }), " \t\r\n")
}

// withoutFootnotes cuts a text where a mark that stands behind a word of it opens a note: "King Lear⁵ ⁵ Wilson, 1935".
func withoutFootnotes(s string) string {
	for _, mark := range []string{"†", "‡", "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"} {
		i := strings.Index(s, mark)
		if i <= 0 || strings.ContainsAny(s[i-1:i], " \t\n") {
			continue
		}
		for _, before := range []string{"\n", " "} {
			if k := strings.Index(s[i:], before+mark); k >= 0 {
				s = s[:i+k]
				break
			}
		}
	}
	return s
}

// brackets are short brackets with what stands before them.
var brackets = regexp.MustCompile(`[ \t]*(?:\([^()\n]{2,160}\)|\[[^\[\]\n]{2,160}\])`)

// behind takes out the matches of a pattern that cite, but none before the first word of a text.
func behind(s string, pattern *regexp.Regexp, cites func(before, match string) bool) string {
	first := strings.IndexFunc(s, inWord)
	var out strings.Builder
	from := 0
	for _, m := range pattern.FindAllStringIndex(s, -1) {
		if first >= 0 && first < m[0] && cites(s[:m[0]], s[m[0]:m[1]]) {
			out.WriteString(s[from:m[0]])
			from = m[1]
		}
	}
	out.WriteString(s[from:])
	return out.String()
}
