package main

import (
	"os"
	"runtime/debug"

	"hallmark/internal/assay"
)

// manyCases are so many that their table is most of what the process holds.
const manyCases = 5_000

// spare has the collector run twice as often where a plan has many cases: a third less memory at their peak, for some 7 % more processor time
// (docs/benchmarks.md). GOGC, where it is set, decides instead.
func spare(plan *assay.Plan) {
	cases := 0
	for _, s := range plan.Suites {
		cases += len(plan.Covered(s))
	}
	if cases > manyCases && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}
