package pocket

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// The world's dated facts change with the decade: who directs an organisation, and whether an act is in force.
// Today, by AsOf, lies in the last of the decades.
const (
	firstYear = 2000
	decades   = 3
	thisYear  = 2026
)

// AsOf is today in the world.
const AsOf = "2026-11-01"

// An Office is the post of an organisation's director, with its holder in each decade.
type Office struct {
	Organisation string
	Holders      [decades]string
}

// A Validity says in which decades an act is in force.
type Validity struct {
	Act     string
	InForce [decades]bool
}

// decade returns the index of the year's decade.
func decade(year int) int { return (year - firstYear) / 10 }

// numOffices is the number of organisations whose directors the corpus tells of.
const numOffices = 20

// date draws the world's dated facts.
func (u *Universe) date(r *rand.Rand) {
	for _, i := range r.Perm(len(u.names[Organisation]))[:numOffices] {
		o := Office{Organisation: u.names[Organisation][i]}
		people := r.Perm(len(u.names[Person]))
		for d := range o.Holders {
			o.Holders[d] = u.names[Person][people[d]]
		}
		u.Offices = append(u.Offices, o)
	}
	patterns := [][decades]bool{
		{true, true, false}, {true, false, false}, {false, true, true}, {false, false, true}, {true, true, true},
		{false, false, false},
	}
	for i, act := range u.names[Act] {
		u.Validities = append(u.Validities, Validity{act, patterns[i%len(patterns)]})
	}
}

// currentForm asks for today's director.
const currentForm = "Who is the director of X?"

const heldOutActForms = 2

// askOf puts a subject and a year into one of the forms.
func askOf(form, subject string, year int) string {
	return capital(strings.NewReplacer("X", subject, "Y", strconv.Itoa(year)).Replace(form))
}
