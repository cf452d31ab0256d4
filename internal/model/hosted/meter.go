package hosted

import (
	"context"
	"encoding/json"
	"errors"

	"hallmark/internal/model"
)

// metered is do for a request that the meter of the context counts, with what it may cost at most.
func (c *client) metered(ctx context.Context, method, path string, in any, most model.Usage) ([]byte, error) {
	took, err := model.Take(ctx, most)
	if err != nil {
		return nil, err
	}
	body, err := c.do(ctx, method, path, in)
	took(charged(body, err, most))
	return body, err
}

// charged returns what a request took as far as can be known: the server's own count; nothing where it refused,
// which is before any work; and else the most, as a server that was cut off, timed out, broke down or does not
// count may have done all the work and bill it.
func charged(body []byte, err error, most model.Usage) model.Usage {
	var t *model.Transient
	var r *refused
	switch {
	case body != nil: // an answer, or an error in place of one
		var said struct {
			Usage tokenUsage `json:"usage"`
		}
		if json.Unmarshal(body, &said) != nil || said.Usage.in == nil || said.Usage.out == nil {
			return most
		}
		return said.Usage.of(0, 0)
	case errors.As(err, &t) && t.Limited, errors.Is(err, model.ErrGone),
		errors.As(err, &r) && r.status < 500 && !errors.Is(err, model.ErrTransient):
		return model.Usage{}
	}
	return most
}
