package spec

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/strictyaml"
	"hallmark/internal/commands/setting"
	"hallmark/internal/run"
)

// A Part is what a run has where it is one of a study: a plan whose suites: lists several, each with settings of its
// own (docs/decisions/0055).
type Part struct {
	Place string    // of its entry: FILE:LINE
	Spent *run.Cost // by the parts before it, which share its budget; it adds its own
	Runs  []string  // the ids of the runs of all parts, once they are known
}

// perSuite says that a field may differ between the suites of a study: what decides what is asked, or what an answer
// counts as. Who is asked, how models are reached, limits and output are those of the whole study.
func (f *Field) perSuite() bool {
	return f.Keyed && f.Name != "model" && f.Group != Sweeping && f.Group != Reaching
}

// ReadPlan fills the flags that neither the command line nor the environment gave from the plan file, where one is
// named, and makes the parts of a study.
func (r *Run) ReadPlan(flags *pflag.FlagSet, trusted setting.Trust) error {
	r.Changed = flags.Changed
	if r.Config == "" && len(r.Suites) == 1 && isPlan(r.Suites[0]) {
		r.Config, r.Suites = r.Suites[0], nil
		flags.Lookup("suite").Changed = false
	}
	if r.Config == "" {
		return nil
	}
	var typed []string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			typed = append(typed, f.Name)
		}
	})
	var entries *strictyaml.Node
	err := setting.FromFile(flags, r.Config, trusted, map[string]func(*strictyaml.Node) error{
		"published": r.ReadPublished, "suites": func(n *strictyaml.Node) error { entries = n; return nil }})
	if err != nil || entries == nil {
		return err
	}
	switch {
	case entries.Kind != strictyaml.List || len(entries.Items) == 0:
		return r.fault(entries, "suites: want a list with an entry for each suite, such as\n"+
			"  - {suite: questions.csv, variants: paraphrases=5}")
	case len(r.Suites) > 0:
		return r.fault(entries, "suites: another suite is named by --suite, HALLMARK_SUITE or suite: %s; leave it "+
			"out, or make it an entry here", r.Suites[0])
	case r.Published != nil:
		return r.fault(entries, "suites: published: is of one suite; write it into the entry of its suite")
	case r.Name != "":
		return r.fault(entries, "suites: makes a run of each suite, and --name is of one run; leave it out")
	}
	spent := &run.Cost{}
	for _, n := range entries.Items {
		part, err := r.part(flags, n, typed, trusted)
		if err != nil {
			return err
		}
		part.Part = &Part{Place: fmt.Sprintf("%s:%d", r.Config, n.Line), Spent: spent}
		r.Study = append(r.Study, part)
	}
	return nil
}

// Sharing returns the ids of the runs that share the budget of this one where they are detached and asked at the same
// time; none where it has one of its own.
func (r *Run) Sharing() []string {
	if r.Part == nil || !r.Detach || r.Budget == "" {
		return nil
	}
	return r.Part.Runs
}

func (r *Run) fault(n *strictyaml.Node, format string, args ...any) error {
	return strictyaml.Faultf(r.Config, n.Line, format, args...)
}

// part is the run of one entry: what the plan says for all suites, over it what the entry says, and over both what was
// typed or stands in the environment.
func (r *Run) part(all *pflag.FlagSet, n *strictyaml.Node, typed []string, trusted setting.Trust) (*Run, error) {
	p := *r
	p.Study, p.Published = nil, nil
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	sections := map[string]func(*strictyaml.Node) error{"published": p.ReadPublished}
	p.add(flags, (*Field).perSuite)
	all.VisitAll(func(f *pflag.Flag) {
		if own := flags.Lookup(f.Name); own != nil {
			own.Changed = slices.Contains(typed, f.Name)
			return
		}
		sections[f.Name] = func(n *strictyaml.Node) error {
			return r.fault(n, "%s holds for the whole study and cannot be set for one suite; write it beside suites:",
				f.Name)
		}
	})
	if n.Kind == strictyaml.Scalar { // the suite alone
		n = &strictyaml.Node{Kind: strictyaml.Dict, Line: n.Line, Keys: []strictyaml.Key{{Name: "suite", Line: n.Line}},
			Items: []*strictyaml.Node{n}}
	}
	if n.Kind != strictyaml.Dict {
		return nil, r.fault(n, "suites: an entry is a suite, or a mapping such as {suite: questions.csv, limit: 50}")
	}
	if err := setting.Fill(flags, r.Config, n, trusted.Of(r.Config), sections); err != nil {
		return nil, err
	}
	if len(p.Suites) != 1 {
		return nil, r.fault(n, "suites: an entry has one suite, and this one has %d; write suite: NAME or FILE, and "+
			"an entry for each", len(p.Suites))
	}
	p.Changed = func(name string) bool { return r.Changed(name) || flags.Changed(name) }
	return &p, nil
}

// mostPlanBytes bounds a file that is looked at for whether it is a plan.
const mostPlanBytes = 4 << 20

// isPlan says that a file which was named like a suite is a plan: a YAML mapping that has no cases, and a key which
// only plans have.
func isPlan(path string) bool {
	if ext := filepath.Ext(path); ext != ".yaml" && ext != ".yml" {
		return false
	}
	data, err := inputfile.Read(path, mostPlanBytes)
	if err != nil || strings.Contains("\n"+string(data), "\ncases:") {
		return false
	}
	doc, err := strictyaml.Read(path, data)
	if err != nil || doc.Kind != strictyaml.Dict || doc.Get("cases") != nil {
		return false
	}
	suite := doc.Get("suite")
	return suite == nil && slices.ContainsFunc([]string{"suites", "model", "method", "variants"},
		func(key string) bool { return doc.Get(key) != nil }) || suite != nil && suite.Kind != strictyaml.Dict
}
