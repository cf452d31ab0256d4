package run

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// An Annotation is what one rater said of one answer of a run. It stands beside the run's records: it changes none.
type Annotation struct {
	Run   string          // the whole id of the run
	Unit  string          // names the answer within the run
	Rater string          // names the person
	Label json.RawMessage // what was said, as the package that reads it defines
	At    time.Time       // when it was stored; in no result
}

// Check returns an error if the annotation lacks what every annotation has.
func (a *Annotation) Check() error {
	switch {
	case a.Run == "" || a.Unit == "" || a.Rater == "":
		return errors.New("an annotation needs a run, a unit and a rater")
	case !json.Valid(a.Label):
		return errors.New("an annotation's label must be JSON")
	}
	return nil
}

// An AnnotationStore is a Store that keeps annotations too. Methods and errors are as those of Store.
type AnnotationStore interface {
	// Annotate adds annotations, all or none, in order. It replaces nothing: what a rater said before stays, and
	// the reader decides which counts. One that lacks its run, unit, rater or label is an error.
	Annotate(ctx context.Context, list []Annotation) error
	// Annotations returns all annotations of the run with this id, in the order in which they were added; none is
	// no error.
	Annotations(ctx context.Context, runID string) ([]Annotation, error)
}
