package generate

import (
	"testing"

	"hallmark/internal/suite/world"
)

// BenchmarkSuite makes 10,000 cases of earth.
func BenchmarkSuite(b *testing.B) {
	const n = 10_000
	w := world.Earth()
	for b.Loop() {
		if _, _, err := Suite(w, Options{N: n, Seed: 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "cases/s")
}
