package consistency

import (
	"fmt"
	"strings"
	"testing"

	"hallmark/internal/archtest"
)

// of builds a case of k answers of which same are equal and the others are like none.
func of(t *testing.T, id string, same, k int, gold string) *Case {
	words := make([]string, k)
	for i := range words {
		if words[i] = "mode"; i >= same {
			words[i] = fmt.Sprint("other", i)
		}
	}
	return caseOf(t, id, strings.Join(words, " "), gold)
}

// The ambiguities that the source prints fit whole numbers of questions at one size of benchmark each: 817 for
// TruthfulQA, 2,994 for Wiki-FACTOR, 1,221 for CommonsenseQA and 876 for TrueFalse (arXiv:2602.00723, tables 2 and 4;
// the counts are this project's arithmetic). So many ambiguous cases of so many print as the source prints them.
func TestPublishedAmbiguities(t *testing.T) {
	for _, tt := range []struct {
		benchmark string
		n         int
		ambiguous []int
		printed   string
	}{
		{"TruthfulQA", 817, []int{187, 160, 150, 178, 140, 191, 113, 136, 114, 132, 158, 141, 151, 126, 161},
			"22.89 19.58 18.36 21.79 17.14 23.38 13.83 16.65 13.95 16.16 19.34 17.26 18.48 15.42 19.71"},
		{"Wiki-FACTOR", 2994, []int{1187, 1256, 1204, 1170, 1156, 1155, 1116, 1162, 1428, 1230, 1410, 1205, 1267, 1275, 1238},
			"39.65 41.95 40.21 39.08 38.61 38.58 37.27 38.81 47.70 41.08 47.09 40.25 42.32 42.59 41.35"},
		{"CommonsenseQA", 1221, []int{991, 923, 976, 999, 1064, 1005, 591, 592, 431, 470, 426, 387, 1164, 1083},
			"81.16 75.59 79.93 81.82 87.14 82.31 48.40 48.48 35.30 38.49 34.89 31.70 95.33 88.70"},
		{"TrueFalse", 876, []int{875, 576, 358, 398, 239, 164, 112, 861}, "99.89 65.75 40.87 45.43 27.28 18.72 12.79 98.29"},
	} {
		if tt.n > 2000 && !archtest.Long() { // as long as the others together
			continue
		}
		var printed []string
		for _, k := range tt.ambiguous {
			var cases []*Case
			for i := range tt.n {
				same := 2
				if i < k {
					same = 1
				}
				cases = append(cases, of(t, fmt.Sprintf("%05d", i), same, 2, ""))
			}
			res, err := Analyze(cases, DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			printed = append(printed, fmt.Sprintf("%.2f", 100*res.Ambiguity.Value))
		}
		if got := strings.Join(printed, " "); got != tt.printed {
			t.Errorf("%s: %s, the source prints %s", tt.benchmark, got, tt.printed)
		}
	}
}

// Table 2 of arXiv:2601.07058: 50 prompts of k = 10, with semantic stability and the two shares as printed. The source
// gives no answers; the counts of modes here are one way to come by its figures, as its SS times 500 is whole.
func TestPublishedStability(t *testing.T) {
	for _, tt := range []struct {
		row              string
		modes            [][2]int // cases, count of the mode
		ss, below, above string
		level            string
	}{
		{"dense, GSM8k", [][2]int{{4, 5}, {36, 3}, {10, 2}}, "0.296", "92", "0", "insufficient"},
		{"dense, facts", [][2]int{{5, 10}, {13, 6}, {28, 3}, {4, 2}}, "0.440", "64", "10", "limited"},
		{"R4, GSM8k", [][2]int{{9, 6}, {22, 3}, {19, 2}}, "0.316", "82", "0", "limited"},
		{"R4, facts", [][2]int{{5, 6}, {41, 2}, {4, 1}}, "0.232", "90", "0", "insufficient"},
	} {
		var cases []*Case
		for _, m := range tt.modes {
			for range m[0] {
				cases = append(cases, of(t, fmt.Sprint(len(cases)), m[1], 10, ""))
			}
		}
		res, err := Analyze(cases, DefaultOptions())
		if err != nil || len(cases) != 50 {
			t.Fatal(err, len(cases))
		}
		got := []string{fmt.Sprintf("%.3f", res.SemanticStability.Value), fmt.Sprintf("%.0f", 100**res.PCBelowHalf),
			fmt.Sprintf("%.0f", 100**res.PCAtLeast80), res.RobustnessLevel}
		if want := []string{tt.ss, tt.below, tt.above, tt.level}; strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: %v, want %v", tt.row, got, want)
		}
	}
}

// At tau = .8 nine of ten, 18 of 20 and 45 of 50 are agnostic, and one answer fewer is not (CHECKLIST, from SC without
// and with replacement: both agree here).
func TestPublishedThreshold(t *testing.T) {
	for _, with := range []bool{false, true} {
		for _, tt := range []struct {
			same, r int
			want    string
		}{
			{9, 10, PromptAgnosticFactual}, {18, 20, PromptAgnosticFactual}, {45, 50, PromptAgnosticFactual},
			{8, 10, Randomness}, {17, 20, Randomness}, {44, 50, Randomness},
		} {
			c := caseOf(t, "q", strings.Repeat("a ", tt.same)+strings.Repeat("b ", tt.r-tt.same), "a")
			res, err := Analyze([]*Case{c}, Options{Tau: .8, Level: .95, PerQuestion: true, WithReplacement: with})
			if err != nil || res.PerQuestion[0].Category != tt.want {
				t.Errorf("%d of %d, with replacement %v: %s, want %s (%v)", tt.same, tt.r, with, res.PerQuestion[0].Category,
					tt.want, err)
			}
		}
	}
}
