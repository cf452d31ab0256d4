package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"hallmark/internal/assay"
	"hallmark/internal/base/jsonl"
	"hallmark/internal/metric/detect"
)

// Absent is the error of a format for what a run does not have. It says what would make the run have it.
type Absent string

func (a Absent) Error() string { return string(a) }

// ErrNoScores says that a run has no scores of detectors.
var ErrNoScores error = Absent("the run has no scores of detectors; --method rubric,consistency,detection has them")

// A scoreRow is a line of Scores.
type scoreRow struct {
	Model      string   `json:"model"`
	Suite      string   `json:"suite"`
	ID         string   `json:"id"`
	Detector   string   `json:"detector"`
	Score      float64  `json:"score"`
	Correct    *bool    `json:"correct"`
	Consistent *bool    `json:"consistent"`
	Tags       []string `json:"tags,omitempty"`
}

// Scores writes the scores of detectors as rows of `analyze detection`, one JSON object a line: by model, suite and
// case, then by detector. So the scores of several runs can be compared together. With several suites the id of a
// case has its suite before it. The error is ErrNoScores for a run without detection.
func Scores(w io.Writer, a *assay.Assay) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(jsonl.Escaping{To: out})
	enc.SetEscapeHTML(false)
	any := false
	for _, c := range a.Cases.All() {
		if c.Detection == nil {
			continue
		}
		id := c.ID
		if len(a.Document.Run.Suites) > 1 {
			id = c.Suite + "/" + id
		}
		for _, name := range detect.Names {
			x, ok := c.Detection.Scores[name]
			if !ok {
				continue
			}
			any = true
			if err := enc.Encode(scoreRow{c.Model, c.Suite, id, name, x, c.Detection.Correct, c.Detection.Consistent,
				c.Tags}); err != nil {
				return fmt.Errorf("report: %w", err)
			}
		}
	}
	if !any {
		return ErrNoScores
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return a.Err()
}
