package prompt

import (
	"cmp"
	"strings"
	"unicode"

	"hallmark/internal/model"
	"hallmark/internal/suite"
)

// A Template lays out a question, in place of a form's own layout. Placeholders in its texts are {question},
// {choices} and {topic}.
type Template struct {
	Name   string `json:"name" yaml:"name"` // for readers: "separators 2", "polite"
	Family Family `json:"family,omitempty"` // what it changes
	// Intro stands once, before the demonstrations; it ends with what parts it from them.
	Intro string `json:"intro,omitempty"`
	// Question lays out one question, {choices} with it where options are shown; empty is the form's own layout.
	Question string `json:"question,omitempty"`
	// Reply ends the question and asks for the answer; empty is the form's own: nothing in a chat, "\nA:" or the
	// like in a text to continue.
	Reply string `json:"reply,omitempty"`
	// Choice lays out one option, with {letter} and {option}, and Between parts two of them; empty is "{letter}.
	// {option}" and a line break.
	Choice  string `json:"choice,omitempty"`
	Between string `json:"between,omitempty"`
	// Around is what the question that is asked is put into, not those of the demonstrations; empty is "{question}".
	Around string `json:"around,omitempty" yaml:"around"`
	// OneLine puts the question that is asked, with its options, on a single line.
	OneLine bool `json:"one_line,omitempty" yaml:"one_line"`
}

// The placeholders of templates.
const (
	questionMark = "{question}"
	choicesMark  = "{choices}"
	topicMark    = "{topic}"
)

// fits says why a template cannot lay out a case: "" if it can.
func (t *Template) fits(c *suite.Case) string {
	shown := c.ShowOptions && len(c.Options) > 0
	switch {
	case c.Form == suite.Continue && !shown:
		return "it is a text to be continued as it is"
	case topic(c) == "" && strings.Contains(t.Intro+t.Question, topicMark):
		return "it has no domain to stand for " + topicMark
	case shown && t.Question != "" && !strings.Contains(t.Question, choicesMark):
		return "template " + t.Name + " has no " + choicesMark + ", and its options are shown"
	}
	return ""
}

// idle reports whether a template lays a case out as its form does anyway.
func (t *Template) idle(c *suite.Case) bool {
	v := Variant{Prompt: c.Prompt}
	return t.render(c, v, RenderOptions{}).Prompt == Render(c, v, RenderOptions{}).Prompt
}

// topic is what {topic} stands for: the case's domain in words.
func topic(c *suite.Case) string { return strings.ReplaceAll(c.Domain, "-", " ") }

// fill puts texts for the placeholders of a pattern, each once from left to right, so that a placeholder inside a
// text stays as it is. Texts are pairs of a placeholder, which begins with a brace, and what stands for it. A
// strings.Replacer that is made for each prompt would take most of the time in which a plan is laid out.
func fill(pattern string, texts ...string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(pattern, "{")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		mark, text := "{", "{"
		for i := 0; i < len(texts); i += 2 {
			if strings.HasPrefix(rest, texts[i][1:]) {
				mark, text = texts[i], texts[i+1]
				break
			}
		}
		out.WriteString(text)
		pattern = rest[len(mark)-1:]
	}
}

// alone returns the pattern of a question without its options, as demonstrations have it: what stands between the
// question and its options goes with them.
func alone(pattern string) string {
	q, c := strings.Index(pattern, questionMark), strings.Index(pattern, choicesMark)
	switch {
	case c < 0 || q < 0:
		return pattern
	case q < c:
		return pattern[:q+len(questionMark)] + pattern[c+len(choicesMark):]
	}
	return pattern[:c] + pattern[q:]
}

// render returns the request of a variant that a template lays out; the zero Template has the layout of the form.
// Demonstrations are laid out alike, without options; in a text to continue an empty line parts them, and the answer
// follows the reply mark and a space. The letters of options stay letters, so that answers are read and scored as
// everywhere else.
func (t *Template) render(c *suite.Case, v Variant, opt RenderOptions) model.Request {
	own, reply, raw := t.layout(cmp.Or(opt.Form, c.Form))
	plain := alone(own) // of a question without options
	block := func(pattern, question, choices string) string {
		if pattern == questionMark { // as in nearly every chat
			return question + reply
		}
		return fill(pattern, questionMark, question, choicesMark, choices, topicMark, topic(c)) + reply
	}
	bare := func(input string) string { return block(plain, input, "") }
	options, pattern, choices := OptionsOf(c, v), plain, ""
	shown := opt.shows(c)
	if shown {
		pattern, choices = own, t.list(options)
	}
	question := v.Prompt
	if t.Around != "" {
		question = fill(t.Around, questionMark, question)
	}
	if t.OneLine {
		question, choices, pattern = oneLine(question), oneLine(choices), oneLine(pattern)
	}
	intro, asked := fill(t.Intro, topicMark, topic(c)), passages(c)+block(pattern, question, choices)
	req := model.Request{Options: scored(options, shown, opt.Generate), Raw: raw}
	if raw {
		req.Prompt = strings.TrimRight(told(c, intro, v.Demonstrations, bare)+asked, " \t\n")
		for i := range req.Options {
			req.Options[i] = " " + req.Options[i]
		}
		if req.Options == nil {
			req.Stop = stops(plain)
		}
		return req
	}
	req.System, req.Prompt = c.System, asked
	for _, d := range v.Demonstrations {
		req.Messages = append(req.Messages, model.Message{Role: "user", Text: bare(d.Input)},
			model.Message{Role: "assistant", Text: d.Label})
	}
	first := &req.Prompt
	if len(req.Messages) > 0 {
		first = &req.Messages[0].Text
	}
	*first = intro + *first
	return req
}

// layout returns the pattern of a question with its options, what follows it, and whether it is a text to continue.
func (t *Template) layout(form suite.Form) (own, reply string, raw bool) {
	if form == suite.Continue {
		form = suite.Answer
	}
	frame, raw := frames[form]
	own, reply = questionMark+"\n\n"+choicesMark, t.Reply
	if raw {
		own = frame.ask + questionMark + "\n" + choicesMark
		reply = cmp.Or(reply, frame.reply)
	}
	return cmp.Or(t.Question, own), reply, raw
}

// list lays the options out as Choice and Between say.
func (t *Template) list(options []string) string {
	one, between := cmp.Or(t.Choice, "{letter}. {option}"), cmp.Or(t.Between, "\n")
	var parts []string
	for i, o := range options {
		parts = append(parts, fill(one, "{letter}", letter(i), "{option}", o))
	}
	return strings.Join(parts, between)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// stops end an answer in a text to continue, where the model would go on with questions of its own.
func stops(plain string) []string {
	stop := []string{"\n\n"}
	label := strings.TrimSpace(plain[:strings.Index(plain, questionMark)])
	if label != "" && !strings.Contains(label, "{") {
		stop = append(stop, "\n"+label)
	}
	return stop
}

// A casing writes the fixed words of a template; placeholders stay.
type casing func(string) string

// cased applies a casing to the words of a pattern outside its placeholders.
func cased(pattern string, to casing) string {
	var out strings.Builder
	for pattern != "" {
		open := strings.IndexByte(pattern, '{')
		end := strings.IndexByte(pattern, '}')
		if open < 0 || end < open {
			out.WriteString(to(pattern))
			break
		}
		out.WriteString(to(pattern[:open]) + pattern[open:end+1])
		pattern = pattern[end+1:]
	}
	return out.String()
}

// titled writes each word with a capital.
func titled(s string) string {
	var out strings.Builder
	fresh := true
	for _, r := range s {
		if fresh {
			r = unicode.ToUpper(r)
		}
		fresh = !unicode.IsLetter(r) && r != '\''
		out.WriteRune(r)
	}
	return out.String()
}
