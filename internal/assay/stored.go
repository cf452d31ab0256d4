package assay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"hallmark/internal/jsonl"
	"hallmark/internal/suite"
)

// stored is a plan as it is kept with its run: beside the plan, what its suites leave out of their own JSON because it is no content of
// theirs, but which calls and reports are made from.
type stored struct {
	*Plan
	Pools    map[string]map[string][]suite.Demonstration `json:"pools,omitempty"`          // rows by suite and pool
	Warnings map[string][]string                         `json:"suite_warnings,omitempty"` // of the readers, by suite
}

// Stored returns the plan as it is kept with its run, so that the run can be shown again without the files it came from: with the rows of
// its pools and with what the readers of its suites said. ParsePlan reads it.
func (p *Plan) Stored() ([]byte, error) {
	s := stored{Plan: p}
	for _, u := range p.Suites {
		for i := range u.Cases {
			c := &u.Cases[i]
			if c.Pool == "" || s.Pools[u.Name][c.Pool] != nil {
				continue
			}
			if s.Pools == nil {
				s.Pools = map[string]map[string][]suite.Demonstration{}
			}
			if s.Pools[u.Name] == nil {
				s.Pools[u.Name] = map[string][]suite.Demonstration{}
			}
			s.Pools[u.Name][c.Pool] = c.Rows
		}
		if len(u.Warnings) > 0 {
			if s.Warnings == nil {
				s.Warnings = map[string][]string{}
			}
			s.Warnings[u.Name] = u.Warnings
		}
	}
	return json.Marshal(s)
}

// ParsePlan reads a stored plan.
func ParsePlan(data []byte) (*Plan, error) {
	s := stored{Plan: &Plan{}}
	var sizes struct {
		Suites []struct {
			Cases counter `json:"cases"`
		} `json:"suites"`
	}
	if json.Unmarshal(data, &sizes) == nil { // else what follows says why not
		for _, u := range sizes.Suites {
			s.Suites = append(s.Suites, &suite.Suite{Cases: make([]suite.Case, 0, u.Cases)})
		}
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("the stored plan does not read: %w", jsonl.Plain(err))
	}
	for i, u := range s.Suites {
		if u == nil {
			return nil, fmt.Errorf("the stored plan does not read: suite %d is null", i+1)
		}
		u.Warnings = s.Warnings[u.Name]
		for i := range u.Cases {
			if c := &u.Cases[i]; c.Pool != "" {
				c.Rows = s.Pools[u.Name][c.Pool]
			}
		}
	}
	return s.Plan, nil
}

// A counter is the length of a list of JSON. Cases are read into a list of the right length: one that grows is there
// twice meanwhile, and too long by up to a quarter in the end.
type counter int

// UnmarshalJSON implements json.Unmarshaler.
func (n *counter) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('[') {
		return err
	}
	for dec.More() {
		var skipped skip
		if err := dec.Decode(&skipped); err != nil {
			return err
		}
		*n++
	}
	return nil
}

// skip is an object of JSON, of which nothing is kept.
type skip struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (skip) UnmarshalJSON(data []byte) error {
	if data[0] != '{' { // no case: room for one is not made
		return errors.New("want an object")
	}
	return nil
}
