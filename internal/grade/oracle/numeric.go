package oracle

import (
	"fmt"
	"math/big"
	"strings"

	"hallmark/internal/answer"
	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/suite"
)

// numeric accepts a number within a tolerance, in the unit asked for or one that converts to it. calc is the same on the value of an
// expression, and does not let a wrong intermediate value pass.
type numeric struct {
	*env
	name      string // numeric or calc
	value     *big.Rat
	tolerance *big.Rat
	unit      string
	steps     []*big.Rat
	inPrompt  []*big.Rat // numbers of the question, which are rarely the answer
	year      bool       // the value is a year, so only years are candidates
	percent   bool       // the question or the value speaks of percent
	share     bool       // the question asks for a share, so that percent may stand for hundredths or for themselves
	year4     bool       // the value could be a year
}

func (e *env) numeric(s *suite.Oracle) (Oracle, error) {
	o := &numeric{env: e, name: s.Type, unit: s.Unit, tolerance: new(big.Rat)}
	text := s.Value
	if text == "" && s.Type == "calc" && s.Expression != "" {
		v, err := evidence.Eval(s.Expression)
		if err != nil {
			return nil, fmt.Errorf("expression %q: %v", s.Expression, err)
		}
		o.value = v
	} else {
		if golds := e.c.Answers(); text == "" && len(golds) > 0 {
			text = golds[0]
		}
		if text == "" {
			return nil, fmt.Errorf("a %s oracle needs value:%s, or a gold", s.Type, map[bool]string{true: ", expression:"}[s.Type == "calc"])
		}
		v, ok := answer.Number(text)
		if !ok {
			return nil, fmt.Errorf("value %q is no number; write it as 1234.5 or 3/4", text)
		}
		o.value = v
		if s.Expression != "" {
			w, err := evidence.Eval(s.Expression)
			if err != nil {
				return nil, fmt.Errorf("expression %q: %v", s.Expression, err)
			}
			if w.Cmp(v) != 0 {
				return nil, fmt.Errorf("expression %q is %s and not the value %s", s.Expression, w.RatString(), text)
			}
		}
	}
	if s.Tolerance != "" {
		v, ok := answer.Number(s.Tolerance)
		if !ok || v.Sign() < 0 {
			return nil, fmt.Errorf("tolerance %q is no number from 0 up", s.Tolerance)
		}
		o.tolerance = v
	}
	for _, step := range s.Steps {
		v, ok := answer.Number(step)
		if !ok {
			var err error
			if v, err = evidence.Eval(step); err != nil {
				return nil, fmt.Errorf("step %q is no number: %v", step, err)
			}
		}
		o.steps = append(o.steps, v)
	}
	for _, p := range append([]string{e.c.Prompt}, e.c.Phrasings...) {
		for _, n := range evidence.Numbers(p, evidence.Span{Start: 0, End: len(p)}) {
			if n.Value != nil {
				o.inPrompt = append(o.inPrompt, n.Value)
			}
		}
		o.percent = o.percent || strings.Contains(p, "%") || strings.Contains(strings.ToLower(p), "percent")
	}
	for w := range e.question {
		o.share = o.share || shares[w]
	}
	o.percent = o.percent || strings.Contains(text, "%")
	asked := " " + strings.Join(evidence.Phrase(e.c.Prompt), " ") + " "
	asks := strings.Contains(asked, " what year ") || strings.Contains(asked, " which year ") || strings.HasPrefix(asked, " when ")
	o.year4 = o.value.IsInt() && o.value.Cmp(big.NewRat(1000, 1)) >= 0 && o.value.Cmp(big.NewRat(2999, 1)) <= 0
	o.year = asks && o.year4
	return o, nil
}

func (o *numeric) Answerable() bool { return true }

func (o *numeric) Golds() []string { return []string{o.render(o.value)} }

func (o *numeric) Judge(r Reading) Finding {
	if len(r.Words) == 0 {
		return unread("an empty answer", r.Text)
	}
	r.Text = numerals(r.Text)
	n, ok := o.writtenShare(r.Text)
	if !ok {
		n, ok = o.choose(r.Text)
	}
	if !ok && o.value.Sign() == 0 && len(r.Words) == 1 && r.Words[0].Fold == "none" {
		return answered(pass(o.name+": the right value", quoted(r.Plain)), o.render(o.value))
	}
	if ok && o.onlyAsked(r.Text) {
		if c, declined := r.Declines(); declined && r.Words[c.Words.Start].Start < n.Start { // "I can't compute 17 × 23"
			ok = false
		}
	}
	if !ok {
		if f, ok := o.withheld(r.Text); ok {
			return f
		}
		if c, ok := evades(r.Text); ok {
			return hedged(cueEvidence(r.Text, c))
		}
		return unread(o.name+": no number", r.Text)
	}
	text := r.Plain[n.Start:n.End]
	if n.Value == nil {
		return answered(fail(o.name+": a number beyond all bounds", quoted(text)), evidence.Excerpt(text, 40))
	}
	if alt, ok := writtenRange(r.Text, n); ok {
		return hedged(quoted(alt))
	}
	if alt, ok := o.second(r.Text, n); ok {
		return hedged(quoted(alt))
	}
	v, unit := n.In(o.unit)
	if unit == evidence.UnitOther && unitless(n.Unit, o.unit) {
		unit = evidence.UnitAbsent
	}
	if total, end, more := compound(r.Text, n, o.unit); more {
		v, text = total, r.Plain[n.Start:end]
		n.Unit = ""
	}
	if c, ok := temperature(n, o.unit); ok {
		v, unit = c, evidence.UnitSame
	}
	shown := evidence.Excerpt(strings.TrimSpace(text+" "+n.Unit), 80)
	f := answered(grade.Judgment{}, o.render(v))
	want := o.render(o.value)
	if o.unit != "" {
		want += " " + o.unit
	}
	switch {
	case o.unit != "" && unit == evidence.UnitOther:
		f.Truth = fail(o.name+": another unit", fmt.Sprintf("“%s” where %s is asked for", shown, o.unit))
	case o.right(n, v):
		f.Truth = pass(o.name+": the right value", quoted(shown))
		f.Answer = o.render(o.value)
	default:
		f.Truth = fail(o.name+": another value", fmt.Sprintf("“%s”, expected %s", shown, want))
	}
	if o.name == "calc" && f.Truth.Verdict == grade.Pass {
		if rule, ev, wrong := o.wrongStep(r.Text); wrong {
			f.Truth = fail(rule, ev)
		}
	}
	return f
}

// unitless reports whether a unit says no more than the one asked for: degrees, where degrees Celsius are.
func unitless(unit, want string) bool {
	u, w := strings.ToLower(unit), strings.ToLower(want)
	return (u == "°" || strings.HasPrefix(u, "deg")) && (strings.HasSuffix(w, "c") || strings.HasSuffix(w, "f") || w == "celsius" || w == "fahrenheit")
}

// temperature converts between the scales, whose zeros differ, which a factor cannot.
func temperature(n evidence.Number, want string) (*big.Rat, bool) {
	scale := func(u string) string {
		switch strings.ToLower(strings.TrimSpace(u)) {
		case "°c", "celsius":
			return "c"
		case "°f", "fahrenheit":
			return "f"
		case "k", "kelvin", "kelvins":
			return "k"
		}
		return ""
	}
	from, to := scale(n.Unit), scale(want)
	if from == "" || to == "" || from == to {
		return nil, false
	}
	v := new(big.Rat).Set(n.Value)
	switch from { // to kelvin
	case "c":
		v.Add(v, big.NewRat(27315, 100))
	case "f":
		v.Add(v, big.NewRat(45967, 100)).Mul(v, big.NewRat(5, 9))
	}
	switch to {
	case "c":
		v.Sub(v, big.NewRat(27315, 100))
	case "f":
		v.Mul(v, big.NewRat(9, 5)).Sub(v, big.NewRat(45967, 100))
	}
	return v, true
}

// onlyAsked reports whether a text of at most two sentences has no number that the question does not hold.
func (o *numeric) onlyAsked(t *evidence.Text) bool {
	if len(t.Sentences) > 2 {
		return false
	}
	for _, n := range evidence.Numbers(t.Plain, evidence.Span{Start: 0, End: len(t.Plain)}) {
		if !isOne(n.Value, o.inPrompt) {
			return false
		}
	}
	return true
}

// shares are words of a question whose answer may be given in percent.
var shares = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("share rate proportion portion fraction interest probability chance odds likelihood discount markup tax growth percentage efficiency humidity concentration margin accuracy recall precision") {
		m[w] = true
	}
	return m
}()

// right compares a value, where percent are hundredths unless question or value speaks of percent; of a share they are either.
func (o *numeric) right(n evidence.Number, v *big.Rat) bool {
	if o.unit != "" || n.Unit != "%" || o.percent {
		return o.matches(v)
	}
	if o.share && o.matches(v) {
		return true
	}
	return (o.share || !o.value.IsInt()) && o.matches(new(big.Rat).Quo(v, big.NewRat(100, 1)))
}

func (o *numeric) matches(v *big.Rat) bool {
	d := new(big.Rat).Sub(v, o.value)
	return d.Abs(d).Cmp(o.tolerance) <= 0
}

// render writes a value in decimals where that is exact and short, else as a fraction.
func (o *numeric) render(v *big.Rat) string {
	if n, exact := v.FloatPrec(); exact && n <= 12 {
		return v.FloatString(n)
	}
	return v.RatString()
}

// maxCandidates bounds the numbers of an answer that are weighed against each other: its last ones.
const maxCandidates = 64

// numberReach is how far "not" reaches before a number: "not 16", "not the 16", but not "not able to place 16".
const numberReach = 2

// choose returns the number that an answer gives. What the text marks as its answer comes first, and in it what stands behind the last
// "=". Else numbers that the question holds already are put aside, and so are those in brackets and those denied; a number in the right
// unit is preferred; a text that computes gives its result last, other prose says it first.
func (o *numeric) choose(t *evidence.Text) (evidence.Number, bool) {
	if n, ok := sum(t.Plain); ok {
		return n, true
	}
	in, marked := t.Answer()
	bytes := evidence.Span{Start: 0, End: len(t.Plain)}
	if marked {
		bytes = evidence.Span{Start: max(0, t.Words[in.Start].Start-3), End: t.Words[in.End-1].End}
		if bytes.End < len(t.Plain) {
			bytes.End = min(len(t.Plain), bytes.End+4)
		}
	} else {
		in = evidence.Span{Start: 0, End: len(t.Words)}
	}
	ns := evidence.Numbers(t.Plain, bytes)
	if len(ns) == 0 && marked {
		if v, s, ok := t.WrittenNumber(in); ok {
			if negative(t, t.Words[s.Start].Start) {
				v = new(big.Rat).Neg(v)
			}
			return evidence.Number{Value: v, Start: t.Words[s.Start].Start, End: t.Words[s.End-1].End}, true
		}
		marked = false
		in = evidence.Span{Start: 0, End: len(t.Words)}
		ns = evidence.Numbers(t.Plain, evidence.Span{Start: 0, End: len(t.Plain)})
	}
	if len(ns) > maxCandidates {
		ns = ns[len(ns)-maxCandidates:]
	}
	if o.year {
		ns = keep(ns, func(n evidence.Number) bool { return n.End-n.Start == 4 && n.Places == 0 })
	}
	words := make([]int, len(t.Plain)/64+1) // unused slots stay 0: an index by which to find the word of a byte
	for i := len(t.Words) - 1; i >= 0; i-- {
		words[t.Words[i].Start/64] = i
	}
	wordAt := func(n evidence.Number) int {
		i := words[n.Start/64]
		for i+1 < len(t.Words) && t.Words[i+1].Start <= n.Start {
			i++
		}
		return i
	}
	unmistakable := marked && (len(t.Boxes) > 0 || strings.Contains(t.Plain, "####"))
	ns = keep(ns, func(n evidence.Number) bool {
		if unmistakable {
			return true
		}
		i := wordAt(n)
		switch t.StanceWithin(evidence.Span{Start: i, End: i + 1}, numberReach) {
		case evidence.Denied, evidence.Doubted, evidence.Questioned, evidence.Contrasted:
			return false
		}
		return true
	})
	if !unmistakable {
		ns = prefer(ns, func(n evidence.Number) bool {
			i := wordAt(n)
			return t.Stance(evidence.Span{Start: i, End: i + 1}) != evidence.Retracted
		})
		for k := len(ns) - 1; k > 0; k-- { // "6 legs… no, 8"
			if i := wordAt(ns[k]); i > 0 && t.Words[i-1].Fold == "no" && t.Words[i-1].Clause != t.Words[i].Clause && t.Words[i-1].Sentence == t.Words[i].Sentence {
				ns = ns[k:]
				break
			}
		}
	}
	if len(ns) == 0 {
		if marked {
			return evidence.Number{}, false
		}
		if v, s, ok := t.WrittenNumber(in); ok && t.Stance(s) <= evidence.Uncertain && (!o.year || v.Cmp(big.NewRat(1000, 1)) >= 0) {
			if negative(t, t.Words[s.Start].Start) {
				v = new(big.Rat).Neg(v)
			}
			return evidence.Number{Value: v, Start: t.Words[s.Start].Start, End: t.Words[s.End-1].End}, true
		}
		return evidence.Number{}, false
	}
	if k := len(ns) - 1; k > 0 && !marked && ns[k].Unit == "" {
		if i := amountAt(t, wordAt(ns[k])); i > 0 {
			switch t.Words[i-1].Fold {
			case "makes", "totals", "equals":
				return ns[k], true // "200 minutes, plus 5 makes 205"
			}
		}
	}
	if o.unit != "" {
		ns = prefer(ns, func(n evidence.Number) bool {
			_, m := n.In(o.unit)
			_, converts := temperature(n, o.unit)
			if m == evidence.UnitAbsent && n.Unit == "" { // ", so 92 in all"
				start := wordAt(n)
				for start > 0 && t.Words[start-1].Clause == t.Words[wordAt(n)].Clause {
					start--
				}
				if start > 0 && concluding[t.Words[start].Fold] {
					return true
				}
			}
			return m == evidence.UnitSame || converts || unitless(n.Unit, o.unit)
		})
		ns = prefer(ns, func(n evidence.Number) bool {
			_, m := n.In(o.unit)
			_, converts := temperature(n, o.unit)
			return m == evidence.UnitAbsent || m == evidence.UnitSame || converts || unitless(n.Unit, o.unit)
		})
	}
	if marked {
		for i := len(ns) - 1; i >= 0; i-- {
			if ns[i].AfterEqual {
				return ns[i], true
			}
		}
		return ns[0], true
	}
	fresh := prefer(ns, func(n evidence.Number) bool { return !isOne(n.Value, o.inPrompt) })
	computes := o.c.Requires.Steps > 1 && len(t.Steps()) > 1
	for _, n := range ns {
		computes = computes || n.AfterEqual
	}
	last := ns[len(ns)-1]
	lineStart := strings.LastIndexByte(t.Plain[:last.Start], '\n') + 1
	if head := strings.TrimSpace(t.Plain[lineStart:last.Start]); strings.Trim(head, "AaSo:#$€£=- ") == "" {
		return last, true // a line of its own at the end: "A: 26", "= 26"
	}
	if row, ok := o.bestRow(t, fresh); ok && !computes {
		return row[len(row)-1], true
	}
	if !computes {
		fresh = prefer(fresh, func(n evidence.Number) bool { return !inBrackets(t.Plain, n) })
		if !o.year4 {
			fresh = prefer(fresh, func(n evidence.Number) bool { return !dates(t, n, wordAt(n)) })
		}
		if s := int(t.Words[wordAt(last)].Sentence); s > 0 && len(t.Sentences) > 2 && concludes(t, s) {
			if late := keep(fresh, func(n evidence.Number) bool { return int(t.Words[wordAt(n)].Sentence) == s }); len(late) > 0 {
				return late[len(late)-1], true
			}
		}
		if k := len(fresh) - 1; k > 0 && t.Words[wordAt(fresh[0])].Sentence != t.Words[wordAt(fresh[k])].Sentence && o.announced(t, fresh[k], wordAt) {
			return fresh[k], true // "There are 86,400 seconds in a day. Times thirty, that's 2,592,000."
		}
		return o.meant(t, fresh, wordAt), true
	}
	if n, ok := reasoned(t, ns, wordAt); ok {
		return n, true
	}
	// The last sentence that holds a number; in it the last result, or the last number where it computes nothing.
	s := t.Words[wordAt(last)].Sentence
	tail := keep(ns, func(n evidence.Number) bool { return t.Words[wordAt(n)].Sentence == s })
	for i := len(tail) - 1; i >= 0; i-- {
		if tail[i].AfterEqual {
			// "…, and 17 × 3 = 51, so the total is 391": what is concluded behind it comes first.
			if i+1 < len(tail) {
				if k := wordAt(tail[len(tail)-1]); k > 0 && (t.Words[k-1].Fold == "is" || t.Words[k-1].Fold == "are" || t.Words[k-1].Fold == "makes") {
					return tail[len(tail)-1], true
				}
			}
			return tail[i], true
		}
	}
	if tailFresh := keep(tail, func(n evidence.Number) bool { return !isOne(n.Value, o.inPrompt) }); len(tailFresh) > 0 {
		tailFresh = prefer(tailFresh, func(n evidence.Number) bool { return !inBrackets(t.Plain, n) })
		return tailFresh[len(tailFresh)-1], true
	}
	return tail[len(tail)-1], true
}

// reasoned returns the number that a text gives before it says why: "it's 15, since 0.15 × 80 = 12".
func reasoned(t *evidence.Text, ns []evidence.Number, wordAt func(evidence.Number) int) (evidence.Number, bool) {
	for i := 1; i < len(t.Words); i++ {
		w := t.Words[i]
		if f := w.Fold; w.Sentence != t.Words[0].Sentence || !reasoning[f] && f != "as" || t.Words[i-1].Clause == w.Clause {
			continue
		}
		before := keep(ns, func(n evidence.Number) bool { return wordAt(n) < i })
		behind := keep(ns, func(n evidence.Number) bool { return wordAt(n) > i && n.AfterEqual })
		if len(before) == 1 && len(behind) > 0 && !strings.ContainsAny(t.Plain[:w.Start], "=+*/×") {
			return before[0], true
		}
	}
	return evidence.Number{}, false
}

// sum reads an answer that is nothing but an expression with a sign of addition or multiplication: "7+1".
func sum(plain string) (evidence.Number, bool) {
	s := strings.TrimSpace(plain)
	if len(s) > 40 || !strings.ContainsAny(s, "+*×") || strings.Trim(s, "0123456789.,+-*/×÷ ()") != "" || strings.ContainsRune(s, '\n') {
		return evidence.Number{}, false
	}
	v, err := evidence.Eval(s)
	if err != nil {
		return evidence.Number{}, false
	}
	return evidence.Number{Value: v, End: len(plain)}, true
}

// dates reports whether the number, at word i, is a year that says when: "in 2020".
func dates(t *evidence.Text, n evidence.Number, i int) bool {
	if n.End-n.Start != 4 || n.Places > 0 || i == 0 || t.Plain[n.Start] != '1' && t.Plain[n.Start] != '2' {
		return false
	}
	switch t.Words[i-1].Fold {
	case "in", "since", "by", "of", "until", "from", "during":
		return true
	}
	return false
}

// amountAt returns the word at which an amount begins, from that of its number: the sign of its currency.
func amountAt(t *evidence.Text, i int) int {
	if i > 0 {
		switch t.Words[i-1].Fold {
		case "€", "$", "£", "¥", "₹":
			return i - 1
		}
	}
	return i
}

// announced reports whether a number of what the question asks for stands behind "that is" and the like.
func (o *numeric) announced(t *evidence.Text, n evidence.Number, wordAt func(evidence.Number) int) bool {
	i := amountAt(t, wordAt(n))
	return i > 1 && announces[t.Words[i-2].Fold+" "+t.Words[i-1].Fold] && (n.Word == "" || o.question[n.Word] || n.Unit != "" && o.unit != "")
}

// announces are the words before a number that says the one before it in other words.
var announces = map[string]bool{"that is": true, "that 's": true, "that makes": true, "total of": true, "comes to": true, "amounts to": true, "sum of": true}

// meant returns, of the numbers of an answer that does not compute, the first; but of those of its sentence first the one behind "that is",
// then the one whose clause alone speaks of what the question asks about, beside the thing that it counts.
func (o *numeric) meant(t *evidence.Text, ns []evidence.Number, wordAt func(evidence.Number) int) evidence.Number {
	first := t.Words[wordAt(ns[0])]
	all := ns
	ns = keep(ns, func(n evidence.Number) bool { return t.Words[wordAt(n)].Sentence == first.Sentence })
	for k := len(ns) - 1; k > 0; k-- {
		i := amountAt(t, wordAt(ns[k]))
		if i > 0 {
			switch t.Words[i-1].Fold {
			case "makes", "totals", "equals", "gives":
				return ns[k]
			}
		}
		// "the discount is 225, so the new price is 1275"
		start := i
		for start > 0 && t.Words[start-1].Clause == t.Words[i].Clause {
			start--
		}
		if concluding[t.Words[start].Fold] {
			return ns[k]
		}
	}
	for k := len(ns) - 1; k > 0; k-- {
		if o.announced(t, ns[k], wordAt) {
			return ns[k]
		}
	}
	counted := map[string]bool{"many": true, "much": true, "year": true}
	for _, n := range ns {
		counted[n.Word] = true
	}
	if of := keep(ns, func(n evidence.Number) bool { return o.question[n.Word] && !evidence.Stop[n.Word] }); len(of) > 0 && ns[0].Word != "" && !o.question[ns[0].Word] && ns[0].Unit == "" {
		return of[0] // "all 45,000 species have 8 legs", asked for legs
	}
	about := func(n evidence.Number) int {
		seen, i := map[string]bool{}, wordAt(n)
		start := i
		for start > 0 && t.Words[start-1].Clause == t.Words[i].Clause {
			start--
		}
		clause := t.Words[i].Clause
		if i+1 < len(t.Words) && t.Words[i+1].Clause != clause && t.Words[i+1].Sentence == t.Words[i].Sentence && t.Words[start].Fold == "in" {
			clause = t.Words[i+1].Clause // "In July 1969, …"
		}
		for ; start < len(t.Words) && t.Words[start].Clause <= clause; start++ {
			if w := t.Words[start].Fold; !counted[w] {
				if stem, ok := o.asked(w); ok {
					seen[stem] = true
				}
			}
		}
		return len(seen)
	}
	if o.year { // of several years the one that is said of what the question asks about
		best := all[0]
		for _, n := range all[1:] {
			if about(n) > about(best) {
				best = n
			}
		}
		return best
	}
	given := func(n evidence.Number) bool { // beside a number of the question: "4 KiB are 4096 bytes"
		clause := t.Words[wordAt(n)].Clause
		for i := wordAt(n); i >= 0 && t.Words[i].Clause == clause; i-- {
			if v, ok := answer.Number(t.Words[i].Fold); ok && isOne(v, o.inPrompt) && t.Words[i].Start != n.Start {
				return true
			}
		}
		return false
	}
	if len(ns) > 1 && len(o.inPrompt) == 1 && !given(ns[0]) {
		for _, n := range ns[1:] {
			if given(n) && t.Words[wordAt(n)].Clause != first.Clause {
				return n
			}
		}
	}
	if len(ns) > 1 && about(ns[0]) == 0 {
		for _, n := range ns[1:] {
			if about(n) > 0 {
				return n
			}
		}
	}
	return ns[0]
}

// concludes reports whether a sentence announces a result.
func concludes(t *evidence.Text, s int) bool {
	for _, w := range t.Words[t.Sentences[s].Words.Start:t.Sentences[s].Words.End] {
		switch w.Fold {
		case "so", "therefore", "thus", "hence", "total", "finally", "altogether":
			return true
		}
	}
	return false
}

func inBrackets(s string, n evidence.Number) bool {
	open := strings.LastIndexByte(s[max(0, n.Start-80):n.Start], '(')
	return open >= 0 && !strings.Contains(s[max(0, n.Start-80)+open:n.Start], ")") && strings.Contains(s[n.End:min(len(s), n.End+80)], ")")
}

func isOne(v *big.Rat, of []*big.Rat) bool {
	for _, o := range of {
		if v != nil && v.Cmp(o) == 0 {
			return true
		}
	}
	return false
}

func keep(ns []evidence.Number, ok func(evidence.Number) bool) []evidence.Number {
	kept := ns[:0:0]
	for _, n := range ns {
		if ok(n) {
			kept = append(kept, n)
		}
	}
	return kept
}

// prefer keeps those for which ok holds, or all if it holds for none.
func prefer(ns []evidence.Number, ok func(evidence.Number) bool) []evidence.Number {
	if kept := keep(ns, ok); len(kept) > 0 {
		return kept
	}
	return ns
}

// second reports whether "or" puts another number beside n, as in "either 5 or 6", or n bounds a range, as in "8 to 10".
func (o *numeric) second(t *evidence.Text, n evidence.Number) (string, bool) {
	if s, ok := o.ranges(t.Plain, n); ok {
		return s, true
	}
	behind := t.Plain[n.End:min(len(t.Plain), n.End+40)]
	before := t.Plain[max(0, n.Start-40):n.Start]
	if k := strings.Index(behind, " or "); k >= 0 && k < 20 && !strings.ContainsAny(behind[:k], ".;=(") {
		if rest := strings.TrimLeft(behind[k+4:], " $€£"); rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			m := evidence.Numbers(t.Plain, evidence.Span{Start: n.End, End: min(len(t.Plain), n.End+60)})
			if len(m) > 0 && m[0].Value != nil && m[0].Value.Cmp(n.Value) != 0 && m[0].Unit == n.Unit {
				return t.Plain[n.Start:m[0].End], true
			}
		}
	}
	if strings.HasSuffix(strings.TrimRight(before, "$€£ "), " or") && strings.ContainsAny(before, "0123456789") {
		m := evidence.Numbers(t.Plain, evidence.Span{Start: max(0, n.Start-40), End: n.Start})
		if k := len(m); k > 0 && m[k-1].Value != nil && m[k-1].Value.Cmp(n.Value) != 0 && m[k-1].Unit == n.Unit {
			return t.Plain[m[k-1].Start:n.End], true
		}
	}
	return "", false
}

// ranges reports whether the number is one end of a range: "8 to 10", "6–8", "between 6 and 10". Years are told apart by their question, and
// a text that computes subtracts.
func (o *numeric) ranges(plain string, n evidence.Number) (string, bool) {
	if o.year && !strings.HasSuffix(strings.ToLower(strings.TrimRight(plain[max(0, n.Start-40):n.Start], " ")), "between") || strings.ContainsAny(plain, "=#") || n.Start == 0 && n.End == len(plain) && strings.ContainsAny(plain, "+*×") {
		return "", false
	}
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	before, behind := plain[max(0, n.Start-40):n.Start], plain[n.End:min(len(plain), n.End+40)]
	for _, mark := range []string{" to ", "-", "–", "—", " and "} {
		if mark == " and " && !strings.HasSuffix(strings.ToLower(strings.TrimRight(before, " $€£")), "between") {
			continue
		}
		if rest, ok := strings.CutPrefix(behind, mark); ok {
			rest = strings.TrimLeft(rest, " $€£")
			k := 0
			for k < len(rest) && digit(rest[k]) {
				k++
			}
			if k > 0 {
				return plain[n.Start : len(plain)-len(plain[n.End:])+strings.Index(behind, rest)+k], true
			}
		}
		if rest, ok := strings.CutSuffix(strings.TrimRight(before, "$€£"), mark); ok && mark != " and " && rest != "" && digit(rest[len(rest)-1]) {
			return strings.TrimSpace(rest[strings.LastIndexByte(rest, ' ')+1:]) + mark + plain[n.Start:n.End], true
		}
	}
	return "", false
}

// wrongStep finds an intermediate value that is wrong: an equality that does not hold, or, where as many steps are shown as the case
// lists, one whose result is another.
func (o *numeric) wrongStep(t *evidence.Text) (rule, ev string, wrong bool) {
	for _, e := range evidence.Equalities(t.Plain) {
		if !e.Holds {
			return "calc: a wrong intermediate value", quoted(e.Text), true
		}
	}
	if len(o.steps) == 0 {
		return "", "", false
	}
	shown := t.Steps()
	if len(shown) != len(o.steps) {
		return "", "", false
	}
	for i, s := range shown {
		ns := evidence.Numbers(s, evidence.Span{Start: 0, End: len(s)})
		if len(ns) == 0 {
			continue
		}
		found := false
		for _, n := range ns {
			found = found || n.Value != nil && n.Value.Cmp(o.steps[i]) == 0
		}
		if !found {
			return "calc: a wrong intermediate value", fmt.Sprintf("step %d is %s, expected %s", i+1, quoted(s), o.render(o.steps[i])), true
		}
	}
	return "", "", false
}
