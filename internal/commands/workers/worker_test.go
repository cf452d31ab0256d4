package workers

import (
	"context"
	"net"
	"syscall"
	"testing"

	"hallmark/internal/run"
)

// A worker that is told to end while no server answers ends as any other, without an error.
func TestEndedBeforeServer(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	said := 0
	w := &Worker{Say: func(string) { said++; end() }, Open: func(context.Context) (run.Store, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}}
	if err := w.Work(ctx); err != nil || said != 1 {
		t.Errorf("%v, and %d lines", err, said)
	}
}
