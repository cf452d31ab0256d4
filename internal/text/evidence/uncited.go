package evidence

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/base/pattern"
)

// What cites: the number of a source in brackets, a bracket that opens with a word for sources or an address, names
// and a year in a bracket, an address, and lists of sources at the end.
var (
	citedNumber = pattern.New(`[ \t]*(?:\[\^?[0-9]{1,3}(?:[ ]?[,;–-][ ]?[0-9]{1,3})*\]|【[^】\n]{1,40}】)`, "[", "【")
	citedBy     = pattern.New(`(?i)^(?:` + AnyOf("cites by") + `)[ .:,]|` +
		`^(?:https?://|www\.|doi:|(?:pp?\.?|pages?) ?[0-9])|, pp?\. ?[0-9]|\bet al\b`)
	citedYear = pattern.New(`^\p{Lu}[\p{L}.'’-]*` +
		`(?:,? (?:&|and|of|the|\p{Lu}[\p{L}.'’-]*|(?:vol|no)\. ?[0-9]+|[0-9]{1,2})){0,7}` +
		`,? (?:1[5-9]|20)[0-9]{2}[a-z]?$`)
	// A quoted title and a year, in a bracket.
	citedTitle = pattern.New(`["“«][^"”»]{3,}["”»].*\b(?:1[5-9]|20)[0-9]{2}\b`)
	address    = pattern.New(`(?i)\(?(?:\bhttps?://|\bwww\.|\bdoi:)[^\s)\]]+\)?`, "http", "www.", "doi:")
	linked     = pattern.New(`\[([^\]\n]{1,200})\]\((?:https?://|www\.)[^\s)]*\)`, "](")
	note       = pattern.New(`(?m)^[ \t]*\[\^?[0-9]{1,3}\]:?[ \t].*$`, "[")
	references = pattern.New(`(?im)^[ \t#*_]*(?:`+AnyOf("references")+`)[*_]*[ \t]*(?::|\n)`, ":", "\n")
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
	s = behind(s, brackets, func(_, bracket string) bool {
		in := strings.Trim(bracket, " \t()[]*_")
		first, _, _ := strings.Cut(strings.ToLower(in), " ")
		return citedBy.MatchString(in) || citedTitle.MatchString(in) || named && citedYear.MatchString(in) &&
			!Listed("cites not")[strings.Trim(first, ".,")] &&
			(!dated || strings.ContainsAny(brackets.ReplaceAllString(s, ""), "0123456789"))
	})
	s = behind(s, address, func(string, string) bool { return true })
	return strings.TrimRight(s, " \t\r\n")
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
var brackets = pattern.New(`[ \t]*(?:\([^()\n]{2,160}\)|\[[^\[\]\n]{2,160}\])`, "[", "(")

// behind takes out the matches of a pattern that cite, but none before the first word of a text.
func behind(s string, pattern pattern.Pattern, cites func(before, match string) bool) string {
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

// What parts a text where a source may begin: the end of a line or a sentence, a dash, a bracket, and words that hand
// over to who says so.
var (
	partEnd = pattern.New(`\n+|[.!?]["”’)\]*_]*[ \t]+|[ \t]+[—–-]{1,3}[ \t]+|[ \t]*[(\[⟦【{]|[)\]⟧】}]|` +
		`,? (?:` + AnyOf("hands over") + `) |[,;] (?:` + AnyOf("sends to") + `) `)
	// Who says so, before what is said and behind it.
	saidBy = pattern.New(`(?i)^[^\p{L}\p{N}]*(?:`+AnyOf("according to")+`) [^,\n]{2,80}, |`+
		`,? (?:`+AnyOf("said by")+`) [^,.;\n]{2,80}`, strings.Split(AnyOf("according to")+"|"+AnyOf("said by"), "|")...)
	opensSource = pattern.New(`(?i)^[^\p{L}\p{N}]*(?:[0-9]{1,3}[^\p{L}\p{N}]+)?(?:` + AnyOf("cites by") + `)\b[ .:,]`)
	pageOf      = pattern.New(`(?i)\b(?:`+AnyOf("part of a work")+`)\. ?[0-9]|\b[0-9]+ ?\([0-9]+\)[:,]|\bisbn\b|`+
		`\bdoi\b`, "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "isbn", "doi")
	yearOf    = pattern.New(`\b(?:1[5-9]|20)[0-9]{2}[a-z]?\b`, "15", "16", "17", "18", "19", "20")
	titleOf   = pattern.New(`(?:^|[^*_])[*_][^*_\n]{4,}[*_](?:$|[^*_])|["“«][^"”»\n]{4,}["”»]`, "*", "_", `"`, "“", "«")
	authorsOf = pattern.New(`\p{L} & \p{Lu}|\bet al\b|\b\p{Lu}\., \p{Lu}`, " & ", "et al", "., ")
	initialOf = pattern.New(`, \p{Lu}\.(?:[ ,:;]|$)`, ", ")
	// In a text of which no part may look like a source there is none of these.
	sourceSign = []pattern.Pattern{yearOf, pageOf, titleOf, authorsOf, pattern.New(`, \p{Lu}\.`, ", "),
		pattern.New(`(?i)(?:^|[^\p{L}\p{N}])(?:`+AnyOf("cites by")+`)\b`, strings.Split(AnyOf("cites by"), "|")...)}
)

// Unsourced returns a text without the parts of it that look like a source: a part behind the first word, that has no
// verb, and has two of a year, a volume or page, a title in quotes or italics, authors, and three words with a capital;
// or that opens with a word for sources and has one of these; and without who says so ("according to Smith"), but where
// nothing else is said. It is for telling whether such a part decides what an
// answer says, not for reading it: "Marx and Engels, Manifesto, 1848" may be a source or the answer.
func Unsourced(text string) string {
	if !strings.ContainsAny(text, " \t\n()[]{}⟦⟧【】") {
		return text
	}
	if bare := saidBy.ReplaceAllString(text, ""); strings.IndexFunc(bare, inWord) >= 0 {
		text = bare
	}
	if !slices.ContainsFunc(sourceSign, func(p pattern.Pattern) bool { return p.MatchString(text) }) {
		return text
	}
	var out strings.Builder
	from := 0
	keep := func(to int, separator string) {
		if part := text[from:to]; strings.IndexFunc(out.String(), inWord) < 0 || !likeSource(part) {
			out.WriteString(part + separator)
		}
	}
	for _, m := range partEnd.FindAllStringIndex(text, -1) {
		if m[0] < from || within(text, m) {
			continue
		}
		separator := text[m[0]:m[1]]
		if strings.HasSuffix(separator, " ") && strings.ContainsFunc(separator, unicode.IsLetter) {
			separator, m[1] = "", m[0] // who says so belongs to what is said
		}
		keep(m[0], separator)
		from = m[1]
	}
	keep(len(text), "")
	return out.String()
}

// within reports whether a mark that ends sentences stands within one: behind a letter alone, or before a number or
// a small letter, as in "J. Smith, vol. 7".
func within(text string, m []int) bool {
	if !strings.ContainsAny(text[m[0]:m[0]+1], ".!?") {
		return false
	}
	word := text[strings.LastIndexAny(text[:m[0]], " \t\n(")+1 : m[0]]
	next, _ := utf8.DecodeRuneInString(text[m[1]:])
	return utf8.RuneCountInString(word) == 1 && inWord([]rune(word)[0]) && !unicode.IsDigit([]rune(word)[0]) ||
		unicode.IsDigit(next) || unicode.IsLower(next)
}

// likeSource reports whether a part of a text looks like a source.
func likeSource(part string) bool {
	capitals := 0
	for _, word := range strings.Fields(part) {
		word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
		if Listed("no source")[strings.ToLower(word)] {
			return false
		}
		if first, _ := utf8.DecodeRuneInString(word); unicode.IsUpper(first) && len(word) > 1 {
			capitals++
		}
	}
	signs := 0
	for _, has := range []bool{
		yearOf.MatchString(part), pageOf.MatchString(part), titleOf.MatchString(part),
		authorsOf.MatchString(part) || initialOf.MatchString(part), capitals > 2,
	} {
		if has {
			signs++
		}
	}
	return signs > 1 || signs > 0 && opensSource.MatchString(part)
}
