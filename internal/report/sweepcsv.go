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
var SweepColumns = slices.Concat(
	[]string{"run", "suite", "probe", "cases", "stage", "model", "sparsity", "sparsity_of_all", "size", "questions",
		"variants_min", "variants_max", "unscored"},
	wide("semantic_stability", "pc_below_0.5", "pc_at_least_0.8", "accuracy", "bias_squared", "variance", "net", "phr",
		"d_semantic_stability", "d_pc_below_0.5", "d_pc_at_least_0.8", "d_accuracy", "d_bias_squared", "d_variance",
		"d_net", "d_phr", "below_peak", "collapsed", "ratio_perplexity", "ratio_corpus_perplexity"),
	[]string{"perplexity", "corpus_perplexity", "regime", "optimal", "peak", "peak_share", "collapsed_cases",
		"collapsed_lost", "perplexity_lo", "perplexity_hi", "corpus_perplexity_lo", "corpus_perplexity_hi"},
	wide("ratio_corpus_perplexity_per_token"), []string{"collapsed_declined"},
)

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
			row := append([]string{a.Document.Run.ID}, sweepRecord(probe, stage, models[j])...)
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

func sweepRecord(probe, stage, model tree) []string {
	peak := probe.Has("peak") && probe.Text("peak", "stage") == stage.Text("stage")
	bounds := func(t tree, path string) []string { return estimates(t, path)[1:] }
	return slices.Concat(members(probe, "suite", "probe", "cases"), members(stage, "stage"), members(model, "model"),
		members(stage, "sparsity"), members(model, "sparsity_of_all", "size"),
		members(stage, "questions", "variants/min", "variants/max", "unscored"),
		estimates(stage, "semantic_stability", "pc_below_0.5", "pc_at_least_0.8", "accuracy", "bias_squared",
			"variance", "net", "phr"), estimates(stage.sub("against_dense"), "semantic_stability/difference",
			"pc_below_0.5", "pc_at_least_0.8", "accuracy/difference", "decomposition/bias_squared/difference",
			"decomposition/variance/difference", "decomposition/other_beats_base/difference", "phr"),
		estimates(stage, "below_peak", "collapsed/share", "against_dense/perplexity/median"),
		estimates(model, "corpus_against_dense/median"), members(stage, "perplexity/per_token"),
		members(model, "corpus_perplexity/per_token"), members(stage, "regime", "optimal"),
		[]string{strconv.FormatBool(peak)}, members(stage, "peak_share", "collapsed/cases", "collapsed/lost"),
		bounds(stage, "perplexity/per_token_interval"), bounds(model, "corpus_perplexity/per_token_interval"),
		estimates(model, "corpus_against_dense/per_token"), members(stage, "collapsed/declined"))
}
