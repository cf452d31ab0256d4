package endpoint

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// The memory of a request grows with its body, some fifty times, so that bodies wait for room, the first that asks
// first. Small ones do not: they are no burden, and a client that sends a large one slowly cannot hold them up.
const (
	bodyRoom  = 16      // pieces that are read and answered at a time
	bodyPiece = 1 << 20 // bytes
	smallBody = 32 << 10
)

// bodies is the room that is left for them.
type bodies struct{ pieces *semaphore.Weighted }

func newBodies() bodies { return bodies{semaphore.NewWeighted(bodyRoom)} }

// take waits until there is room for a body of so many bytes, or the context ends. What it returns gives the room back.
func (b bodies) take(ctx context.Context, size int64) (give func(), err error) {
	if size <= smallBody {
		return func() {}, nil
	}
	n := min((size+bodyPiece-1)/bodyPiece, bodyRoom)
	return func() { b.pieces.Release(n) }, b.pieces.Acquire(ctx, n)
}
