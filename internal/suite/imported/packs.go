package imported

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"hallmark/internal/base/shelf"
)

// packs are answers, packed: a million of them take 40 MB.
type packs struct {
	all           []packed
	texts, models names
}

type packed struct {
	at                      int64 // of its text on the shelf
	n                       int32
	item, model             int32
	finish, failure, scores int32 // of texts
	variant, repeat         int32
}

// mostKnown is how many texts are looked for among those that are there.
const mostKnown = 10_000

// names are texts by their number.
type names struct {
	all []string
	ids map[string]int32 // of those that came first, as many are the same
}

// id returns the number of a text, which it keeps, and looks for it among the first that many.
func (n *names) id(s string, most int) int32 {
	id, ok := n.ids[s]
	if !ok {
		if n.ids == nil {
			n.ids = map[string]int32{}
		}
		id = int32(len(n.all))
		n.all = append(n.all, s)
		if len(n.ids) < most {
			n.ids[s] = id
		}
	}
	return id
}

// Len is the number of answers.
func (a *Answers) Len() int { return len(a.list.all) }

// At returns an answer, in the order of the files. Its text is on the shelf.
func (a *Answers) At(i int) Answer {
	p := &a.list.all[i]
	x := Answer{Item: p.item, Variant: int(p.variant), Repeat: int(p.repeat), Model: a.list.models.all[p.model],
		Shelf: shelf.Slot{At: p.at, N: p.n}, Finish: a.list.texts.all[p.finish],
		Failure: a.list.texts.all[p.failure]}
	if s := a.list.texts.all[p.scores]; s != "" {
		x.Scores = json.RawMessage(s)
	}
	if a.Suite != nil {
		x.CaseID = a.Suite.Cases.ID(int(p.item))
	}
	return x
}

// Append adds an answer that was checked: it is of a case of the suite, and there once. Its text is shelved.
func (a *Answers) Append(x *Answer) error {
	a.list.all = append(a.list.all, packed{})
	return a.Set(a.Len()-1, x)
}

// Set has an answer stand in the place of another. Its text, where it has one, is shelved.
func (a *Answers) Set(i int, x *Answer) (err error) {
	if x.Text != nil {
		if x.Shelf, err = a.Texts.Put(*x.Text); err != nil {
			return err
		}
	}
	l := &a.list
	text := func(s string) int32 { return l.texts.id(s, mostKnown) }
	l.all[i] = packed{x.Shelf.At, x.Shelf.N, x.Item, l.models.id(x.Model, math.MaxInt), text(x.Finish), text(x.Failure),
		text(string(x.Scores)), int32(x.Variant), int32(x.Repeat)}
	return nil
}

// Move has an answer be of the case at another place, and of another model.
func (a *Answers) Move(i int, item int32, model string) {
	a.list.all[i].item, a.list.all[i].model = item, a.list.models.id(model, math.MaxInt)
}

// Said is the text of an answer that is on the shelf; nil where nothing came back.
func (a *Answers) Said(x *Answer) (*string, error) { return a.Texts.Get(x.Shelf) }

// A Place is what tells answers apart.
type Place struct {
	item, model     int32
	variant, repeat int32
}

// Place is that of an answer.
func (a *Answers) Place(x *Answer) Place {
	return Place{x.Item, a.list.models.id(x.Model, math.MaxInt), int32(x.Variant), int32(x.Repeat)}
}

func (p *packed) place() Place { return Place{p.item, p.model, p.variant, p.repeat} }

func (p Place) compare(q Place) int {
	return cmp.Or(cmp.Compare(p.model, q.model), cmp.Compare(p.item, q.item), cmp.Compare(p.variant, q.variant),
		cmp.Compare(p.repeat, q.repeat))
}

// A Finder finds answers; fastest one after the other, by model, case, variant and repeat.
type Finder struct {
	a     *Answers
	order []int32
	next  int
}

// Finder returns what finds the answers.
func (a *Answers) Finder() *Finder {
	x := &Finder{a: a, order: make([]int32, a.Len())}
	for i := range x.order {
		x.order[i] = int32(i)
	}
	slices.SortFunc(x.order, func(i, j int32) int { return a.list.all[i].place().compare(a.list.all[j].place()) })
	return x
}

// Find returns the answer of a model to the case at a place of the suite.
func (x *Finder) Find(model string, item int32, variant, repeat int) (Answer, bool) {
	want := x.a.Place(&Answer{Model: model, Item: item, Variant: variant, Repeat: repeat})
	compare := func(i int32, p Place) int { return x.a.list.all[i].place().compare(p) }
	at, ok := x.next, x.next < len(x.order) && compare(x.order[x.next], want) == 0
	if !ok {
		at, ok = slices.BinarySearchFunc(x.order, want, compare)
	}
	if !ok {
		return Answer{}, false
	}
	x.next = at + 1
	return x.a.At(int(x.order[at])), true
}
