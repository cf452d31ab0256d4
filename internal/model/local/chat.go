package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"hallmark/internal/engine/token"
	"hallmark/internal/engine/weights"
	"hallmark/internal/model"
	"hallmark/internal/model/local/jinja"
)

// A template lays a conversation out as the text that the model was trained on: by the program of the folder, or
// plainly where it has none (docs/decisions/0010).
type template struct {
	name    string            // where it is from, for people
	program *jinja.Template   // nil for plain text
	tokens  map[string]string // bos_token and the like, which the program may print
	lead    string            // what the answer begins with in training, left out of what is reported
	after   string            // what follows an answer in training
}

// templateFiles are where a folder keeps its chat template, the first that has one.
const (
	templateFile  = "chat_template.jinja"
	tokenizerJSON = "tokenizer_config.json"
)

// readTemplate returns the source of the folder's chat template and the file it is in; "" if there is none. As in
// transformers, a file of its own goes before the entry of tokenizer_config.json. Of several named templates it is the
// default one, or the only one.
func readTemplate(fsys fs.FS, entry json.RawMessage) (source, file string, err error) {
	if b, err := weights.Optional(fsys, templateFile); b != nil || err != nil {
		return string(b), templateFile, err
	}
	if len(entry) == 0 || string(entry) == "null" {
		return "", "", nil
	}
	if json.Unmarshal(entry, &source) == nil {
		return source, tokenizerJSON, nil
	}
	var list []struct{ Name, Template string }
	if err := json.Unmarshal(entry, &list); err != nil || len(list) == 0 {
		return "", "", fmt.Errorf("%s: chat_template is neither a string nor a list of name and template",
			tokenizerJSON)
	}
	at := slices.IndexFunc(list, func(t struct{ Name, Template string }) bool { return t.Name == "default" })
	if at < 0 && len(list) > 1 {
		return "", "", fmt.Errorf(
			"%s: chat_template has %d templates and none named default, such as %q; name one default", tokenizerJSON,
			len(list), list[0].Name)
	}
	return list[max(at, 0)].Template, tokenizerJSON, nil
}

// answerMark stands for an answer while a template is tried out.
const answerMark = "\ue000answer\ue000"

// parseTemplate reads a chat template and tries it on a short conversation, from which it learns what stands around an
// answer. An empty source is a base model's: plain text.
func parseTemplate(source string, tokens map[string]string) (template, error) {
	if source == "" {
		return template{name: "in plain lines", tokens: tokens}, nil
	}
	t := template{name: "from the folder", tokens: tokens}
	var err error
	if t.program, err = jinja.Parse(source); err != nil {
		return t, err
	}
	question := []model.Message{{Role: "user", Text: "a"}}
	prompt, err := t.run(question, true)
	if err != nil {
		return t, err
	}
	whole, err := t.run(append(question, model.Message{Role: "assistant", Text: answerMark}), false)
	if err != nil {
		return t, nil // it renders prompts; a model of one turn
	}
	answer, ok := strings.CutPrefix(whole.String(), prompt.String())
	if lead, _, found := strings.Cut(answer, answerMark); ok && found && strings.TrimSpace(lead) == "" {
		t.lead = lead
	}
	_, after, _ := strings.Cut(whole.String(), answerMark)
	t.after = strings.TrimSpace(after)
	return t, nil
}

// endOf is the special token that follows an answer in training, "" for none.
func (t template) endOf(specials []token.Added) string {
	end := ""
	for _, a := range specials {
		if strings.HasPrefix(t.after, a.Content) && len(a.Content) > len(end) {
			end = a.Content
		}
	}
	return end
}

// run renders messages. The template sees what transformers gives it; of options that templates ask for, thinking aloud
// is off, and there is no clock: a prompt may not change from day to day.
func (t template) run(messages []model.Message, prompt bool) (jinja.Text, error) {
	vars := map[string]any{"add_generation_prompt": prompt, "tools": nil, "documents": nil, "enable_thinking": false}
	for name, text := range t.tokens {
		vars[name] = text
	}
	list := make([]any, len(messages))
	for i, m := range messages {
		d := jinja.NewDict()
		d.Set("role", m.Role)
		d.Set("content", jinja.Foreign(m.Text))
		list[i] = d
	}
	vars["messages"] = list
	out, err := t.program.Render(vars)
	if e, ok := errors.AsType[*jinja.Error](err); ok && e.Raised {
		return out, fmt.Errorf("chat_template refuses the conversation: %s", e.Text)
	}
	if err != nil {
		return out, fmt.Errorf("chat_template: %w", err)
	}
	return out, nil
}

// conversation is the messages of a request: one system message at most, then turns of user and assistant.
func conversation(r model.Request) ([]model.Message, error) {
	var system []string
	if r.System != "" {
		system = append(system, r.System)
	}
	turns := r.Messages
	for len(turns) > 0 && turns[0].Role == "system" {
		system, turns = append(system, turns[0].Text), turns[1:]
	}
	var out []model.Message
	if len(system) > 0 {
		out = append(out, model.Message{Role: "system", Text: strings.Join(system, "\n")})
	}
	for _, m := range turns {
		switch m.Role {
		case "user", "assistant":
		case "system":
			return nil, fmt.Errorf("a system message follows others; it must come first")
		default:
			return nil, fmt.Errorf("message role %q is unknown: system, user or assistant", m.Role)
		}
		out = append(out, m)
	}
	return append(out, model.Message{Role: "user", Text: r.Prompt}), nil
}

// own is text of the template's own, in which special tokens count. They do not in text from outside: a question that
// contains "<|im_end|>" must not end the turn.
func own(text string) token.Part { return token.Part{Text: text} }

func foreign(text string) token.Part { return token.Part{Text: text, Foreign: true} }

// partsOf is a rendered text, after an empty part: so a beginning of text in it is read in its place, as transformers
// reads it.
func partsOf(text jinja.Text) []token.Part {
	parts := []token.Part{own("")}
	for s, foreign := range text.Runs {
		parts = append(parts, token.Part{Text: s, Foreign: foreign})
	}
	return parts
}

// render lays out a request. Raw requests are their prompt and nothing else but the beginning of text.
func (t template) render(r model.Request, begin string) ([]token.Part, error) {
	if r.Raw {
		return []token.Part{own(begin), foreign(r.Prompt)}, nil
	}
	messages, err := conversation(r)
	if err != nil {
		return nil, err
	}
	if t.program == nil {
		return plain(messages, begin), nil
	}
	text, err := t.run(messages, true)
	if err != nil {
		return nil, err
	}
	return partsOf(text), nil
}

// plain lays messages out as lines, the system's with an empty one after it.
func plain(messages []model.Message, begin string) []token.Part {
	parts := []token.Part{own(begin)}
	for i, m := range messages {
		if i > 0 {
			parts = append(parts, own("\n"))
		}
		if i > 0 && messages[i-1].Role == "system" {
			parts = append(parts, own("\n"))
		}
		parts = append(parts, foreign(m.Text))
	}
	return parts
}

// encode turns the parts into tokens as Hugging Face does with the whole text: what stands between two special tokens
// is split as one, over the borders of parts. Special tokens are read in the template's own parts only. A first part
// that is the beginning of text comes before the text: the text itself still begins after it. The error is
// *token.TooLong where there are far more tokens than most, if that is not 0.
func (m *Model) encode(parts []token.Part, most int) ([]int32, error) {
	var begin []int32
	if len(parts) > 0 && parts[0] == own(m.begin) {
		if id, ok := m.tokens.ID(m.begin); ok && m.begin != "" {
			begin, parts = []int32{id}, parts[1:]
		}
	}
	tokens, err := m.tokens.EncodeWithin(parts, most)
	return append(begin, tokens...), err
}
