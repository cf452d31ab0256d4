package prompt

import (
	"strings"

	"hallmark/internal/model"
)

// The spellings that are counted as yes and as no after IsCorrect, and as true and as false after PossibleAnswer.
// Where a model scores them, all are given; where it only lists its likeliest next tokens, these are compared
// without case and outer spaces.
var (
	Yes   = []string{"Yes", "yes", "YES"}
	No    = []string{"No", "no", "NO"}
	True  = []string{"A", "True"}
	False = []string{"B", "False"}
)

// isCorrect is the question of SelfCheck. Source: arXiv:2602.00723.
const isCorrect = "Is the above statement correct?"

// Reply writes an answer as it continues a request: behind a space where the request is a text to continue.
func Reply(req model.Request, answer string) string {
	answer = strings.TrimSpace(answer)
	if req.Raw {
		return " " + answer
	}
	return answer
}

// IsCorrect returns the request that appends an answer and the question whether that statement is correct, with the
// spellings of yes and of no as options: SelfCheck of arXiv:2602.00723.
//
//	question, answer, line end, "Is the above statement correct?"
//
// System prompt and earlier turns stay; the answer follows the question after a space, or behind the cue of a text
// to continue. No sampling parameters are set.
func IsCorrect(req model.Request, answer string) model.Request {
	return ask(req, req.Prompt+" "+strings.TrimSpace(answer)+"\n"+isCorrect, Yes, No)
}

// PossibleAnswer returns the request that shows an answer as a possible one and asks whether it is true or false,
// with the spellings of both as options: P(True) of Kadavath et al., arXiv:2207.05221, without examples and without
// other answers beside it.
func PossibleAnswer(req model.Request, answer string) model.Request {
	question := "Question: " + req.Prompt
	if req.Raw { // it has its own cues: the last one stands for the answer that is not given
		question = req.Prompt
		for _, cue := range []string{"\nA:", "\nLabel:"} {
			question = strings.TrimSuffix(question, cue)
		}
	}
	return ask(req, question+"\nPossible answer: "+strings.TrimSpace(answer)+
		"\nIs the possible answer:\nA) True\nB) False\nThe possible answer is:", True, False)
}

func ask(req model.Request, text string, yes, no []string) model.Request {
	out := model.Request{System: req.System, Messages: req.Messages, Prompt: text, Raw: req.Raw}
	for _, list := range [][]string{yes, no} {
		for _, s := range list {
			out.Options = append(out.Options, Reply(req, s))
		}
	}
	return out
}

// Listed returns a request of ask in the form for a model that scores no options: one token, with its alternatives
// listed.
func Listed(req model.Request, alternatives int) model.Request {
	req.Options, req.MaxTokens, req.LogProbs, req.TopLogProbs = nil, 1, true, alternatives
	return req
}
