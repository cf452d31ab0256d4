package jsonl

import "sync"

// InOrder reads something large on several cores: cut parts it into pieces, workers work on them at the same time,
// and join takes them in the order in which they were cut. Cut and join each run in one goroutine. Every worker
// calls work once, for a function with memory of its own. At most ahead pieces wait, and their memory is used
// again: cut fills one that get gives it, which may hold what was there before, and passes it on with emit, until
// emit returns false. The first error of join stops everything and is returned, else that of cut.
func InOrder[T any](workers, ahead int, cut func(get func() *T, emit func(*T) bool) error, work func() func(*T),
	join func(*T) error) error {
	type item struct {
		piece *T
		done  chan struct{}
	}
	pending, ordered := make(chan item), make(chan item, ahead)
	stop := make(chan struct{})
	free := sync.Pool{New: func() any { return new(T) }}
	var wg sync.WaitGroup
	var cutErr error
	wg.Go(func() {
		defer close(pending)
		defer close(ordered)
		cutErr = cut(func() *T { return free.Get().(*T) }, func(piece *T) bool {
			it := item{piece, make(chan struct{})}
			select {
			case ordered <- it:
			case <-stop:
				return false
			}
			select {
			case pending <- it:
				return true
			case <-stop:
				close(it.done)
				return false
			}
		})
	})
	for range workers {
		wg.Go(func() {
			do := work()
			for it := range pending {
				do(it.piece)
				close(it.done)
			}
		})
	}
	var failed error
	for it := range ordered {
		<-it.done
		if failed == nil {
			if failed = join(it.piece); failed != nil {
				close(stop)
			}
		}
		free.Put(it.piece)
	}
	wg.Wait()
	if failed != nil {
		return failed
	}
	return cutErr
}
