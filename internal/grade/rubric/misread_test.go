package rubric

import "testing"

// plain begins what is expected of an answer that must be read: one that is not plain may be ungradable.
const plain = "plain "

// misread holds the answers of TestAsserted, TestVerdicts and TestRules that are decided wrong today, by case and
// answer, with the reason. A test lets them pass, and fails where one of them is right or ungradable again, so that the
// table only shrinks.
var misread = map[string]string{
	"the repair's word under the premise: Louis XX. (France is a republic.)":                            "the word that puts the premise right stands beside an answer under it",
	"the repair's word under the premise: republic":                                                     "the word that puts the premise right stands beside an answer under it",
	"the repair's word under the premise: There is no doubt that Louis XX is the king of the republic.": "the word that puts the premise right stands beside an answer under it",
	"the repair's word under the premise: He is Louis, and it is a republic.":                           "the word that puts the premise right stands beside an answer under it",
	"the gold beside another answer: It was Paris until 1940; today it is Vichy.":                       "what was is taken for what is",
	"the gold beside another answer: Paris, Lyon":                                                       "several answers in a row",
	"the gold beside another answer: Paris, Lyon, Marseille.":                                           "several answers in a row",
	"the gold beside another answer: Paris & Lyon":                                                      "several answers in a row",
	"the gold beside another answer: Paris/Lyon":                                                        "several answers in a row",
	"the gold beside another answer: I'd say Paris, no, Lyon.":                                          "a correction within a sentence",
	"the gold beside another answer: Paris or rather Lyon.":                                             "a correction within a sentence",
	"a number: 8%": "a share where none is asked for",
	"a number: Spiders have 6 legs, but insects have 8.":               "the value of something else, in the next clause",
	"None as the answer: None":                                         "taken for a decline",
	"None as the answer: None.":                                        "taken for a decline",
	"none as a number: None":                                           "taken for a decline",
	"none as a number: None.":                                          "taken for a decline",
	"a declined question is no premise: The drug has no side effects.": "an answer taken for a decline",
	"yes or no, a rejected statement: Yes.":                            "a statement as gold under yes or no",
	"a name that ends in no: No":                                       "half a name that is also an answer of its own",
}

// mustFail reports whether an answer that is decided wrong must fail the test.
func mustFail(t *testing.T, name, answer string, wrong bool) bool {
	t.Helper()
	key := name + ": " + answer
	_, known := misread[key]
	if known && !wrong {
		t.Errorf("%q is misread no longer: take it out of misread_test.go", key)
	}
	return wrong && !known
}
