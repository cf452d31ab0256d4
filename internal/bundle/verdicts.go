package bundle

import (
	"hallmark/internal/assay"
)

// A Tally counts how the answers of a run were read.
type Tally struct {
	Answers  int            `json:"answers"`
	Outcomes map[string]int `json:"outcomes"` // of those that were scored
	// Axes counts the verdicts of each axis by their names.
	Axes  map[string]map[string]int `json:"axes"`
	Kinds map[string]int            `json:"kinds"` // of failure
}

func tallied(r *assay.Readings) *Tally {
	t := &Tally{Outcomes: map[string]int{}, Axes: map[string]map[string]int{}, Kinds: map[string]int{}}
	for x := range r.All() {
		t.Answers++
		if o := x.Outcome; o != "" {
			t.Outcomes[string(o)]++
		}
		if k := x.Kind; k != "" {
			t.Kinds[string(k)]++
		}
		for _, on := range x.Axes() {
			if t.Axes[on.Name] == nil {
				t.Axes[on.Name] = map[string]int{}
			}
			t.Axes[on.Name][on.Verdict]++
		}
	}
	return t
}

// own returns the readings that a bundle holds.
func (c *contents) own() (*assay.Readings, error) {
	r := &assay.Readings{Version: c.manifest.Grading.Version}
	if err := listed(c, verdictsName, &r.Answers); err != nil {
		return nil, err
	}
	return r, listed(c, goldsName, &r.Golds)
}

// listed appends what the lines of a member say.
func listed[T any](c *contents, name string, to *[]T) error {
	data, ok := c.members[name]
	if !ok {
		return fault(name, "is missing")
	}
	return readLines(name, data, c.strict, func(_ int, _ []byte, x *T) error {
		*to = append(*to, *x)
		return nil
	})
}
