package suite

import "testing"

// TestNeedsToday: the rules of time shift apply where class or tag bears their name, and so does the need for a day.
func TestNeedsToday(t *testing.T) {
	for _, c := range []struct {
		c    Case
		want bool
	}{
		{Case{Class: "time-shift-role"}, true}, {Case{Class: "time-shift-policy"}, true},
		{Case{Tags: []string{"x", "time-shift"}}, true},
		{Case{Tags: []string{"time-shift-role"}}, true}, {Case{Class: "calc", Tags: []string{"time-shift-policy"}}, true},
		{Case{Class: "calc", Tags: []string{"multi-hop"}}, false}, {Case{}, false},
	} {
		if got := c.c.NeedsToday(); got != c.want {
			t.Errorf("class %q, tags %q: %v", c.c.Class, c.c.Tags, got)
		}
	}
}
