//go:build !race

package rubric

const slower = 1
