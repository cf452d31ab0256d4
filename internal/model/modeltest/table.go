package modeltest

import (
	"context"
	"errors"
	"strconv"

	"hallmark/internal/model"
)

// A Table is a model for the tests of what is built on models: it answers each prompt with a text and fails for
// good on prompts that it lacks. Each answer takes three tokens of prompt and two of answer.
type Table map[string]string

// Identity implements model.Model. All tables have the same.
func (Table) Identity() string { return "table" }

// Generate implements model.Model.
func (t Table) Generate(_ context.Context, req model.Request) (model.Response, error) {
	text, ok := t[req.Prompt]
	if !ok {
		return model.Response{}, errors.New("no such prompt in the table")
	}
	return model.Response{Text: &text, Raw: []byte(`{"raw":` + strconv.Quote(text) + `}`),
		Usage: model.Usage{PromptTokens: 3, CompletionTokens: 2}}, nil
}
