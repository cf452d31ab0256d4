package endpoint

import "context"

// The memory of a request grows with its body, some fifty times, so that bodies wait for room. Small ones do not: they
// are no burden, and a client that sends a large one slowly cannot hold them up.
const (
	bodyRoom  = 16      // pieces that are read and answered at a time
	bodyPiece = 1 << 20 // bytes
	smallBody = 32 << 10
)

// bodies is the room that is left for them.
type bodies struct {
	first  chan struct{} // whoever gathers pieces; the others wait, so that two never wait for each other's
	pieces chan struct{}
}

func newBodies() *bodies { return &bodies{make(chan struct{}, 1), make(chan struct{}, bodyRoom)} }

// take waits until there is room for a body of so many bytes, or the context ends. What it returns gives the room back.
func (b *bodies) take(ctx context.Context, size int64) (give func(), err error) {
	if size <= smallBody {
		return func() {}, nil
	}
	n, taken := int(min((size+bodyPiece-1)/bodyPiece, bodyRoom)), 0
	give = func() {
		for range taken {
			<-b.pieces
		}
	}
	select {
	case b.first <- struct{}{}:
		defer func() { <-b.first }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for ; taken < n; taken++ {
		select {
		case b.pieces <- struct{}{}:
		case <-ctx.Done():
			give()
			return nil, ctx.Err()
		}
	}
	return give, nil
}
