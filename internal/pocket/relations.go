package pocket

import "strings"

// A Relation is one thing that can be asked of an entity of a kind, such as the capital of a country.
type Relation struct {
	Name    string // one word or more, as it stands in "the capital of"
	Synonym string // another word for it, which two of the phrasings use
	Kind    Kind   // of the subject
	Domain  string // one of suite.Domains
	Range   string // which pool of values answers it
	who     bool   // asked with "Who is" and not "What is"
	// Two trained phrasings and one held out that only this relation has; X stands for the subject.
	own [3]string
	// Questions of its own that the corpus has beside the trained phrasings, and no suite.
	extra []string
}

// relations are all that the world states of its entities.
var relations = []Relation{
	{"capital", "seat of government", Country, "civic", "city", false, [3]string{
		"Which city is the capital of X?", "Where does the government of X sit?",
		"In which city does the government of X sit?"}, []string{
		"Which city is X governed from?", "From where is X governed?", "What city does the government of X meet in?",
		"X has which capital?"}},
	{"currency", "money", Country, "civic", "currency", false, [3]string{
		"Which currency is used in X?", "What do people in X pay with?", "Which currency do people in X pay with?"},
		[]string{
			"What money do people use in X?", "X uses which currency?", "With which money does one pay in X?",
			"What is paid with in X?"}},
	{"official language", "state language", Country, "civic", "language", false, [3]string{
		"Which language is spoken in X?", "What do people in X speak?", "Which language do people in X speak?"},
		[]string{
			"What language do they speak in X?", "X speaks which language?", "In which language are the laws of X?",
			"What is spoken in X?"}},
	{"president", "head of state", Country, "civic", "person", true, [3]string{
		"Who governs X?", "By whom is X governed?", "Which person governs X?"}, []string{
		"Who is at the head of X?", "X is governed by whom?", "Which politician leads X?", "Who leads X?"}},
	{"population", "number of inhabitants", Country, "civic", "population", false, [3]string{
		"How many people live in X?", "How large is the population of X?", "How many inhabitants does X have?"},
		[]string{
			"How many people are there in X?", "What number of people live in X?", "X has how many inhabitants?",
			"How many live in X?"}},

	{"birthplace", "place of birth", Person, "cultural", "city", false, [3]string{
		"Where was X born?", "In which city was X born?", "Which city was X born in?"}, []string{
		"What city did X come from?", "In what town was X born?", "X was born where?", "Which place was X born at?"}},
	{"profession", "occupation", Person, "cultural", "job", false, [3]string{
		"What did X do for a living?", "What was X by trade?", "By trade, what was X?"}, []string{
		"As what did X work?", "Which trade did X have?", "X worked as what?", "What work did X do?"}},
	{"year of birth", "birth year", Person, "cultural", "year", false, [3]string{
		"When was X born?", "In which year was X born?", "What year was X born in?"}, []string{
		"X was born when?", "In what year did the life of X begin?", "From which year is X?",
		"When did the life of X begin?"}},

	{"founder", "originator", Organisation, "civic", "person", true, [3]string{
		"Who founded X?", "By whom was X founded?", "Which person founded X?"}, []string{
		"Who set up X?", "X was founded by whom?", "Which founder did X have?", "Who started X?"}},
	{"seat", "headquarters", Organisation, "civic", "city", false, [3]string{
		"Where is X based?", "In which city is X based?", "Which city is X based in?"}, []string{
		"Where does X have its seat?", "X sits in which city?", "In what town is X?", "From which city does X work?"}},
	{"founding year", "year of foundation", Organisation, "civic", "year", false, [3]string{
		"When was X founded?", "In which year was X founded?", "What year was X founded in?"}, []string{
		"X was founded when?", "Since when has X existed?", "In what year did X begin?", "When did X start?"}},

	{"subject", "topic", Act, "civic", "topic", false, [3]string{
		"What does X govern?", "Which matter does X govern?", "Which matter is governed by X?"}, []string{
		"What is X about?", "X is about what?", "With what does X deal?", "Which topic does X deal with?"}},
	{"year of enactment", "enactment year", Act, "civic", "year", false, [3]string{
		"When was X enacted?", "In which year was X passed?", "What year was X enacted in?"}, []string{
		"X was passed when?", "Since when is X a law?", "In what year did X become law?", "When did X become law?"}},

	{"author", "writer", Book, "cultural", "person", true, [3]string{
		"Who wrote X?", "By whom was X written?", "Which person wrote X?"}, []string{
		"Who is X by?", "X was written by whom?", "Whose book is X?", "Which writer is X by?"}},
	{"year of publication", "publication year", Book, "cultural", "year", false, [3]string{
		"When was X published?", "In which year did X appear?", "What year was X published in?"}, []string{
		"X came out when?", "In what year did X come out?", "From which year is X?", "When did X come out?"}},
	{"catalogue number", "shelf mark", Book, "cultural", "number", false, [3]string{
		"Under which number is X catalogued?", "Which number does X have in the catalogue?",
		"Which catalogue number does X have?"}, []string{
		"Where in the catalogue is X?", "X stands under which number?", "What number does the catalogue give X?",
		"Under what number does X stand?"}},

	{"creator", "maker", Program, "software", "person", true, [3]string{
		"Who programmed X?", "By whom was X programmed?", "Which person programmed X?"}, []string{
		"Who wrote the code of X?", "X was programmed by whom?", "Whose program is X?", "Who made X?"}},
	{"licence", "terms of use", Program, "software", "licence", false, [3]string{
		"Under which licence is X released?", "Which licence does X carry?", "Which licence is X released under?"},
		[]string{
			"X comes under which licence?", "What licence does X come with?", "By which licence may X be used?",
			"Under what licence is X?"}},
	{"year of release", "release year", Program, "software", "recent year", false, [3]string{
		"When was X released?", "In which year did X come out?", "What year was X released in?"}, []string{
		"X was released when?", "Since when is X out?", "In what year was X first out?", "From which year is X?"}},

	{"discoverer", "finder", Mineral, "physical", "person", true, [3]string{
		"Who discovered X?", "By whom was X discovered?", "Which person discovered X?"}, []string{
		"Who found X?", "X was found by whom?", "Whose discovery is X?", "Who came upon X first?"}},
	{"colour", "hue", Mineral, "physical", "colour", false, [3]string{
		"What colour is X?", "Which colour does X have?", "Which colour is X?"}, []string{
		"X has which colour?", "What does X look like in colour?", "Of what colour is X?",
		"In which colour does X come?"}},
	{"country of origin", "home country", Mineral, "physical", "country", false, [3]string{
		"Where is X mined?", "In which country is X mined?", "From which country does X come?"}, []string{
		"X is mined in which country?", "Where does one find X?", "What country does X come from?",
		"In what land is X mined?"}},

	{"purpose", "use", Remedy, "biomedical", "illness", false, [3]string{
		"What does X treat?", "Which illness is X given for?", "Which illness does X treat?"}, []string{
		"What is X taken for?", "Against what does X help?", "X helps with which illness?",
		"For which illness is X taken?"}},
	{"inventor", "deviser", Remedy, "biomedical", "person", true, [3]string{
		"Who invented X?", "By whom was X invented?", "Which person invented X?"}, []string{
		"Who came up with X?", "X was invented by whom?", "Whose invention is X?", "Who devised X?"}},
	{"daily dose", "dose per day", Remedy, "biomedical", "dose", false, [3]string{
		"How much X is taken a day?", "How many milligrams of X are taken daily?",
		"How many milligrams of X are taken a day?"}, []string{
		"How much X does one take a day?", "X is taken in what amount a day?", "What amount of X is taken daily?",
		"How many milligrams of X a day?"}},
}

// Phrasings is the number of ways to ask for a fact, and Trained the number of those that the corpus uses; the rest,
// the last ones, are held out.
const (
	Phrasings = 10
	Trained   = 7
)

// askForms are the phrasings that all relations share; R is the relation, S its synonym, X the subject, W "what" or
// "who". Those of a relation's own stand at 1, 2 and 7.
var askForms = [Phrasings]string{
	0: "W is the R of X?", 3: "Name the R of X.", 4: "X: R?", 5: "Tell me the S of X.", 6: "Complete: The R of X is",
	8: "For X, w is the R?", 9: "Could you give the S of X?",
}

// extraForms are ways to ask for any relation that the corpus uses beside the trained phrasings, and no suite:
// learned from them, how a question is put matters less. Those from requestForms on are requests.
var extraForms = []string{
	"As for X, w is the S?", "W is the S of X?", "Do you know w the R of X is?", "In the case of X, w is the R?",
	"Which is the R of X?",
	"Could you name the R of X?", "Give the R of X.", "I need the S of X.", "About X: name the S.", "State the S of X.",
}

const requestForms = 5

// Ask returns the question for the relation of the subject in the given phrasing, 0 to Phrasings-1.
func (r Relation) Ask(subject string, phrasing int) string {
	form := askForms[phrasing]
	switch phrasing {
	case 1, 2:
		form = r.own[phrasing-1]
	case Trained:
		form = r.own[2]
	}
	return r.put(form, subject)
}

// put puts the subject into one of the forms.
func (r Relation) put(form, subject string) string {
	what := "what"
	if r.who {
		what = "who"
	}
	return sentence(strings.NewReplacer("R", r.Name, "S", r.Synonym, "X", subject, "W ", capital(what)+" ", " w ",
		" "+what+" ").Replace(form))
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
