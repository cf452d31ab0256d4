package assay

import (
	"bytes"
	"encoding/json"
	"fmt"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/suite"
)

// stored is a plan as it is kept with its run: beside the plan, what its suites leave out of their own JSON because
// it is no content of theirs, but which calls and reports are made from.
type stored struct {
	*Plan
	Pools    map[string]map[string][]suite.Demonstration `json:"pools,omitempty"`          // rows by suite and pool
	Warnings map[string][]string                         `json:"suite_warnings,omitempty"` // of the readers, by suite
}

// Stored returns the plan as it is kept with its run, so that the run can be shown again without the files it came
// from: with the rows of its pools and with what the readers of its suites said. ParsePlan reads it.
func (p *Plan) Stored() ([]byte, error) {
	s, length := stored{}, 0
	for _, u := range p.Suites {
		for _, c := range u.Cases.Pass() {
			if pools := s.Pools[u.Name]; c.Pool != "" && pools[c.Pool] == nil {
				setIn(&pools, c.Pool, c.Rows)
				setIn(&s.Pools, u.Name, pools)
			}
		}
		length += u.Length()
		if len(u.Warnings) > 0 {
			setIn(&s.Warnings, u.Name, u.Warnings)
		}
	}
	bare := *p
	bare.Suites, s.Plan = nil, &bare
	b, err := json.Marshal(s)
	if err != nil || len(p.Suites) == 0 {
		return b, err
	}
	// as json.Marshal has it, which holds what is long several times
	var out bytes.Buffer
	head, tail, _ := bytes.Cut(b, []byte(`"suites":null`))
	out.Grow(length + len(b) + len(p.Suites) + bytes.MinRead)
	out.Write(head)
	out.WriteString(`"suites":`)
	for i, u := range p.Suites {
		out.WriteByte("[,"[min(i, 1)])
		if u == nil {
			out.WriteString("null")
		} else if err := u.WriteJSON(&out); err != nil {
			return nil, err
		} else {
			out.Truncate(out.Len() - 1) // of the line
		}
	}
	out.WriteByte(']')
	out.Write(tail)
	return out.Bytes(), nil
}

// ParsePlan reads a stored plan.
func ParsePlan(data []byte) (*Plan, error) {
	s := stored{Plan: &Plan{}}
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("the stored plan does not read: %w", jsonl.Plain(err))
	}
	for i, u := range s.Suites {
		if u == nil {
			return nil, fmt.Errorf("the stored plan does not read: suite %d is null", i+1)
		}
		u.Warnings = s.Warnings[u.Name]
		for _, c := range u.Cases.Pass() {
			if c.Pool != "" { // so that it is held whole
				c.Rows = s.Pools[u.Name][c.Pool]
			}
		}
	}
	return s.Plan, nil
}
