package figure_test

import (
	"fmt"

	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// Numbers that people read; a percentage is not torn apart at the end of a line.
func ExamplePercent() {
	fmt.Printf("%+q, %+q\n", figure.Percent(.123), figure.Percent(.00004))
	fmt.Println(figure.Grouped(12345), figure.Plural(2, "case", "cases"))
	// Output:
	// "12.3\u202f%", "<0.1\u202f%"
	// 12,345 2 cases
}

// A figure is found in a result by the path of its JSON.
func ExampleOf() {
	result := struct {
		Rates map[string]stat.Estimate `json:"rates"`
	}{map[string]stat.Estimate{"wrong": stat.Wilson(2, 40, .95)}}
	e, _, ok := figure.Of(result).Estimate("rates", "wrong")
	fmt.Println(e.Value, e.N, ok)
	// Output: 0.05 40 true
}
