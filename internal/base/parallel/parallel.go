// Package parallel spreads calls of a function over goroutines.
package parallel

import (
	"sync"
	"sync/atomic"
)

// Do calls f(0) … f(n-1) on at most the given number of goroutines and waits. Which goroutine gets which i is not
// fixed, so f must not care.
func Do(workers, n int, f func(i int)) {
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(i)
		}
	}
	var others sync.WaitGroup
	for range min(workers, n) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
}
