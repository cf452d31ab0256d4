package suitecheck

import (
	"fmt"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/metric/grading"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

// doubtful warns of golds that their oracles call correct and that hardly any answer gives: whole sentences, which are
// right in other words too, and texts that decline to answer, as tables have them for what is not known. Cases with an
// oracle, options or a call to decline say themselves what is right.
func doubtful(s *suite.Suite) (warnings []string) {
	long, declining := "", ""
	var longs, declines int
	for _, c := range s.Cases.Pass() {
		golds := c.Answers()
		if c.Oracle != nil || c.Decline || len(c.Options) > 0 || len(golds) == 0 {
			continue
		}
		at := orNone(c.Place, c.ID) + ": "
		if _, ok := evidence.Read(golds[0]).Declines(); ok {
			if declines++; declines == 1 {
				declining = at + fmt.Sprintf("the gold %q says that there is no answer; where not to answer is right, "+
					"write decline: true in its place, else the answer", jsonl.Excerpt([]byte(golds[0])))
			}
		} else if grading.GoldOf(c) == "sentence" {
			if longs++; longs == 1 {
				long = at + fmt.Sprintf("the gold %q is a sentence, and answers in other words could not be graded; "+
					"shorten it to the words that answer, or name a judge (--judge)", jsonl.Excerpt([]byte(golds[0])))
			}
		}
	}
	for _, x := range []struct {
		text string
		n    int
	}{{declining, declines}, {long, longs}} {
		switch {
		case x.n == 2:
			warnings = append(warnings, x.text+"; so is another")
		case x.n > 2:
			warnings = append(warnings, fmt.Sprintf("%s; so are %d others", x.text, x.n-1))
		case x.n == 1:
			warnings = append(warnings, x.text)
		}
	}
	return warnings
}
