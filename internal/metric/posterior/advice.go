package posterior

import (
	"fmt"
	"strconv"
	"strings"
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
	q.Advice = fmt.Sprintf("PHR %s (%s to %s): ", Short(q.PHR.Value), Short(q.PHR.Lo), Short(q.PHR.Hi))
	if q.Abstain {
		q.Advice += "give more examples, or abstain"
	} else {
		q.Advice += "answer"
	}
	if (q.PHR.Lo < from) != (q.PHR.Hi < from) {
		q.Advice += fmt.Sprintf(" (the interval holds %s; more extensions tell)", strings.TrimPrefix(strconv.FormatFloat(from, 'f', -1, 64), "0"))
	}
}

// Short writes a rate with two digits and without the 0 before the point.
func Short(x float64) string {
	s := strconv.FormatFloat(x, 'f', 2, 64)
	return strings.Replace(s, "0.", ".", 1)
}
