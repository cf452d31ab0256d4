package report

import (
	"cmp"
	"fmt"
	"strings"

	"hallmark/internal/assay/gate"
)

// acceptedBlock says of each threshold that the user declared whether it is met: before all else.
func acceptedBlock(accept []gate.Acceptance) block {
	met, l := 0, list{}
	for i := range accept {
		l.Items = append(l.Items, strong(oneLine(accept[i].Says())))
		if accept[i].Verdict == gate.Met {
			met++
		}
	}
	return chapterOf("accept", l).over(fmt.Sprintf("%d of %d met", met, len(accept)))
}

// verdicts are what a page of a run says of each threshold, its verdict first and in its colour.
func verdicts(accept []gate.Acceptance) block {
	var body []block
	kinds := map[string]noteKind{gate.Met: noteMet, gate.NotMet: noteNotMet}
	for i := range accept {
		verdict, rest, _ := strings.Cut(strings.ReplaceAll(oneLine(accept[i].Says()), " %", "\u202f%"), ":")
		body = append(body, noteOf(cmp.Or(kinds[accept[i].Verdict], noteUndecided), strong(verdict+":"), rest))
	}
	return chapter{ID: "accept", Title: "Declared thresholds", Body: body, Run: true, In: onPage}
}
