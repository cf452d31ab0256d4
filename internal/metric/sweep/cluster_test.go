package sweep

import (
	"reflect"
	"testing"
)

// Rows of one cluster are resampled as one; cases by themselves stay.
func TestTogether(t *testing.T) {
	rows := func() [][]int64 { return [][]int64{{1, 2}, {3, 4}, {5, 6}, {7, 8}} }
	for _, tt := range []struct {
		cluster []int32
		want    [][]int64
	}{
		{[]int32{0, 0, 0, 0}, rows()},
		{[]int32{1, 2, 3, 4}, rows()},
		{[]int32{7, 0, 7, 0}, [][]int64{{6, 8}, {3, 4}, {7, 8}}},
		{[]int32{5, 5, 5, 5}, [][]int64{{16, 20}}},
	} {
		if got := together(rows(), tt.cluster); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%v: %v, want %v", tt.cluster, got, tt.want)
		}
	}
	// One case that is asked twenty times does not outvote another that is asked once: each is the peak in half of the
	// draws, and in 21 independent cases the one would be in nearly all.
	var whole [][]int64
	var cluster []int32
	for range 20 {
		whole, cluster = append(whole, []int64{1, 0}), append(cluster, 1)
	}
	whole, cluster = append(whole, []int64{0, 19}), append(cluster, 0)
	o := Options{Resamples: 4000, Seed: 1}
	if by := o.shares(together(whole, cluster), 2); by[0] < .70 || by[0] > .80 { // 3 of 4 draws of two have the twenty
		t.Errorf("by cluster %v", by)
	}
}
