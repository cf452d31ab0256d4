package answer

import "strings"

// Verdict stub.
type Verdict int8

const (
	Unsure Verdict = iota
	Same
	Different
)

type Context struct {
	Question        string
	Aliases, Rivals []string
	Exact           bool
}

type Kind string

const (
	Name     Kind = "name"
	NumberK  Kind = "number"
	Sentence Kind = "sentence"
)

type Reference struct {
	words []string
	set   map[string]bool
}

func NewReference(gold string, o Context) *Reference {
	r := &Reference{words: strings.Fields(Words(gold)), set: map[string]bool{}}
	for _, w := range r.words {
		r.set[w] = true
	}
	return r
}
func (r *Reference) Kind() Kind { return Name }
func (r *Reference) Keys() []string { return r.words }
func (r *Reference) Compare(v string) (Verdict, string) {
	ws := strings.Fields(Words(v))
	shared, last := 0, false
	for _, w := range ws {
		w = strings.Trim(w, ".,;:()")
		if r.set[w] {
			shared++
			last = last || w == r.words[len(r.words)-1]
		}
	}
	switch {
	case shared == len(r.words) || last && len(ws) == shared:
		return Same, "its words"
	case shared == 0:
		return Different, "no word shared"
	}
	return Unsure, "some words shared"
}
