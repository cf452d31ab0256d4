package answer

import (
	"math/bits"
	"strings"
)

// Compare says whether value, a short span that somebody gives as the answer, names the same thing as the gold, and why.
func (r *Reference) Compare(value string) (Verdict, string) {
	if len(value) > maxValue {
		return Unsure, "longer than a value"
	}
	if r.context.Exact {
		return r.exact(value)
	}
	if r.measures != nil && (r.kind == NumberKind || r.kind == DateKind) {
		return r.measures.Compare(r.gold, value, r.context.Question)
	}
	var tokens [12]token
	var folded [128]byte
	v := form{tokens: tokens[:0]}
	v.read(value, folded[:0], r.x)
	if len(v.tokens) == 0 || len(r.forms) == 0 {
		return r.wordless(value)
	}
	if v.full {
		return Unsure, "longer than a value"
	}
	if r.kind == PolarKind {
		return r.comparePolar(&v)
	}
	if verdict, why := r.compareFormula(value); verdict != "" {
		return verdict, why
	}
	verdict, why := r.named(&v, value)
	if r.items != nil && verdict != Same {
		verdict, why = r.compareList(value)
	}
	switch {
	case verdict == Same:
		return r.besideRivals(&v, value, why)
	case verdict == Unsure:
		for _, rival := range r.rivals {
			if s, _ := rival.Compare(value); s == Same {
				return Different, "the name of a rival"
			}
		}
	case r.kind == SentenceKind:
		return Unsure, "a sentence in other words"
	}
	return verdict, why
}

func (r *Reference) exact(value string) (Verdict, string) {
	form := Words(value)
	if form == Words(r.gold) {
		return Same, "the same words"
	}
	for _, a := range r.context.Aliases {
		if form == Words(a) {
			return Same, "the words of an alias"
		}
	}
	return Different, "not the exact words"
}

// wordless compares texts of which one has no word: "+", "?".
func (r *Reference) wordless(value string) (Verdict, string) {
	if a, b := strings.TrimSpace(value), strings.TrimSpace(r.gold); a == b && a != "" {
		return Same, "the same signs"
	}
	return Unsure, "no word to compare"
}

// besideRivals takes a value that matched the gold from it where a rival is nearer or as near.
func (r *Reference) besideRivals(v *form, value, why string) (Verdict, string) {
	for _, rival := range r.rivals {
		if len(rival.forms) == 0 || r.sameText(v) {
			continue
		}
		if rival.sameText(v) {
			return Different, "the words of a rival"
		}
		if verdict, _ := rival.Compare(value); verdict == Same {
			return Unsure, "the name of a rival too"
		}
	}
	return Same, why
}

// sameText reports whether the words of the value are those of a form.
func (r *Reference) sameText(v *form) bool {
	var a, b [128]byte
	key := string(v.key(v.main(), a[:0]))
	for i := range r.forms {
		if string(r.forms[i].key(r.forms[i].main(), b[:0])) == key {
			return true
		}
	}
	return false
}

func (r *Reference) comparePolar(v *form) (Verdict, string) {
	var said [2]bool
	ts := v.head()
	for range 2 {
		denied := false
		for _, t := range ts {
			switch {
			case has(t, yes|no):
				said[b2i(has(t, yes) != denied)] = true
				denied = false
			case has(t, negation):
				denied = !denied
			}
		}
		if said[0] || said[1] || len(v.tokens) > 3 {
			break
		}
		ts = v.tokens
	}
	switch {
	case said[0] == said[1]:
		return Unsure, "neither yes nor no, or both"
	case said[b2i(r.polar)]:
		return Same, "the same polarity"
	}
	return Different, "the other polarity"
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareList compares member by member, in any order.
func (r *Reference) compareList(value string) (Verdict, string) {
	values := cutList(value)
	if len(values) > maxTokens {
		return Unsure, "longer than a value"
	}
	var used set
	missing, unsure, wrong := 0, 0, 0
	for _, it := range r.items {
		found := false
		for j, v := range values {
			if used.has(j) {
				continue
			}
			if verdict, _ := it.Compare(v); verdict == Same {
				used |= 1 << uint(j)
				found = true
				break
			}
		}
		if !found {
			missing++
		}
	}
	for j, v := range values {
		if used.has(j) {
			continue
		}
		wrong++
		for _, it := range r.items {
			if verdict, _ := it.Compare(v); verdict == Unsure {
				unsure++
				break
			}
		}
	}
	switch {
	case missing == 0 && wrong == 0:
		return Same, "the same members"
	case unsure > 0:
		return Unsure, "a member in other words"
	case wrong > 0:
		return Different, "another member"
	}
	return Different, "a member is missing"
}

// named is the best verdict over the forms of the gold. Same of one is Same; else Unsure of one is Unsure.
func (r *Reference) named(v *form, value string) (Verdict, string) {
	verdict, why := Different, ""
	for i := range r.forms {
		s, because := r.form(i, v, value)
		if s == Same {
			return s, because
		}
		if why == "" || s == Unsure && verdict == Different {
			verdict, why = s, because
		}
	}
	return verdict, why
}

// form compares a value with the i-th form of the gold: the whole of both, then the value without the explanation behind it, then what
// it has in brackets.
func (r *Reference) form(i int, v *form, value string) (Verdict, string) {
	g, main := r.forms[i].main(), v.main()
	var a, b [128]byte
	if string(v.key(g, a[:0])) == string(v.key(main, b[:0])) && negated(g) == negated(main) {
		return Same, "the same words"
	}
	if negated(main) && has(main[0], negation) && !negated(g) {
		return Unsure, "a denial"
	}
	if initialsOf(g, main) || initialsOf(main, g) {
		return Same, "the initials"
	}
	if verdict, why := r.conjoined(g, main); verdict != "" {
		return verdict, why
	}
	head := v.head()
	verdict, why := r.align(i, g, main, value)
	if verdict != Same && len(head) < len(main) && r.kind != SentenceKind && r.kind != PhraseKind {
		s, because := r.align(i, g, head, "")
		if s != Same {
			s, because = r.shortened(i, head, s, because)
		}
		if s == Same && r.elsewhere(g, main[len(head):]) {
			return Different, "in another region"
		}
		if cut := main[len(head)]; s == Same || cut.shape&broken != 0 || verdict == Unsure {
			verdict, why = s, because
		}
	} else if verdict != Same {
		verdict, why = r.shortened(i, main, verdict, why)
	}
	if in := v.asides(); verdict != Same && len(in) > 0 && !negated(in) && r.samePart(i, in) {
		return Same, "the name in brackets"
	}
	if at := otherName(main); verdict != Same && at > 0 && r.samePart(i, main[at:]) {
		return Same, "another name of the same"
	}
	return verdict, why
}

func (r *Reference) samePart(i int, ts []token) bool {
	verdict, why := r.align(i, r.forms[i].main(), ts, "")
	return verdict == Same && why != fuller
}

// shortened compares with the gold without what stands behind a comma or colon in it, its subtitle or region, or before a colon.
func (r *Reference) shortened(i int, ts []token, verdict Verdict, why string) (Verdict, string) {
	g := r.forms[i].main()
	cut := 0
	for j, t := range g {
		if j > 0 && (t.shape&broken != 0 || has(t, also) && t.shape&capital == 0) {
			cut = j
			break
		}
	}
	if cut == 0 || r.kind == ListKind {
		return verdict, why
	}
	if s, because := r.align(i, g[:cut], ts, ""); s == Same && because != fuller {
		return Same, "without what is behind the name"
	}
	if s, because := r.align(i, g[cut:], ts, ""); s == Same && because != fuller {
		if len(r.regionOf(g[cut:])) > 0 {
			return Unsure, "the region alone"
		}
		if len(g)-cut > 1 {
			return Same, "without what is in front of the title"
		}
	}
	return verdict, why
}

func (r *Reference) regionOf(ts []token) []thing {
	for i := range ts {
		if i == 0 || ts[i].shape&broken != 0 {
			if found := regionsOf(r.things(ts[i:], "")); len(found) > 0 {
				return found
			}
		}
	}
	return nil
}

// elsewhere reports whether what stands behind the name of a place is a region that cannot hold the gold.
func (r *Reference) elsewhere(g, tail []token) bool {
	there := r.regionOf(tail)
	if len(there) == 0 {
		return false
	}
	here := r.regions
	for j, t := range g {
		if j > 0 && t.shape&broken != 0 {
			here = r.regionOf(g[j:])
			break
		}
	}
	for _, a := range there {
		for _, b := range here {
			if a == b || a.within == b.code || b.within == a.code {
				return false
			}
		}
	}
	return len(here) > 0
}

// head returns the tokens of a value up to where an explanation begins, without prepositions in front.
func (f *form) head() []token {
	ts := f.main()
	for len(ts) > 1 && has(ts[0], stop) && has(ts[0], light) && ts[0].shape&capital == 0 {
		ts = ts[1:]
	}
	for i, t := range ts {
		if i > 0 && (t.shape&broken != 0 || has(t, stop) && t.shape&capital == 0 || has(t, also) && !has(ts[i-1], light)) {
			return ts[:i]
		}
	}
	return ts
}

func otherName(ts []token) int {
	for i, t := range ts {
		if i > 0 && i+1 < len(ts) && has(t, also) && t.word != "or" {
			for i+1 < len(ts) && (has(ts[i], also|light|stop)) {
				i++
			}
			return i
		}
	}
	return 0
}

func negated(ts []token) bool {
	for i, t := range ts {
		if has(t, negation) && (i+1 == len(ts) || !has(ts[i+1], numbered)) {
			return true
		}
	}
	return false
}

// conjoined settles a value of two, "Paris and Lyon", where the gold is one: "" where it is none.
func (r *Reference) conjoined(g, v []token) (Verdict, string) {
	at := 0
	for i, t := range v {
		if i > 0 && i+1 < len(v) && (t.word == "and" || t.word == "or" && t.shape&broken == 0) {
			at = i
		}
	}
	if at == 0 || r.items != nil || r.kind == SentenceKind || r.kind == PhraseKind {
		return "", ""
	}
	for _, t := range g {
		if t.word == "and" || t.word == "or" {
			return "", ""
		}
	}
	first, _ := r.align(0, g, v[:at], "")
	second, _ := r.align(0, g, v[at+1:], "")
	switch {
	case first == Same && second == Same:
		return Same, "two names of it"
	case first == Same && second == Different && len(v)-at < 5 || second == Same && first == Different && at < 4:
		return Different, "another one beside it"
	}
	return "", ""
}

func count(s set) int { return bits.OnesCount64(uint64(s)) }

// Compare says whether a and b are the same answer to a question. It is symmetric; where the two directions disagree it is unsure.
func Compare(a, b, question string) (Verdict, string) {
	v, why := NewReference(a, Context{Question: question}).Compare(b)
	w, _ := NewReference(b, Context{Question: question}).Compare(a)
	if v != w {
		return Unsure, "one says more than the other"
	}
	return v, why
}
