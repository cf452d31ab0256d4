package grading_test

import (
	"fmt"

	"hallmark/internal/metric/grading"
)

func ExampleLengthOf() {
	fmt.Println(grading.LengthWords(grading.LengthOf("Paris, the capital of France since the Middle Ages.")))
	// Output: 6 to 25
}
