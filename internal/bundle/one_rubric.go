package bundle

import (
	"cmp"
	_ "embed" // what releases 0.1 wrote
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"sync"

	"hallmark/internal/stat"
)

//go:embed one.json
var oneFile []byte

// oneNames are the members, columns and keys of bundles of releases 0.1, by what they are in. What else stands in one
// was not written by such a release: its figures would be shown, and follow from nothing that such a bundle holds.
var oneNames = sync.OnceValue(func() (names map[string][]string) {
	if err := json.Unmarshal(oneFile, &names); err != nil {
		panic("bundle: one.json: " + err.Error())
	}
	return names
})

// ofReleaseOne returns a fault where the manifest or the document has what no release 0.1 wrote.
func (c *contents) ofReleaseOne(o *one) error {
	if err := wasNamed(manifestName, "the bundle", "bundle", maps.Keys(c.members)); err != nil {
		return err
	}
	var document struct {
		Run map[string]json.RawMessage `json:"run"`
	}
	var all map[string]json.RawMessage
	for _, into := range []any{&document, &all} {
		if err := json.Unmarshal(c.members[resultName], into); err != nil {
			return fault(resultName, "does not read: %v", err)
		}
	}
	err := cmp.Or(wasNamed(resultName, "the document", "document", maps.Keys(all)),
		wasNamed(resultName, "run", "run", maps.Keys(document.Run)))
	for i := 0; err == nil && i < len(o.result.Models); i++ {
		err = wasNamed(resultName, "models", "model", maps.Keys(o.result.Models[i]))
	}
	return err
}

// wasNamed returns a fault of a member where something in it has a name that no release 0.1 gave what oneNames calls
// of.
func wasNamed(member, in, of string, got iter.Seq[string]) error {
	for _, name := range slices.Sorted(got) {
		if !slices.Contains(oneNames()[of], name) {
			return fault(member, "%s has %q, which a bundle of format %s does not: it was changed", in,
				shortened(name), FormatOne)
		}
	}
	return nil
}

// A counter counts cases, and those of them in which something is so.
type counter struct{ k, n int }

// counted counts rows.
func counted(rows []oneRow, value func(*oneRow) (counts, is bool)) (c counter) {
	for i := range rows {
		if counts, is := value(&rows[i]); counts {
			c.n++
			if is {
				c.k++
			}
		}
	}
	return c
}

// rate is the share as it stands in a document; nil where nothing counts.
func (c counter) rate() any {
	r := stat.Wilson(c.k, c.n, .95).Rate()
	if r == nil {
		return nil
	}
	return map[string]any{"rate": numeral(r.Value), "lo": numeral(r.Lo), "hi": numeral(r.Hi)}
}

// axis counts the failures of an axis over the rows where it was judged.
func axis(i int) func(*oneRow) (bool, bool) {
	return func(r *oneRow) (bool, bool) { return r.axes[i] == "fail" || r.axes[i] == "pass", r.axes[i] == "fail" }
}

// checkRubric compares the rates of all cases and those of each class, domain and tag.
func checkRubric(path string, rubric map[string]any, rows []oneRow) error {
	if err := wasNamed(resultName, path, "rubric", maps.Keys(rubric)); err != nil {
		return err
	}
	if err := checkRates(path, rubric, rows); err != nil {
		return err
	}
	confused, _ := rubric["confusion"].(map[string]any)
	for _, by := range []struct {
		name string
		keys func(*oneRow) []string
	}{
		{"class", func(r *oneRow) []string { return []string{r.class} }},
		{"domain", func(r *oneRow) []string { return []string{r.domain} }},
		{"tag", func(r *oneRow) []string { return r.tags }},
	} {
		name := "by_" + by.name
		sets := grouped(rows, by.keys)
		err := eachGroup(path+"."+name, rubric[name], sets, func(path string, group map[string]any, in []oneRow) error {
			if err := wasNamed(resultName, path, "rates", maps.Keys(group)); err != nil {
				return err
			}
			return checkRates(path, group, in)
		})
		if err != nil {
			return err
		}
		if by.name == "domain" {
			continue
		}
		if err := eachGroup(path+".confusion."+name, confused[name], sets, checkConfusion); err != nil {
			return err
		}
	}
	ungradable := counted(rows, func(r *oneRow) (bool, bool) {
		return slices.Contains([]string{"pass", "fail", "unread"}, r.axes[0]), r.axes[0] == "unread"
	})
	return agrees(path+".unread_share", rubric["unread_share"], ungradable.rate())
}

// grouped sorts rows by their keys; a row counts once under each, and under none for an empty key.
func grouped(rows []oneRow, keys func(*oneRow) []string) map[string][]oneRow {
	sets := map[string][]oneRow{}
	for i := range rows {
		seen := map[string]bool{"": true}
		for _, k := range keys(&rows[i]) {
			if !seen[k] {
				seen[k] = true
				sets[k] = append(sets[k], rows[i])
			}
		}
	}
	return sets
}

// eachGroup passes the figures of each set of rows with the rows, where the groups are those of the sets.
func eachGroup(path string, got any, sets map[string][]oneRow,
	check func(string, map[string]any, []oneRow) error) error {
	groups, _ := got.(map[string]any)
	if !slices.Equal(slices.Sorted(maps.Keys(groups)), slices.Sorted(maps.Keys(sets))) {
		return fault(resultName, "%s is of other groups than the plan has", path)
	}
	for _, key := range slices.Sorted(maps.Keys(sets)) {
		group, _ := groups[key].(map[string]any)
		if err := check(path+"."+shortened(key), group, sets[key]); err != nil {
			return err
		}
	}
	return nil
}

// checkRates compares the rates of a group of cases: METHODS 2, as of release 0.1.
func checkRates(path string, got map[string]any, rows []oneRow) error {
	kind := func(name string) func(*oneRow) (bool, bool) {
		return func(r *oneRow) (bool, bool) { return r.hallucinated != "", r.hallucinated == "true" && r.kind == name }
	}
	format := counted(rows, axis(3))
	errors := 0.
	for i := range 3 {
		c := counted(rows, axis(i))
		errors += float64(c.k) / float64(c.n) // NaN where an axis was judged nowhere
	}
	for name, want := range map[string]any{
		"hallucination": counted(rows, func(r *oneRow) (bool, bool) {
			return r.hallucinated != "", r.hallucinated == "true"
		}).rate(),
		"truth_error": counted(rows, axis(0)).rate(), "decidability_error": counted(rows, axis(1)).rate(),
		"reciprocity_error": counted(rows, axis(2)).rate(),
		"format_error":      format.rate(), "format_compliance": counter{format.n - format.k, format.n}.rate(),
		"commission":   counted(rows, kind("commission")).rate(),
		"over_refusal": counted(rows, kind("over-refusal")).rate(),
		"undecided":    counted(rows, kind("undecided")).rate(),
		"n":            numeral(float64(counted(rows, kind("")).n)),
		"unscored":     numeral(float64(len(rows) - counted(rows, kind("")).n)),
		"unread": numeral(float64(counted(rows, func(r *oneRow) (bool, bool) {
			return true, r.axes[0] == "unread"
		}).k)),
		"errors_per_case": orNull(errors),
	} {
		if err := agrees(path+"."+name, got[name], want); err != nil {
			return err
		}
	}
	return nil
}

// orNull is a number as it stands in a document; nil where it is none.
func orNull(x float64) any {
	if x != x {
		return nil
	}
	return numeral(x)
}

// checkConfusion compares the failures of a group on each axis.
func checkConfusion(path string, got map[string]any, rows []oneRow) error {
	for i, name := range []string{"truth", "decidability", "reciprocity", "format"} {
		c := counted(rows, axis(i))
		want := map[string]any{"n": numeral(float64(c.n)), "failed": numeral(float64(c.k)), "rate": nil, "lo": nil,
			"hi": nil}
		if r, ok := c.rate().(map[string]any); ok {
			maps.Copy(want, r)
		}
		if err := agrees(path+"."+name, got[name], want); err != nil {
			return err
		}
	}
	return nil
}
