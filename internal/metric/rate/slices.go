package rate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// Slices are the outcomes by each value of what cases are sorted by: class, domain, difficulty, each key of tags as
// topic:geography, and tags without a key.
type Slices struct {
	Tested int                  `json:"tested"` // differences from the rest, of which Holm's p are
	By     map[string]Dimension `json:"by"`
	// LeftOut says what makes no slices, and why.
	LeftOut []string `json:"left_out,omitempty"`
}

// A Dimension is one thing that cases are sorted by.
type Dimension struct {
	Values int              `json:"values"` // different ones
	Few    int              `json:"few"`    // of them, those of fewer than FewestOfSlice cases
	Of     map[string]Slice `json:"of"`
	// Other are the cases of the few values together; absent where they are too few, or a case may be of several.
	Other *Slice `json:"other,omitempty"`
}

// A Slice is the cases of one value, beside the rest of the cases.
type Slice struct {
	N            int    `json:"n"` // answers that came back
	Wrong        int    `json:"wrong"`
	Incorrect    *Share `json:"incorrect"`
	NotAttempted *Share `json:"not_attempted"`
	Rest         Rest   `json:"rest"`
	// Difference is the share of incorrect here less that of the rest; absent where either has too few cases.
	Difference *SliceDifference `json:"difference,omitempty" gate:"figure"`
}

// A Rest is the cases that are not of a slice.
type Rest struct {
	N         int    `json:"n"`
	Incorrect *Share `json:"incorrect"`
}

// A SliceDifference is one of incorrect, with the p of its test and Holm's over all slices.
type SliceDifference struct {
	Bounded
	P     float64 `json:"p"`
	PHolm float64 `json:"p_holm"`
}

// FewestOfSlice is how many cases, or clusters of them, a slice and its rest have at least. mostSlices is how many
// values may be slices of one dimension.
const (
	FewestOfSlice = 5
	mostSlices    = 100
)

// Tagged is the dimension of tags that have no key.
const Tagged = "tag"

// dimensionsOf lists what a row is sorted by, with its value there.
func dimensionsOf(r *Row, yield func(by, value string)) {
	for _, of := range [][2]string{{"class", r.Class}, {"domain", r.Domain}, {"difficulty", r.Difficulty}} {
		if of[1] != "" {
			yield(of[0], of[1])
		}
	}
	for _, t := range r.Tags {
		key, value, keyed := strings.Cut(t, ":")
		if keyed && key != "" && value != "" && !slices.Contains([]string{"class", "domain", "difficulty", Tagged},
			key) {
			yield(key, value)
		} else if t != "" {
			yield(Tagged, t)
		}
	}
}

// A slicer sorts rows into slices.
type slicer struct {
	rows  []*Row
	level float64
	seen  map[string]bool // sets of rows that stand under another name
	tests map[string]*sliceTest
	out   Slices
}

// A sliceTest is the test of one set of rows against the others, whatever the names of the two.
type sliceTest struct {
	p     float64
	holds []*SliceDifference
}

// slicesOf returns the outcomes of rows by what they are sorted by; nil where there is nothing.
//
// Formula: the shares are those of Outcomes, by cluster where rows are of clusters. The difference from the rest is
// stat.Apart's, and Holm's p is over all differences, those of the same two sets counted once; only incorrect is
// tested. While answers are ungradable the difference is a range, from the least of the slice less the most of the
// rest to the opposite; its bounds are those of the two ends, and p is the larger of theirs, 1 where one is not above 0
// and the other is not below. Values of fewer than FewestOfSlice cases are one slice together, or left out, which
// LeftOut says; so is what has over 100 values. Slices are of cases that were planned, so that a run of which nothing
// came back has the same. Source of Holm's method: as stat.Holm.
func slicesOf(rows []*Row, level float64) *Slices {
	s := slicer{rows: rows, level: level, seen: map[string]bool{}, tests: map[string]*sliceTest{},
		out: Slices{By: map[string]Dimension{}}}
	sets := map[string]map[string][]int{}
	for i, r := range rows {
		dimensionsOf(r, func(by, value string) {
			if sets[by] == nil {
				sets[by] = map[string][]int{}
			}
			if at := sets[by][value]; len(at) == 0 || at[len(at)-1] != i {
				sets[by][value] = append(at, i)
			}
		})
	}
	first := []string{"class", "domain", "difficulty"}
	rank := func(by string) int {
		if i := slices.Index(first, by); i >= 0 {
			return i - len(first)
		}
		return int(stat.Bit(by == Tagged))
	}
	for _, by := range slices.SortedFunc(maps.Keys(sets), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	}) {
		s.dimension(by, sets[by])
	}
	if len(s.out.By)+len(s.out.LeftOut) == 0 {
		return nil
	}
	s.holm()
	return &s.out
}

// dimension adds one dimension, if it makes slices.
func (s *slicer) dimension(by string, sets map[string][]int) {
	d := Dimension{Values: len(sets), Of: map[string]Slice{}}
	var few []int
	large := map[string][]int{}
	for _, value := range slices.Sorted(maps.Keys(sets)) {
		if at := sets[value]; s.units(at) < FewestOfSlice {
			d.Few++
			few = append(few, at...)
		} else {
			large[value] = at
		}
	}
	if len(large) > mostSlices {
		s.out.LeftOut = append(s.out.LeftOut, fmt.Sprintf("%s has %s of %d cases or more: over %d are no slices", by,
			figure.Counted(len(large), "value"), FewestOfSlice, mostSlices))
		return
	}
	for _, value := range slices.Sorted(maps.Keys(large)) {
		at := large[value]
		if set := s.set(at); len(at) < len(s.rows) && !(by == Tagged && s.seen[set]) {
			s.seen[set] = true
			d.Of[value] = s.slice(at)
		} // else of all cases, or under another name already
	}
	if slices.Sort(few); by != Tagged && s.units(few) >= FewestOfSlice && len(large) > 0 {
		if few = slices.Compact(few); len(few) < len(s.rows) {
			d.Other = new(s.slice(few))
		}
	}
	switch {
	case len(d.Of) > 0:
		s.out.By[by] = d
	case d.Few > 0 && len(large) == 0:
		s.out.LeftOut = append(s.out.LeftOut, fmt.Sprintf("%s has %s, none of %d cases", by,
			figure.Counted(d.Values, "value"), FewestOfSlice))
	}
}

// units counts what rows are observations of.
func (s *slicer) units(at []int) int {
	of := make([]int32, len(at))
	for k, i := range at {
		of[k] = s.rows[i].Cluster
	}
	return cmp.Or(stat.Clusters(of), len(at))
}

// set names the rows at places.
func (s *slicer) set(at []int) string {
	bits := make([]byte, (len(s.rows)+7)/8)
	for _, i := range at {
		bits[i/8] |= 1 << (i % 8)
	}
	return string(bits)
}

// slice estimates the rows at places, which are in order, beside the rest.
func (s *slicer) slice(at []int) Slice {
	var rest []int
	for i := range s.rows {
		if _, in := slices.BinarySearch(at, i); !in {
			rest = append(rest, i)
		}
	}
	pick := func(at []int) []*Row {
		out := make([]*Row, len(at))
		for i, j := range at {
			out[i] = s.rows[j]
		}
		return out
	}
	in, others := pick(at), pick(rest)
	of := func(r reading, rows []*Row) *Share { return newShare(r, rows, sharesOf(rows, s.level)) }
	out := Slice{Incorrect: of(incorrect, in), NotAttempted: of(notAttempted, in)}
	out.Rest.Incorrect = of(incorrect, others)
	count := func(rows []*Row) int {
		came, _ := measured(rows, cameBack)
		return len(came)
	}
	out.N, out.Rest.N = count(in), count(others)
	for _, r := range in {
		least, _, _ := incorrect(r)
		out.Wrong += int(least)
	}
	if s.units(rest) >= FewestOfSlice {
		out.Difference = s.difference(in, others)
	}
	if d := out.Difference; d != nil {
		set := s.set(at)
		if at[0] > 0 { // the same two sets have one name
			set = s.set(rest)
		}
		t := s.tests[set]
		if t == nil {
			t = &sliceTest{p: d.P}
			s.tests[set] = t
		}
		t.holds = append(t.holds, d)
	}
	return out
}

// difference is incorrect of rows less that of others; nil where nothing came back.
func (s *slicer) difference(rows, others []*Row) *SliceDifference {
	tally := func(rows []*Row, most bool) stat.Tally {
		return stat.TallyOf(measured(rows, func(r *Row) (float64, bool) {
			lo, hi, ok := incorrect(r)
			if most {
				return hi, ok
			}
			return lo, ok
		}))
	}
	least := stat.Apart(tally(rows, false), tally(others, true), s.level)
	most := stat.Apart(tally(rows, true), tally(others, false), s.level)
	b := bounded(least.Estimate, most.Estimate)
	if b == nil {
		return nil
	}
	d := &SliceDifference{Bounded: *b, P: max(least.P, most.P)}
	if least.Value <= 0 && most.Value >= 0 && least.Value < most.Value {
		d.P = 1
	}
	return d
}

// holm adjusts the p of all tests for their number.
func (s *slicer) holm() {
	var ps []float64
	tests := slices.Collect(maps.Values(s.tests))
	for _, t := range tests {
		ps = append(ps, t.p)
	}
	for i, p := range stat.Holm(ps) {
		for _, d := range tests[i].holds {
			d.PHolm = p
		}
	}
	s.out.Tested = len(ps)
}
