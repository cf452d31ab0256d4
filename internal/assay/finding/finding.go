// Package finding holds sentences that estimates support: a claim, the figure
// it rests on, and the warnings that travel with it.
package finding

// A Finding is a sentence that an estimate or a comparison supports.
type Finding struct {
	// Sentence is the claim in plain words, with its figure and interval in it.
	Sentence string `json:"sentence"`
	// Path names the figure in the result document, as a gate would: rubric.hallucination.rate.
	Path string `json:"path"`
	// Advice says what the finding calls for; empty where nothing.
	Advice string `json:"advice,omitempty"`
	// Warnings are reasons for doubt.
	Warnings []string `json:"warnings,omitempty"`
}
