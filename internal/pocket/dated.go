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

// Questions for a dated fact. X stands for the subject and Y for the year; of the offices' ten the last three are held
// out, of the acts' six the last two.
var (
	officeForms = [Phrasings]string{
		"Who was the director of X in Y?", "As of Y, who directs X?", "In Y, who was the director of X?",
		"Name the director of X in Y.",
		"X, director in Y?", "Tell me the director of X as of Y.", "Complete: In Y, the director of X was",
		"Who directed X in Y?", "As of Y, who is the director of X?", "Could you give the director of X in Y?",
	}
	extraOfficeForms = []string{ // no suite has these
		"Who is the director of X as of Y?", "Could you name the director of X in Y?", "Who directs X in Y?",
		"In Y, who directed X?",
		"Give the director of X as of Y.", "Which person was the director of X in Y?", "X was directed by whom in Y?",
	}
	currentForm = "Who is the director of X?" // today
	actForms    = []string{
		"Is X in force as of Y?", "In Y, was X in force?", "Was X the law in Y?", "As of Y, does X apply?",
		"Was X in force in Y?", "Is X the law as of Y?",
	}
)

const heldOutActForms = 2

// askOf puts a subject and a year into one of the forms.
func askOf(form, subject string, year int) string {
	return sentence(strings.NewReplacer("X", subject, "Y", strconv.Itoa(year)).Replace(form))
}
