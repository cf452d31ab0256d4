package spec

import (
	"fmt"
	"strconv"
	"strings"
)

// Priced reports whether the cost of answers is known.
func (r *Reach) Priced() bool { return r.Price != "" }

// Rates are what tokens cost, in USD per million: those of prompts and those of answers.
type Rates struct{ In, Out float64 }

// Rates reads the price.
func (r *Reach) Rates() (Rates, error) {
	if r.Price == "" {
		return Rates{}, nil
	}
	in, out, ok := strings.Cut(r.Price, ",")
	a, errIn := strconv.ParseFloat(strings.TrimSpace(in), 64)
	b, errOut := strconv.ParseFloat(strings.TrimSpace(out), 64)
	if !ok || errIn != nil || errOut != nil || !(a >= 0 && b >= 0 && a < 1e9 && b < 1e9) {
		return Rates{}, fmt.Errorf("--price %q: write two prices in USD per million tokens, as 2.5,10", r.Price)
	}
	return Rates{a, b}, nil
}
