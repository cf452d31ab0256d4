package spec

import (
	"context"

	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
)

// CheckAccept parses the declared thresholds and holds them against the document that this plan produces, with nothing
// measured yet, by accept, which decides them on a result.
func (r *Run) CheckAccept(ctx context.Context, plan *assay.Plan, version string,
	accept func(*assay.Assay, []gate.Threshold) error) (err error) {
	if len(r.Accept) == 0 {
		return nil
	}
	if r.Thresholds, err = gate.ParseThresholds(r.Accept); err != nil {
		return err
	}
	shape, err := assay.Shape(ctx, plan, version)
	if err != nil {
		return err
	}
	return accept(shape, r.Thresholds)
}
