package main

import (
	"runtime/debug"
	"testing"
)

func TestCommit(t *testing.T) {
	const revision = "8cee2e6d0c1b2a3f4e5d6c7b8a9f0e1d2c3b4a59"
	for _, tt := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, ""},
		{[]debug.BuildSetting{{Key: "vcs.modified", Value: "true"}}, ""},
		{[]debug.BuildSetting{{Key: "-trimpath", Value: "true"}, {Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: "false"}}, "8cee2e6d0c1b"},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: "true"}}, "8cee2e6d0c1b+changed"},
	} {
		if got := commit(tt.settings); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.settings, got, tt.want)
		}
	}
}
