package guard

import "hallmark/internal/text/evidence"

// An Act is what the guard did with the model's answer.
type Act string

// The acts.
const (
	Passed     Act = "passed"     // the model's own answer holds
	Replaced   Act = "replaced"   // another answer of the model holds
	Repaired   Act = "repaired"   // the model's answer holds once the reasons were given back
	Corrected  Act = "corrected"  // what a test established takes its place
	Asked      Act = "asked"      // the question has several readings: it is asked back
	Abstained  Act = "abstained"  // nothing holds
	Remembered Act = "remembered" // the question was adjudicated before: the answer that was found then
	Unguarded  Act = "unguarded"  // there was nothing to hold an answer to
)

// A Trace says what the guard did and why. Texts in it are cut to a bounded length.
type Trace struct {
	Act        Act         `json:"act"`
	Reason     string      `json:"reason,omitempty"` // why the model's own answer did not stand
	Failed     []string    `json:"failed,omitempty"` // the tests and layers that the model's own answer failed
	Calls      int         `json:"calls"`            // inner calls
	Candidates []Candidate `json:"candidates,omitempty"`
	Chain      *Chain      `json:"chain,omitempty"` // as asked for and parsed; absent where the model gave none
}

// A Candidate is one answer that was judged.
type Candidate struct {
	From       string      `json:"from"` // "answer", "wording 2", "draw 1", "repair 1", "correction"
	Text       string      `json:"text"`
	Objections []Objection `json:"findings,omitempty"` // the failures; none says that it holds
}

// An Objection is a test, or a criterion of a layer, that a candidate fails.
type Objection struct {
	Test   string `json:"test"`
	Reason string `json:"reason"`
	public string // the reason as the reader of an abstention gets it: it quotes nothing
	fix    string // an answer that holds by what the test found; "" if none
}

// A Chain is an answer as claims with their evidence and a conclusion.
type Chain struct {
	Steps      []Step `json:"steps"`
	Conclusion string `json:"conclusion"`
}

// A Step is one claim with what it rests on.
type Step struct {
	Claim    string `json:"claim"`
	Evidence string `json:"evidence,omitempty"`
}

const shown = 300 // characters of a text in a trace

func excerpt(s string) string { return evidence.Excerpt(s, shown) }
