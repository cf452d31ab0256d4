package rubric

import "testing"

// plain begins what is expected of an answer that must be read: one that is not plain may be ungradable.
const plain = "plain "

// misread holds the answers of TestAsserted, TestVerdicts and TestRules that are decided wrong today, by case and answer, with the reason. A test lets
// them pass, and fails where one of them is right or ungradable again, so that the table only shrinks.
var misread = map[string]string{}

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
