//go:build race

package rubric

// slower is how many times as long code takes under the race detector.
const slower = 10
