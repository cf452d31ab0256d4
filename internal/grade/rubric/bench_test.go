package rubric

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/grade"
	"hallmark/internal/report/rulebook"
	"hallmark/internal/suite"
)

// cpuSeconds returns the processor time that the process has taken in user mode, 0 where the system does not tell.
var cpuSeconds = func() float64 { return 0 }

// speeds reports answers per second of processor time since start, which another load on the machine does not change
// much.
func speeds(b *testing.B, start float64) {
	if took := cpuSeconds() - start; took > 0 {
		b.ReportMetric(float64(b.N)/took, "answers/cpu-s")
	}
}

// BenchmarkGrade measures answers per second of the string oracles on prose of usual length.
func BenchmarkGrade(b *testing.B) {
	s := labelledCases(b)
	r, err := New(s, "2026-11-01")
	if err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct{ name, id, text string }{
		{"terse", "cap", "Paris"},
		{"sentence", "cap", "The capital of France is **Paris**, which has been the seat of government for centuries."},
		{"choice", "mcq", "The correct answer is B) Paris."},
		{"refusal", "doi", "I couldn't find any paper with that title. Could you double-check the author?"},
		{"calc", "arith", "17 × 20 = 340 and 17 × 3 = 51, so the total is 391."},
		{"essay", "cap", strings.Repeat("The city lies on the Seine and has been a centre of trade for many centuries. ",
			20) + "The capital is Paris."},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for i := range s.Cases.Len() {
				if s.Cases.At(i).ID == bench.id {
					c := s.Cases.At(i)
					b.ReportAllocs()
					start := cpuSeconds()
					for b.Loop() {
						r.Grade(c, grade.Answer{Text: &bench.text})
					}
					speeds(b, start)
				}
			}
		})
	}
}

// BenchmarkOracles measures answers per second by oracle, on a short answer that passes and one that fails, and over
// the mix of them all.
func BenchmarkOracles(b *testing.B) {
	spec := rulebook.Specification()
	s, err := spec.Suite()
	if err != nil {
		b.Fatal(err)
	}
	r, err := New(s, spec.AsOf)
	if err != nil {
		b.Fatal(err)
	}
	type pair struct {
		c    *suite.Case
		text string
	}
	byOracle := map[string][]pair{}
	for _, rule := range spec.Rules {
		for i := range s.Cases.Len() {
			c := s.Cases.At(i)
			if c.ID != rule.Case || rule.Example != nil {
				continue
			}
			name := "exact" // of a gold
			if c.Oracle != nil {
				name = c.Oracle.Type
			}
			for _, of := range []string{name, "mix"} {
				byOracle[of] = append(byOracle[of], pair{c, rule.Passes}, pair{c, rule.Fails})
			}
		}
	}
	names := slices.Sorted(maps.Keys(byOracle))
	for _, name := range names {
		pairs := byOracle[name]
		b.Run(name, func(b *testing.B) {
			i := 0
			b.ReportAllocs()
			start := cpuSeconds()
			for b.Loop() {
				p := pairs[i%len(pairs)]
				r.Grade(p.c, grade.Answer{Text: &p.text})
				i++
			}
			speeds(b, start)
		})
	}
}
