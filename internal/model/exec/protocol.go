package exec

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/model"
)

// A protocolError is a line that is no response of the protocol.
type protocolError struct{ err error }

func (e *protocolError) Error() string { return e.err.Error() }

// answer is a response line.
type answer struct {
	Text      *string     `json:"text"`
	Finish    string      `json:"finish"`
	Retrieved []string    `json:"retrieved"`
	LogProbs  []token     `json:"logprobs"`
	Options   [][]float64 `json:"options"`
	Usage     *usage      `json:"usage"`
	Error     failure     `json:"error"`
	Model     *string     `json:"model"`
	Transient bool        `json:"transient"`
}

type usage struct {
	PromptTokens     int     `json:"prompt_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
	USD              float64 `json:"usd"`
}

// failure is an error's text. false, null and "" are none: programs write them beside an answer.
type failure string

func (f *failure) UnmarshalJSON(b []byte) error {
	var s string
	if string(b) == "false" {
		return nil
	}
	err := json.Unmarshal(b, &s)
	*f = failure(strings.TrimSpace(s))
	return err
}

// token is one entry of logprobs: an object as in the OpenAI API, or a bare number.
type token struct {
	Text    string   `json:"token"`
	LogProb *float64 `json:"logprob"`
	Top     []struct {
		Text    string  `json:"token"`
		LogProb float64 `json:"logprob"`
	} `json:"top_logprobs"`
}

func (t *token) UnmarshalJSON(b []byte) error {
	if b[0] == '{' {
		type plain token
		return json.Unmarshal(b, (*plain)(t))
	}
	return json.Unmarshal(b, &t.LogProb)
}

// decode reads a response line. Lines that are no response are a *protocolError.
func decode(line []byte, req model.Request) (model.Response, error) {
	a, err := parse(line, len(req.Options) > 0)
	if err != nil {
		return model.Response{}, err
	}
	out := model.Response{Text: a.Text, Finish: cmp.Or(a.Finish, model.FinishStop), Retrieved: a.Retrieved,
		Model: *cmp.Or(a.Model, new(string))}
	if out.Tokens, err = a.tokens(); err != nil {
		return model.Response{}, err
	}
	if out.Options, err = a.scores(len(req.Options)); err != nil {
		return model.Response{}, err
	}
	if u := a.Usage; u != nil {
		out.Usage = model.Usage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, USD: u.USD}
	}
	if a.Usage == nil || !out.Usage.Plausible() {
		out.Usage = model.EstimatedUsage(req.Size(), len(*cmp.Or(a.Text, new(string))))
	}
	return out, nil
}

// alike returns an error where keys differ in case alone: they would be read as one.
func alike(keys map[string]json.RawMessage) error {
	seen := map[string]bool{}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		lower := strings.ToLower(k)
		if seen[lower] {
			return fmt.Errorf("the key %q is there twice, in letters of another case", excerpt([]byte(k)))
		}
		seen[lower] = true
	}
	return nil
}

// maxCommas bounds the commas of a response line. Twenty alternatives to each of 16,000 tokens have 1,000,000.
const maxCommas = 1 << 20

// parse returns the members of a response line, or the error that it reports. Only one that scores options may have
// no text.
func parse(line []byte, scores bool) (a answer, err error) {
	if n := bytes.Count(line, []byte{','}); n > maxCommas {
		return a, &protocolError{
			fmt.Errorf(
				"line has %d commas, and at most %d are read: each may part values that take some hundred bytes", n,
				maxCommas)}
	}
	var keys map[string]json.RawMessage
	err = json.Unmarshal(line, &keys)
	if err == nil && keys == nil {
		err = errors.New("null")
	}
	if err = cmp.Or(err, json.Unmarshal(line, &a), jsonl.Strict(line, false), alike(keys)); err != nil {
		return a, &protocolError{
			fmt.Errorf("line is no response (%v; want {\"text\": …} on standard output, and messages on standard "+
				"error): %s", jsonl.Plain(err), excerpt(line))}
	}
	if a.Error != "" {
		err := fmt.Errorf("the program reports: %s", excerpt([]byte(a.Error)))
		if a.Transient {
			err = &model.Transient{Err: err}
		}
		return a, err
	}
	if _, ok := keys["text"]; !ok && !scores {
		return a, &protocolError{fmt.Errorf("response has neither text nor error: %s", excerpt(line))}
	}
	return a, nil
}

// tokens returns the tokens of logprobs.
func (a *answer) tokens() ([]model.Token, error) {
	var out []model.Token
	for i, t := range a.LogProbs {
		if t.LogProb != nil && *t.LogProb > 0 {
			return nil, fmt.Errorf("logprobs[%d] is %v, above 0", i, *t.LogProb)
		}
		tok := model.Token{Text: t.Text, LogProb: t.LogProb}
		for _, alt := range t.Top {
			tok.Top = append(tok.Top, model.TopToken{Text: alt.Text, LogProb: alt.LogProb})
		}
		out = append(out, tok)
	}
	return out, nil
}

// scores returns the scores of so many options, where some were asked for.
func (a *answer) scores(want int) ([]model.OptionScore, error) {
	if want == 0 {
		return nil, nil
	}
	if len(a.Options) != want {
		return nil, fmt.Errorf(
			"the program scores %d of %d options: want \"options\": a list of log-probabilities for each",
			len(a.Options), want)
	}
	var out []model.OptionScore
	for i, lps := range a.Options {
		if len(lps) == 0 {
			return nil, fmt.Errorf("options[%d] has no log-probabilities", i)
		}
		for _, lp := range lps {
			if lp > 0 || math.IsNaN(lp) {
				return nil, fmt.Errorf("options[%d] holds %v, which is no log-probability", i, lp)
			}
		}
		out = append(out, model.OptionScore{LogProbs: lps})
	}
	return out, nil
}

// excerpt is model.Excerpt.
func excerpt(b []byte) string { return model.Excerpt(string(b)) }
