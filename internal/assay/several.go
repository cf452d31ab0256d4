package assay

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/detect"
	"hallmark/internal/stat/figure"
)

// Several sets the models, suites and techniques of several runs side by side: one study over many benchmarks. No
// two runs are pooled in a cell (docs/decisions/0048). Source: arXiv:2602.00723, tables 1 to 4 and figures 4 and 5.
type Several struct {
	Runs    []SeveralRun    `json:"runs"`    // as they were named
	Columns []SeveralColumn `json:"columns"` // in the order in which the runs have them
	Models  []string        `json:"models"`
	Grid    *Grid           `json:"grid"` // each cell has its run and its column
	// there with several models, where detection was asked for
	Across *Across `json:"across_models,omitempty"`
	// Flows are of each model and column that is there with retrieval and without.
	Flows []ModelFlow `json:"flows"`
	Notes []string    `json:"notes"` // what stands for what, and how the runs differ

	cells []placedCell
}

// ID names what is side by side: a hash of the ids of its runs, in their order, of as many digits as they have.
func (s *Several) ID() string {
	h := sha256.New()
	for _, r := range s.Runs {
		h.Write([]byte(r.ID + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Source returns the document that a cell of the grid is from, and what that has of its model on its suite.
func (s *Several) Source(cell int) (*Document, *SuiteResult) {
	return &s.cells[cell].run.Document, s.cells[cell].on
}

// A SeveralRun is one of the runs.
type SeveralRun struct {
	ID      string  `json:"id"`
	Seed    uint64  `json:"seed"`
	Tau     float64 `json:"tau"`
	Version string  `json:"version"`
	AsOf    string  `json:"as_of"`
	Equal   string  `json:"equal,omitempty"`
	Choices string  `json:"choices,omitempty"`
}

// A SeveralColumn is a suite, asked in variants of the kinds of a technique, with the passages that were searched.
type SeveralColumn struct {
	Name      string         `json:"name"` // unique
	Suite     SuiteInfo      `json:"suite"`
	Technique string         `json:"technique"` // the kinds of its variants, such as options+paraphrases
	Retrieval *RetrievalInfo `json:"retrieval,omitempty"`
	key       string         // of all but the model
	without   string         // the same without retrieval
}

// A ModelFlow says how the questions of one model moved between the categories from the run without retrieval to that
// with it.
type ModelFlow struct {
	Model  string `json:"model"`
	Column string `json:"column"` // that with retrieval
	From   string `json:"from"`   // that without
	Base   string `json:"base"`   // the runs
	Other  string `json:"other"`
	// Flow is of the categories; never nil.
	Flow *consistency.Flow `json:"categories"`
}

// Technique returns the kinds of variants that a suite was asked in and answered, in the order of their names, joined
// by a plus sign; "" where no question was answered in two.
func (r *SuiteResult) Technique() string {
	if r == nil || r.Families == nil {
		return ""
	}
	var kinds []string
	for _, f := range r.Families.Ranking {
		kind, _, _ := strings.Cut(f.Family, ":") // of templates the part stands behind it
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), "+")
}

// A placed cell is a part of a run, which is one model on one suite, at its place of the grid.
type placedCell struct {
	run           *Assay
	part          *answerSet
	model, column int
	on            *SuiteResult
}

// NewSeveral sets runs side by side. It evaluates none again. A cell that several runs have is that of the first; runs
// after it are named in the notes.
func NewSeveral(runs []*Assay) (*Several, error) {
	b := &besides{out: &Several{Runs: []SeveralRun{}, Columns: []SeveralColumn{}, Models: []string{},
		Flows: []ModelFlow{}, Notes: []string{}}, left: listed{}, identities: listed{}}
	for _, a := range runs {
		b.take(a)
	}
	b.name()
	b.out.Grid, b.out.cells = b.grid(), b.cells
	b.out.Notes = append(b.out.Notes, b.notes()...)
	if err := b.flows(); err != nil {
		return nil, err
	}
	return b.out, b.across()
}

// besides is runs that are being set side by side.
type besides struct {
	out        *Several
	cells      []placedCell
	left       listed // ids of the runs that stand for cells of a run, by its id
	identities listed // by name of the model
}

// listed are lists by their names, with each value once.
type listed map[string][]string

func (l listed) add(name, value string) {
	if !slices.Contains(l[name], value) {
		l[name] = append(l[name], value)
	}
}

// take enters the cells of a run.
func (b *besides) take(a *Assay) {
	info := &a.Document.Run
	if slices.ContainsFunc(b.out.Runs, func(r SeveralRun) bool { return r.ID == info.ID }) {
		b.out.Notes = append(b.out.Notes, fmt.Sprintf("run %s is named twice and counts once", info.ID))
		return
	}
	b.out.Runs = append(b.out.Runs, SeveralRun{ID: info.ID, Seed: info.Seed, Tau: info.Tau, Version: info.Version,
		AsOf: info.AsOf, Equal: info.Equal, Choices: info.Choices})
	models := distinct(a.Document.Models, func(m ModelResult) string { return m.Model })
	for i, part := range a.Cases.parts {
		mi, s := i/len(info.Suites), info.Suites[i%len(info.Suites)]
		on := a.Document.Models[mi].On(s.Name)
		if part.answers == nil || on == nil || on.Consistency == nil || on.Consistency.Questions == 0 {
			continue
		}
		c := placedCell{a, part.answers, b.model(models[mi], a.Document.Models[mi].Identity),
			b.column(info, s, on.Technique()), on}
		first := slices.IndexFunc(b.cells, func(x placedCell) bool {
			return x.model == c.model && x.column == c.column
		})
		if first < 0 {
			b.cells = append(b.cells, c)
		} else {
			b.left.add(info.ID, b.cells[first].run.Document.Run.ID)
		}
	}
}

// model returns the place of a model, by its name.
func (b *besides) model(name, identity string) int {
	at := slices.Index(b.out.Models, name)
	if at < 0 {
		at = len(b.out.Models)
		b.out.Models = append(b.out.Models, name)
	}
	b.identities.add(name, identity)
	return at
}

// column returns the place of a suite, a technique and what was searched.
func (b *besides) column(info *RunInfo, s SuiteInfo, technique string) int {
	without := strings.Join([]string{s.Name, s.Hash, strconv.Itoa(s.Cases), technique}, "\x00")
	key := without
	if r := info.Retrieval; r != nil {
		key = strings.Join(append([]string{without, r.Hash, r.Method, strconv.Itoa(r.K), strconv.Itoa(r.Words),
			string(r.Form)}, r.Forbidden...), "\x00")
	}
	at := slices.IndexFunc(b.out.Columns, func(c SeveralColumn) bool { return c.key == key })
	if at < 0 {
		at = len(b.out.Columns)
		b.out.Columns = append(b.out.Columns, SeveralColumn{Suite: s, Technique: technique, Retrieval: info.Retrieval,
			key: key, without: without})
	}
	return at
}

// name gives columns names that differ.
func (b *besides) name() {
	cols := b.out.Columns
	for i := range cols {
		c := &cols[i]
		c.Name = c.Suite.Name
		other := func(differ func(SuiteInfo) bool) bool {
			return slices.ContainsFunc(cols, func(x SeveralColumn) bool {
				return x.Suite.Name == c.Suite.Name && differ(x.Suite)
			})
		}
		switch {
		case other(func(x SuiteInfo) bool { return x.Version != c.Suite.Version }):
			c.Name += " version " + c.Suite.Version
		case other(func(x SuiteInfo) bool { return x.Hash != c.Suite.Hash }):
			hash := c.Suite.Hash[strings.IndexByte(c.Suite.Hash, ':')+1:]
			c.Name += " " + hash[:min(8, len(hash))]
		}
		if other(func(x SuiteInfo) bool { return x.Cases != c.Suite.Cases }) {
			c.Name += fmt.Sprintf(" of %d cases", c.Suite.Cases)
		}
		if c.Technique != "" {
			c.Name += ", " + c.Technique
		}
		if c.Retrieval != nil {
			c.Name += ", retrieval"
		}
	}
	for i, name := range distinct(cols, func(c SeveralColumn) string { return c.Name }) {
		cols[i].Name = name
	}
}

// distinct returns the names of a list, each that stood there before with a number: name, name (2).
func distinct[T any](list []T, name func(T) string) []string {
	taken, names := map[string]int{}, make([]string, len(list))
	for i, x := range list {
		names[i] = name(x)
		if taken[names[i]]++; taken[names[i]] > 1 {
			names[i] = fmt.Sprintf("%s (%d)", names[i], taken[names[i]])
		}
	}
	return names
}

// grid lays the cells out, by model, then column.
func (b *besides) grid() *Grid {
	slices.SortStableFunc(b.cells, func(x, y placedCell) int {
		return cmp.Or(x.model-y.model, x.column-y.column)
	})
	var cells []*GridCell
	for _, x := range b.cells {
		model, suite := b.out.Models[x.model], b.out.Columns[x.column].Suite.Name
		c := gridCell(model, suite, x.on.Consistency)
		c.Run, c.Column = x.run.Document.Run.ID, b.out.Columns[x.column].Name
		for i := range x.part.measured {
			if q := x.part.measured[i].stability; q != nil {
				c.count(q)
			}
		}
		cells = append(cells, c)
	}
	var names []string
	for _, c := range b.out.Columns {
		names = append(names, c.Name)
	}
	return layGrid(0, names, cells)
}

// notes say which runs others stand for, and in what the runs differ.
func (b *besides) notes() (out []string) {
	for _, r := range b.out.Runs {
		if first := b.left[r.ID]; first != nil {
			note(&out, "cells that run %s has in common with run %s are those of the run that is named first; the "+
				"others are left out, and not pooled", r.ID, strings.Join(first, " and "))
		}
	}
	versions, differ := listed{}, listed{}
	for _, c := range b.out.Columns {
		versions.add(c.Suite.Name, c.Suite.Hash)
	}
	for _, suite := range slices.Sorted(maps.Keys(versions)) {
		if n := len(versions[suite]); n > 1 {
			note(&out, "suite %s is there with %d contents, each in a column of its own", suite, n)
		}
	}
	for _, name := range b.out.Models {
		if n := len(b.identities[name]); n > 1 {
			note(&out, "%s has %d identities in these runs (its weights or settings differ, or the suites of a "+
				"simulator); a row is by its name", name, n)
		}
	}
	for _, d := range []struct {
		what string
		of   func(SeveralRun) string
	}{
		{"seeds", func(r SeveralRun) string { return strconv.FormatUint(r.Seed, 10) }},
		{"thresholds of stability", func(r SeveralRun) string { return figure.Exact(r.Tau) }},
		{"days that stand for today", func(r SeveralRun) string { return r.AsOf }},
		{"ways to tell that answers say the same", func(r SeveralRun) string { return r.Equal }},
		{"ways to take choices", func(r SeveralRun) string { return r.Choices }},
	} {
		for _, r := range b.out.Runs {
			differ.add(d.what, cmp.Or(d.of(r), "none"))
		}
		if values := differ[d.what]; len(values) > 1 {
			note(&out, "the runs are of different %s: %s; a difference between their cells may be due to it", d.what,
				strings.Join(values, ", "))
		}
	}
	return out
}

// flows compares each cell with retrieval with that of the same model without.
func (b *besides) flows() error {
	for _, other := range b.cells {
		col := &b.out.Columns[other.column]
		if col.Retrieval == nil {
			continue
		}
		i := slices.IndexFunc(b.cells, func(x placedCell) bool {
			return x.model == other.model && b.out.Columns[x.column].key == col.without
		})
		if i < 0 {
			continue
		}
		base := b.cells[i]
		was, clusters := base.part.categories()
		is, _ := other.part.categories()
		flow, err := consistency.NewFlow(was, is, clusters, level)
		if err != nil {
			return err
		}
		if flow != nil {
			b.out.Flows = append(b.out.Flows, ModelFlow{Model: b.out.Models[other.model], Column: col.Name,
				From: b.out.Columns[base.column].Name, Base: base.run.Document.Run.ID,
				Other: other.run.Document.Run.ID, Flow: flow})
		}
	}
	return nil
}

// categories returns the category of each case that has one, with declines apart, and the clusters of these, by id.
func (t *answerSet) categories() (of map[string]string, clusters map[string]int32) {
	of, clusters = map[string]string{}, map[string]int32{}
	for ci := range t.measured {
		q := t.measured[ci].stability
		if q == nil {
			continue
		}
		row := CaseRow{}
		row.stability(q)
		if c := row.FlowCategory(); c != "" {
			of[q.ID], clusters[q.ID] = c, q.Cluster
		}
	}
	return of, clusters
}

// across sets the models side by side by the scores of detectors: on each column, and over all of them.
func (b *besides) across() error {
	t := &detect.Table{}
	clusters := make([]int32, len(b.out.Columns)+1) // before those of each column
	for _, c := range b.cells {
		for _, n := range c.part.clusters {
			clusters[c.column+1] = max(clusters[c.column+1], n)
		}
	}
	for i := range b.out.Columns {
		clusters[i+1] += clusters[i]
	}
	models, scored := map[int]bool{}, ""
	for _, c := range b.cells {
		for ci := range c.part.measured {
			d := c.part.measured[ci].detected
			if d == nil {
				continue
			}
			cluster := c.part.cluster(ci)
			if cluster != 0 {
				cluster += clusters[c.column]
			}
			for _, name := range detect.Names {
				x, ok := d.Scores[name]
				if !ok {
					continue
				}
				models[c.model], scored = true, b.out.Columns[c.column].Name
				if err := t.Add(detect.Score{Model: b.out.Models[c.model], Suite: b.out.Columns[c.column].Name,
					ID: c.part.cases.ID(ci), Detector: name, Value: &x, Cluster: cluster,
					Correct: d.Correct, Consistent: d.Consistent}, detect.Place{}); err != nil {
					return err
				}
			}
		}
	}
	if len(models) < 2 {
		return nil
	}
	r := t.BySuite(level)
	b.out.Across = &Across{Suites: map[string]AcrossSuite{}}
	for name, on := range r.Suites {
		b.out.Across.Suites[name] = AcrossSuite{on}
	}
	switch {
	case len(r.Suites) > 0:
		b.out.Across.Pooled = &AcrossSuite{r.Result}
	case len(b.out.Columns) == 1:
		b.out.Across = &Across{Detection: r.Result}
	default:
		b.out.Across.Suites[scored] = AcrossSuite{r.Result}
	}
	return nil
}
