package assay

import (
	"context"

	"hallmark/internal/prompt"
	"hallmark/internal/run"
)

// A TemplateFile holds the templates of a file, which a plan uses in place of the generated ones.
type TemplateFile struct {
	From      string            `json:"from,omitempty"` // the name of the file, which decides nothing
	Templates []prompt.Template `json:"templates"`
}

// Waves are the calls of a plan in the order in which they can be known: each may depend on the records of those before. First come the
// paraphrases and what a judge says of them, then the variants, then what is asked about the answers.
func (p *Plan) Waves() []func(context.Context, run.Store) ([]run.Call, error) {
	about := func(ctx context.Context, store run.Store) ([]run.Call, error) {
		calls, err := p.JudgeCalls(ctx, store)
		if err != nil {
			return nil, err
		}
		detectors, err := p.DetectCalls(ctx, store)
		return append(calls, detectors...), err
	}
	return []func(context.Context, run.Store) ([]run.Call, error){p.ParaphraseCalls, p.EquivalenceCalls, p.VariantCalls, about}
}
