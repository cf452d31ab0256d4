package correct_test

import (
	"fmt"

	"hallmark/internal/stat/correct"
)

// A grader called 60 answers wrong and 40 right. Of each, people labelled 20: it was right about 18 of the first and 15
// of the second. Kind 0 is right, kind 1 wrong.
func ExampleSample_Rates() {
	s := correct.Counted([]correct.Counts{{N: 60, Labels: []int{2, 18}}, {N: 40, Labels: []int{15, 5}}})
	wrong := s.Rates(.95, 1)[1]
	fmt.Printf("%.2f of the answers are wrong, where the grader says 0.60\n", wrong.Value)
	// Output: 0.64 of the answers are wrong, where the grader says 0.60
}

// What is to be labelled next: one answer that was read as 0 and two that were read as 1.
func ExampleDraw() {
	var cases [][]correct.Answer
	for i := range 6 {
		cases = append(cases, []correct.Answer{{Stratum: i % 2, Value: "v", Kind: correct.NoLabel}})
	}
	for _, p := range correct.Draw(cases, []int{1, 2}, 7) {
		fmt.Println("case", p.Case, "of stratum", cases[p.Case][p.Answer].Stratum)
	}
	// Output:
	// case 2 of stratum 0
	// case 1 of stratum 1
	// case 3 of stratum 1
}
