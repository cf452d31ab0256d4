package detect

import "hallmark/internal/stat/figure"

// Figures is the catalogue of what Result has of each detector.
var Figures = []figure.Entry{
	figure.At("detectors/*/n", "scored", figure.Count, ""),
	figure.At("detectors/*/correctness/auroc", "AUROC, correctness", figure.Mean, "err"),
	figure.At("detectors/*/correctness/failing", "wrong", figure.Count, ""),
	figure.At("detectors/*/correctness/passing", "right", figure.Count, ""),
	figure.At("detectors/*/consistency/auroc", "AUROC, consistency", figure.Mean, "rnd"),
	figure.At("detectors/*/consistency/failing", "move", figure.Count, ""),
	figure.At("detectors/*/consistency/passing", "stay", figure.Count, ""),
	figure.At("detectors/*/gain", "gain", figure.Mean, ""),
}

// Across is the catalogue of what Models has of each detector.
var Across = []figure.Entry{
	figure.At("detectors/*/*/p", "p", figure.Chance, ""),
	figure.At("detectors/*/*/p_holm", "by Holm", figure.Chance, ""),
	figure.At("detectors/*/*/models", "models", figure.Count, ""),
	figure.At("detectors/*/*/higher", "failing score higher", figure.Count, ""),
	figure.At("detectors/*/gain/mean", "gain", figure.Mean, ""),
}
