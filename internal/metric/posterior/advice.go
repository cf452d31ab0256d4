package posterior

import (
	"fmt"
	"strings"

	"hallmark/internal/stat/figure"
)

// DefaultAbstain is the rate from which a query is better not answered, where no other is asked for.
const DefaultAbstain = .2

// abstain is the rate of the options from which a query is better not answered.
func (o Options) abstain() float64 {
	if o.Abstain == 0 {
		return DefaultAbstain
	}
	return o.Abstain
}

// advise says of a query with a rate what to do about it: "PHR .34 (.28 to .41): give more examples, or abstain".
func (q *Query) advise(o Options) {
	from := o.abstain()
	q.Abstain = q.PHR.Value >= from
	q.Advice = fmt.Sprintf("PHR %s (%s to %s): ", figure.Rough(q.PHR.Value), figure.Rough(q.PHR.Lo),
		figure.Rough(q.PHR.Hi))
	if q.Abstain {
		q.Advice += "give more examples, or abstain"
	} else {
		q.Advice += "answer"
	}
	if (q.PHR.Lo < from) != (q.PHR.Hi < from) {
		more := "more extensions tell"
		if o.Estimator == Published {
			more = "more draws and extensions tell"
		}
		q.Advice += fmt.Sprintf(" (the interval holds %s; %s)", strings.TrimPrefix(figure.Plain(from), "0"), more)
	}
}
