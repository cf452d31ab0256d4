package model

import (
	"errors"

	"hallmark/internal/text/secret"
)

// Redact blots the secrets out of all that a response says, and shortens what it says of itself. A response in which
// one is spread over several tokens, alternatives or documents, or over its text, finish and model, keeps no Raw,
// which would show it as well; backends blot them out of Raw itself.
func (r *Response) Redact(s *secret.Redactor) {
	r.Finish = Excerpt(s.Text(r.Finish))
	r.Model = Excerpt(s.Text(r.Model))
	says := []*string{&r.Finish, &r.Model}
	if r.Text != nil {
		r.Text = new(s.Text(*r.Text))
		says = append([]*string{r.Text}, says...)
	}
	spread := redactParts(says, s)
	spread = redactTokens(r.Tokens, s) || spread
	for i := range r.Retrieved {
		r.Retrieved[i] = s.Text(r.Retrieved[i])
	}
	retrieved, found := s.Parts(r.Retrieved)
	r.Retrieved = retrieved
	if spread || found {
		r.Raw = nil
	}
}

// redactTokens blots the secrets out of tokens, and reports whether one was spread over several: over the tokens,
// over the alternatives of one rank, or over those of one token.
func redactTokens(tokens []Token, s *secret.Redactor) (spread bool) {
	texts := make([]*string, len(tokens))
	var ranks [][]*string
	for i := range tokens {
		t := &tokens[i]
		t.Text = s.Text(t.Text)
		texts[i] = &t.Text
		alternatives := make([]*string, len(t.Top))
		for k := range t.Top {
			t.Top[k].Text = s.Text(t.Top[k].Text)
			alternatives[k] = &t.Top[k].Text
			if k == len(ranks) {
				ranks = append(ranks, nil)
			}
			ranks[k] = append(ranks[k], alternatives[k])
		}
		spread = redactParts(alternatives, s) || spread
	}
	for _, parts := range append(ranks, texts) {
		spread = redactParts(parts, s) || spread
	}
	return spread
}

// redactParts blots the secrets out of texts that are read one after the other, and reports whether there was one.
func redactParts(texts []*string, s *secret.Redactor) (found bool) {
	parts := make([]string, len(texts))
	for i, t := range texts {
		parts[i] = *t
	}
	clean, found := s.Parts(parts)
	for i := range clean {
		*texts[i] = clean[i]
	}
	return found
}

// Redacted returns an error whose text holds no secret: err itself, where that holds none, or else one that is all
// that err is, with another text.
func Redacted(err error, s *secret.Redactor) error {
	if err == nil {
		return nil
	}
	text := s.Text(err.Error())
	if text == err.Error() {
		return err
	}
	if t, ok := errors.AsType[*Transient](err); ok {
		return &Transient{After: t.After, Limited: t.Limited, Err: &redacted{text, err}}
	}
	return &redacted{text, err}
}

// redacted is an error with another text. It does not unwrap, as the error below shows a secret.
type redacted struct {
	text string
	was  error
}

func (r *redacted) Error() string { return r.text }

// Is reports what the error was.
func (r *redacted) Is(target error) bool { return errors.Is(r.was, target) }
