package oracle

import (
	"slices"
	"strings"

	"hallmark/internal/evidence"
)

// concluding are words that open the sentence, or clause, of a result.
var concluding = set("so therefore thus hence consequently overall ultimately finally")

// aside are words by which a clause gives what somebody says, or what was and will be, and not what is.
var (
	attributing = set("says said say states claims claimed claim claiming speaks mentions assume assumes assumed believes guess suggests cites citing")
	otherTimes  = set("until till formerly previously before once former originally initially")
	alsoMarks   = set("also too both likewise")
	conceding   = set("although though despite unlike")
	nearby      = set("near close border borders bordering next adjacent neighbouring neighboring opposite seen visible from over ahead behind after")
	reasoning   = set("because since")
	comparing   = set("bigger larger older smaller higher longer taller busier richer better more famous")
	relative    = set("which who where that whose")
	kin         = set("daughter son wife husband brother sister student pupil friend colleague successor predecessor assistant rival teacher contemporary")
)

// monthNames tell "since March" from a reason.
var monthNames = set("january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec")

// stemmed returns a word without its ending, so that forms of one compare equal: landing, landed, lands, land.
func stemmed(w string) string {
	if base, ok := irregular[w]; ok {
		w = base
	}
	for _, end := range []string{"ing", "ed", "es", "s", "e"} {
		if stem, ok := strings.CutSuffix(w, end); ok && len(stem) >= 4 {
			return stem
		}
	}
	return w
}

// irregular are past forms of verbs by their base.
var irregular = map[string]string{
	"began": "begin", "begun": "begin", "won": "win", "fell": "fall", "fallen": "fall", "wrote": "write", "written": "write", "sank": "sink", "sunk": "sink", "built": "build",
	"rose": "rise", "risen": "rise", "took": "take", "taken": "take", "gave": "give", "given": "give", "led": "lead", "became": "become", "came": "come", "went": "go",
	"held": "hold", "made": "make", "said": "say", "sold": "sell", "bought": "buy", "paid": "pay", "broke": "break", "broken": "break", "drew": "draw", "drawn": "draw",
	"flew": "fly", "grew": "grow", "grown": "grow", "knew": "know", "known": "know", "shot": "shoot", "spoke": "speak", "spoken": "speak", "stood": "stand", "taught": "teach", "met": "meet",
	"forbade": "forbid", "forbidden": "forbid", "chose": "choose", "chosen": "choose", "lost": "lose", "ran": "run", "sent": "send", "spent": "spend", "told": "tell", "ate": "eat", "eaten": "eat",
}

// asked returns the stem of a word of content that the question holds in some form.
func (e *env) asked(w string) (string, bool) {
	if evidence.Stop[w] || e.named[w] {
		return "", false
	}
	s := stemmed(w)
	return s, e.question[w] || e.stems[s]
}

// related reports whether somebody is named only as another's kin or friend: "the daughter of Marie Curie". A question after such a tie
// gets one as its answer.
func (e *env) related(t *evidence.Text, s evidence.Span) bool {
	if s.Start < 2 || t.Words[s.Start-1].Fold != "of" || e.question["whose"] {
		return false
	}
	w := t.Words[s.Start-2].Fold
	return kin[w] && !e.question[w] && t.Words[s.Start-2].Clause == t.Words[s.Start].Clause
}

// weight says how much a text puts a mention forward as its answer: by a conclusion, by standing alone at the beginning, by the words of the
// question in its clause; less where its clause tells what others say or what used to be.
func (o *env) weight(t *evidence.Text, m mention) int {
	first := t.Words[m.words.Start]
	s := t.Sentences[first.Sentence].Words
	w := 0
	present := true
	for _, p := range pastWords {
		present = present && !o.question[p]
	}
	for q := range o.question {
		present = present && !(len(q) > 4 && strings.HasSuffix(q, "ed")) // "who painted it?"
	}
	start, end := m.words.Start, m.words.End
	for start > s.Start && t.Words[start-1].Clause == first.Clause {
		start--
	}
	for end < s.End && t.Words[end].Clause == t.Words[m.words.End-1].Clause {
		end++
	}
	alone := m.words.End == end
	label := start // a heading before it: "Landing: 20 July"
	for label > s.Start && t.Words[label-1].Clause == t.Words[start-1].Clause {
		label--
	}
	if start > s.Start && start-label <= 3 && strings.HasPrefix(t.Plain[t.Words[start-1].End:], ":") {
		start = label
	}
	if end < s.End && strings.HasSuffix(strings.TrimRight(t.Plain[:t.Words[end].Start], "["), "(") { // a passage named in brackets: "the 20 mg of 2018 (G1) no longer apply"
		k := end
		for k < s.End && t.Words[k].Clause == t.Words[end].Clause {
			k++
		}
		if k-end <= 2 && k < s.End && strings.TrimRight(t.Plain[t.Words[k-1].End:t.Words[k].Start], " ") == ")" {
			for end = k; end < s.End && t.Words[end].Clause == t.Words[k].Clause; end++ {
			}
		}
	}
	if end < s.End && relative[t.Words[end].Fold] && t.Words[end].Fold != "whose" { // "Canberra, which is the capital"
		for clause := t.Words[end].Clause; end < s.End && t.Words[end].Clause == clause; {
			end++
		}
	}
	var seen []string
	denied := false
	for i := start; i < end; i++ {
		f := t.Words[i].Fold
		denied = denied || f == "not" || f == "no" || f == "non"
		behind := i >= m.words.End
		stem, held := o.asked(f)
		switch {
		case i >= m.words.Start && !behind:
		case held:
			if !slices.Contains(seen, stem) {
				seen = append(seen, stem)
			}
		case attributing[f]:
			if b := t.Words[max(i-1, 0)].Fold; b != "i" && b != "would" { // "I'd say"
				w -= 2
			}
		case otherTimes[f], present && (f == "was" || f == "were"), f == "used" && i+1 < end && t.Words[i+1].Fold == "to":
			w -= 2
		case erring[f] && behind, f == "longer" && behind && t.Words[i-1].Fold == "no":
			w -= 4
		case behind && (f == "only" || f == "merely" || f == "just"):
			w--
		case nearby[f] && !behind && m.words.Start-i <= 4, comparing[f] && behind:
			w--
			if nearby[f] {
				w--
			}
		case f == "without" && behind && i+1 < end: // "git branch creates it without switching to it"
			if _, ok := o.asked(t.Words[i+1].Fold); ok {
				w -= 4
			}
		}
	}
	w += min(len(seen), 3)
	if o.question["not"] && len(seen) > 0 { // asked which is not a metal: "sulfur is a non-metal"
		if denied {
			w++
		} else {
			w--
		}
	}
	if conceding[t.Words[start].Fold] || reasoning[t.Words[start].Fold] && t.Plain[t.Words[min(start+1, end-1)].Start] > '9' && !monthNames[t.Words[min(start+1, end-1)].Fold] || t.Words[start].Fold == "while" && start == s.Start {
		w -= 2
	}
	if concluding[t.Words[start].Fold] || concluding[t.Words[s.Start].Fold] || t.Words[start].Fold == "on" && start+1 < end && t.Words[start+1].Fold == "balance" {
		w += 4
	}
	if m.words.Start == s.Start && first.Sentence == 0 && alone {
		w += 3 // "HAVING. WHERE filters rows before."
	} else if first.Sentence == 0 && first.Clause == t.Words[s.Start].Clause && len(seen) == 0 && o.opens(t, evidence.Span{Start: s.Start, End: m.words.Start}) {
		w++
	}
	for _, c := range t.Cues { // "I'd say Paris"
		if (c.Sense == evidence.Guesses || c.Sense == evidence.Marks) && c.Words.End == m.words.Start && t.Words[c.Words.Start].Fold != "it" {
			w += 2
		}
	}
	return w
}

// decides reports which of an accepted and a rejected answer, both asserted, the text gives as its answer: positive for the accepted one,
// 0 where it does not tell.
func (o *exact) decides(t *evidence.Text, accepted, rejected []mention) int {
	best := func(ms []mention) (w int) {
		w = -100
		for _, m := range ms {
			if m.stance == evidence.Asserted {
				w = max(w, o.weight(t, m))
			}
		}
		return w
	}
	for _, m := range rejected {
		s := t.Sentences[t.Words[m.words.Start].Sentence].Words
		for i := s.Start; i < s.End; i++ {
			if m.stance == evidence.Asserted && alsoMarks[t.Words[i].Fold] && t.Words[i].Clause == t.Words[m.words.Start].Clause {
				return 0
			}
		}
	}
	// Of two in one sentence: "O(log n) in the worst case and O(1) in the best case".
	if good, firm := pick(accepted); firm {
		if bad, firm := pick(rejected); firm && t.Words[good.words.Start].Sentence == t.Words[bad.words.Start].Sentence {
			switch x, y := o.behind(t, good.words), o.behind(t, bad.words); {
			case y > 0 && x > y:
				return 1
			case x > 0 && y > x:
				return -1
			}
		}
	}
	a, r := best(accepted), best(rejected)
	if a > r && (a > 0 || a == 0 && r <= -2) {
		return 1
	}
	if r > a {
		return -1
	}
	return 0
}

// opens reports whether the words before the one that a sentence opens with are those of the question: "DNA helicase", "the enzyme helicase".
func (e *env) opens(t *evidence.Text, before evidence.Span) bool {
	for _, w := range t.Words[before.Start:before.End] {
		if !e.question[w.Fold] || w.Fold == "not" {
			return false
		}
	}
	return before.End-before.Start <= 3
}

// behind counts the words of the question in the few words behind a mention, up to an "and" or the like.
func (e *env) behind(t *evidence.Text, m evidence.Span) int {
	n := 0
	for i := m.End; i < min(m.End+6, len(t.Words)) && t.Words[i].Clause == t.Words[m.End].Clause; i++ {
		switch t.Words[i].Fold {
		case "and", "but", "while", "whereas", "or":
			return n
		}
		if _, asked := e.asked(t.Words[i].Fold); asked {
			n++
		}
	}
	return n
}

// offered reports whether an accepted and a rejected answer stand in one sentence joined by "or", with nothing else between them but names:
// "Toronto, Montreal or Ottawa"; or in a sentence that opens with who says which: "some say …".
func (o *exact) offered(t *evidence.Text, good, bad evidence.Span) bool {
	if t.Words[good.Start].Sentence != t.Words[bad.Start].Sentence {
		return false
	}
	from, to := min(good.End, bad.End), max(good.Start, bad.Start)
	or := false
	for i := from; i < to; i++ {
		switch f := t.Words[i].Fold; {
		case f == "or":
			or = true
		case f == "the" || o.names(t, i):
		default:
			return false
		}
	}
	return or
}

// bothSaid reports whether an answer only tells what some say and what others say.
func bothSaid(t *evidence.Text) bool {
	lower := " " + strings.ToLower(t.Plain)
	return strings.Count(lower, " some say") > 1 || strings.Contains(lower, " some say") && strings.Contains(lower, " others")
}

// nameless reports whether a statement of some length says nothing that could be one of the accepted answers, which are all names: no name,
// no number and no quotation that the question does not hold.
func (o *exact) nameless(t *evidence.Text) bool {
	const fewest = 6
	if len(t.Words) < fewest || len(t.Quotes()) > 0 {
		return false
	}
	for _, a := range o.accept {
		if c := a.text[0]; c < 'A' || c > 'Z' || len(a.ids) > 0 || a.date.Year > 0 {
			return false
		}
	}
	for i := range t.Words {
		w := t.Words[i]
		if c := t.Plain[w.Start]; c >= 0x80 || c >= '0' && c <= '9' || capital(t, i) && !o.question[w.Fold] && !evidence.Stop[w.Fold] && !openers[w.Fold] {
			return false
		}
	}
	return true
}

// formula reports whether a target that is an equation stands in the text with the same signs: V = I R, but not V = I/R.
func formula(t *evidence.Text, target *target, s evidence.Span) bool {
	if !strings.Contains(target.text, "=") {
		return true
	}
	for _, sign := range []string{"/", "+", "^", "÷", "-", "−"} {
		if strings.Contains(t.Slice(s), sign) != strings.Contains(target.text, sign) {
			return false
		}
	}
	return true
}

// listed returns the sentence where the whole answer is a list of names by commas of which the accepted one is but one: "Paris, Lyon". A place
// may be followed by where it lies, "Turin, Italy"; elsewhere only three names and more are a list, as "Voss, Marta" is one name.
func (o *exact) listed(t *evidence.Text, accepted []mention) (evidence.Span, bool) {
	if len(t.Sentences) != 1 || len(t.Words) > 12 || strings.ContainsAny(t.Plain, "():") {
		return evidence.Span{}, false
	}
	all := t.Sentences[0].Words
	held := make([]bool, len(t.Words))
	for _, m := range accepted {
		if m.target.date.Year > 0 || len(m.target.ids) > 0 || m.target.number != nil {
			return evidence.Span{}, false // "Thursday, October 9, 1952"
		}
		for i := m.words.Start; i < m.words.End; i++ {
			held[i] = true
		}
	}
	others := 0
	for i := all.Start; i < all.End; {
		j := i
		for j < all.End && t.Words[j].Clause == t.Words[i].Clause {
			if !held[j] && !o.names(t, j) {
				return evidence.Span{}, false
			}
			j++
		}
		if name := strings.ToLower(t.Slice(evidence.Span{Start: i, End: j})); !held[i] && !countries[name] && !usStates[name] {
			others++
		}
		i = j
	}
	place := false
	for _, w := range []string{"capital", "city", "town", "country", "place", "village", "port"} {
		place = place || o.question[w]
	}
	if others > 1 || others == 1 && place {
		return all, true
	}
	return evidence.Span{}, false
}

// written reads an answer that gives an accepted number or quantity in another form: spelled out, grouped, in another word for its unit.
func (o *exact) written(t *evidence.Text) (*target, bool) {
	numeric := false
	for i := range o.accept {
		numeric = numeric || o.accept[i].number != nil || o.accept[i].quantity.Value != nil
	}
	if !numeric {
		return nil, false
	}
	t = numerals(t)
	is := func(n evidence.Number, target *target) bool {
		if target.number != nil {
			return n.Value.Cmp(target.number) == 0
		}
		if target.quantity.Value == nil {
			return false
		}
		v, m := n.In(target.quantity.Unit)
		return m == evidence.UnitSame && v.Cmp(target.quantity.Value) == 0
	}
	find := func(n evidence.Number, words evidence.Span) (*target, bool) {
		if n.Value == nil || t.Stance(words) > evidence.Uncertain {
			return nil, false
		}
		for i := range o.accept {
			if is(n, &o.accept[i]) {
				return &o.accept[i], true
			}
		}
		return nil, false
	}
	for _, n := range evidence.Numbers(t.Plain, evidence.Span{Start: 0, End: len(t.Plain)}) {
		if n.Unit == "" {
			continue // a number alone was looked for as a word
		}
		if m, ok := find(n, spanOf(t, t.Plain[n.Start:n.End])); ok {
			return m, true
		}
	}
	for _, w := range t.Words { // no numerals but years and the names of passages: P2, [2]
		year := len(w.Fold) == 4 && (w.Fold[0] == '1' || w.Fold[0] == '2')
		if bracketed := w.Start > 0 && strings.ContainsRune("[(", rune(t.Plain[w.Start-1])); isDigit(t.Plain[w.Start]) && !year && !bracketed {
			return nil, false
		}
	}
	for from := 0; from < len(t.Words); {
		end := from
		for end < len(t.Words) && t.Words[end].Clause == t.Words[from].Clause {
			end++
		}
		if v, s, ok := t.WrittenNumber(evidence.Span{Start: from, End: end}); ok {
			n := evidence.Number{Value: v}
			if s.End < len(t.Words) {
				n.Word = t.Words[s.End].Fold
				n.Unit = n.Word
			}
			return find(n, s)
		}
		from = end
	}
	return nil, false
}

// countries are names behind a comma that say where a place lies.
var countries = func() map[string]bool {
	m := map[string]bool{}
	for _, s := range strings.Split(`afghanistan,albania,algeria,andorra,angola,argentina,armenia,australia,austria,azerbaijan,bahamas,bahrain,bangladesh,barbados,belarus,belgium,belize,benin,bhutan,bolivia,bosnia and herzegovina,botswana,brazil,brunei,bulgaria,burkina faso,burundi,cambodia,cameroon,canada,chad,chile,china,colombia,comoros,congo,costa rica,croatia,cuba,cyprus,czechia,czech republic,denmark,djibouti,dominica,dominican republic,ecuador,egypt,el salvador,england,equatorial guinea,eritrea,estonia,eswatini,ethiopia,fiji,finland,france,gabon,gambia,georgia,germany,ghana,greece,grenada,guatemala,guinea,guyana,haiti,honduras,hungary,iceland,india,indonesia,iran,iraq,ireland,israel,italy,ivory coast,jamaica,japan,jordan,kazakhstan,kenya,kiribati,kosovo,kuwait,kyrgyzstan,laos,latvia,lebanon,lesotho,liberia,libya,liechtenstein,lithuania,luxembourg,madagascar,malawi,malaysia,maldives,mali,malta,mauritania,mauritius,mexico,moldova,monaco,mongolia,montenegro,morocco,mozambique,myanmar,namibia,nauru,nepal,netherlands,new zealand,nicaragua,niger,nigeria,north korea,north macedonia,northern ireland,norway,oman,pakistan,palau,panama,papua new guinea,paraguay,peru,philippines,poland,portugal,qatar,romania,russia,rwanda,samoa,san marino,saudi arabia,scotland,senegal,serbia,seychelles,sierra leone,singapore,slovakia,slovenia,somalia,south africa,south korea,south sudan,spain,sri lanka,sudan,suriname,sweden,switzerland,syria,taiwan,tajikistan,tanzania,thailand,togo,tonga,tunisia,turkey,türkiye,turkmenistan,tuvalu,uganda,uk,ukraine,united arab emirates,united kingdom,united states,uruguay,us,usa,uzbekistan,vanuatu,vatican city,venezuela,vietnam,wales,yemen,zambia,zimbabwe,europe,asia,africa,ontario,quebec,british columbia,alberta,new south wales,bavaria,catalonia,sicily,tuscany,île-de-france,ile-de-france`, ",") {
		m[s] = true
	}
	return m
}()
