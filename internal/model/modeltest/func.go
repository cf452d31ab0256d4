package modeltest

import (
	"context"

	"hallmark/internal/model"
)

// A Func is a model that answers every request by a function.
type Func struct {
	ID     string
	Answer func(context.Context, model.Request) (model.Response, error)
}

// Identity returns the ID.
func (f Func) Identity() string { return f.ID }

// Generate calls the function.
func (f Func) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	return f.Answer(ctx, req)
}

// Says returns a model that answers everything with one text.
func Says(id, text string) Func {
	return Func{id, func(context.Context, model.Request) (model.Response, error) {
		return model.Response{Text: &text, Finish: model.FinishStop}, nil
	}}
}
