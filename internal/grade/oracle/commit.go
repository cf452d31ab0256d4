package oracle

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hallmark/internal/answer"
	"hallmark/internal/evidence"
	"hallmark/internal/grade"
	"hallmark/internal/reading"
)

// What an answer commits to is told by a multinomial logistic regression over what is seen of it: GRADING 5. There are two, one for texts that
// put a gold forward somewhere and one for texts that do not. Their weights are in weights.txt, fitted by TestFit on the labelled answers of
// internal/grade/rubric/testdata, cross-validated by case.

// The classes that a model tells apart, in the order of the weights.
var classes = [...]grade.Outcome{grade.Correct, grade.Incorrect, grade.NotAttempted}

// A feature is something seen of an answer; its value is 0 or 1, or a logarithm of a count.
type feature int

// The features. A role's feature is roleFeature + the role, of the strongest item.
const (
	bias           feature = iota
	uncertain              // the strongest item is put forward as possible only
	inFirst                // it stands in the first sentence
	inLast                 // it stands in the last one
	inMarks                // it is asserted in a role of its own, not merely mentioned
	length                 // of the text: log of its words
	rivals                 // log of the different items that are asserted in a role
	rivalStronger          // a different item is asserted in a stronger role
	rivalAfter             // a different item is asserted after it
	beside                 // "or" puts something else beside it
	turned                 // a word of contrast stands before it in its sentence
	attributed             // its sentence says what others believe
	goldDenied             // a gold is mentioned, and denied, contrasted, doubted or retracted
	unsure                 // an item could be the same and could not
	declines               // the text declines somewhere
	declinesFirst          // in its first sentence
	asksBack               // the text asks its reader
	evadesAll              // the text says that it depends, or hedges twice
	short                  // the text has at most four words
	likeGold               // the strongest item is capitalised as the gold is
	asNoun                 // its sentence has the word behind "which" or "what"
	isNumber               // the gold is a number or date
	isSentence             // the gold is a sentence
	freshNames             // log of the capitalised words that the question does not hold
	hedgedAnywhere         // the text hedges
	ofKind                 // "a" or "an" stands before it
	roleFeature
	nFeatures = roleFeature + feature(reading.Roles) + 1
)

var featureNames = [roleFeature]string{"bias", "uncertain", "in first", "in last", "in a role", "length", "rivals", "rival stronger", "rival after", "beside", "turned", "attributed",
	"gold denied", "unsure", "declines", "declines first", "asks back", "evades", "short", "like gold", "as noun", "is number", "is sentence", "fresh names", "hedges", "of a kind"}

// A sight holds the features of one answer.
type sight [nFeatures]float64

//go:embed weights.txt
var weightsText string

// A model holds the weights of each feature for each class.
type model [nFeatures][len(classes)]float64

// put and absent are the models for texts that put a gold forward, and for texts that do not.
var put, absent = readWeights(weightsText)

func featureName(f feature) string {
	if f < roleFeature {
		return featureNames[f]
	}
	return "role " + strconv.Itoa(int(f-roleFeature))
}

func readWeights(text string) (put, absent model) {
	names := map[string]feature{}
	for f := range nFeatures {
		names[featureName(f)] = f
	}
	for n, line := range strings.Split(strings.TrimSpace(text), "\n") {
		cells := strings.Split(line, "\t")
		if len(cells) != 2+len(classes) || strings.HasPrefix(line, "#") {
			continue
		}
		f, ok := names[cells[1]]
		m := &put
		if cells[0] == "absent" {
			m = &absent
		}
		for c := range classes {
			v, err := strconv.ParseFloat(cells[2+c], 64)
			if err != nil || !ok {
				panic(fmt.Sprintf("oracle: weights.txt:%d: %q", n+1, line))
			}
			m[f][c] = v
		}
	}
	return put, absent
}

// probabilities returns that of each class.
func (m *model) probabilities(x *sight) (p [len(classes)]float64) {
	top := math.Inf(-1)
	for c := range p {
		for f := range x {
			p[c] += float64(m[f][c] * x[f])
		}
		top = max(top, p[c])
	}
	sum := 0.
	for c := range p {
		p[c] = math.Exp(p[c] - top)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
	return p
}

// strongest returns the item that a text puts forward most: an asserted one before an uncertain one, then by role, then by place.
func strongest(items []item, verdict func(answer.Verdict) bool) *item {
	var best *item
	for i := range items {
		it := &items[i]
		if !it.asserts() || !verdict(it.verdict) {
			continue
		}
		if best == nil || it.stance < best.stance || it.stance == best.stance && it.role < best.role {
			best = it
		}
	}
	return best
}

func isSame(v answer.Verdict) bool      { return v == answer.Same }
func isDifferent(v answer.Verdict) bool { return v == answer.Different }
func isUnsure(v answer.Verdict) bool    { return v == answer.Unsure }

// A seen holds what the models are asked about one answer, and what it is about.
type seen struct {
	x    sight
	good *item // the strongest item that is a gold; nil where the text puts none forward
	bad  *item // the strongest one that is something else
}

// see looks at an answer for the features.
func see(t *evidence.Text, q *reading.Question, items []item, numeric, sentence, capital bool) seen {
	s := seen{good: strongest(items, isSame), bad: strongest(items, isDifferent)}
	x := &s.x
	x[bias] = 1
	set := func(f feature, on bool) {
		if on {
			x[f] = 1
		}
	}
	top := s.good
	if top == nil {
		top = s.bad
	}
	if top == nil {
		top = strongest(items, isUnsure)
	}
	if top != nil {
		x[roleFeature+feature(top.role)] = 1
		at := t.Words[top.words.Start].Sentence
		set(uncertain, top.stance == evidence.Uncertain)
		set(inFirst, at == 0)
		set(inLast, int(at) == len(t.Sentences)-1)
		set(inMarks, top.role != mentioned)
		_, alt := t.Alternative(top.words)
		set(beside, alt)
		set(ofKind, top.indefinite)
		before := evidence.Span{Start: t.Sentences[at].Words.Start, End: top.words.Start}
		for i := before.Start; i < before.End; i++ {
			set(turned, reading.Contrasts(t.Words[i].Fold))
			set(attributed, reading.Attributes(t.Words[i].Fold))
		}
		for i := t.Sentences[at].Words.Start; q.Noun != "" && i < t.Sentences[at].Words.End; i++ {
			set(asNoun, reading.Stem(t.Words[i].Fold) == reading.Stem(q.Noun))
		}
		set(likeGold, capital == isUpper(t.Plain[t.Words[top.words.Start].Start]))
	}
	others := 0
	for i := range items {
		it := &items[i]
		switch {
		case it.verdict == answer.Same && !it.asserts():
			x[goldDenied] = 1
		case it.verdict == answer.Unsure:
			x[unsure] = 1
		case it.verdict == answer.Different && it.stance == evidence.Asserted && it.role != mentioned:
			others++
			if s.good != nil {
				set(rivalStronger, it.role < s.good.role)
				set(rivalAfter, it.words.Start > s.good.words.Start)
			}
		}
	}
	x[rivals] = math.Log1p(float64(others))
	x[length] = math.Log1p(float64(len(t.Words)))
	set(short, len(t.Words) <= 4)
	if c, ok := t.Declines(); ok {
		x[declines] = 1
		set(declinesFirst, t.Words[c.Words.Start].Sentence == 0)
	}
	_, asks := t.Asks()
	set(asksBack, asks)
	_, ev := evades(t)
	set(evadesAll, ev)
	_, hedge := t.Cue(evidence.Span{Start: 0, End: len(t.Words)}, evidence.Hedges)
	set(hedgedAnywhere, hedge)
	names := 0
	for i := range t.Words {
		if t.Name(i) && !q.Says(t.Words[i].Fold) {
			names++
		}
	}
	x[freshNames] = math.Log1p(float64(names))
	set(isNumber, numeric)
	set(isSentence, sentence)
	return s
}

// margin is how probable an outcome must be for rules to say it: below it the answer is ungradable.
const margin = .93

// outcome returns the most probable outcome, its probability, and whether it is probable enough to be said.
func (s *seen) outcome() (grade.Outcome, float64, bool) {
	m := &absent
	if s.good != nil {
		m = &put
	}
	p := m.probabilities(&s.x)
	best := 0
	for c := range p {
		if p[c] > p[best] {
			best = c
		}
	}
	return classes[best], p[best], p[best] >= margin
}
