package posterior

import (
	"math"
	"slices"
)

// node is one place of tanh-sinh quadrature on (0, 1): the distances from both ends, and the weight.
type node struct{ left, right, weight float64 }

// nodes are those of a grid whose every second place, from the first on, is one of a grid that is half as fine,
// with half of its weight.
var nodes = func() (all []node) {
	const h, reach = 1. / 8, 36
	for k := -reach; k <= reach; k++ {
		t := float64(k) * h
		u := math.Pi / 2 * math.Sinh(t)
		left, right := 1/(1+math.Exp(-2*u)), 1/(1+math.Exp(2*u))
		all = append(all, node{left, right, h * math.Pi * math.Cosh(t) * float64(left*right)})
	}
	return all
}()

// integrate returns the integral over (0, 1) of f, which takes x and 1 − x, both without loss of digits next to an
// end, where f may grow without bound as long as the integral exists. The interval is cut at the places that are
// given, in any order, and halved where two grids differ by more than the tolerance, at most 24 times.
func integrate(f func(x, y float64) float64, tolerance float64, cuts ...float64) float64 {
	at := places(cuts...)
	var sum float64
	for i := 1; i < len(at); i++ {
		sum += piece(f, at[i-1], at[i], tolerance, 0)
	}
	return sum
}

func piece(f func(x, y float64) float64, a, b, tolerance float64, depth int) float64 {
	var fine, coarse float64
	for i, n := range nodes {
		x, y := a+(b-a)*n.left, (1-b)+(b-a)*n.right
		if v := f(x, y); !math.IsInf(v, 0) && !math.IsNaN(v) { // a place so near an end that it is the end
			v *= n.weight * (b - a)
			fine += v
			if i%2 == 0 {
				coarse += 2 * v
			}
		}
	}
	if depth == 24 || math.Abs(fine-coarse) <= tolerance {
		return fine
	}
	m := (a + b) / 2
	return piece(f, a, m, tolerance, depth+1) + piece(f, m, b, tolerance, depth+1)
}

// places are 0, 1 and the cuts between them, in order and each once.
func places(cuts ...float64) []float64 {
	at := append(slices.DeleteFunc(cuts, func(c float64) bool { return !(c > 0 && c < 1) }), 0, 1)
	slices.Sort(at)
	return slices.Compact(at)
}
