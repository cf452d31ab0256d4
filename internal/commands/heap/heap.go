// Package heap has the collector run oftener where a plan has many cases, whose table is most of what the process
// holds.
package heap

import (
	"os"
	"runtime/debug"

	"hallmark/internal/assay"
)

// What Spare is given: a run holds more beside its cases than what is stored shown again, and who reads logs and
// stores what stands in them holds no table of cases.
const WhileRun, WhileShown, WhileRead, WhileKept = 9, 15, 20, 40

// manyCases are so many that their table is most of what the process holds; of more it is nearly all, and of mostCases
// it has to be spared however long that takes.
const manyCases, moreCases, mostCases = 5_000, 50_000, 300_000

// Tidy gives back to the system what the collector has freed, where a result is of most cases: what comes next
// would stand beside it.
func Tidy(result *assay.Assay) {
	if result.Cases.Len() > moreCases {
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(5) // little is to come
		}
		debug.FreeOSMemory()
	}
}

// SpareFiles is Spare before a plan is read, by how large the files are that it is read from.
func SpareFiles(most int, paths ...string) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			SpareBytes(info.Size(), most)
		}
	}
}

// SpareBytes is Spare before so many bytes are read that become a plan.
func SpareBytes(n int64, most int) { spare(n, 4<<20, 32<<20, 64<<20, most) }

// Spare has the collector run more often where a plan has many cases, and where it has most whenever the heap has
// grown by so many percent: some 40 % less memory at their peak, and 50 %, for up to twice the processor time
// (docs/benchmarks.md). GOGC, where it is set, decides instead.
func Spare(plan *assay.Plan, most int) {
	cases := 0
	for _, s := range plan.Suites {
		cases += plan.Covered(s).Len()
	}
	spare(int64(cases), manyCases, moreCases, mostCases, most)
}

func spare(n, large, larger, largest int64, most int) {
	switch {
	case os.Getenv("GOGC") != "":
	case n > largest:
		debug.SetGCPercent(most)
	case n > larger:
		debug.SetGCPercent(35)
	case n > large:
		debug.SetGCPercent(60)
	}
}
