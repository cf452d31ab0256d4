package modeltest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"hallmark/internal/model"
)

func TestClassOf(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want Class
	}{
		{nil, OK},
		{errors.New("x"), Final},
		{&model.Transient{Err: errors.New("x")}, Transient},
		{fmt.Errorf("%w: x", model.ErrGone), Gone},
		{fmt.Errorf("x: %w", context.Canceled), Cancelled},
		{&model.Transient{Err: context.DeadlineExceeded}, "several at once (transient true, gone false, cancelled true)"},
		{&model.Transient{Err: model.ErrGone}, "several at once (transient true, gone true, cancelled false)"},
	} {
		if got := ClassOf(tt.err); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.err, got, tt.want)
		}
	}
}
