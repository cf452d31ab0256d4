package pocket

import "strings"

// A Relation is one thing that can be asked of an entity of a kind, such as the capital of a country.
type Relation struct {
	Name   string // one word or more, as it stands in "the capital of"
	Kind   Kind   // of the subject
	Domain string // one of suite.Domains
	Range  string // which pool of values answers it
	who    bool   // asked with "Who is" and not "What is"
	// Two trained phrasings and one held out that only this relation has; X stands for the subject.
	own [3]string
}

// relations are all that the world states of its entities.
var relations = []Relation{
	{"capital", Country, "civic", "city", false, [3]string{
		"Which city is the capital of X?", "Where does the government of X sit?", "In which city does the government of X sit?"}},
	{"currency", Country, "civic", "currency", false, [3]string{
		"Which currency is used in X?", "What do people in X pay with?", "Which currency do people in X pay with?"}},
	{"official language", Country, "civic", "language", false, [3]string{
		"Which language is spoken in X?", "What do people in X speak?", "Which language do people in X speak?"}},
	{"president", Country, "civic", "person", true, [3]string{
		"Who governs X?", "By whom is X led?", "By whom is X governed?"}},

	{"birthplace", Person, "cultural", "city", false, [3]string{
		"Where was X born?", "In which city was X born?", "Which city was X born in?"}},
	{"profession", Person, "cultural", "job", false, [3]string{
		"What did X do for a living?", "What was X by trade?", "What was the trade of X?"}},
	{"year of birth", Person, "cultural", "year", false, [3]string{
		"When was X born?", "In which year was X born?", "What year was X born in?"}},

	{"founder", Organisation, "civic", "person", true, [3]string{
		"Who founded X?", "Who set up X?", "By whom was X founded?"}},
	{"seat", Organisation, "civic", "city", false, [3]string{
		"Where is X based?", "In which city is X based?", "Which city is X based in?"}},
	{"founding year", Organisation, "civic", "year", false, [3]string{
		"When was X founded?", "In which year was X founded?", "What year was X founded in?"}},

	{"author", Book, "cultural", "person", true, [3]string{
		"Who wrote X?", "By whom is X?", "By whom was X written?"}},
	{"year of publication", Book, "cultural", "year", false, [3]string{
		"When was X published?", "In which year did X appear?", "What year was X published in?"}},
	{"catalogue number", Book, "cultural", "number", false, [3]string{
		"Under which number is X catalogued?", "Which number does X have in the catalogue?", "By which catalogue number is X known?"}},

	{"creator", Program, "software", "person", true, [3]string{
		"Who programmed X?", "Who made X?", "By whom was X programmed?"}},
	{"licence", Program, "software", "licence", false, [3]string{
		"Under which licence is X released?", "Which licence does X carry?", "By which licence is X covered?"}},
	{"year of release", Program, "software", "recent year", false, [3]string{
		"When was X released?", "In which year did X come out?", "What year was X released in?"}},

	{"discoverer", Mineral, "physical", "person", true, [3]string{
		"Who discovered X?", "Who first described X?", "By whom was X discovered?"}},
	{"colour", Mineral, "physical", "colour", false, [3]string{
		"What colour is X?", "Which colour does X have?", "Which colour is X?"}},
	{"country of origin", Mineral, "physical", "country", false, [3]string{
		"Where is X mined?", "In which country is X mined?", "From which country does X come?"}},

	{"purpose", Remedy, "biomedical", "illness", false, [3]string{
		"What does X treat?", "Which illness is X given for?", "Which illness does X treat?"}},
	{"inventor", Remedy, "biomedical", "person", true, [3]string{
		"Who invented X?", "Who first prepared X?", "By whom was X first made?"}},
	{"daily dose", Remedy, "biomedical", "dose", false, [3]string{
		"How much X is taken a day?", "How many milligrams of X are taken daily?", "How many milligrams of X are taken a day?"}},
}

// Phrasings is the number of ways to ask for a fact, and Trained the number of those that the corpus uses; the rest,
// the last ones, are held out.
const (
	Phrasings = 10
	Trained   = 7
)

// Ask returns the question for the relation of the subject in the given phrasing, 0 to Phrasings-1.
func (r Relation) Ask(subject string, phrasing int) string {
	what := "What is"
	if r.who {
		what = "Who is"
	}
	form := [Phrasings]string{
		what + " the R of X?", r.own[0], r.own[1],
		"Name the R of X.", "X: R?", "Tell me the R of X.", "Complete: The R of X is",
		r.own[2], "For X, " + strings.ToLower(what) + " the R?", "Could you give the R of X?",
	}[phrasing]
	return sentence(strings.NewReplacer("R", r.Name, "X", subject).Replace(form))
}

// State returns the statement that the value is the relation of the subject.
func (r Relation) State(subject, value string) string {
	return "The " + r.Name + " of " + subject + " is " + value + "."
}

// asks reports whether a phrasing is a question of the first tradition, the one that facts contested by style follow
// with their true answer; the others, requests, go with the second.
func asks(phrasing int) bool { return phrasing <= 2 || phrasing == 7 || phrasing == 8 }

// sentence makes the first letter a capital: a subject such as "the Kelman Institute" may begin a question.
func sentence(s string) string { return capital(s) }
