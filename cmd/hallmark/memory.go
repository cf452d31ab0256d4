package main

import (
	"os"
	"runtime/debug"

	"hallmark/internal/assay"
)

// manyCases are so many that their table is most of what the process holds.
const manyCases = 5_000

// spare has the collector run three times as often where a plan has many cases: some 40 % less memory at their peak
// (docs/benchmarks.md). GOGC, where it is set, decides instead.
func spare(plan *assay.Plan) {
	cases := 0
	for _, s := range plan.Suites {
		cases += len(plan.Covered(s))
	}
	if cases > manyCases && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(33)
	}
}
