package local

import (
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/engine/token"
	"hallmark/internal/model"
)

// A Lesson is one answer to learn, as the tokens that the model reads and those it should then write.
type Lesson struct {
	Prompt, Answer []int32
}

// Lessons returns a lesson for each turn of the assistant: what it is asked, laid out as a request is, and the turn
// with what ends it. The error says what in the conversation cannot be learned, such as a turn that the chat
// template prints elsewhere than at the end.
func (m *Model) Lessons(messages []model.Message) ([]Lesson, error) {
	var lessons []Lesson
	for i, turn := range messages {
		if turn.Role != "assistant" {
			continue
		}
		if strings.TrimSpace(turn.Text) == "" {
			return nil, fmt.Errorf("turn %d of the assistant is empty", len(lessons)+1)
		}
		prompt, answer, err := m.template.lesson(messages[:i+1], m.begin)
		if err != nil {
			return nil, err
		}
		var l Lesson
		if l.Prompt, err = m.encode(prompt, 0); err != nil {
			return nil, err
		}
		if l.Answer, err = m.encodeAnswer(answer); err != nil {
			return nil, err
		}
		if n, most := len(l.Prompt)+len(l.Answer), m.net.Config().MaxContext; n > most {
			return nil, fmt.Errorf("turn %d of the assistant and what precedes it have %d tokens; the model takes %d",
				len(lessons)+1, n, most)
		}
		lessons = append(lessons, l)
	}
	if len(lessons) == 0 {
		return nil, fmt.Errorf("no turn of the assistant: there is nothing to learn")
	}
	return lessons, nil
}

// lesson lays out the last of the messages, the assistant's, behind those before it.
func (t template) lesson(messages []model.Message, begin string) (prompt, answer []token.Part, err error) {
	last := messages[len(messages)-1]
	if t.program == nil {
		return append(plain(messages[:len(messages)-1], begin), own("\n")), []token.Part{foreign(last.Text)}, nil
	}
	before, err := t.run(messages[:len(messages)-1], true)
	if err != nil {
		return nil, nil, err
	}
	whole, err := t.run(messages, false)
	if err != nil {
		return nil, nil, err
	}
	skip := len(before.String())
	if !strings.HasPrefix(whole.String(), before.String()) || len(whole.String()) == skip {
		return nil, nil, fmt.Errorf("the chat template does not print the answer behind the prompt, so that there " +
			"is nothing to learn it from")
	}
	for s, foreign := range whole.Runs {
		cut := min(skip, len(s))
		if skip -= cut; cut < len(s) {
			answer = append(answer, token.Part{Text: s[cut:], Foreign: foreign})
		}
	}
	return partsOf(before), answer, nil
}

// encodeAnswer encodes an answer up to the token that ends it, which is added where the layout has none.
func (m *Model) encodeAnswer(parts []token.Part) ([]int32, error) {
	tokens, err := m.tokens.EncodeParts(parts)
	if err != nil {
		return nil, err
	}
	ends := func(id int32) bool { return slices.Contains(m.stops, id) }
	if at := slices.IndexFunc(tokens, ends); at >= 0 {
		return tokens[:at+1], nil
	}
	if len(m.stops) > 0 {
		tokens = append(tokens, m.stops[0])
	}
	return tokens, nil
}
