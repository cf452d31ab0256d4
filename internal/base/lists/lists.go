// Package lists has what package slices lacks.
package lists

import "slices"

// Map returns what a function makes of each of a list, in its order; nil where there is nothing in it.
func Map[T, U any](list []T, of func(T) U) (all []U) {
	all = slices.Grow(all, len(list))
	for _, x := range list {
		all = append(all, of(x))
	}
	return all
}
