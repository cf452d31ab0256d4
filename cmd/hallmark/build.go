package main

import (
	"runtime/debug"
	"sync"

	"hallmark/internal/bundle"
)

// version is the release that results name; it is no part of a run's id.
const version = "0.1.0"

// build is the commit that this program was built from, as the Go tool noted it: its first twelve digits, with
// bundle.Changed behind them where files differed from it. It is empty where none was noted.
var build = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return commit(info.Settings)
})

func commit(settings []debug.BuildSetting) string {
	noted := map[string]string{}
	for _, s := range settings {
		noted[s.Key] = s.Value
	}
	revision := noted["vcs.revision"]
	if revision = revision[:min(len(revision), 12)]; revision != "" && noted["vcs.modified"] == "true" {
		revision += bundle.Changed
	}
	return revision
}

// release is version and build for people.
func release() string {
	if b := build(); b != "" {
		return version + " (build " + b + ")"
	}
	return version
}
