package main

import (
	"errors"
	"io"
	"runtime/debug"
	"strings"
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
		{[]debug.BuildSetting{{Key: "-trimpath", Value: "true"}, {Key: "vcs.revision", Value: revision},
			{Key: "vcs.modified", Value: "false"}}, "8cee2e6d0c1b"},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: "true"}},
			"8cee2e6d0c1b+changed"},
	} {
		if got := commit(tt.settings); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.settings, got, tt.want)
		}
	}
}

// Two builds of one release are told apart by their commits, or by their files where these do not tell.
func TestProgramOf(t *testing.T) {
	of := func(build, content string) string {
		return programOf("0.1.0", build, func() (io.ReadCloser, error) {
			if content == "" {
				return nil, errors.New("no such file")
			}
			return io.NopCloser(strings.NewReader(content)), nil
		})
	}
	for _, build := range []string{"", "8cee2e6d0c1b+changed"} {
		one, again, two := of(build, "one"), of(build, "one"), of(build, "two")
		if one == two || one != again {
			t.Errorf("build %q is not known by its file: %s, %s, %s", build, one, again, two)
		}
	}
	if of("8cee2e6d0c1b", "one") != "0.1.0" || of("", "") != "0.1.0" {
		t.Error("a build that its commit tells, or whose file cannot be read, is named by a file")
	}
}
