package guard

import (
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/ask/guard/memory"
	"hallmark/internal/base/lists"
	"hallmark/internal/base/pattern"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/arithmetic"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/identifier"
	"hallmark/internal/text/quantity"
	"hallmark/internal/text/quotation"
)

// fails makes an objection. The reason may quote the answer; what an abstention tells is public, which never does.
func fails(test, public, format string, args ...any) *Objection {
	return &Objection{Test: test, Reason: excerpt(fmt.Sprintf(format, args...)), public: public}
}

func (f *Objection) fixed(text string) *Objection {
	f.fix = text
	return f
}

// What an abstention tells, by what failed.
const (
	wrongKind    = "what comes back is not of the kind that the question asks for"
	contradicts  = "what comes back contradicts itself or what is given"
	notFound     = "its source is neither in the context nor in the index"
	unknownName  = "the question names something that is not in the index"
	unstable     = "the answer changes with the wording of the question"
	wrongSum     = "the arithmetic does not hold"
	noEvidence   = "the evidence that the question asks for is missing"
	noChain      = "the steps do not bear the conclusion"
	undetermined = "what comes back is no determinate answer"
)

// firstOf returns what the first of the checks that objects to an answer says.
func firstOf(r *reading, checks ...func(*reading) *Objection) *Objection {
	for _, check := range checks {
		if f := check(r); f != nil {
			return f
		}
	}
	return nil
}

// categorical: the answer is of the type that the question asks for.
func (j *judging) categorical(r *reading) *Objection {
	q := j.q
	kind := q.inventory.kinds[answer.Words(r.core())]
	if q.wantKind != "" && kind != "" && kind != q.wantKind {
		return fails(Categorical, wrongKind, "the question asks for a %s, and the index has “%s” as a %s", q.wantKind,
			r.core(), kind)
	}
	if r.rejects && q.want != anything && kind == "" {
		return nil // the question is put right, and what is right may be of another type
	}
	if what := q.mistaken(r, kind); what != "" {
		return fails(Categorical, wrongKind, "the question asks for %s, and “%s” is %s", kindNames[q.want], r.text,
			what)
	}
	return nil
}

// mistaken says what an answer is in place of what the question asks for, "" where it is of that type; kind is the
// inventory's.
func (q *query) mistaken(r *reading, kind string) string {
	t := types[q.want]
	if t.kinds != nil && kind != "" && !t.kinds[kind] {
		return "a " + kind
	}
	if t.is != nil && !t.is(q, r) {
		return t.without
	}
	return ""
}

// types hold what makes an answer one of a type: the kinds of the inventory that are of it, and what must be in the
// text, with what an answer is without that.
var types = [...]struct {
	kinds   map[string]bool
	is      func(*query, *reading) bool
	without string
}{
	person: {map[string]bool{"person": true, "organisation": true}, func(_ *query, r *reading) bool {
		return r.some(func(w evidence.Word) bool {
			c := r.t.Plain[w.Start]
			return c >= 'A' && c <= 'Z' && !evidence.IsStop(w.Fold) || c >= 0x80
		})
	}, "no name"},
	place: {places, wordy, "a bare number"},
	name:  {nil, wordy, "a bare number"},
	date: {nil, func(_ *query, r *reading) bool {
		return r.some(digit) || len(quantity.Dates(r.t.Plain)) > 0 || len(quantity.Scan(r.t.Plain)) > 0
	}, "no date"},
	number: {nil, func(_ *query, r *reading) bool {
		return r.some(digit) || r.some(func(w evidence.Word) bool { return amounts[w.Fold] }) ||
			len(quantity.Scan(r.t.Plain)) > 0
	}, "no number"},
	yesNo: {nil, func(q *query, r *reading) bool {
		return r.says != "" || q.claim.text != "" && (r.holds(q.claim.of) || r.rejects) || q.repeated(r)
	}, "neither"},
}

// some reports whether a word of the answer is of a sort.
func (r *reading) some(is func(evidence.Word) bool) bool { return slices.ContainsFunc(r.t.Words, is) }

func digit(w evidence.Word) bool { return strings.ContainsAny(w.Fold, "0123456789") }

// wordy reports whether an answer is more than a bare number.
func wordy(_ *query, r *reading) bool {
	numeric := r.some(digit)
	return r.some(func(w evidence.Word) bool { return !numeric || strings.Trim(w.Fold, "0123456789.,-%$") != "" })
}

// repeated reports whether an answer is a statement about what was asked: it shares two words of content with the
// question.
func (q *query) repeated(r *reading) bool {
	shared := 0
	for _, w := range r.t.Words {
		if q.words[w.Fold] && !evidence.IsStop(w.Fold) {
			shared++
		}
	}
	return shared >= 2
}

// amounts are words that answer how many without a numeral.
var amounts = memory.Words("none no zero half all both several many few dozens hundreds thousands millions")

var places = memory.Words("city country place town region state organisation building village river " +
	"mountain continent island")

// stated finds statements "the R of X is Y" in an answer or a passage.
var stated = pattern.New(`(?i)\b(the [^.,;:?!]{1,80}? of [^.;:?!]{1,120}?) (?:is|was) ([^.;?!]{1,200})`)

// logical: the answer's claims contradict neither each other, nor the context, nor what the model says where it is
// asked outright.
func (j *judging) logical(r *reading) *Objection {
	return firstOf(r, j.q.selfContradiction, j.cross, j.q.unsaid)
}

// unsaid: a passage that speaks of what the question names, in the question's own words, holds what is answered. What
// a request supplies counts before what the deployment knows.
func (q *query) unsaid(r *reading) *Objection {
	if r.apart || r.abstains() || len(r.claims) == 0 || q.claim.text != "" || q.want == yesNo {
		return nil
	}
	spoken, held := q.spoken(q.reading, r)
	if held || spoken < 0 && len(q.names) > 0 && q.supplied(slices.Concat(q.names, r.claims)...) {
		return nil
	}
	if spoken >= 0 {
		source := ""
		if q.cites {
			source = " [" + q.raw[spoken].ID + "]"
		}
		return q.unlike(r, q.raw[spoken].Text, source)
	}
	known := lists.Map(q.extra, func(i int) *evidence.Text { return evidence.Read(q.inventory.Passages[i].Text) })
	if spoken, held = q.spoken(known, r); spoken < 0 || held {
		return nil
	}
	return q.unlike(r, q.inventory.Passages[q.extra[spoken]].Text, "")
}

// spoken returns the last of the passages that is about what the question asks, -1 if there is none, and whether one
// of these holds the answer.
func (q *query) spoken(passages []*evidence.Text, r *reading) (at int, held bool) {
	at = -1
	for i, t := range passages {
		if q.speaks(t) {
			at, held = i, held || holdsAll(t, r.claims)
		}
	}
	return at, held
}

// unlike says that an answer is not what a line says; where the line gives a value, that and its source hold.
func (q *query) unlike(r *reading, line, source string) *Objection {
	f := fails(Logical, contradicts, "“%s” is not what “%s” says", r.core(), line)
	if value, ok := q.valueIn(line); ok {
		f.fix = value + source
	}
	return f
}

// supplied reports whether a passage of the request holds every one of the words.
func (q *query) supplied(words ...string) bool {
	return slices.ContainsFunc(q.reading, func(t *evidence.Text) bool { return holdsAll(t, words) })
}

// speaks reports whether a passage is about what the question asks: it holds every name of the question and every
// other word of content of the sentence that asks.
func (q *query) speaks(t *evidence.Text) bool {
	if len(q.names) == 0 || q.sum.value != nil || !holdsAll(t, q.names) {
		return false
	}
	var relation []string
	for _, w := range evidence.Read(q.asking()).Words {
		if !evidence.IsStop(w.Fold) && !slices.Contains(q.names, w.Fold) && !askWords[w.Fold] {
			relation = append(relation, w.Fold)
		}
	}
	return len(relation) > 0 && holdsAll(t, relation)
}

var askWords = memory.Words("tell give say state know complete cite line context use only above " +
	"briefly exactly please quick " +
	"according passage passages text lines source")

// valueIn returns what a passage of the form "the R of X is Y" says.
func (q *query) valueIn(line string) (string, bool) {
	all := stated.FindAllStringSubmatch(line, 2)
	if len(all) != 1 || !containsAll(evidence.Phrase(all[0][1]), q.names) {
		return "", false
	}
	return strings.TrimSpace(all[0][2]), true
}

// holdsAll reports whether a text holds every one of the words.
func holdsAll(t *evidence.Text, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return len(t.Find([]string{w})) == 0 })
}

// containsAll reports whether every one of some words is among others.
func containsAll(others, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(others, w) })
}

// selfContradiction finds yes and no, or two values of one thing, in one answer.
func (q *query) selfContradiction(r *reading) *Objection {
	var said [2]bool
	for _, s := range r.t.Sentences {
		first := r.t.Words[s.Words.Start]
		if rest := strings.TrimSpace(r.t.Plain[first.End:]); rest != "" && !strings.ContainsAny(rest[:1], ",.;:!-") {
			continue // "No trader may sell …" denies nothing that was asked
		}
		switch first.Fold {
		case yes:
			said[0] = true
		case no:
			said[1] = true
		}
	}
	if q.want == yesNo && said[0] && said[1] {
		return fails(Logical, contradicts, "“%s” says yes and no", r.text)
	}
	values := map[string]string{}
	for _, m := range stated.FindAllStringSubmatch(last(r.t.Plain, 4000), 32) {
		of, value := answer.Words(m[1]), answer.Words(m[2])
		if strings.HasPrefix(value, "not ") || strings.HasPrefix(value, "never ") {
			continue
		}
		if before, ok := values[of]; ok && !strings.HasPrefix(before, value) && !strings.HasPrefix(value, before) {
			return fails(Logical, contradicts, "“%s” says of %s that it is “%s” and “%s”", r.text, of, before, value)
		}
		values[of] = value
	}
	return nil
}

// cross holds the answer to a question about a claim against what the model says where it is asked for the same
// without the claim.
func (j *judging) cross(r *reading) *Objection {
	q, d := j.q, j.direct
	if d == nil || d.abstains() || len(d.claims) == 0 && !d.holds(q.claim.value) || len(d.t.Words) > 12 {
		return nil
	}
	fix, against := q.claim.against(r, d)
	if !against {
		return nil
	}
	return fails(Logical, contradicts, "“%s” does not go with the answer “%s” to “%s”", r.text, d.text,
		q.claim.direct()).fixed(fix)
}

// against reports whether an answer to a question about the claim goes against the answer to the direct question, and
// what to answer then, "" if that is not known.
func (c claim) against(r, direct *reading) (fix string, against bool) {
	so, statement := direct.holds(c.value), direct.core()
	if !direct.holds(c.of) { // a bare value
		statement = c.put(statement)
	}
	mentions := holdsAll(r.t, direct.claims)
	switch {
	case c.premise && so:
		return "", r.rejects && !r.declines
	case c.premise:
		return statement + ", not " + c.value + ".", !mentions && r.accepts()
	case r.abstains():
		return "", false
	case c.negated && r.says != "":
		return statement + ".", !mentions && (r.says == yes) == so
	case c.negated:
		return statement + ".", !mentions && !so && r.holds(c.value) && !r.rejects
	}
	return map[bool]string{true: "Yes.", false: "No."}[so], r.says != "" && (r.says == yes) != so
}

// accepts reports whether an answer affirms what the question takes for granted, or goes along with it.
func (r *reading) accepts() bool {
	return r.says == yes || strings.HasPrefix(strings.ToLower(r.text), "that is so") || !r.rejects && !r.abstains()
}

// operational: arithmetic is redone, and the question asked in other phrasings gives the same.
func (j *judging) operational(r *reading, settled bool) *Objection {
	q := j.q
	for _, e := range arithmetic.Equalities(r.t.Plain) {
		if !e.Holds {
			return fails(Operational, wrongSum, "“%s” does not hold", e.Text).fixed(q.sum.shown)
		}
	}
	if q.sum.value != nil && !r.abstains() {
		if v, ok := quantity.Number(last(r.text, evidence.Limit)); !ok || v.Cmp(q.sum.value) != 0 {
			return fails(Operational, wrongSum, "“%s”, but %s", r.core(), q.sum.shown).fixed(q.sum.shown)
		}
		return nil // what is computed needs no vote
	}
	if settled || r.abstains() || len(j.variants) < 2 {
		return nil
	}
	agree := 0
	for _, w := range j.variants {
		if same(r, w) {
			agree++
		}
	}
	if float64(agree) < j.c.Agreement*float64(len(j.variants)) {
		return fails(Operational, unstable, "“%s” is the answer to %d of %d wordings", r.core(), agree, len(j.variants))
	}
	return nil
}

// reciprocity: nothing is asserted without the evidence that the question asks for.
func (j *judging) reciprocity(r *reading) *Objection {
	if r.abstains() {
		return nil
	}
	return firstOf(r, j.q.lineless, j.q.sourceless, j.q.beyond, j.q.stepless)
}

// lineless: asked for the line, an answer names one, or says what one says.
func (q *query) lineless(r *reading) *Objection {
	if !q.cites || len(q.passages) == 0 || len(r.cites) > 0 {
		return nil
	}
	_, run := quotation.Longest(r.t, q.passages, 6)
	quoted := slices.ContainsFunc(quotation.Quotes(r.t), func(quote quotation.Quote) bool {
		return len(quotation.Locate(quote, q.passages)) > 0
	})
	if run.End != run.Start || quoted {
		return nil
	}
	f := fails(Reciprocity, noEvidence, "the question asks for the line, and “%s” names none", r.text)
	if right := q.holders(r); len(right) == 1 && len(r.claims) > 0 {
		f.fix = r.core() + " [" + right[0] + "]"
	}
	return f
}

// sourceless: asked for a source where there are no lines, an answer quotes, identifies or names one.
func (q *query) sourceless(r *reading) *Objection {
	if q.cites && len(q.passages) == 0 && len(quotation.Quotes(r.t)) == 0 && len(identifier.Find(r.t.Plain)) == 0 &&
		!sourced(r.t.Plain) {
		return fails(Reciprocity, noEvidence, "the question asks for a source, and “%s” names none", r.text)
	}
	return nil
}

// beyond: where the context alone counts, it or the question holds each name and number that an answer asserts.
func (q *query) beyond(r *reading) *Objection {
	if !q.contextOnly || len(q.passages) == 0 {
		return nil
	}
	for i, w := range r.t.Words {
		if !r.t.Name(i) && !r.t.Numeral(i) || q.words[w.Fold] ||
			r.t.Stance(evidence.Span{Start: i, End: i + 1}) > evidence.Uncertain {
			continue
		}
		if !r.cited[i] && !q.supplied(w.Fold) && !sourcing(w.Fold) {
			return fails(Reciprocity, noEvidence, "“%s” is not in the context, which alone counts",
				r.t.Plain[w.Start:w.End])
		}
	}
	return nil
}

// stepless: asked for the steps, an answer shows some.
func (q *query) stepless(r *reading) *Objection {
	if q.steps && !r.rejects && len(r.t.Steps()) < 2 && len(arithmetic.Equalities(r.t.Plain)) == 0 {
		return fails(Reciprocity, noEvidence, "the question asks for the steps, and “%s” shows none",
			r.text).fixed(q.sum.shown)
	}
	return nil
}

// sourced reports whether a text names a source in words.
func sourced(plain string) bool {
	lower := strings.ToLower(plain)
	for mark := range evidence.Listed("source mark") {
		if strings.Contains(lower, mark) {
			return true
		}
	}
	return false
}
