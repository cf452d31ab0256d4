package pocket

import "strings"

// A Relation is one thing that can be asked of an entity of a kind, such as the capital of a country.
type Relation struct {
	Name    string `yaml:"name"`    // one word or more, as it stands in "the capital of"
	Synonym string `yaml:"synonym"` // another word for it, which two of the phrasings use
	Kind    Kind   `yaml:"kind"`    // of the subject
	Domain  string `yaml:"domain"`  // one of suite.Domains
	Range   string `yaml:"range"`   // which pool of values answers it
	Who     bool   `yaml:"who"`     // asked with "Who is" and not "What is"
	// Own are two trained phrasings and one held out that only this relation has; X stands for the subject.
	Own []string `yaml:"own"`
	// Extra are questions of its own that the corpus has beside the trained phrasings, and no suite.
	Extra []string `yaml:"extra"`
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

// requestForms is the first of the extra forms that is a request; those before are questions.
const requestForms = 5

// Ask returns the question for the relation of the subject in the given phrasing, 0 to Phrasings-1.
func (r Relation) Ask(subject string, phrasing int) string {
	form := askForms[phrasing]
	switch phrasing {
	case 1, 2:
		form = r.Own[phrasing-1]
	case Trained:
		form = r.Own[2]
	}
	return r.put(form, subject)
}

// put puts the subject into one of the forms.
func (r Relation) put(form, subject string) string {
	what := "what"
	if r.Who {
		what = "who"
	}
	return capital(strings.NewReplacer("R", r.Name, "S", r.Synonym, "X", subject, "W ", capital(what)+" ", " w ",
		" "+what+" ").Replace(form))
}

// State returns the statement that the value is the relation of the subject.
func (r Relation) State(subject, value string) string {
	return "The " + r.Name + " of " + subject + " is " + value + "."
}

// asks reports whether a phrasing is a question of the first tradition, the one that facts contested by style follow
// with their true answer; the others, requests, go with the second.
func asks(phrasing int) bool { return phrasing <= 2 || phrasing == 7 || phrasing == 8 }
