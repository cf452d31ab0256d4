package oracle

import (
	"hallmark/internal/answer"
	"hallmark/internal/evidence"
)

// announced reports whether a number of what the question asks for stands behind "that is" and the like.
func (o *numeric) announced(t *evidence.Text, n evidence.Number, wordAt func(evidence.Number) int) bool {
	i := amountAt(t, wordAt(n))
	if i > 1 && t.Words[i-1].Fold == "to" { // "brings the price down to 1274"
		for k := i - 2; k >= max(0, i-7) && t.Words[k].Clause == t.Words[i].Clause; k-- {
			if resulting[t.Words[k].Fold] {
				return true
			}
		}
	}
	return i > 1 && announces[t.Words[i-2].Fold+" "+t.Words[i-1].Fold] && (n.Word == "" || o.question[n.Word] || n.Unit != "" && o.unit != "")
}

// resulting are verbs before "to" and what comes of a change.
var resulting = set("brings bring bringing reduces reduce reducing lowers lowering cuts cutting drops drop falls fall falling takes raises raising rises rise increases grows adds sums amounts comes leads")

// announces are the words before a number that says the one before it in other words.
var announces = map[string]bool{"that is": true, "that 's": true, "that makes": true, "total of": true, "comes to": true, "amounts to": true, "sum of": true,
	"that leaves": true, "this leaves": true, "which leaves": true, "that gives": true, "this gives": true, "which gives": true, "which makes": true, "this makes": true, "this is": true,
	"you get": true, "we get": true, "i get": true, "you pay": true, "leaving you": true}

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
			case "makes", "totals", "equals", "gives", "making", "giving", "leaving", "leaves", "yields", "yielding", "totalling", "totaling":
				return ns[k]
			}
		}
		// "the discount is 225, so the new price is 1275"
		start := i
		for start > 0 && t.Words[start-1].Clause == t.Words[i].Clause {
			start--
		}
		if w := t.Words[start].Fold; concluding[w] || w == "together" || w == "altogether" || w == "total" || w == "in" && start+1 < i && (t.Words[start+1].Fold == "all" || t.Words[start+1].Fold == "total") {
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
		counted[n.Word], counted[stemmed(n.Word)] = true, true
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
			if w := t.Words[start].Fold; !counted[w] && !counted[stemmed(w)] {
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
