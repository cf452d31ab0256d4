package endpoint

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"hallmark/internal/model"
)

// TestBodiesWait: bodies beyond the room wait for it, or until who sent them is gone; small ones never do.
func TestBodiesWait(t *testing.T) {
	b := newBodies()
	gone, leave := context.WithCancel(context.Background())
	leave()
	var held []func()
	for _, size := range []int64{8 << 20, 7<<20 + 1} {
		give, err := b.take(context.Background(), size)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, give)
	}
	for range 10 {
		if _, err := b.take(gone, 1<<20); err == nil {
			t.Error("there was room for 17 MiB")
		}
		if give, err := b.take(gone, smallBody); err != nil {
			t.Error(err)
		} else {
			give()
		}
	}
	waits := make(chan error)
	go func() {
		give, err := b.take(context.Background(), 64<<20) // more than there ever is: all of it
		if err == nil {
			give()
		}
		waits <- err
	}()
	held[0]()
	held[1]()
	if err := <-waits; err != nil || !b.pieces.TryAcquire(bodyRoom) {
		t.Errorf("%v; or some are held", err)
	}
}

// TestLargeBodiesTakeTurns: of eight requests with the largest bodies two are answered at a time, and all are.
func TestLargeBodiesTakeTurns(t *testing.T) {
	var now, most atomic.Int64
	server := proxyServer(t, &parrot{answer: func(model.Request) (model.Response, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for range 1000 {
			most.Store(max(most.Load(), n, now.Load()))
			runtime.Gosched()
		}
		text := "ok"
		return model.Response{Text: &text}, nil
	}}, Options{})
	body := `{"model": "bird", "messages": [{"role": "user", "content": "` + strings.Repeat("a", 7_800_000) + `"}]}`
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if status, _, answer := postTo(t, server, "/v1/chat/completions", body); status != 200 {
				t.Errorf("%d: %.100s", status, answer)
			}
		})
	}
	all.Wait()
	if most.Load() > 2 {
		t.Errorf("%d at a time", most.Load())
	}
}
