package driver

import (
	"context"
	"fmt"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/spec"
	"hallmark/internal/commands/undertest"
	"hallmark/internal/run"
)

// A Forecast is what `hallmark plan run` prints.
type Forecast struct {
	*assay.Forecast
	USD      *Cost    `json:"usd,omitempty"` // of what is still to be asked; with --price
	Warnings []string `json:"warnings"`
}

// A Cost is a sum of money between two bounds.
type Cost struct {
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// Forecast resolves the plan as a run does, and says what the run would ask; of a plan with suites: it forecasts each
// run. It returns the document that `hallmark plan run` prints.
func (b *Bench) Forecast(ctx context.Context, f *spec.Run) (any, error) {
	if len(f.Study) > 0 {
		return b.forecastStudy(ctx, f)
	}
	return b.forecast(ctx, f)
}

// forecast resolves one run, and asks its models what they can do.
func (b *Bench) forecast(ctx context.Context, f *spec.Run) (*Forecast, error) {
	var r resolved
	defer r.Close()
	if err := b.read(ctx, f, b.openOrNone, nil, &r); err != nil {
		return nil, err
	}
	// Models in process tell what they can do; of others it is known where the run began before.
	budget, err := undertest.OpenPurse(ctx, r.store, r.plan.ID(), run.Budget{}, b.Now)
	if err != nil {
		return nil, err
	}
	if err := b.Models.Probe(ctx, r.store, r.plan, r.subjects, r.subjects.Remote, budget); err != nil {
		return nil, err
	}
	doc := &Forecast{Warnings: append([]string{}, r.notes...)}
	if doc.Forecast, err = r.plan.Forecast(ctx, r.store); err != nil {
		return nil, exit.Usage(err)
	}
	if f.Priced() {
		cost, err := f.Rates()
		if err != nil {
			return nil, exit.Usage(err)
		}
		t := &doc.Total
		usd := func(in, out int) float64 { return (float64(in)*cost.In + float64(out)*cost.Out) / 1e6 }
		doc.USD = &Cost{usd(t.PromptTokens.Least, t.CompletionTokens.Least),
			usd(t.PromptTokens.Most, t.CompletionTokens.Most)}
	}
	if f.Guard.On {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf(
			"each call of a guarded model is up to %d to the model inside", f.Guard.Config.MostCalls()))
	}
	if r.plan.Has(assay.Detection) {
		for _, m := range r.plan.Models {
			if m.Can == nil && !m.Replayed {
				doc.Warnings = append(doc.Warnings, fmt.Sprintf(
					"what %s can be asked is known once the run begins: every detector is counted as possible",
					m.Name()))
			}
		}
	}
	return doc, nil
}
