package jsonl

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// inOrder squares the numbers below n on several workers; join refuses one of them, cut fails before another.
func inOrder(n, workers, refused, broken int) (got []int, err error) {
	type piece struct{ number, square int }
	cut := func(get func() *piece, emit func(*piece) bool) error {
		for i := range n {
			if i == broken {
				return errors.New("cut")
			}
			p := get()
			p.number = i
			if !emit(p) {
				return errors.New("nobody reads this: join stopped it")
			}
		}
		return nil
	}
	work := func() func(*piece) {
		return func(p *piece) {
			if p.number%7 == 0 { // some are late
				time.Sleep(50 * time.Microsecond)
			}
			p.square = p.number * p.number
		}
	}
	err = InOrder(workers, 4, cut, work, func(p *piece) error {
		if p.number == refused {
			return errors.New("join")
		}
		got = append(got, p.square)
		return nil
	})
	return got, err
}

func TestInOrder(t *testing.T) {
	squares := func(n int) (want []int) {
		for i := range n {
			want = append(want, i*i)
		}
		return want
	}
	for _, workers := range []int{1, 2, 8} {
		for _, c := range []struct {
			refused, broken, read int
			err                   string
		}{{-1, -1, 300, ""}, {60, -1, 60, "join"}, {0, -1, 0, "join"}, {-1, 90, 90, "cut"}, {-1, 0, 0, "cut"},
			{40, 41, 40, "join"}} {
			got, err := inOrder(300, workers, c.refused, c.broken)
			said := ""
			if err != nil {
				said = err.Error()
			}
			if !slices.Equal(got, squares(c.read)) || said != c.err {
				t.Errorf("%d workers, %+v: %d pieces in order, error %q", workers, c, len(got), said)
			}
		}
	}
}
