package paraphrase

import (
	"slices"
	"strings"
	"unicode"

	"hallmark/internal/base/pattern"
	"hallmark/internal/text/evidence"
)

// A Candidate is a text in other words, and the rule that made it.
type Candidate struct {
	Text string
	Rule string // syntax, synonym, syntax and synonym, opening
}

// Openings stand before a question and change nothing of it.
var Openings = []string{"Please answer: ", "Question: ", "I would like to know: ", "A question: ",
	"Could you tell me this? ", "Tell me: ",
	"Here is my question. ", "Please: ", "I ask you: ", "Answer this: ", "My question is: ", "One question: ",
	"Let me ask: ", "I wonder: ", "Next: ", "So: "}

// maxRules bounds the candidates of one text.
const maxRules = 4000

// ways are candidates of one text so far, at most so many, none twice.
type ways struct {
	out  []Candidate
	seen map[string]bool
	most int
}

func (w *ways) full() bool { return len(w.out) >= min(w.most, maxRules) }

func (w *ways) add(s, rule string) {
	if w.full() {
		return
	}
	if k := Normal(s); !w.seen[k] {
		w.seen[k] = true
		w.out = append(w.out, Candidate{s, rule})
	}
}

// Rules says an English text in other words, in up to so many ways: the likeliest to be good English first, so that
// asking for more only adds. In this order: in turn, other forms of its last sentence (a question becomes a request
// or an indirect question and the other way round, a passive becomes active, a date moves to the front) and single
// words or phrases by others that mean the same; then both together; and, for a text that asks, openings before it.
// Nothing is drawn. A text of which no rule knows anything, or that is too long, gets none but openings. Not every
// candidate is good: hold each against the text with a Checker.
func Rules(text string, most int) []Candidate {
	if len(text) > MaxText || strings.TrimSpace(text) == "" {
		return nil
	}
	w := &ways{seen: map[string]bool{Normal(text): true}, most: most}
	lead, asked, tail := parts(text)
	forms := reworked(asked)
	swaps := swapsIn(text)
	for i := range max(len(forms), len(swaps)) { // in turn, two forms and a word
		for _, f := range forms[min(2*i, len(forms)):min(2*i+2, len(forms))] {
			w.add(lead+f+tail, "syntax")
		}
		if i < len(swaps) {
			w.add(swaps[i].in(text), "synonym")
		}
	}
	for _, f := range forms {
		if w.full() {
			return w.out
		}
		whole := lead + f + tail
		for _, s := range swapsIn(whole) {
			w.add(s.in(whole), "syntax and synonym")
		}
	}
	for i, s := range swaps { // two at once
		if w.full() {
			return w.out
		}
		for _, v := range swaps[i+1:] {
			if v.at >= s.at+len(s.from) {
				w.add(s.in(v.in(text)), "synonym")
			}
		}
	}
	if all := everySwap(text, swaps); all != text {
		w.add(all, "synonym")
	}
	if asks(asked) {
		w.open(text, Openings)
		for _, f := range forms {
			if strings.HasSuffix(f, "?") {
				w.open(lead+f+tail, Openings[:6])
			}
		}
	}
	return w.out
}

func (w *ways) open(text string, openings []string) {
	for _, o := range openings {
		w.add(o+text, "opening")
	}
}

// parts cuts a text before its last sentence. Where it is not plain text, such as LaTeX, or has marks that reading
// drops, it is one part.
func parts(text string) (lead, asked, tail string) {
	body := strings.TrimRightFunc(text, unicode.IsSpace)
	tail = text[len(body):]
	t := evidence.Read(body)
	n := len(t.Sentences)
	if t.Plain != body || n < 2 {
		return "", body, tail
	}
	at := t.Words[t.Sentences[n-1].Words.Start].Start
	for at > 0 && strings.ContainsRune("\"'(“‘", rune(body[at-1])) { // bytes: a mark of several is left where it is
		at--
	}
	return body[:at], body[at:], tail
}

// asks reports whether a sentence wants an answer.
func asks(s string) bool {
	first, _, _ := strings.Cut(strings.ToLower(s), " ")
	return strings.HasSuffix(s, "?") || is(first, "requests") && first != "i" && first != "please"
}

// reworked returns other forms of one sentence.
func reworked(s string) []string {
	if len(s) > 600 || strings.ContainsAny(s, "\n\"“”{}") {
		return nil
	}
	var out []string
	for _, group := range reworkings {
		for _, f := range firstOf(group, s) {
			if f != s && f != "" && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// A form is a way to put a sentence, and what else that can be said as by what the pattern finds in it.
type form struct {
	pattern pattern.Pattern
	say     func(m []string) []string // nil for nothing
}

// firstOf returns what the first form of a group that says something makes of a sentence.
func firstOf(group []form, s string) []string {
	for _, f := range group {
		if m := f.pattern.FindStringSubmatch(s); m != nil {
			if out := f.say(m); out != nil {
				return out
			}
		}
	}
	return nil
}

// date is one with its year.
const date = `(?:(?:January|February|March|April|May|June|July|August|September|October|November|December) )?` +
	`(?:[0-9]{1,2},? )?[12][0-9]{3}`

// reworkings ask for a sum in other words, make requests and indirect questions of a question, make questions of
// requests, turn a passive into the active and the other way round, and move a date.
var reworkings = [][]form{
	{{pattern.New(`^(?i:what is|how much is|compute|calculate) ` +
		`([^?.]*\b(?:plus|minus|times|divided by)\b[^?.]*|[0-9][0-9 +*/x×()-]*[0-9)])[?.]?$`), filled(
		"What is %?", "How much is %?", "What do you get for %?", "Compute %.", "Calculate %.", "Work out %.",
		"What does % come to?", "Tell me what % is.", "Find the value of %.", "What is the value of %?")}},
	{
		{pattern.New(`^(?i:(what|who|where|when|how much|how many)) (is|are|was|were) ([^?,;:]+)\?$`), askedBe},
		{pattern.New(`^(?i:(when|where|why|how)) (was|were|is|are) ([^?,;:]+)\?$`), askedDone},
		{pattern.New(`^((?i:what|who|when|where|why|how|which|how many|how much)(?: [a-z]+)?) ` +
			`(do|does|did) ([^?,;:]+)\?$`), askedDo},
		{pattern.New(`^(?i:is it (?:true|so|right|correct) that|is it the case that) ([^?]+)\?$`), filled(
			"Is it true that %?", "Is it correct that %?", "Is it right that %?", "Is it the case that %?",
			"Is it so that %?", "Tell me whether it is true that %.", "Say whether it is the case that %.",
			"Would it be correct to say that %?", "Can you tell me whether it is true that %?")},
		{pattern.New(`^(?i:(is|are|was|were)) (there|it|he|she|they|this|that) ([^?]+)\?$`), func(m []string) []string {
			return embedded("whether " + m[2] + " " + strings.ToLower(m[1]) + " " + m[3])
		}},
		{pattern.New(`^((?i:who|what|which|how many|whose)) ([^?]+)\?$`), func(m []string) []string {
			if inverted(strings.Fields(m[2])) {
				return nil
			}
			return embedded(lowered(m[1]) + " " + m[2])
		}},
	},
	{
		{pattern.New(`^(?i:name|tell me|give|give me|state|say) (the [^?.,;]+ of [^?.]+?)[.?]$`), named},
		{pattern.New(`^(?i:tell me|please tell me|can you tell me|could you tell me|do you know|say|` +
			`i would like to know) (what|who|where|when) ([^?.,;]+) (is|was)[.?]$`), known},
	},
	{
		{pattern.New(`^([^,;:?]+?) (was|were) (\w+) by ([^,;:?]+)\.$`), active},
		{pattern.New(`^([A-Z][^,;:?]*?) (\w+) ([^,;:?]+)\.$`), passive},
	},
	{
		{pattern.New(`^([^;:?]+?) ((?:in|on|during|since) ` + date + `)\.$`), ahead},
		{pattern.New(`^((?:In|On|During|Since) ` + date + `), ([^;:?]+)\.$`), behind},
	},
}

// requestsFor put an indirect question into a sentence.
var requestsFor = []string{"Tell me %.", "Can you tell me %?", "Please say %.", "I would like to know %.",
	"Could you say %?", "State %.", "Please tell me %.", "I want to know %.", "Let me know %."}

func embedded(clause string) []string { return fill(clause, requestsFor) }

// filled puts what a form finds into sentences.
func filled(into ...string) func(m []string) []string {
	return func(m []string) []string { return fill(m[1], into) }
}

func askedBe(m []string) (out []string) {
	if !nominal(m[3]) || strings.HasPrefix(strings.ToLower(m[1]), "when") {
		return nil
	}
	wh, be, rest := strings.ToLower(m[1]), m[2], m[3]
	if wh == "what" && strings.HasPrefix(rest, "the ") && strings.Contains(rest, " of ") {
		out = append(out, "Name "+rest+".", "State "+rest+".", "Give "+rest+".", "Tell me "+rest+".")
	}
	if be == "is" && wh == "what" {
		out = append(out, "What's "+rest+"?")
	}
	return append(out, embedded(wh+" "+rest+" "+be)...)
}

func askedDone(m []string) []string {
	words := strings.Fields(m[3])
	for i := 1; i < len(words); i++ {
		if participle(words[i]) && determined(words[0]) && !strings.HasSuffix(words[i-1], "'s") {
			return embedded(strings.ToLower(m[1]) + " " + strings.Join(words[:i], " ") + " " + m[2] + " " +
				strings.Join(words[i:], " "))
		}
	}
	return nil
}

func askedDo(m []string) []string {
	words := strings.Fields(m[3])
	for i := 1; i < len(words) && i < 9; i++ {
		v, known := lists().verbs[words[i]]
		if !known || !determined(words[0]) && !is(words[0], "pronouns") {
			continue
		}
		switch m[2] {
		case "did":
			words[i] = v[0]
		case "does":
			words[i] = v[1]
		}
		return embedded(lowered(m[1]) + " " + strings.Join(words, " "))
	}
	return nil
}

// fill puts a text into sentences in place of their %.
func fill(text string, into []string) []string {
	out := make([]string, len(into))
	for i, s := range into {
		out[i] = strings.Replace(s, "%", text, 1)
	}
	return out
}

// named says a request to name something in other words.
func named(m []string) (out []string) {
	head, _, _ := strings.Cut(m[1], " of ")
	if strings.HasSuffix(head, "s") && !strings.HasSuffix(head, "ss") {
		return fill(m[1], []string{"Give %.", "State %.", "Please name %."})
	}
	return fill(m[1], []string{"What is %?", "Can you tell me what % is?", "Tell me what % is.",
		"I would like to know what % is.", "Name %.", "State %.", "Give %.", "Please name %."})
}

func known(m []string) []string {
	if !nominal(m[2]) {
		return nil
	}
	return append([]string{capitalized(m[1]) + " " + m[3] + " " + m[2] + "?"}, embedded(m[1]+" "+m[2]+" "+m[3])...)
}

// active turns a passive with "by" into the active. What it cannot turn is said in no other way.
func active(m []string) []string {
	i := slices.IndexFunc(lists().makers, func(w []string) bool { return w[0] == m[3] })
	if i >= 0 && !hasPronoun(m[1]) && !hasPronoun(m[4]) && !containsAny(m[4], " in ", " on ") && nominal(m[1]) {
		return []string{capitalized(m[4]) + " " + lists().makers[i][1] + " " + lowerArticle(m[1]) + "."}
	}
	return []string{}
}

// passive turns the active into a passive, for the verbs whose forms cannot be mistaken.
func passive(m []string) []string {
	if len(strings.Fields(m[1])) > 5 || hasPronoun(m[1]) || hasPronoun(m[3]) || !nominal(m[3]) ||
		containsAny(m[3], " and ", " in ", " on ") || strings.HasSuffix(m[3], "s") {
		return nil
	}
	for _, w := range lists().makers {
		if w[1] == m[2] {
			return []string{capitalized(m[3]) + " was " + w[0] + " by " + lowerArticle(m[1]) + "."}
		}
	}
	return nil
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}

// ahead and behind put a date before and behind what happened then.
func ahead(m []string) []string {
	if strings.Contains(m[1], ",") || strings.Contains(m[1], " and ") || between(m[1]) {
		return nil
	}
	return []string{capitalized(m[2]) + ", " + lowerArticle(m[1]) + "."}
}

func behind(m []string) []string {
	if strings.Contains(m[2], ",") {
		return nil
	}
	return []string{capitalized(m[2]) + " " + lowered(m[1]) + "."}
}

// between reports a range of dates, of which only the end would move.
func between(s string) bool {
	return strings.HasSuffix(s, " and") || strings.HasSuffix(s, " to") || strings.HasSuffix(s, " until") ||
		containsAny(s, " from ", " between ", " that ", " which ", " who ")
}
