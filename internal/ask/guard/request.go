package guard

import (
	"strings"

	"hallmark/internal/base/pattern"
	"hallmark/internal/model"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quotation"
)

// A query is a request as the guard reads it: its passages, its question, and what the question asks for.
type query struct {
	head      string // of the prompt, before the question: the passages as they stand
	question  string
	text      *evidence.Text
	words     map[string]bool // of the question
	names     []string        // words of the question that look like names, in their compared forms
	passages  []quotation.Source
	raw       []evidence.Passage // the same, as written
	reading   []*evidence.Text   // the same, read
	inventory *Inventory
	extra     []int // passages of the inventory that are about what the question names

	want        kind
	wantKind    string // a kind of the inventory's entities that the question asks for by its name
	cites       bool   // asks for the line or the source
	contextOnly bool   // admits the context alone
	steps       bool   // asks for the steps
	identifier  bool   // asks for an identifier
	claim       claim  // a statement that the question asks about, or takes for granted
	sum         sum    // arithmetic that the question asks for
	ambiguous   string // a name in it that several entities of the inventory have; "" if none
	bearers     []*Entity
	unknown     string // a name in it that a complete inventory does not hold; "" if none
}

// whichNumber is how idPattern finds a question for a number of whatever kind.
const whichNumber = "which number"

// A kind is the type of answer that a question asks for.
type kind uint8

const (
	anything kind = iota
	person
	place
	date
	number
	yesNo
	name // of whatever kind, but no bare number
)

var kindNames = [...]string{"anything", "a person", "a place", "a date", "a number", "yes or no", "a name"}

const (
	maxPassages = 512
	maxQuestion = 8 << 10 // bytes of a question that are read: its end
)

var (
	passageLine = pattern.New(`^\[([^\]\s]{1,32})\]:?[ \t]+(\S.*)$`)
	labelLine   = pattern.New(`^([A-Z][A-Za-z]{0,3}[0-9]{1,4}):[ \t]+(\S.*)$`)
	headings    = map[string]bool{"context:": true, "passages:": true, "sources:": true, "documents:": true,
		"snippets:": true}
)

// readRequest reads what the last turn asks. Passages stand before the question, a line each, behind their name in
// brackets.
func readRequest(req model.Request, x *Inventory) *query {
	q := &query{question: strings.TrimSpace(req.Prompt), inventory: x, words: map[string]bool{}}
	rest := last(req.Prompt, 2*evidence.Limit) // the end of a longer prompt, which holds the question
	end := len(req.Prompt) - len(rest) + q.readPassages(rest)
	if len(q.raw) > 0 {
		q.question = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(req.Prompt[end:]), "Question:"))
		q.head = req.Prompt[:strings.LastIndex(req.Prompt, q.question)]
	}
	for _, p := range q.raw {
		q.passages = append(q.passages, quotation.NewSource(p.ID, p.Text))
		q.reading = append(q.reading, evidence.Read(p.Text))
	}
	q.text = evidence.Read(last(q.question, maxQuestion))
	for i, w := range q.text.Words {
		q.words[w.Fold] = true
		if q.isName(i) {
			q.names = append(q.names, w.Fold)
		}
	}
	if len(q.names) > 0 {
		q.extra = x.about(q.names)
	}
	q.ask()
	q.ambiguous, q.bearers = x.readings(q.text)
	if x.Complete && q.ambiguous == "" {
		q.unknown = q.unknownName()
	}
	return q
}

// readPassages reads the passages before a question, and returns where the last of them ends.
func (q *query) readPassages(s string) (end int) {
	for at := 0; at < len(s) && len(q.raw) < maxPassages; {
		line, _, _ := strings.Cut(s[at:], "\n")
		at = min(at+len(line)+1, len(s))
		trimmed := strings.TrimSpace(line)
		m := passageLine.FindStringSubmatch(trimmed)
		if m == nil {
			m = labelLine.FindStringSubmatch(trimmed)
		}
		switch {
		case m != nil:
			q.raw = append(q.raw, evidence.Passage{ID: m[1], Text: strings.TrimSpace(m[2])})
			end = at
		case trimmed == "" || headings[strings.ToLower(trimmed)]:
		case len(q.raw) > 0 || !strings.Contains(s[at:], "\n["): // the question begins, or no passage follows
			return end
		}
	}
	return end
}

// prompt returns the request's prompt with another question.
func (q *query) prompt(question string) string { return q.head + question }

// isName reports whether the i-th word of the question is part of a name: a capital that no sentence gives it, or a
// word of the inventory's names with a capital.
func (q *query) isName(i int) bool {
	w := q.text.Words[i]
	if c := q.text.Plain[w.Start]; c < 'A' || c > 'Z' || evidence.IsStop(w.Fold) {
		return false
	}
	return q.text.Name(i) || q.inventory.words[w.Fold]
}

// unknownName returns a name of the question that neither a complete inventory nor the context holds.
func (q *query) unknownName() string {
	for i, w := range q.text.Words {
		if q.text.Name(i) && !q.inventory.words[w.Fold] && !q.supplied(w.Fold) {
			return q.text.Plain[w.Start:w.End]
		}
	}
	return ""
}

var (
	citePattern = pattern.New(`\b(cite|citing|citation|quote the|quote a|quote an|give the line|` +
		`line of your source|name the line|which line|with (?:the )?(?:line|source|sources|references)|line[- ]id)\b`)
	onlyPattern = pattern.New(`\b(from|according to|based on|using|use|in) (only |just )?(the|this|these) ((given|` +
		`supplied|provided|above) )?(context|passage|passages|text|lines|lines above|snippets|snippet|excerpt|` +
		`document|documents|statute)\b|\buse only\b|\bonly from\b`)
	stepsPattern = pattern.New(`\b(step by step|show (?:your |the |all |[0-9]+ |two |three |four )?(?:steps|work|` +
		`working)|in steps|with steps|list the steps)\b`)
	idPattern = pattern.New(`\b(doi|isbn(?:-1[03])?|issn|arxiv|orcid|iban|url|web address|web page|link to|` +
		`identifier)\b|\b(catalogue|catalog|serial|reference|registration|patent|case|docket|shelf|accession|part|` +
		`model|rfc|document) (number|mark|code|id)\b|\bwhich number\b|\bwhich rfc\b`)
	personPattern = pattern.New(`^(?:.*[,:;.!?] )?(?:as of [^,]*, |in [^,]*, )?(who|whom|whose|by whom|` +
		`which person)\b|\b(?:name|tell me|give|state|what is|the) (?:the )?(?:\w+ )?(author|writer|founder|` +
		`president|head of state|director|inventor|discoverer|creator|composer|painter|king|queen|holder|` +
		`chancellor|prime minister|ceo|originator) of\b`)
	datePattern = pattern.New(`^(?:.*[,:;.!?] )?(when|since when|in which year|which year|what year|in what year|` +
		`on what date|on which date)\b|\b(year|date) of\b|\b(founding|birth|release|publication|enactment) year\b`)
	numberPattern = pattern.New(`\b(how many|how much|how large|how high|how tall|how long|how old|how far|` +
		`how heavy)\b|\b(population|number of|sum of|total of|dose)\b`)
	placePattern = pattern.New(`^(?:.*[,:;.!?] )?(where|in which city|which city|what city|in which country|` +
		`which country|what country)\b|\b(capital|birthplace|place of birth|headquarters|seat of government|` +
		`country of origin|home country) of\b`)
	namePattern = pattern.New(`\b(profession|occupation|colour|color|language|currency|money|topic|subject|licence|` +
		`license|purpose) of\b|\bwhich (?:language|currency|colour|color|licence|license|illness)\b`)
	yesNoPattern = pattern.New(`^(?:[^.?!]*, )?(is|are|was|were|does|do|did|has|have|can|could|will|would|` +
		`should) \S|\bis that (right|true|correct|so|wrong|false|untrue)\?`)
	politePattern = pattern.New(`^(can|could|will|would|do) you\b`)
	demandPattern = pattern.New(`^(?:[^.?!]*, )?(do not|do me|have a|have the)\b[^?]*$`)
	orPattern     = pattern.New(`\bor\b`)
	whyPattern    = pattern.New(`^(?:.*[.!?:] )?(why|how come|explain|describe|summari[sz]e|how did|how does|how do|` +
		`derive|prove|discuss)\b`)
)

// typed are the forms of questions for one type of answer; the first that fits counts.
var typed = []struct {
	form pattern.Pattern
	want kind
}{{datePattern, date}, {numberPattern, number}, {placePattern, place}, {personPattern, person}, {namePattern, name}}

// ask reads what the question asks for.
func (q *query) ask() {
	last, all := strings.ToLower(q.asking()), strings.ToLower(last(q.question, maxQuestion))
	q.cites = citePattern.MatchString(all)
	q.contextOnly = len(q.raw) > 0 && onlyPattern.MatchString(all)
	q.steps = stepsPattern.MatchString(all)
	// "which number" asks for an identifier where the index has numbers that are some
	if id := idPattern.FindString(last); id != "" {
		q.identifier = id != whichNumber || q.inventory.numbered()
	}
	q.claim = readClaim(q.question)
	q.sum = readSum(q.asking())
	q.want = q.typeOf(last)
	for _, e := range q.inventory.Entities { // "the currency of X": the index has entities of that kind
		if e.Kind != "" && strings.Contains(last, " "+e.Kind+" of ") {
			q.wantKind = e.Kind
			break
		}
	}
}

// typeOf is the type of answer that the sentence that asks, in lower case, asks for.
func (q *query) typeOf(asking string) kind {
	switch {
	case q.claim.text != "" && q.claim.premise, whyPattern.MatchString(asking):
		return anything
	case q.sum.value != nil:
		return number
	case yesNoPattern.MatchString(asking) && !demandPattern.MatchString(asking) && !politePattern.MatchString(asking):
		if orPattern.MatchString(asking) {
			return anything
		}
		return yesNo
	case q.identifier, strings.Contains(asking, " and "): // two things at once: no single type fits
		return anything
	}
	for _, t := range typed {
		if t.form.MatchString(asking) {
			return t.want
		}
	}
	return anything
}

// asking returns the sentence that asks: the last question, else the last sentence.
func (q *query) asking() string {
	n := len(q.text.Sentences)
	for i := n - 1; i >= 0; i-- {
		if q.text.Sentences[i].Question {
			return q.sentence(i)
		}
	}
	if n == 0 {
		return q.question
	}
	return q.sentence(n - 1)
}

// sentence returns a sentence of the question with the mark at its end.
func (q *query) sentence(i int) string {
	s := q.text.Sentences[i].Words
	start, end := q.text.Words[s.Start].Start, q.text.Words[s.End-1].End
	for end < len(q.text.Plain) && strings.IndexByte(".?!", q.text.Plain[end]) >= 0 {
		end++
	}
	return q.text.Plain[start:end]
}
