// Package agreement measures how far raters agree on labels.
package agreement

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/stat"
	"hallmark/internal/stat/figure"
)

// Adequate is the agreement from which labels may be used without another round of adjudication.
const Adequate = .80

// A Row is one label that one rater gave one unit.
type Row struct {
	Unit  *string `json:"unit"`
	Rater *string `json:"rater"`
	Label *string `json:"label"`
	// Cluster names what the unit is an observation of, with others; "" of itself alone.
	Cluster string `json:"cluster"`
}

// A Result is Krippendorff's alpha of a table of labels, as `analyze agreement` prints it.
type Result struct {
	N        int      `json:"n"`        // units with at least two labels
	Unscored int      `json:"unscored"` // units with one label, which alpha leaves out
	Alpha    *float64 `json:"alpha"`    // null where only one label occurs
	stat.Bounds
	Units    int `json:"units"`
	Raters   int `json:"raters"`
	Pairable int `json:"pairable"` // labels in units that have at least two
	// Clusters is how many clusters the N units are of; 0 where every one is by itself.
	Clusters int      `json:"clusters,omitempty"`
	Adequate bool     `json:"adequate"`
	Warnings []string `json:"warnings"`
}

// A Table collects labels.
type Table struct {
	labels   map[string]map[string]string // by unit and rater
	places   map[[2]string]string
	raters   map[string]bool
	clusters map[string]string // of units that are in one
}

// Read adds the rows of a JSONL file. A row without unit, rater or label, and a second label of one rater for one unit,
// are errors that name the place, and so is a unit in two clusters; a cluster in one of its rows is that of the unit.
func (t *Table) Read(file string, r io.Reader) error {
	return jsonl.Each(file, r, func(line int, row Row) error {
		if row.Unit == nil || row.Rater == nil || row.Label == nil {
			return errors.New(
				`want {"unit": …, "rater": …, "label": …}, each a string; a missing rating is a row left out`)
		}
		if err := t.Group(*row.Unit, row.Cluster); err != nil {
			return err
		}
		return t.Add(*row.Unit, *row.Rater, *row.Label, fmt.Sprintf("%s:%d", file, line))
	}, nil)
}

// Add adds one label; place says where it is from. A second label of one rater for one unit is an error.
func (t *Table) Add(unit, rater, label, place string) error {
	if t.labels == nil {
		t.labels, t.places, t.raters = map[string]map[string]string{}, map[[2]string]string{}, map[string]bool{}
	}
	key := [2]string{unit, rater}
	if first, twice := t.places[key]; twice {
		return fmt.Errorf("rater %q labels unit %q twice, first at %s", rater, unit, first)
	}
	t.places[key] = place
	if t.labels[unit] == nil {
		t.labels[unit] = map[string]string{}
	}
	t.labels[unit][rater] = label
	t.raters[rater] = true
	return nil
}

// Group puts a unit into a cluster, what it is an observation of with other units; "" says nothing. A second one is an
// error.
func (t *Table) Group(unit, cluster string) error {
	if t.clusters == nil {
		t.clusters = map[string]string{}
	}
	switch was := t.clusters[unit]; {
	case cluster == "" || was == cluster:
	case was != "":
		return fmt.Errorf("unit %q is in the cluster %q, and before in %q", unit, cluster, was)
	default:
		t.clusters[unit] = cluster
	}
	return nil
}

// Analyze returns the agreement of the labels collected so far: Krippendorff's alpha for nominal labels, bootstrapped
// from the seed over units, or their clusters where two of a cluster have two labels. Source: METHODS 2;
// stat.KrippendorffByCluster has the formula.
func (t *Table) Analyze(seed uint64, level float64) Result {
	r := Result{Units: len(t.labels), Raters: len(t.raters)}
	units := make([][]string, 0, len(t.labels))
	var cluster, paired []int32
	number := stat.Numbering[string]{}
	for _, name := range slices.Sorted(maps.Keys(t.labels)) {
		cluster = append(cluster, number.Of(t.clusters[name]))
		labels := slices.Sorted(maps.Values(t.labels[name]))
		units = append(units, labels)
		if len(labels) > 1 {
			r.N++
			r.Pairable += len(labels)
			paired = append(paired, cluster[len(cluster)-1])
		}
	}
	r.Unscored = len(units) - r.N
	alpha := stat.KrippendorffByCluster(units, cluster, seed, level)
	r.Warnings = append([]string{}, alpha.Warnings...)
	if r.Clusters = stat.Clusters(paired); r.Clusters > 0 && alpha.OK() {
		r.Warnings = append(r.Warnings, stat.Clustered(r.N, "units", r.Clusters, "bounds"))
	}
	if r.Alpha, r.Bounds = alpha.Bounds(); alpha.OK() {
		r.Adequate = alpha.Value >= Adequate
		if !r.Adequate {
			stat.Warn(&r.Warnings, "alpha is below %s: adjudicate the labels again before any rate rests on them",
				figure.Fixed(Adequate, 2))
		}
	}
	return r
}
