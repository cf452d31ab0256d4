package generate

import (
	"testing"

	"hallmark/internal/world"
)

// BenchmarkSuite makes 10,000 cases of earth.
func BenchmarkSuite(b *testing.B) {
	w := world.Earth()
	for b.Loop() {
		s, _, err := Suite(w, Options{N: 10_000, Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(s.Cases))*float64(b.N)/b.Elapsed().Seconds(), "cases/s")
	}
}
