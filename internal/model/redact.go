package model

import (
	"errors"

	"hallmark/internal/secret"
)

// Redact blots the secrets out of all that a response says. A response in which one is spread over several tokens, alternatives
// or documents keeps no Raw, which would show it as well; backends blot them out of Raw itself.
func (r *Response) Redact(s *secret.Redactor) {
	if r.Text != nil {
		if clean := s.Text(*r.Text); clean != *r.Text {
			r.Text = &clean
		}
	}
	r.Finish = s.Text(r.Finish)
	r.Model = s.Text(r.Model)
	spread := redactTokens(r.Tokens, s)
	for i := range r.Retrieved {
		r.Retrieved[i] = s.Text(r.Retrieved[i])
	}
	retrieved, found := s.Parts(r.Retrieved)
	r.Retrieved = retrieved
	if spread || found {
		r.Raw = nil
	}
}

// redactTokens blots the secrets out of tokens, and reports whether one was spread over several: over the tokens, or over the
// alternatives of one rank.
func redactTokens(tokens []Token, s *secret.Redactor) (spread bool) {
	texts, ranks := make([]string, len(tokens)), 0
	for i := range tokens {
		t := &tokens[i]
		t.Text = s.Text(t.Text)
		for k := range t.Top {
			t.Top[k].Text = s.Text(t.Top[k].Text)
		}
		texts[i], ranks = t.Text, max(ranks, len(t.Top))
	}
	if clean, found := s.Parts(texts); found {
		spread = true
		for i := range tokens {
			tokens[i].Text = clean[i]
		}
	}
	for k := range ranks {
		var at []*string
		texts = texts[:0]
		for i := range tokens {
			if k < len(tokens[i].Top) {
				at, texts = append(at, &tokens[i].Top[k].Text), append(texts, tokens[i].Top[k].Text)
			}
		}
		if clean, found := s.Parts(texts); found {
			spread = true
			for i := range at {
				*at[i] = clean[i]
			}
		}
	}
	return spread
}

// Redacted returns an error whose text holds no secret: err itself, where that holds none, or else one that is all that err is,
// with another text.
func Redacted(err error, s *secret.Redactor) error {
	if err == nil {
		return nil
	}
	text := s.Text(err.Error())
	if text == err.Error() {
		return err
	}
	var t *Transient
	if errors.As(err, &t) {
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
