package docs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"hallmark/internal/archtest"
	"hallmark/internal/base/seed"
	"hallmark/internal/stat"
	"hallmark/internal/stat/correct"
)

// inComment compares the rows of a table with those in the comments of a file.
func inComment(tab table, file string) {
	b, err := os.ReadFile(file)
	if err != nil {
		tab.Fatal(err)
	}
	comment := strings.Join(strings.Fields(strings.ReplaceAll(string(b), "//", "")), " ")
	for i, row := range tab.rows {
		if line := strings.Join(row, " "); !strings.Contains(comment, line) {
			tab.Errorf("methods.md:%d: the comments of %s have no row %q", tab.line+i, file, line)
		}
	}
}

// rowsOfCounts reads "700 28 1; 150 3 20": counts, row by row.
func rowsOfCounts(tab table, s string) (rows [][]int) {
	for _, part := range strings.Split(s, ";") {
		var row []int
		for _, x := range floats(tab, part) {
			row = append(row, int(x))
		}
		rows = append(rows, row)
	}
	return rows
}

func doubleSampling(tab table) {
	for i := range tab.rows {
		var strata []correct.Counts
		for _, row := range rowsOfCounts(tab, tab.cell(i, "strata")) {
			strata = append(strata, correct.Counts{N: row[0], Labels: row[1:]})
		}
		s := correct.Counted(strata)
		if lack := s.Lack(); lack.All > 0 {
			tab.Errorf("methods.md:%d: %d labels are wanting", tab.line+i, lack.All)
		}
		e := s.Rates(.95, 1)
		for j, column := range []string{"correct", "incorrect", "not attempted"} {
			tab.is(i, column, fmt.Sprintf("%.4f", e[j].Value))
		}
		tab.is(i, "interval", interval(e[1].Lo, e[1].Hi))
		tab.is(i, "next 10 labels", strings.Trim(fmt.Sprint(s.Next(1, 10)), "[]"))
		more, ok := s.Enough(1, .1, .95)
		tab.is(i, "more for ± 5 points", map[bool]string{true: fmt.Sprint(more), false: "all would not do"}[ok])
	}
}

func inversions(tab table) {
	for i := range tab.rows {
		var strata []correct.Counts
		for _, n := range rowsOfCounts(tab, tab.cell(i, "read as correct, incorrect, not attempted, ungradable"))[0] {
			strata = append(strata, correct.Counts{N: n})
		}
		var check correct.Check
		for _, row := range strings.Split(tab.cell(i, "the check"), ";") {
			check = append(check, floats(tab, row))
		}
		v := correct.Invert(correct.Counted(strata), []correct.Check{check}, .95, 1)
		tab.is(i, "incorrect", fmt.Sprintf("%.4f", v.Rates[1].Value))
		tab.is(i, "interval", interval(v.Rates[1].Lo, v.Rates[1].Hi))
		tab.is(i, "fit", fmt.Sprintf("%.3f", v.FitP))
	}
}

func pairedLabels(tab table) {
	for i := range tab.rows {
		var pairs []correct.Pair
		for _, row := range rowsOfCounts(tab, tab.cell(i, "cells: cases, how they were read, and labels, of -1, 0, 1")) {
			pairs = append(pairs, correct.Pair{N: row[0], Read: [3]int(row[1:]), Labels: [3]int(row[4:])})
		}
		e := correct.Paired(pairs, .95, 1)
		tab.is(i, "difference", fmt.Sprintf("%.4f", e.Value))
		tab.is(i, "interval", interval(e.Lo, e.Hi))
	}
}

// correctedCovered compares the page with the comment of the package, whose tests print these rows with
// HALLMARK_LONG=1.
func correctedCovered(tab table) { inComment(tab, "../internal/stat/correct/sample.go") }

// relatives simulates the coverage of stat.Reduction, stat.Paired and stat.Ratio, from 20,000 draws with
// HALLMARK_LONG=1, as the page gives it; without it from fewer, which catch gross errors.
func relatives(tab table) {
	draws, long := 150, archtest.Long()
	if long {
		draws = 20_000
	}
	for i := range tab.rows {
		figure, design := tab.cell(i, "figure"), tab.cell(i, "design")
		n, err := strconv.Atoi(tab.cell(i, "n"))
		if err != nil {
			tab.Fatal(err)
		}
		r := seed.Stream(1, "docs", figure, design, fmt.Sprint(n))
		held, had, cache := 0, 0, map[string]stat.Estimate{}
		for range draws {
			var truth float64
			var key string
			var estimate func() stat.Estimate
			if figure == "ratio" {
				truth, key, estimate = ratio(r, n)
			} else {
				truth, key, estimate = paired(r, n, floats(tab, strings.ReplaceAll(design, ",", " ")), figure == "reduction")
			}
			e, ok := cache[key]
			if !ok {
				e = estimate()
				cache[key] = e
			}
			if !e.OK() { // a reduction of nothing
				continue
			}
			had++
			if e.Lo <= truth && truth <= e.Hi {
				held++
			}
		}
		share := float64(held) / float64(had)
		if long {
			tab.is(i, "covered", fmt.Sprintf("%.3f", share))
		}
		if floor := .95 - 3*math.Sqrt(.95*.05/float64(had)); share < floor {
			tab.Errorf("methods.md:%d: covered %.4f, want at least %.4f", tab.line+i, share, floor)
		}
	}
}

// paired draws n paired cases that fail in both, in base only and in other only with the given chances, for a
// difference or a reduction.
func paired(r *rand.Rand, n int, chance []float64, reduction bool) (truth float64, key string,
	estimate func() stat.Estimate) {
	base, other := make([]float64, n), make([]float64, n)
	var drawn [4]int
	for range n {
		kind, u := 0, r.Float64()
		for kind < 3 && u >= chance[kind] {
			u -= chance[kind]
			kind++
		}
		drawn[kind]++
	}
	i := 0
	for kind, count := range drawn {
		for range count {
			if kind == 0 || kind == 1 {
				base[i] = 1
			}
			if kind == 0 || kind == 2 {
				other[i] = 1
			}
			i++
		}
	}
	if reduction {
		return 1 - (chance[0]+chance[2])/(chance[0]+chance[1]), fmt.Sprint(drawn), func() stat.Estimate {
			return stat.Reduction(base, other, nil, .95)
		}
	}
	return chance[2] - chance[1], fmt.Sprint(drawn), func() stat.Estimate {
		return stat.Paired(base, other, nil, .95).Estimate
	}
}

// ratio draws n cases of 2, 5 or 11 variants alike, that fail in none, a tenth or all of their variants; the large ones
// fail less.
func ratio(r *rand.Rand, n int) (truth float64, key string, estimate func() stat.Estimate) {
	sizes, fails := []int{2, 5, 11}, []float64{0, .1, 1}
	chance := [3][3]float64{{.5, .2, .3}, {.7, .2, .1}, {.9, .08, .02}}
	k, m, failed := make([]float64, n), make([]float64, n), 0.
	for s, size := range sizes {
		for f, share := range fails {
			failed += chance[s][f] * share * float64(size)
		}
	}
	type outcome struct{ k, m int }
	drawn := map[outcome]int{}
	for i := range n {
		s, f, u := r.IntN(3), 0, r.Float64()
		for f < 2 && u >= chance[s][f] {
			u -= chance[s][f]
			f++
		}
		o := outcome{0, sizes[s]}
		for range o.m {
			if r.Float64() < fails[f] {
				o.k++
			}
		}
		drawn[o]++
		k[i], m[i] = float64(o.k), float64(o.m)
	}
	return failed / 18, fmt.Sprint(drawn), func() stat.Estimate { return stat.Ratio(k, m, .95) }
}
