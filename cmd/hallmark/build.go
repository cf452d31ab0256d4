package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"hallmark/internal/base/inputfile"
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

// planner names this program where another one leaves things alone: runs on a queue, and how answers were read.
var planner = sync.OnceValue(func() string {
	return programOf(release(), build(), func() (io.ReadCloser, error) {
		path, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return inputfile.Open(path)
	})
})

// programOf tells builds of one release apart that no commit does, as in a container, by the hash of their file.
func programOf(release, build string, open func() (io.ReadCloser, error)) string {
	if build != "" && !strings.HasSuffix(build, bundle.Changed) {
		return release
	}
	file, err := open()
	if err != nil {
		return release
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return release
	}
	return fmt.Sprintf("%s (file %x)", release, sum.Sum(nil)[:6])
}
