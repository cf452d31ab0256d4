package assay

import (
	"context"

	"hallmark/internal/run/store/inmemory"
)

// Shape evaluates a plan of which nothing was asked: the document has the keys that the run's will have, and no
// figures.
func Shape(ctx context.Context, p *Plan, version string) (*Assay, error) {
	return Evaluate(ctx, inmemory.New(), p, version)
}
