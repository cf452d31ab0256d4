package generate

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"path/filepath"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/model/pocket"
	"hallmark/internal/suite"
	"hallmark/internal/suite/world"
)

var update = flag.Bool("update", false, "write testdata/bytes.txt")

// TestBytes holds that every class is made as it was: the hash of its cases in YAML, of three worlds, seeds and days.
// A change of a template, of a table of earth or of the order of draws shows here, by class. Where it is meant, -update
// takes it over; core is then another suite for everybody.
func TestBytes(t *testing.T) {
	archtest.Golden(t, filepath.Join("testdata", "bytes.txt"), hashes(t, 1, 2, 40), *update)
}

// hashes returns a line for each world, class and seed from first to last: the hash of n cases.
func hashes(t *testing.T, first, last uint64, n int) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, w := range []*world.World{world.Earth(), pocket.AsWorld(), {Name: "small", AsOf: "2026-01-01"}} {
		for _, class := range suite.Classes {
			for seed := first; seed <= last; seed++ {
				opt := Options{N: n, Seed: seed, Classes: []string{class}}
				if seed%2 == 0 {
					opt.AsOf = "2019-03-04"
				}
				s, _, err := Suite(w, opt)
				if err != nil {
					fmt.Fprintf(&out, "%s %s %d %v\n", w.Name, class, seed, err)
					continue
				}
				h := sha256.New()
				if err := s.WriteYAML(h); err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&out, "%s %s %d %x\n", w.Name, class, seed, h.Sum(nil)[:8])
			}
		}
	}
	return out.Bytes()
}
