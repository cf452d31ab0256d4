package posterior

import "hallmark/internal/stat/figure"

// Figures is the catalogue of the posterior rate, of the contexts with so many pairs, and at other eps.
var Figures = func() []figure.Entry {
	out := []figure.Entry{
		figure.At("n", "queries", figure.Count, ""),
		figure.At("phr", "posterior hallucination rate", figure.Share,
			"err").Says("before any gold answer: what the extended model finds unlikely"),
		figure.At("phr_corrected", "without the bias of K samples", figure.Share, "err").Says("the same, corrected"),
		figure.At("mhr", "model hallucination rate", figure.Share, "").Says("the same with true pairs"),
		figure.At("error_rate", "error of a sampled answer", figure.Share, "err").Says("by the gold answers"),
		figure.At("error_random", "error of a guess", figure.Share, ""),
		figure.At("mutual_information", "mutual information", figure.Mean,
			"").Says("nats; what the context leaves open about the task"),
		figure.At("entropy", "entropy, nats", figure.Mean, ""),
		figure.At("entropy_random", "entropy of a guess, nats", figure.Mean, ""),
		figure.At("aleatoric", "left by the extensions", figure.Mean, ""),
		figure.At("exchangeability", "moved by the order of the pairs", figure.Mean, "").
			Says("total variation between the answers after the context and after it in another order; the method " +
				"supposes 0"),
		figure.At("martingale_gap", "moved by made-up pairs", figure.Mean, "").
			Says("total variation between the answers now and their mean over the extensions; the method supposes " +
				"0, and chance adds some"),
		figure.At("other_mass", "mass on no label", figure.Mean, "").Says("counts as one more answer"),
		figure.At("redrawn", "made-up pairs sampled again", figure.Count, "").Says("they did not parse"),
	}
	for _, at := range []string{"by_n/*", "by_eps_percent/*", "by_n/*/by_eps_percent/*"} {
		out = append(out, figure.Under(at, out[:14])...)
	}
	return out
}()
