package suite

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Clusters numbers the cases that are no observations of their own, from 1: those of one number belong together, and 0
// is a case by itself. It is nil where every case is. With an empty key the cases of a cluster ask the same: prompt,
// system, passages, options and examples, as written. "class" and "domain" group by these, and any other key by the
// cases' tag of that name: with `cluster: entity` those that have the tag `entity:Paris`.
func Clusters(cases List, key string) []int32 {
	var of []int32
	// of a key, the first case, as -1 - its place, or its cluster
	first, n := make(map[string]int32, cases.Len()), int32(0)
	for i, c := range cases.Pass() {
		k := c.clusterKey(key)
		if k == "" {
			continue
		}
		at, seen := first[k]
		if !seen {
			first[k] = -1 - int32(i)
			continue
		}
		if of == nil {
			of = make([]int32, cases.Len())
		}
		if at < 0 {
			n++
			of[-1-at], first[k], at = n, n, n
		}
		of[i] = at
	}
	return of
}

// clusterKey is the same for cases of one cluster; "" is of no other case.
func (c *Case) clusterKey(key string) string {
	switch key {
	case "":
		return c.asked()
	case "class":
		return c.Class
	case "domain":
		return c.Domain
	}
	if i := slices.IndexFunc(c.Tags, func(t string) bool { return strings.HasPrefix(t, key+":") }); i >= 0 {
		return c.Tags[i]
	}
	return ""
}

// checkCluster reports a key that no case has. At is the place of the suite.
func (s *Suite) checkCluster(at string) error {
	if k := s.Cluster; k != "" && !s.Cases.Has(func(c *Case) bool { return c.clusterKey(k) != "" }) {
		return fmt.Errorf(
			"%s: cluster is %q, and no case has a tag as %s:NAME; give cases such tags, or say class or domain", at,
			k, k)
	}
	return nil
}

// asked is all that the default prompt says: the prompt alone where there is no more to it.
func (c *Case) asked() string {
	prompt := strings.TrimSpace(c.Prompt)
	if c.System == "" && len(c.Context)+len(c.Options)+len(c.Demonstrations) == 0 && c.Pool == "" {
		return prompt
	}
	rest, err := json.Marshal([]any{c.System, c.Context, c.Options, c.Demonstrations, c.Pool, c.Shots, c.ShowOptions,
		c.Form})
	if err != nil {
		panic("suite: " + err.Error()) // every field is a plain value
	}
	return prompt + "\x00" + string(rest)
}
