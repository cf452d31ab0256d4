package stat_test

import (
	"fmt"

	"hallmark/internal/stat"
)

// Two of 40 answers were wrong.
func ExampleWilson() {
	e := stat.Wilson(2, 40, .95)
	fmt.Printf("%.3f [%.3f, %.3f]\n", e.Value, e.Lo, e.Hi)
	// Output: 0.050 [0.014, 0.165]
}

// Ten cases agreed with themselves over their variants by these shares.
func ExampleMean() {
	e := stat.Mean([]float64{1, 1, 1, .9, 1, 1, .5, 1, 1, 1}, .95)
	fmt.Printf("%.3f [%.3f, %.3f]\n", e.Value, e.Lo, e.Hi)
	// Output: 0.940 [0.638, 0.994]
}

// Six cases with two, five or ten answers each, of which so many failed: the case is the unit.
func ExampleRatio() {
	e := stat.Ratio([]float64{0, 1, 5, 0, 2, 0}, []float64{2, 5, 10, 5, 2, 10}, .95)
	fmt.Printf("%.3f [%.3f, %.3f]\n", e.Value, e.Lo, e.Hi)
	// Output: 0.235 [0.039, 0.731]
}

// Four cases, of which the first three ask one question: they are one observation.
func ExampleShareByCluster() {
	e := stat.ShareByCluster([]float64{1, 1, 1, 0}, []int32{1, 1, 1, 0}, .95)
	fmt.Printf("%.2f of %d cases in %d clusters\n", e.Value, e.N, stat.Clusters([]int32{1, 1, 1, 0}))
	// Output: 0.75 of 4 cases in 2 clusters
}

// Shares of right variants of eight cases in two runs: the interval and its p say the same.
func ExamplePaired() {
	base := []float64{.5, .4, .9, .2, .7, .6, .3, .8}
	other := []float64{.7, .6, .9, .5, .8, .9, .4, .9}
	d := stat.Paired(base, other, nil, .95)
	fmt.Printf("%.3f [%.3f, %.3f], p %.4f, %s\n", d.Value, d.Lo, d.Hi, d.P, d.Test)
	// Output: 0.163 [0.031, 0.476], p 0.0156, sign-flip
}

// Nine cases failed only before a change, two only after it.
func ExampleMcNemar() {
	fmt.Printf("%.4f\n", stat.McNemar(9, 2))
	// Output: 0.0654
}

// Three tests at once.
func ExampleHolm() {
	fmt.Printf("%.3f\n", stat.Holm([]float64{.01, .04, .03}))
	// Output: [0.030 0.060 0.060]
}

// Scores of three wrong answers and four right ones.
func ExampleAUROC() {
	e := stat.AUROC([]float64{.9, .8, .4}, []float64{.1, .5, .3, .2}, .95)
	fmt.Printf("%.3f [%.3f, %.3f]\n", e.Value, e.Lo, e.Hi)
	// Output: 0.917 [0.251, 1.000]
}

// Two raters, six answers.
func ExampleKrippendorffByCluster() {
	units := [][]string{{"pass", "pass"}, {"fail", "fail"}, {"pass", "fail"}, {"pass", "pass"}, {"fail", "fail"},
		{"pass", "pass"}}
	fmt.Printf("%.3f\n", stat.KrippendorffByCluster(units, nil, 1, .95).Value)
	// Output: 0.686
}
