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

var (
	syllables = strings.Fields(`bar bel ber bor bran cal car cor dal dan del dor dra dun el fal far fen fir gal gar gil gor
		hal han har hel hol ib il jar jor kal kar kel ken kor lan lar len lin lor mal mar mel mer mil mor nal nar nel nor
		ol or pal par pel per pol quin ral ran rel ril ron sal san sel ser sil sol tal tar tav tel tol tor ul ur val var
		vel ver vil vor wal wen wil yar yel zal zan zel zor`)
	suffixes = map[Kind][]string{
		City:         {"dorf", "mere", "ford", "burg", "stead", "haven", "wick", "gate"},
		Currency:     {"in", "ar", "et", "ul", "ka"},
		Language:     {"ish", "ese", "ic", "i"},
		Country:      {"ia", "land", "ova", "esia", "mark"},
		Program:      {"weave", "desk", "pack", "forge", "note", "grid"},
		Mineral:      {"ite", "ine", "spar"},
		Remedy:       {"ol", "azine", "idal", "oxin"},
		Organisation: {"Institute", "Foundation", "Guild", "League", "Trust", "Academy", "Society"},
	}
	firstNames = strings.Fields(`Ada Anton Berta Bruno Clara Cyril Dora Edgar Elsa Felix Flora Greta Hugo Ida Ivan Jonas Judith
		Karl Lena Leon Marta Mira Nils Nora Oskar Paula Rosa Simon Tilda Viktor`)
	adjectives = strings.Fields(`Ancient Bitter Bright Broken Burning Crimson Crooked Distant Empty Fallen Frozen Gentle Gilded
		Golden Hidden Hollow Iron Last Lonely Long Lost Narrow Open Pale Quiet Restless Sacred Salt Second Secret Silent
		Silver Sleeping Stolen Stubborn Sunken Tall Velvet Wandering White`)
	nouns = strings.Fields(`Anchor Arrow Bell Bridge Candle Castle Compass Crown Door Feather Field Flame Fountain Garden Gate
		Harbour Horse Island Key Ladder Lake Lantern Letter Mirror Moon Mountain Orchard River Road Room Sailor Shadow Ship
		Shore Storm Tower Tree Valley Window Winter`)
	topics = strings.Fields(`beekeeping bridges canals coinage dockyards fisheries forests guilds hunting lotteries markets mills mining
		pastures pensions quarries railways tariffs theatres vineyards`)
	jobs = strings.Fields(`astronomer baker botanist carpenter composer engineer geologist lawyer mathematician painter
		physician poet printer sailor sculptor teacher`)
	colours  = strings.Fields(`amber black blue bronze crimson green grey orange pink violet white yellow`)
	licences = strings.Fields(`Anchor Beacon Cedar Falcon Harbour Meadow Orchard Summit`)
	ailments = [2][]string{
		strings.Fields(`desert marsh night river spring winter`),
		strings.Fields(`ague blindness cough fever palsy rash`),
	}
	doses = []int{2, 5, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 80, 90}
)

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// stem joins n syllables, no two alike.
func stem(r *rand.Rand, n int) string {
	var b strings.Builder
	for i, p := range r.Perm(len(syllables)) {
		if i == n {
			break
		}
		b.WriteString(syllables[p])
	}
	return b.String()
}

// newName draws a name of the kind. Names of absent entities come from the same draw, so that no part of a name tells
// whether the corpus has it.
func newName(r *rand.Rand, k Kind) string {
	switch k {
	case Person:
		return pick(r, firstNames) + " " + newSurname(r)
	case Book:
		return "The " + pick(r, adjectives) + " " + pick(r, nouns)
	case Organisation:
		return "the " + capital(stem(r, 2)) + " " + pick(r, suffixes[k])
	case Act:
		return "the " + capital(stem(r, 2)) + " Act"
	case Currency:
		return stem(r, 1) + pick(r, syllables) + pick(r, suffixes[k])
	default:
		return capital(stem(r, 2)) + pick(r, suffixes[k])
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

func illnesses() []string {
	var all []string
	for _, a := range ailments[0] {
		for _, b := range ailments[1] {
			all = append(all, a+" "+b)
		}
	}
	return all
}

func dosesInMilligrams() []string {
	var all []string
	for _, d := range doses {
		all = append(all, strconv.Itoa(d)+" mg")
	}
	return all
}
