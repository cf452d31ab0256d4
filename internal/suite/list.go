package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A List is the cases of a suite in their order, packed or not. It holds what it lists, and is not changed.
type List struct {
	loose []Case
	packs *packs // nil: loose has them
}

// ListOf lists cases, which it holds. Nil and no case are two lists to JSON: null and [].
func ListOf(cases []Case) List { return List{loose: cases} }

// Len is the number of cases.
func (l List) Len() int {
	if l.packs != nil {
		return len(l.packs.cases)
	}
	return len(l.loose)
}

// First returns the first n cases; 0 < n <= Len.
func (l List) First(n int) List {
	if l.packs != nil {
		return List{packs: &packs{cases: l.packs.cases[:n]}}
	}
	return List{loose: l.loose[:n]}
}

// ID returns the id of the case at a place from 0 to Len - 1.
func (l List) ID(i int) string {
	if l.packs == nil {
		return l.loose[i].ID
	}
	if p := &l.packs.cases[i]; !p.own {
		return p.id
	}
	return l.packs.cases[i].rest.ID
}

// At returns the case at a place from 0 to Len - 1, which nobody may change.
func (l List) At(i int) *Case {
	if l.packs == nil {
		return &l.loose[i]
	}
	if p := &l.packs.cases[i]; p.own {
		return p.rest
	}
	return l.packs.cases[i].lay(new(Case))
}

// All returns the cases one after another, each with its place.
func (l List) All() iter.Seq2[int, *Case] {
	return func(yield func(int, *Case) bool) {
		for i := range l.Len() {
			if !yield(i, l.At(i)) {
				return
			}
		}
	}
}

// Pass is All for who keeps no case: each is there until the next is asked for.
func (l List) Pass() iter.Seq2[int, *Case] {
	if l.packs == nil {
		return l.All()
	}
	return func(yield func(int, *Case) bool) {
		var room Case
		for i := range l.packs.cases {
			if !yield(i, l.packs.cases[i].lay(&room)) {
				return
			}
		}
	}
}

// Has reports whether one of the cases is such a one.
func (l List) Has(such func(*Case) bool) bool {
	for _, c := range l.Pass() {
		if such(c) {
			return true
		}
	}
	return false
}

// Loose returns copies of the cases, to be changed.
func (l List) Loose() []Case {
	out := make([]Case, 0, l.Len())
	for _, c := range l.Pass() {
		out = append(out, *c)
	}
	return out
}

// With returns the suite with other cases.
func (s *Suite) With(cases List) *Suite {
	out := *s
	out.Cases = cases
	return &out
}

// A packed case takes a tenth of what a Case does, where it has a prompt, one gold and what many cases share.
type packed struct {
	id, prompt string
	gold       [1]string // empty: as rest has it
	rest       *Case     // shared, or
	own        bool      // the whole case
	line       int32     // of its place, of which rest has the file; 0: as rest has it
}

// packs are the packed cases of a suite, and its hash by its header, once it was asked for.
type packs struct {
	cases  []packed
	mu     sync.Mutex
	header string
	hash   Hash
	length int // of its JSON, as hashed
}

// lay lays a case out, in the room that is given where it is not there whole.
func (p *packed) lay(c *Case) *Case {
	if p.own {
		return p.rest
	}
	*c = *p.rest
	c.ID, c.Prompt = p.id, p.prompt
	if p.gold[0] != "" {
		c.Gold.Texts = p.gold[:]
	}
	if p.line > 0 {
		c.Place += ":" + strconv.Itoa(int(p.line))
	}
	return c
}

// A shape is what cases share.
type shape struct {
	class, domain, difficulty, system, tags, place string
	form                                           Form
	match                                          Match
	answerType                                     AnswerType
	decline                                        bool
}

// A packer packs cases.
type packer struct {
	packs
	shapes map[shape]*Case
}

// add packs a case.
func (k *packer) add(c *Case) {
	rest := *c
	p := packed{id: c.ID, prompt: c.Prompt}
	if len(c.Gold.Texts) == 1 && c.Gold.Texts[0] != "" {
		p.gold, rest.Gold.Texts = [1]string(c.Gold.Texts), nil
	}
	if at := strings.LastIndexByte(c.Place, ':'); at >= 0 {
		line := c.Place[at+1:]
		if n, err := strconv.ParseInt(line, 10, 32); err == nil && n > 0 && strconv.FormatInt(n, 10) == line {
			p.line, rest.Place = int32(n), c.Place[:at]
		}
	}
	of := shape{rest.Class, rest.Domain, rest.Difficulty, rest.System, strings.Join(rest.Tags, "\x00"), rest.Place,
		rest.Form, rest.Match, rest.AnswerType, rest.Decline}
	known := k.shapes[of]
	bare := rest
	bare.ID, bare.Prompt, bare.Tags, bare.Decline = "", "", nil, false
	bare.Class, bare.Domain, bare.Difficulty, bare.System, bare.Place = "", "", "", "", ""
	bare.Form, bare.Match, bare.AnswerType = "", "", ""
	switch {
	case !reflect.ValueOf(&bare).Elem().IsZero():
		whole := *c
		p = packed{rest: &whole, own: true}
	case known != nil:
		p.rest = known
	default:
		if k.shapes == nil {
			k.shapes = map[shape]*Case{}
		}
		rest.ID, rest.Prompt, rest.Tags = "", "", slices.Clip(rest.Tags)
		k.shapes[of], p.rest = &rest, &rest
	}
	k.cases = append(k.cases, p)
}

// packerOf packs n cases.
func packerOf(n int, cases iter.Seq2[int, *Case]) *packer {
	k := &packer{packs: packs{cases: make([]packed, 0, n)}}
	for _, c := range cases {
		k.add(c)
	}
	return k
}

// tight returns what was packed, without the room for more.
func (k *packer) tight() *packs { return &packs{cases: slices.Clone(k.cases)} }

// Pack returns the suite with its cases held packed, as a large plan does. The suite itself, which may be one that is
// shared, stays as it is.
func (s *Suite) Pack() *Suite {
	if len(s.Cases.loose) == 0 {
		return s
	}
	return s.Packing(s.Cases.Len(), s.Cases.All())
}

// Packing returns the suite with the n cases that a sequence yields with their places, held packed; each may be changed
// once the next is asked for.
func (s *Suite) Packing(n int, cases iter.Seq2[int, *Case]) *Suite {
	return s.With(List{packs: &packerOf(n, cases).packs})
}

// bare is a suite without its methods.
type bare Suite

// MarshalJSON implements json.Marshaler: packed or not, a suite has one form.
func (s *Suite) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	err := s.WriteJSON(&out)
	return out.Bytes(), err
}

// Length is the length of the suite's JSON, where its cases are packed and its hash is known; else 0.
func (s *Suite) Length() int {
	k := s.Cases.packs
	if k == nil {
		return 0
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.length
}

// UnmarshalJSON implements json.Unmarshaler. The cases are packed.
func (s *Suite) UnmarshalJSON(data []byte) error {
	var k packer
	in := struct {
		*bare
		Cases *packer `json:"cases"`
	}{(*bare)(s), &k}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	if s.Cases = (List{}); len(k.cases) > 0 {
		s.Cases.packs = k.tight()
	}
	return nil
}

// UnmarshalJSON implements json.Unmarshaler: it packs case after case.
func (k *packer) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil {
		return err
	} else if open != json.Delim('[') {
		return fmt.Errorf("cases must be a list")
	}
	for dec.More() {
		var c Case
		if err := dec.Decode(&c); err != nil {
			return err
		}
		k.add(&c)
	}
	return nil
}

// Phrasings returns the suite of the same questions in other words: for each case that keep accepts, one case per
// written phrasing, in order, with that phrasing as its prompt and none beside it. The ids are those of the cases
// with "/1", "/2" … behind them, and the name says whose phrasings they are. The suite has no cases where no
// phrasing is written. It shares all else with s, which it does not change.
func (s *Suite) Phrasings(keep func(*Case) bool) *Suite {
	var cases []Case
	for _, c := range s.Cases.All() {
		if !keep(c) {
			continue
		}
		for k, text := range c.Phrasings {
			w := *c
			w.ID, w.Prompt, w.Phrasings = c.ID+"/"+strconv.Itoa(k+1), text, nil
			cases = append(cases, w)
		}
	}
	out := s.With(ListOf(cases))
	out.Name, out.Warnings = s.Name+", other wordings", nil
	return out
}
