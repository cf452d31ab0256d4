package report

import (
	"fmt"

	"hallmark/internal/assay/gate"
)

// acceptedBlock says of each threshold that the user declared whether it is met: before all else.
func acceptedBlock(accept []gate.Acceptance) block {
	var l list
	for i := range accept {
		l.Items = append(l.Items, strong(oneLine(accept[i].Says())))
	}
	met := 0
	for i := range accept {
		if accept[i].Verdict == gate.Met {
			met++
		}
	}
	return chapter{ID: "accept", Name: "Declared thresholds", Title: "Declared thresholds", Body: []block{l}, Run: true,
		Over: fmt.Sprintf("%d of %d met", met, len(accept))}
}
