package lists

import (
	"slices"
	"strconv"
	"testing"
)

func TestMap(t *testing.T) {
	if got := Map([]int{1, 2}, strconv.Itoa); !slices.Equal(got, []string{"1", "2"}) {
		t.Error(got)
	}
	if got := Map([]int{}, strconv.Itoa); got != nil {
		t.Error("of nothing:", got)
	}
}
