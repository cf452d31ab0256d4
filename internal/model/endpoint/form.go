package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hallmark/internal/base/pattern"
)

// A form is the body of a request, whose members are read one by one by name. It keeps the first problem, so that a
// handler reads all it knows and then asks for what went wrong, also with what it left unread.
type form struct {
	members map[string]json.RawMessage
	problem *problem
}

// memberBefore matches the name of the member whose value begins where the matched text ends.
var memberBefore = pattern.New(`"([A-Za-z0-9_]{1,64})"\s*:\s*[-+]?$`)

// parse reads a body. The names of members are bounded by the body's size, their nesting by encoding/json.
func parse(body []byte) (*form, *problem) {
	f := &form{}
	err := json.Unmarshal(body, &f.members)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		at := min(max(int(syntax.Offset)-1, 0), len(body))
		param := ""
		if m := memberBefore.Regexp().FindSubmatch(body[max(0, at-100):at]); m != nil {
			// such as NaN, which Python writes
			param = string(m[1])
		}
		return nil, invalid(param, "We could not parse the JSON body of your request: byte %d: %v.", at, syntax)
	case err != nil || f.members == nil:
		return nil, invalid("", "The body of your request must be a JSON object.")
	}
	for _, name := range slices.Sorted(maps.Keys(f.members)) {
		if !utf8.Valid(f.members[name]) {
			return nil, invalid(name, "'%s' holds bytes that are not UTF-8.", name)
		}
		if string(f.members[name]) == "null" {
			delete(f.members, name)
		}
	}
	return f, nil
}

// fail keeps a problem if it is the first.
func (f *form) fail(p *problem) {
	if f.problem == nil {
		f.problem = p
	}
}

// take returns a member and marks it as read; nil if it is missing or null.
func (f *form) take(name string) json.RawMessage {
	raw := f.members[name]
	delete(f.members, name)
	return raw
}

// member reads a member of the type that want names.
func member[T any](f *form, name string, missing T, want string) T {
	raw := f.take(name)
	if raw == nil {
		return missing
	}
	var x T
	if json.Unmarshal(raw, &x) != nil {
		f.fail(invalid(name, "'%s' must be %s.", name, want))
	}
	return x
}

// text reads a string.
func (f *form) text(name, missing string) string { return member(f, name, missing, "a string") }

// flag reads true or false.
func (f *form) flag(name string, missing bool) bool { return member(f, name, missing, "true or false") }

// integer reads a whole number within bounds; given says whether it was there.
func (f *form) integer(name string, missing, lo, hi int64) (n int64, given bool) {
	raw := f.take(name)
	if raw == nil {
		return missing, false
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n < lo || n > hi {
		f.fail(invalid(name, "'%s' is %s; it must be a whole number from %d to %d.", name,
			shortened(string(raw), mostQuoted), lo, hi))
		return missing, false
	}
	return n, true
}

// limit reads how many tokens an answer of a chat may have, under its name of today or its older one; given says
// whether either was there.
func (f *form) limit() (n int64, given bool) {
	n, given = f.integer("max_completion_tokens", 0, 1, maxInt)
	older, olderGiven := f.integer("max_tokens", 0, 1, maxInt)
	switch {
	case given && olderGiven && n != older:
		f.fail(invalid("max_tokens", "'max_tokens' and 'max_completion_tokens' differ; send one."))
	case olderGiven:
		n, given = older, true
	}
	return n, given
}

// mostQuoted is how many bytes of a value a message quotes.
const mostQuoted = 40

// number reads a number within bounds.
func (f *form) number(name string, missing, lo, hi float64) float64 {
	raw := f.take(name)
	if raw == nil {
		return missing
	}
	var x float64
	if err := json.Unmarshal(raw, &x); err != nil || !(x >= lo && x <= hi) {
		f.fail(invalid(name, "'%s' is %s; it must be a number from %g to %g.", name,
			shortened(string(raw), mostQuoted), lo, hi))
		return missing
	}
	return x
}

// texts reads a string or a list of strings.
func (f *form) texts(name string, most int) []string {
	raw := f.take(name)
	if raw == nil {
		return nil
	}
	list, err := stringList(raw)
	switch {
	case err != nil:
		f.fail(invalid(name, "'%s' must be a string or a list of strings.", name))
	case len(list) > most:
		f.fail(invalid(name, "'%s' lists %d strings; at most %d are taken.", name, len(list), most))
	}
	return list
}

func stringList(raw json.RawMessage) ([]string, error) {
	if raw[0] == '"' {
		list := make([]string, 1)
		return list, json.Unmarshal(raw, &list[0])
	}
	var read []*string // a null would be read as "" otherwise
	if err := json.Unmarshal(raw, &read); err != nil {
		return nil, err
	}
	list := make([]string, len(read))
	for i, s := range read {
		if s == nil {
			return nil, errors.New("null in a list of strings")
		}
		list[i] = *s
	}
	return list, nil
}

// An input is a text, or the tokens of one.
type input struct {
	text   string
	tokens []int32 // not nil if tokens were given
}

// inputs reads a text, a list of texts, a list of tokens or a list of lists of tokens, and at least one.
func (f *form) inputs(name string, most int) []input {
	raw := f.take(name)
	if raw == nil {
		f.fail(invalid(name, "You must provide '%s'.", name))
		return nil
	}
	texts, err := stringList(raw)
	var ids [][]int32
	var list []input
	switch {
	case err == nil:
		for _, t := range texts {
			list = append(list, input{text: t})
		}
	case bytes.Contains(raw, []byte("null")): // a null would be read as a 0 otherwise
	case json.Unmarshal(raw, &ids) == nil:
		for _, t := range ids {
			list = append(list, input{tokens: t})
		}
	default:
		list = make([]input, 1)
		if json.Unmarshal(raw, &list[0].tokens) != nil {
			list = nil
		}
	}
	switch {
	case len(list) == 0:
		f.fail(invalid(name, "'%s' must be a string, a list of strings, a list of token numbers or a list of such "+
			"lists, none of them empty.", name))
	case len(list) > most:
		f.fail(invalid(name, "'%s' holds %d texts; at most %d are taken in one request.", name, len(list), most))
	}
	return list
}

// neutral lists the parameters of the OpenAI API and of vLLM that this server does not have, with the values, besides
// null, at which they change nothing.
var neutral = map[string][]string{
	"frequency_penalty": {"0"}, "presence_penalty": {"0"}, "logit_bias": {"{}"}, "suffix": {`""`},
	"tools": {"[]"}, "tool_choice": {`"none"`, `"auto"`}, "parallel_tool_calls": {"true", "false"},
	"functions": {"[]"}, "function_call": {`"none"`, `"auto"`},
	"response_format": {`{"type":"text"}`}, "modalities": {`["text"]`}, "audio": nil, "prediction": nil,
	"web_search_options": nil,
	"reasoning_effort":   {`"none"`}, "verbosity": nil, "store": {"false"}, "service_tier": {`"auto"`, `"default"`},
	"dimensions": nil, "moderation": nil,
	"top_k": {"0", "-1"}, "min_p": {"0"}, "repetition_penalty": {"1"}, "length_penalty": {"1"},
	"use_beam_search": {"false"}, "min_tokens": {"0"},
	"ignore_eos": {"false"}, "skip_special_tokens": {"true"}, "spaces_between_special_tokens": {"true"},
	"include_stop_str_in_output": {"false"},
	"stop_token_ids":             {"[]"}, "prompt_logprobs": nil, "truncate_prompt_tokens": nil,
	"allowed_token_ids":     nil,
	"bad_words":             {"[]"},
	"add_generation_prompt": {"true"}, "continue_final_message": {"false"}, "add_special_tokens": {"true"},
	"echo": {"false"}, "chat_template": nil,
	"chat_template_kwargs": {"{}"}, "priority": {"0"}, "return_token_ids": {"false"},
}

// ignored are the parameters that say something of the client and nothing of the answer.
var ignored = []string{"user", "metadata", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"}

// done returns the first problem, that of a member nobody read included.
func (f *form) done() *problem {
	for _, name := range slices.Sorted(maps.Keys(f.members)) {
		values, known := neutral[name]
		switch raw := f.members[name]; {
		case slices.Contains(ignored, name):
		case !known:
			f.fail(invalid(name, "Unknown parameter: '%s'.", name).as("unknown_parameter"))
		case !slices.ContainsFunc(values, func(v string) bool { return equalJSON(raw, v) }):
			why := ""
			if len(values) > 0 {
				why = fmt.Sprintf(", except as %s", strings.Join(values, " or "))
			}
			f.fail(unsupported(name, why))
		}
	}
	return f.problem
}

// equalJSON compares a value with one in its shortest form: numbers by value, all else by its text without white space.
func equalJSON(raw json.RawMessage, want string) bool {
	if x, err := strconv.ParseFloat(string(raw), 64); err == nil {
		y, err := strconv.ParseFloat(want, 64)
		return err == nil && x == y
	}
	var b bytes.Buffer
	return json.Compact(&b, raw) == nil && b.String() == want
}
