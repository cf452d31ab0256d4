//go:build !race

package archtest

// Race says that the tests run under the race detector. What computes on one goroutine takes 10 to 20 times as long
// there and shows nothing new.
const Race = false
