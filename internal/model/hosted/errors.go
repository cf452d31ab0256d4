package hosted

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hallmark/internal/base/pattern"
	"hallmark/internal/model"
)

// A refused is a request that the server understood and will not serve; final, unless a quirk explains it.
type refused struct {
	status               int
	code, param, message string
}

// Is says of a refusal that it is model.ErrTooLong where the server says so, in the ways that servers do.
func (r *refused) Is(target error) bool {
	return target == model.ErrTooLong && (r.status == 400 || r.status == 413 || r.status == 422) &&
		(r.code == "context_length_exceeded" || overlong.MatchString(r.message))
}

var overlong = pattern.New(`(?i)maximum context length|exceeds? the (available )?context|prompt is too long|` +
	`context (length|window|size) (is )?exceeded`)

func (r *refused) Error() string { return fmt.Sprintf("status %d: %s", r.status, r.message) }

var quotedParam = pattern.New("[`'\"]?\\b(max_completion_tokens|max_tokens|temperature|top_logprobs|prompt_logprobs|" +
	"logprobs|top_p|seed|echo|stop)\\b")

// parameter returns the name of the refused parameter: the server's own word for it, or the first that its message
// names.
func (r *refused) parameter() string {
	if r.status != 400 && r.status != 422 {
		return ""
	}
	if r.param != "" {
		return r.param
	}
	if m := quotedParam.FindStringSubmatch(r.message); m != nil {
		return m[1]
	}
	return ""
}

var unsupported = pattern.New(`(?i)unsupported|not support|deprecated|only the default|not permitted|not allowed|` +
	`unknown|unrecognized|unexpected|extra inputs`)

// unsupported reports whether the parameter itself was refused, and not only a value out of range.
func (r *refused) unsupported() bool {
	return r.code == "unsupported_parameter" || r.code == "unsupported_value" || unsupported.MatchString(r.message)
}

// An errorBody is an error in any of the shapes that servers write: {"error": {"message": …}} (OpenAI, Anthropic,
// llama-server), {"error": "…"} (Ollama), {"object": "error", "message": …} (older vLLM), {"detail": …} (FastAPI),
// {"choices": [{"error": {…}}]} (OpenRouter).
type errorBody struct {
	Object string          `json:"object"`
	Error  json.RawMessage `json:"error"`
	Detail json.RawMessage `json:"detail"`
	// Choices are read elsewhere: here only whether writing one broke off.
	Choices choiceErrors `json:"choices"`
	errorFields
}

type errorFields struct {
	Message json.RawMessage `json:"message"`
	Type    json.RawMessage `json:"type"`
	Code    json.RawMessage `json:"code"`
	Param   json.RawMessage `json:"param"`
}

// A choiceErrors is the first choice's error that says something.
type choiceErrors struct{ json.RawMessage }

func (c *choiceErrors) UnmarshalJSON(b []byte) error {
	var list []struct {
		Error json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(b, &list) // choices of another shape hold no error that is known
	for _, l := range list {
		if c.RawMessage == nil && says(l.Error) {
			c.RawMessage = l.Error
		}
	}
	return nil
}

// failed reports whether the body holds an error that says something. Then it is one, whatever stands beside it: an
// answer beside an error was broken off. Gateways also write "error": false, "" or {} into every answer.
func (e *errorBody) failed() bool {
	return says(e.Error) || e.Object == "error" || says(e.Detail) || e.Choices.RawMessage != nil
}

// says reports whether a JSON value says anything: null, false, 0, "" and lists and objects of nothing else do not.
func says(raw json.RawMessage) bool {
	var v any
	return json.Unmarshal(raw, &v) == nil && something(v)
}

func something(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, something)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), something)
	case string:
		return strings.TrimSpace(v) != ""
	}
	return v != nil && v != false && v != 0.0
}

func (e *errorBody) refused() *refused {
	f := e.errorFields
	failure := e.Error
	if !says(failure) {
		failure = e.Choices.RawMessage
	}
	switch {
	case len(failure) > 0 && failure[0] == '{':
		f = errorFields{}
		if json.Unmarshal(failure, &f) != nil {
			f.Message = failure
		}
	case says(failure):
		f.Message = failure
	case says(e.Detail):
		f.Message = e.Detail
	}
	return &refused{code: cmp.Or(plain(f.Code), plain(f.Type)), param: plain(f.Param), message: plain(f.Message)}
}

// plain returns a JSON string's text, or any other value as it is written; "" for null.
func plain(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if json.Unmarshal(raw, &s) != nil {
		s = string(raw)
	}
	return model.Excerpt(s)
}
