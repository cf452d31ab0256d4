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
	for _, r := range []func(string) []string{sums, indirect, direct, voices, moved} {
		for _, f := range r(s) {
			if f != s && f != "" && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// requestsFor put an indirect question into a sentence.
var requestsFor = []string{"Tell me %.", "Can you tell me %?", "Please say %.", "I would like to know %.",
	"Could you say %?", "State %.", "Please tell me %.", "I want to know %.", "Let me know %."}

func embedded(clause string) []string { return fill(clause, requestsFor) }

var (
	beForm      = pattern.New(`^(?i:(what|who|where|when|how much|how many)) (is|are|was|were) ([^?,;:]+)\?$`)
	builtForm   = pattern.New(`^(?i:(when|where|why|how)) (was|were|is|are) ([^?,;:]+)\?$`)
	doForm      = pattern.New(`^((?i:what|who|when|where|why|how|which|how many|how much)(?: [a-z]+)?) (do|does|did) ([^?,;:]+)\?$`)
	subjectForm = pattern.New(`^((?i:who|what|which|how many|whose)) ([^?]+)\?$`)
	thatForm    = pattern.New(`^(?i:is it (?:true|so|right|correct) that|is it the case that) ([^?]+)\?$`)
	thereForm   = pattern.New(`^(?i:(is|are|was|were)) (there|it|he|she|they|this|that) ([^?]+)\?$`)
	nameForm    = pattern.New(`^(?i:name|tell me|give|give me|state|say) (the [^?.,;]+ of [^?.]+?)[.?]$`)
	knowForm    = pattern.New(`^(?i:tell me|please tell me|can you tell me|could you tell me|do you know|say|i would like to know) (what|who|where|when) ([^?.,;]+) (is|was)[.?]$`)
	sumForm     = pattern.New(`^(?i:what is|how much is|compute|calculate) ([^?.]*\b(?:plus|minus|times|divided by)\b[^?.]*|[0-9][0-9 +*/x×()-]*[0-9)])[?.]?$`)
	passiveForm = pattern.New(`^([^,;:?]+?) (was|were) (\w+) by ([^,;:?]+)\.$`)
	activeForm  = pattern.New(`^([A-Z][^,;:?]*?) (\w+) ([^,;:?]+)\.$`)
	behindForm  = pattern.New(`^([^;:?]+?) ((?:in|on|during|since) (?:(?:January|February|March|April|May|June|July|August|September|October|November|December) )?(?:[0-9]{1,2},? )?(?:[12][0-9]{3}))\.$`)
	aheadForm   = pattern.New(`^((?:In|On|During|Since) (?:(?:January|February|March|April|May|June|July|August|September|October|November|December) )?(?:[0-9]{1,2},? )?(?:[12][0-9]{3})), ([^;:?]+)\.$`)
)

// indirect makes requests and indirect questions of a question, by the first of these rules that fits.
func indirect(s string) []string {
	for _, rule := range []func(string) []string{askedBe, askedDone, askedDo, askedThat, askedThere, askedSubject} {
		if out := rule(s); out != nil {
			return out
		}
	}
	return nil
}

func askedBe(s string) (out []string) {
	m := beForm.FindStringSubmatch(s)
	if m == nil || !nominal(m[3]) || strings.HasPrefix(strings.ToLower(m[1]), "when") {
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

func askedDone(s string) []string {
	m := builtForm.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	words := strings.Fields(m[3])
	for i := 1; i < len(words); i++ {
		if participle(words[i]) && determined(words[0]) && !strings.HasSuffix(words[i-1], "'s") {
			return embedded(strings.ToLower(m[1]) + " " + strings.Join(words[:i], " ") + " " + m[2] + " " +
				strings.Join(words[i:], " "))
		}
	}
	return nil
}

func askedDo(s string) []string {
	m := doForm.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
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

func askedThat(s string) []string {
	return filled(thatForm, s, "Is it true that %?", "Is it correct that %?", "Is it right that %?",
		"Is it the case that %?", "Is it so that %?", "Tell me whether it is true that %.",
		"Say whether it is the case that %.", "Would it be correct to say that %?",
		"Can you tell me whether it is true that %?")
}

func askedThere(s string) []string {
	if m := thereForm.FindStringSubmatch(s); m != nil {
		return embedded("whether " + m[2] + " " + strings.ToLower(m[1]) + " " + m[3])
	}
	return nil
}

func askedSubject(s string) []string {
	if m := subjectForm.FindStringSubmatch(s); m != nil && !inverted(strings.Fields(m[2])) {
		return embedded(lowered(m[1]) + " " + m[2])
	}
	return nil
}

// filled puts what a form finds in a sentence into others, nil where it finds nothing.
func filled(form pattern.Pattern, s string, into ...string) []string {
	m := form.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	return fill(m[1], into)
}

// fill puts a text into sentences in place of their %.
func fill(text string, into []string) []string {
	out := make([]string, len(into))
	for i, s := range into {
		out[i] = strings.Replace(s, "%", text, 1)
	}
	return out
}

// direct makes questions of requests, and other requests.
func direct(s string) (out []string) {
	if m := nameForm.FindStringSubmatch(s); m != nil {
		head, _, _ := strings.Cut(m[1], " of ")
		if strings.HasSuffix(head, "s") && !strings.HasSuffix(head, "ss") {
			return []string{"Give " + m[1] + ".", "State " + m[1] + ".", "Please name " + m[1] + "."}
		}
		what := "What is " + m[1]
		out = append(out, what+"?", "Can you tell me what "+m[1]+" is?", "Tell me what "+m[1]+" is.",
			"I would like to know what "+m[1]+" is.")
		return append(out, "Name "+m[1]+".", "State "+m[1]+".", "Give "+m[1]+".", "Please name "+m[1]+".")
	}
	if m := knowForm.FindStringSubmatch(s); m != nil && nominal(m[2]) {
		out = append(out, capitalized(m[1])+" "+m[3]+" "+m[2]+"?")
		return append(out, embedded(m[1]+" "+m[2]+" "+m[3])...)
	}
	return nil
}

// sums asks for a sum in other words.
func sums(s string) []string {
	return filled(sumForm, s, "What is %?", "How much is %?", "What do you get for %?", "Compute %.", "Calculate %.",
		"Work out %.", "What does % come to?", "Tell me what % is.", "Find the value of %.", "What is the value of %?")
}

// voices turns a passive with "by" into the active, and the other way round for the verbs whose forms cannot be
// mistaken.
func voices(s string) []string {
	if m := passiveForm.FindStringSubmatch(s); m != nil {
		past, ok := lists().makers[m[3]]
		if ok && !hasPronoun(m[1]) && !hasPronoun(m[4]) && !containsAny(m[4], " in ", " on ") && nominal(m[1]) {
			return []string{capitalized(m[4]) + " " + past + " " + lowerArticle(m[1]) + "."}
		}
		return nil
	}
	m := activeForm.FindStringSubmatch(s)
	if m == nil || len(strings.Fields(m[1])) > 5 || hasPronoun(m[1]) || hasPronoun(m[3]) || !nominal(m[3]) ||
		containsAny(m[3], " and ", " in ", " on ") || strings.HasSuffix(m[3], "s") {
		return nil
	}
	for _, past := range lists().makersInOrder {
		if past[1] == m[2] {
			return []string{capitalized(m[3]) + " was " + past[0] + " by " + lowerArticle(m[1]) + "."}
		}
	}
	return nil
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}

// moved puts a date before or behind what happened then.
func moved(s string) []string {
	if m := behindForm.FindStringSubmatch(s); m != nil && !strings.Contains(m[1], ",") &&
		!strings.Contains(m[1], " and ") && !between(m[1]) {
		return []string{capitalized(m[2]) + ", " + lowerArticle(m[1]) + "."}
	}
	if m := aheadForm.FindStringSubmatch(s); m != nil && !strings.Contains(m[2], ",") {
		return []string{capitalized(m[2]) + " " + lowered(m[1]) + "."}
	}
	return nil
}

// between reports a range of dates, of which only the end would move.
func between(s string) bool {
	return strings.HasSuffix(s, " and") || strings.HasSuffix(s, " to") || strings.HasSuffix(s, " until") ||
		containsAny(s, " from ", " between ", " that ", " which ", " who ")
}
