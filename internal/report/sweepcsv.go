package report

import (
	"io"
	"slices"
	"strconv"

	"hallmark/internal/assay"
)

// SweepColumns are the columns of SweepCSV, in order. Later releases add columns at the end and change none. A figure
// and its interval are NAME, NAME_lo and NAME_hi; d_NAME is its difference from the first model, ratio_NAME its ratio
// to it; what was not measured is empty.
var SweepColumns = csvColumns("sweep")

// ErrNoSweep says that the models of a run are no stages of a sweep.
var ErrNoSweep error = Absent("the run's models are no sweep; --sweep makes them one")

// SweepCSV writes a row for each stage and probe of a sweep. The error is ErrNoSweep for a run that is none. Cells
// are guarded as those of CSV.
func SweepCSV(w io.Writer, a *assay.Assay) error {
	if a.Document.Sweep == nil {
		return ErrNoSweep
	}
	var rows [][]string
	s := treeOf(a.Document.Sweep)
	models := s.items("models")
	for _, probe := range s.items("probes") {
		for j, stage := range probe.items("stages")[:min(probe.Len("stages"), len(models))] {
			peak := probe.Has("peak") && probe.Text("peak", "stage") == stage.Text("stage")
			row := csvRow("sweep", map[string]tree{"run": treeOf(a.Document.Run.ID), "probe": probe, "stage": stage,
				"model": models[j], "peak": treeOf(peak)})
			for i := range row {
				// a difference below 0 is a number and no formula
				if _, err := strconv.ParseFloat(row[i], 64); err != nil {
					row[i] = guard(row[i])
				}
			}
			rows = append(rows, row)
		}
	}
	return writeRows(w, SweepColumns, slices.Values(rows))
}
