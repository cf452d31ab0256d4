// Package suites opens what --suite names: the suites inside the binary, and files.
package suites

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"hallmark/internal/grade/rubric"
	"hallmark/internal/model/pocket"
	"hallmark/internal/model/pocket/incontext"
	"hallmark/internal/suite"
	"hallmark/internal/suite/benchmark"
	"hallmark/internal/suite/generate"
	"hallmark/internal/suite/logs"
	"hallmark/internal/suite/world"
)

// Builtins are the names of the suites inside the binary.
var Builtins = []string{"pocket", "pocket-choices", "pocket-sums", "core"}

// About says what the built-in suites ask about.
var About = map[string]string{
	"pocket": "the world of the built-in model", "pocket-choices": "the same world, with four options each",
	"pocket-sums": "sums of two terms, a third of them not in its text",
	"core":        "the true world, in every class of pressure",
}

// Open opens what --suite names: a built-in suite, problems of learning in context (incontext:TASK), a published
// benchmark's file as NAME=FILE or by its look, the questions of another tool's log, or a suite or table of the user's.
// A suite file names others outside its folder where anywhere says that it may.
func Open(ref string, anywhere bool) (*suite.Suite, error) {
	switch ref {
	case "pocket":
		return pocket.Suite(), nil
	case "pocket-choices":
		return pocket.Choices(), nil
	case "pocket-sums":
		return pocket.Sums(), nil
	case "core":
		return generate.Core()
	}
	if strings.HasPrefix(ref, incontext.Prefix) {
		settings, err := incontext.ParseSettings(ref)
		if err != nil {
			return nil, err
		}
		return settings.Suite()
	}
	if s, err := logs.Questions(ref); s != nil || err != nil {
		return s, err
	}
	return benchmark.Load(ref, anywhere, Builtins...)
}

// Rubric returns the rubric of a suite at a day, "" for the suite's. The error is of a suite that asks about today
// where neither says which day that is, and of an oracle that cannot be made.
func Rubric(s *suite.Suite, asOf string) (*rubric.Rubric, error) {
	if asOf = cmp.Or(asOf, s.AsOf); asOf == "" {
		for _, c := range s.Cases.Pass() {
			if c.NeedsToday() {
				return nil, fmt.Errorf("%s: case %q asks about today, but neither the suite's as_of nor --as-of says "+
					"which day that is", c.Place, c.ID)
			}
		}
	}
	return rubric.New(s, asOf)
}

// Argument returns what names a suite in the folder where it was opened, "" where that is its own name. A path that
// leads out of the folder, which may say whose machine this is, is left out: the file is named alone.
func Argument(ref string) string {
	if slices.Contains(Builtins, ref) || strings.HasPrefix(ref, incontext.Prefix) {
		return ""
	}
	parts := strings.Split(ref, ",") // FORMAT=FILE,for=FILE
	for i, part := range parts {
		at := strings.LastIndex(part, "=") + 1
		if path := part[at:]; path != "" && !filepath.IsLocal(path) {
			parts[i] = part[:at] + filepath.Base(path)
		}
	}
	return strings.Join(parts, ",")
}

// List lists the built-in suites, the benchmark files that can be read and those that can be fetched, as a document
// and as tables.
func List() (document any, text string, err error) {
	type entry struct {
		Name  string `json:"name"`
		Kind  string `json:"kind"`
		About string `json:"about"`
	}
	var entries []entry
	for _, name := range Builtins {
		s, err := Open(name, false)
		if err != nil {
			return nil, "", err
		}
		entries = append(entries, entry{name, "built-in",
			fmt.Sprintf("%d cases about %s", s.Cases.Len(), About[name])})
	}
	for _, t := range incontext.Tasks {
		entries = append(entries, entry{incontext.Prefix + string(t), "built-in", "problems of learning in " +
			"context, for the posterior method; ?noise=10&n=2,4&contexts=50&queries=10 (docs/posterior.md)"})
	}
	for _, f := range benchmark.Formats {
		entries = append(entries, entry{f.Name, "file", f.About})
	}
	var b strings.Builder // takes all
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tKIND\tABOUT")
	for _, e := range entries {
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.Name, e.Kind, e.About)
	}
	w.Flush()
	benchmark.WritePublished(&b)
	return map[string]any{"suites": entries, "published": benchmark.Publications()}, b.String(), nil
}

// World opens what --world names: a built-in world, or a file or folder of the user's.
func World(ref string) (*world.World, error) {
	switch ref {
	case "earth":
		return world.Earth(), nil
	case "pocket":
		return pocket.AsWorld(), nil
	}
	if _, err := os.Stat(ref); errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(ref, `./\`) {
		return nil, fmt.Errorf(
			"unknown world %q; built in are earth and pocket, any other is a YAML file or a folder", ref)
	}
	return world.Read(ref)
}

// Generated is what `hallmark generate` prints with --json.
type Generated struct {
	Suite    string            `json:"suite"`
	World    string            `json:"world"`
	AsOf     string            `json:"as_of"`
	Seed     uint64            `json:"seed"`
	Cases    int               `json:"cases"`
	Hash     suite.Hash        `json:"hash"`
	Output   string            `json:"output"`
	Coverage generate.Coverage `json:"coverage"`
}

// Generate makes a suite of the world that --world names, and what is to be said of it but where it was written.
func Generate(ref string, o generate.Options) (*suite.Suite, *Generated, error) {
	for _, c := range o.Classes {
		if !slices.Contains(suite.Classes, c) {
			return nil, nil, fmt.Errorf("--class %q: unknown class; known are %s", c, strings.Join(suite.Classes, ", "))
		}
	}
	w, err := World(ref)
	if err != nil {
		return nil, nil, err
	}
	s, coverage, err := generate.Suite(w, o)
	if err != nil {
		return nil, nil, err
	}
	return s, &Generated{Suite: s.Name, World: w.Name, AsOf: s.AsOf, Seed: o.Seed, Cases: s.Cases.Len(),
		Hash: s.Hash(), Coverage: coverage}, nil
}
