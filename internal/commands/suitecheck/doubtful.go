package suitecheck

import (
	"cmp"
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
	var first [2]string // that decline, and that are long
	var n [2]int
	doubt := func(i int, c *suite.Case, format string) {
		if n[i]++; n[i] == 1 {
			first[i] = cmp.Or(c.Place, c.ID) + ": " + fmt.Sprintf(format, jsonl.Excerpt([]byte(c.Answers()[0])))
		}
	}
	for _, c := range s.Cases.Pass() {
		golds := c.Answers()
		if c.Oracle != nil || c.Decline || len(c.Options) > 0 || len(golds) == 0 {
			continue
		}
		if _, ok := evidence.Read(golds[0]).Declines(); ok {
			doubt(0, c, "the gold %q says that there is no answer; where not to answer is right, write decline: true in "+
				"its place, else the answer")
		} else if grading.GoldOf(c) == "sentence" {
			doubt(1, c, "the gold %q is a sentence, and answers in other words could not be graded; shorten it to the "+
				"words that answer, or name a judge (--judge)")
		}
	}
	for i, text := range first {
		switch {
		case n[i] == 2:
			text += "; so is another"
		case n[i] > 2:
			text += fmt.Sprintf("; so are %d others", n[i]-1)
		}
		if n[i] > 0 {
			warnings = append(warnings, text)
		}
	}
	return warnings
}
