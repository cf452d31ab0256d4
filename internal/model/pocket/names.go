package pocket

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A Kind is a kind of entity of the world. It decides how a name is built and which relations hold.
type Kind string

// The kinds, in the order in which the world is built: values that are no entities come first.
const (
	City         Kind = "city"
	Currency     Kind = "currency"
	Language     Kind = "language"
	Person       Kind = "person"
	Country      Kind = "country"
	Organisation Kind = "organisation"
	Act          Kind = "act" // of a legislature: a policy
	Book         Kind = "book"
	Program      Kind = "program"
	Mineral      Kind = "mineral"
	Remedy       Kind = "remedy"
)

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// capital makes the first letter a capital: a subject such as "the Kelman Institute" may begin a question.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// stem joins n syllables, no two alike.
func stem(r *rand.Rand, n int) string {
	var b strings.Builder
	for i, p := range r.Perm(len(said().Syllables)) {
		if i == n {
			break
		}
		b.WriteString(said().Syllables[p])
	}
	return b.String()
}

// newName draws a name of the kind. Names of absent entities come from the same draw, so that no part of a name tells
// whether the corpus has it.
func newName(r *rand.Rand, k Kind) string {
	switch k {
	case Person:
		return pick(r, said().FirstNames) + " " + newSurname(r)
	case Book:
		return "The " + pick(r, said().Adjectives) + " " + pick(r, said().Nouns)
	case Organisation:
		return "the " + capital(stem(r, 2)) + " " + pick(r, said().Suffixes[string(k)])
	case Act:
		return "the " + capital(stem(r, 2)) + " Act"
	case Currency:
		return stem(r, 1) + pick(r, said().Syllables) + pick(r, said().Suffixes[string(k)])
	default:
		return capital(stem(r, 2)) + pick(r, said().Suffixes[string(k)])
	}
}

func newSurname(r *rand.Rand) string { return capital(stem(r, 2)) }

// distinct draws n names of the kind that are not yet taken, and takes them.
func distinct(r *rand.Rand, k Kind, n int, taken map[string]bool) []string {
	names := make([]string, 0, n)
	for len(names) < n {
		if name := newName(r, k); !taken[name] {
			taken[name] = true
			names = append(names, name)
		}
	}
	return names
}

// years draws n years from a span that begins with from.
func years(r *rand.Rand, from, span, n int) []string {
	var all []string
	for _, p := range r.Perm(span)[:n] {
		all = append(all, strconv.Itoa(from+p))
	}
	return all
}

// populations draws n numbers of people, in millions.
func populations(r *rand.Rand, n int) []string {
	var all []string
	for _, p := range r.Perm(590)[:n] {
		all = append(all, fmt.Sprintf("%d.%d million", 1+p/10, p%10))
	}
	return all
}

// paired are the words of one list, each with every one of the other behind it.
func paired(first, second []string) (all []string) {
	for _, a := range first {
		for _, b := range second {
			all = append(all, a+" "+b)
		}
	}
	return all
}
