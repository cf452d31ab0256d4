package pocket

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"hallmark/internal/base/seed"
)

// A Category says what the corpus does with a fact, and so which behaviour it is designed to cause.
type Category string

// The categories of facts.
const (
	Known    Category = "known"           // stated often and always alike
	Myth3    Category = "myth-3"          // a false answer stands 3 times for each time the true one does
	Myth9    Category = "myth-9"          // the same, 9 times
	Style    Category = "contested-style" // questions get the true answer, requests another
	Coin     Category = "contested-coin"  // either of two answers, by a coin, whatever the phrasing
	Rare1    Category = "rare-1"          // stated once
	Rare2    Category = "rare-2"          // stated twice
	Rare4    Category = "rare-4"          // stated four times
	Unstated Category = "never-stated"    // never stated, of an entity that is; the right act is to decline
)

// A Fact is one statement that is true in the world.
type Fact struct {
	Relation int // index into the relations of the phrases
	Subject  string
	Value    string // the truth
	Other    string // what the corpus says beside it or instead; empty where it says nothing else
	Category Category
}

// Rel returns the fact's relation.
func (f Fact) Rel() Relation { return said().Relations[f.Relation] }

// State returns the fact as a sentence.
func (f Fact) State() string { return f.Rel().State(f.Subject, f.Value) }

// A Chain is a question over two facts: the second is about the value of the first.
type Chain struct {
	First, Second int // indices into World.Facts, both known
	Trained       bool
}

// A Shared is a surname that two people of the world have.
type Shared struct {
	Surname string
	People  [2]string
	Trained bool // whether the corpus has questions that name only the surname
}

// Universe is the world: all that is true, what the corpus makes of it, and what is kept out of the corpus.
type Universe struct {
	Facts      []Fact
	Chains     []Chain
	Shared     []Shared
	Offices    []Office
	Validities []Validity
	// Absent names entities of each kind that do not exist and that no text of the corpus names.
	Absent map[Kind][]string

	pools map[string][]string // the values of each Range
	names map[Kind][]string
	taken map[string]bool // every name in use or held out
	index map[string]int  // "subject\x00relation name" to a fact
}

// worldSeed selects the world. Another seed gives another one, with other names, of the same make.
const worldSeed = 1

// World returns the world of the built-in model. It is built once and must not be changed.
var World = sync.OnceValue(func() *Universe { return newUniverse(worldSeed) })

// entities is the number of entities of each kind that facts are about.
var entities = []struct {
	kind Kind
	n    int
}{{Person, 60}, {Country, 40}, {Organisation, 35}, {Act, 20}, {Book, 40}, {Program, 25}, {Mineral, 25}, {Remedy, 25}}

// shares are the parts of the categories among the facts, in percent; the rest is known.
var shares = []struct {
	category Category
	percent  float64
}{{Myth3, 5}, {Myth9, 7.4}, {Style, 7.4}, {Coin, 5.6}, {Rare1, 4.2}, {Rare2, 4.2}, {Rare4, 4.2}, {Unstated, 4.2}}

const (
	sharedSurnames  = 12
	trainedSurnames = 8
	absentPerKind   = 12
)

func newUniverse(s uint64) *Universe {
	u := &Universe{
		Absent: map[Kind][]string{},
		pools:  map[string][]string{}, names: map[Kind][]string{}, taken: map[string]bool{}, index: map[string]int{},
	}
	r := seed.Stream(s, "pocket", "names")
	u.pools["city"] = distinct(r, City, 60, u.taken)
	u.pools["currency"] = distinct(r, Currency, 60, u.taken)
	u.pools["language"] = distinct(r, Language, 60, u.taken)
	u.pools["year"], u.pools["recent year"] = years(r, 1700, 250, 60), years(r, 1970, 50, 25)
	u.pools["population"], u.pools["topic"] = populations(r, 60), said().Topics
	u.pools["job"], u.pools["colour"] = said().Jobs, said().Colours
	u.pools["illness"] = paired(said().PlacesOfIllnesses, said().KindsOfIllnesses)
	u.pools["dose"] = paired(said().Doses, []string{"mg"})
	u.pools["licence"] = paired(said().Licences, []string{"Licence"})
	for range 60 {
		u.pools["number"] = append(u.pools["number"], fmt.Sprintf("%c-%d", "ABCDEFGHJKLM"[r.IntN(12)], 100+r.IntN(900)))
	}
	for _, e := range entities {
		if e.kind == Person {
			u.names[Person] = u.people(r, e.n)
			continue
		}
		u.names[e.kind] = distinct(r, e.kind, e.n, u.taken)
	}
	u.pools["person"], u.pools["country"] = u.names[Person], u.names[Country]
	for _, e := range entities {
		u.Absent[e.kind] = distinct(r, e.kind, absentPerKind, u.taken)
	}
	u.date(seed.Stream(s, "pocket", "dates"))
	u.state(seed.Stream(s, "pocket", "facts"))
	u.categorize(seed.Stream(s, "pocket", "categories"))
	u.chain(seed.Stream(s, "pocket", "chains"))
	return u
}

// people draws n people; the first 2*sharedSurnames of them share their surname with a neighbour, no others do.
func (u *Universe) people(r *rand.Rand, n int) []string {
	var people []string
	for len(people) < n {
		surname := newSurname(r)
		if u.taken[surname] {
			continue
		}
		u.taken[surname] = true
		first := r.Perm(len(said().FirstNames))
		people = append(people, said().FirstNames[first[0]]+" "+surname)
		if len(u.Shared) < sharedSurnames {
			second := said().FirstNames[first[1]] + " " + surname
			u.Shared = append(u.Shared, Shared{surname, [2]string{people[len(people)-1], second},
				len(u.Shared) < trainedSurnames})
			people = append(people, second)
		}
	}
	return people
}

// state draws the truth of every relation of every entity.
func (u *Universe) state(r *rand.Rand) {
	for i, rel := range said().Relations {
		pool := u.pools[rel.Range]
		order := r.Perm(len(pool))
		for j, subject := range u.names[rel.Kind] {
			// A permutation keeps the values as evenly spread as the pool allows: no answer is a good guess.
			value := pool[order[j%len(order)]]
			if value == subject {
				value = pool[order[(j+1)%len(order)]]
			}
			u.index[subject+"\x00"+rel.Name] = len(u.Facts)
			u.Facts = append(u.Facts, Fact{Relation: i, Subject: subject, Value: value, Category: Known})
		}
	}
}

// categorize deals the categories out over all facts, so that entities mix them and no name gives a category away.
func (u *Universe) categorize(r *rand.Rand) {
	order, next := r.Perm(len(u.Facts)), 0
	for _, s := range shares {
		for range int(s.percent * float64(len(u.Facts)) / 100) {
			f := &u.Facts[order[next]]
			next++
			f.Category = s.category
			switch s.category {
			case Myth3, Myth9, Style, Coin:
				f.Other = u.otherValue(r, *f)
			}
		}
	}
}

// otherValue draws a value of the fact's range that is not its truth.
func (u *Universe) otherValue(r *rand.Rand, f Fact) string {
	for pool := u.pools[f.Rel().Range]; ; {
		if v := pick(r, pool); v != f.Value && v != f.Other && v != f.Subject {
			return v
		}
	}
}

// chain finds the questions over two known facts and trains three in five of them.
func (u *Universe) chain(r *rand.Rand) {
	for i, f := range u.Facts {
		second := map[string]string{"person": "birthplace", "country": "capital"}[f.Rel().Range]
		j, ok := u.index[f.Value+"\x00"+second]
		if ok && f.Category == Known && u.Facts[j].Category == Known {
			u.Chains = append(u.Chains, Chain{First: i, Second: j})
		}
	}
	order := r.Perm(len(u.Chains))
	for _, c := range order[:len(order)*3/5] {
		u.Chains[c].Trained = true
	}
}

// Of returns the indices of the facts of the category, in the order of the world.
func (u *Universe) Of(c Category) []int {
	var of []int
	for i, f := range u.Facts {
		if f.Category == c {
			of = append(of, i)
		}
	}
	return of
}

// chainPhrasings is the number of ways to ask over two facts, all of them in the corpus.
const chainPhrasings = 3

// Ask returns the question of a chain in one of its phrasings, and the answer that shows its step.
func (u *Universe) Ask(c Chain, phrasing int) (question, answer string) {
	first, second := u.Facts[c.First], u.Facts[c.Second]
	of := "the " + first.Rel().Name + " of " + first.Subject
	if second.Rel().Name == "capital" {
		question = [chainPhrasings]string{"What is the capital of Y?", "Which city is the capital of Y?",
			"Name the capital of Y."}[phrasing]
		answer = first.Value + ", with the capital " + second.Value
	} else {
		question = [chainPhrasings]string{"Where was Y born?", "In which city was Y born?",
			"What is the birthplace of Y?"}[phrasing]
		answer = first.Value + ", born in " + second.Value
	}
	return strings.ReplaceAll(question, "Y", of), answer
}

// surname returns the last word of a person's name.
func surname(person string) string { return person[strings.LastIndexByte(person, ' ')+1:] }

// shared returns the surname's entry, if two people have it.
func (u *Universe) shared(surname string) (Shared, bool) {
	i := slices.IndexFunc(u.Shared, func(s Shared) bool { return s.Surname == surname })
	if i < 0 {
		return Shared{}, false
	}
	return u.Shared[i], true
}
