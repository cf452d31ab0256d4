package oracle

import (
	"math/big"
	"slices"
	"strings"

	"hallmark/internal/answer"
	"hallmark/internal/evidence"
)

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
			return evidence.Number{Value: v, Start: t.Words[s.Start].Start, End: t.Words[s.End-1].End, Spelled: true}, true
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
	if !unmistakable && len(ns) > 1 {
		ns = prefer(ns, func(n evidence.Number) bool { return !o.beside(t, n, wordAt(n)) })
		if o.chance && !marked { // which is no more than 1, or in percent: "6 out of 36, i.e. 1/6"
			ns = prefer(ns, func(n evidence.Number) bool { return n.Unit == "%" || n.Value == nil || n.Value.Cmp(unity) <= 0 })
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
			return evidence.Number{Value: v, Start: t.Words[s.Start].Start, End: t.Words[s.End-1].End, Spelled: true}, true
		}
		return evidence.Number{}, false
	}
	// What stands in brackets beside a new number explains it: "3,500 m (since 1 km = 1,000 m)".
	if open := keep(ns, func(n evidence.Number) bool { return !inBrackets(t.Plain, n) }); !marked && len(open) < len(ns) {
		if slices.ContainsFunc(open, func(n evidence.Number) bool { return !isOne(n.Value, o.inPrompt) }) {
			ns = open
		}
	}
	if k := len(ns) - 1; k > 0 && !marked && ns[k].Unit == "" {
		if i := amountAt(t, wordAt(ns[k])); i > 0 {
			switch t.Words[i-1].Fold {
			case "makes", "totals", "equals", "gives", "yields":
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
	if o.unit != "" && isOne(fresh[0].Value, o.inPrompt) && !marked { // none is new, but for one in words: "fifteen percent of 80 is 12"
		if n, ok := o.wordsAndUnit(t, in); ok {
			return n, true
		}
	}
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
		if n, ok := o.keyed(t, fresh); ok {
			return n, true
		}
		if n, ok := exactly(t, fresh, wordAt); ok {
			return n, true
		}
		if s := int(t.Words[wordAt(last)].Sentence); s > 0 && (len(t.Sentences) > 2 && concludes(t, s) || concluding[t.Words[t.Sentences[s].Words.Start].Fold]) {
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
				if k := wordAt(tail[len(tail)-1]); k > 0 {
					switch t.Words[k-1].Fold {
					case "is", "are", "makes", "gives", "yields", "leaves", "get", "costs", "equals":
						return tail[len(tail)-1], true
					}
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

// keep returns those for which ok holds: ns itself where that is all of them.
func keep(ns []evidence.Number, ok func(evidence.Number) bool) []evidence.Number {
	for i, n := range ns {
		if ok(n) {
			continue
		}
		kept := append(ns[:0:0], ns[:i]...)
		for _, n := range ns[i+1:] {
			if ok(n) {
				kept = append(kept, n)
			}
		}
		return kept
	}
	return ns
}

// prefer keeps those for which ok holds, or all if it holds for none.
func prefer(ns []evidence.Number, ok func(evidence.Number) bool) []evidence.Number {
	if kept := keep(ns, ok); len(kept) > 0 {
		return kept
	}
	return ns
}

// negative reports whether a spelled out number is one below zero: "minus twelve".
func negative(t *evidence.Text, start int) bool {
	for i, w := range t.Words {
		if w.Start == start && i > 0 {
			return t.Words[i-1].Fold == "minus" || t.Words[i-1].Fold == "negative"
		}
	}
	return false
}

// bestRow returns the numbers of the row of a table that has most words of the question, the last such.
func (o *numeric) bestRow(t *evidence.Text, ns []evidence.Number) ([]evidence.Number, bool) {
	if strings.Count(t.Plain, "|") < 4 {
		return nil, false
	}
	type row struct {
		numbers []evidence.Number
		shared  int
	}
	var rows []row
	at := 0
	for line := range strings.Lines(t.Plain) {
		start := at
		at += len(line)
		if strings.Count(line, "|") < 2 {
			continue
		}
		var r row
		for _, n := range ns {
			if n.Start >= start && n.Start < at {
				r.numbers = append(r.numbers, n)
			}
		}
		seen := map[string]bool{}
		for _, w := range evidence.Phrase(line) {
			v, isNumber := answer.Number(w)
			if (o.question[w] && !evidence.Stop[w] || isNumber && o.counts(v.RatString())) && !seen[w] {
				seen[w] = true
				r.shared++
			}
		}
		if len(r.numbers) > 0 {
			rows = append(rows, r)
		}
	}
	best := -1
	for i, r := range rows {
		if best < 0 || r.shared >= rows[best].shared { // of equal rows the last, where results stand
			best = i
		}
	}
	if best < 0 || rows[best].shared == 0 {
		return nil, false
	}
	return rows[best].numbers, true
}
