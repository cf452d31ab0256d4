package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/assay"
	"hallmark/internal/run"
)

// changed is a document of JSON with a change.
func changed(t *testing.T, document []byte, change func(map[string]any)) []byte {
	t.Helper()
	var doc map[string]any
	err := json.Unmarshal(document, &doc)
	if err == nil {
		change(doc)
		document, err = json.Marshal(doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// A bundle of an earlier version of the statistics, or of a build before there were versions, verifies with other
// bounds and tests, which are listed where they differ; what they are of is checked. One of this version has all of it
// checked.
func TestEarlierStatistics(t *testing.T) {
	t.Parallel()
	p := planOf(t, strings.Replace(tiny, "gold: Bern}", "gold: Bern}\n  - {id: again, prompt: p0, phrasings: [p1, p2], "+
		"gold: Paris}", 1))
	ctx, store := context.Background(), stored(t, p, 1)
	b, err := makeFile(ctx, store, p, Options{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	label := `{"truth": "pass", "decidability": "pass", "reciprocity": "pass", "stratum": "rest", "seed": 1}`
	for _, u := range b.Assay.Items() {
		said := run.Annotation{Run: p.ID(), Unit: u.ID, Rater: "a", Label: json.RawMessage(label)}
		if err := store.(run.AnnotationStore).Annotate(ctx, []run.Annotation{said}); err != nil {
			t.Fatal(err)
		}
	}
	if b, err = makeFile(ctx, store, p, Options{Version: version}); err != nil {
		t.Fatal(err)
	}
	if b.Assay.Document.Models[0].Audit.Clusters == 0 {
		t.Fatal("what people said is not by cluster")
	}
	set := func(value any, path ...string) func(model map[string]any) {
		return func(x map[string]any) {
			for _, key := range path[:len(path)-1] {
				x = x[key].(map[string]any)
			}
			if _, there := x[path[len(path)-1]]; !there {
				t.Fatalf("no %v", path)
			}
			x[path[len(path)-1]] = value
		}
	}
	for i, tt := range []struct {
		path      []string
		value     any
		unchecked bool // in a bundle of an earlier version
	}{
		{[]string{"rubric", "hallucination", "lo"}, .0123, true},
		{[]string{"rubric", "hallucination", "rate"}, .0123, false},
		{[]string{"rubric", "n"}, 77., false},
		{[]string{"rubric", "over_variants"}, map[string]any{"answers": 1.}, true},
		{[]string{"consistency", "semantic_stability", "hi"}, .9876, true},
		{[]string{"consistency", "semantic_stability", "estimate"}, .9876, false},
		{[]string{"consistency", "overstatement", "lo"}, .0123, true},
		{[]string{"consistency", "overstatement_p"}, .0123, false},
		{[]string{"consistency", "ambiguity", "estimate"}, .0123, false},
		{[]string{"audit", "corrected", "hallucination", "se"}, .0123, true},
		{[]string{"audit", "corrected", "hallucination", "corrected", "hi"}, .9876, true},
		{[]string{"audit", "corrected", "hallucination", "corrected", "rate"}, .0123, false},
		{[]string{"audit", "corrected", "hallucination", "labelled"}, 77., false},
	} {
		name := strings.Join(tt.path, ".")
		for _, of := range []string{"1", "", assay.StatisticsVersion} {
			if of != "1" && i%3 > 0 && !archtest.Long() { // it takes long, and no path is a version's own
				continue
			}
			all := unpacked(t, b.File)
			all[resultName] = changed(t, all[resultName], func(doc map[string]any) {
				set(tt.value, tt.path...)(doc["models"].([]any)[0].(map[string]any))
				doc["statistics"] = map[string]any{"version": of}
				if of == "" {
					delete(doc, "statistics")
				}
			})
			v, err := Verify(context.Background(), sealed(t, all), Options{Version: "9.0.0"})
			switch {
			case (err == nil) != (tt.unchecked && of != assay.StatisticsVersion):
				t.Errorf("%s of version %q: %v", name, of, err)
			case err != nil && !strings.Contains(err.Error(), name):
				t.Errorf("%s of version %q: %v", name, of, err)
			case err == nil && !strings.Contains(strings.Join(v.NotChecked, "; "), name+" in result.json"):
				t.Errorf("%s of version %q: not checked: %q", name, of, v.NotChecked)
			}
		}
	}
}

// A build before the unbiased pair had the plug-in pair alone: its bundle verifies, that pair is held against the one
// of this build, and what followed from it is listed as not checked (docs/decisions/0034).
func TestBeforeTheUnbiasedPair(t *testing.T) {
	t.Parallel()
	_, _, b := made(t)
	before := func(change func(decomposition map[string]any)) []byte {
		all := unpacked(t, b.File)
		var doc map[string]any
		if err := json.Unmarshal(all[resultName], &doc); err != nil {
			t.Fatal(err)
		}
		for _, m := range doc["models"].([]any) {
			m := m.(map[string]any)
			at := []map[string]any{m["consistency"].(map[string]any)}
			for _, d := range m["consistency_by_domain"].(map[string]any) {
				at = append(at, d.(map[string]any))
			}
			for _, c := range at {
				for _, name := range []string{"decomposition", "decomposition_intervals"} {
					d := c[name].(map[string]any)
					maps.Copy(d, d["plug_in"].(map[string]any))
					delete(d, "plug_in")
				}
			}
			change(at[0]["decomposition"].(map[string]any))
			delete(doc, "statistics")
			joint := m["joint"].(map[string]any)
			joint["hallucination_by_definition"].(map[string]any)["variance_only"] = .0625
		}
		var err error
		if all[resultName], err = json.Marshal(doc); err != nil {
			t.Fatal(err)
		}
		return sealed(t, all)
	}
	v, err := Verify(context.Background(), before(func(d map[string]any) {
		if d["variance"].(float64) == 0 {
			t.Error("nothing moves, so the two pairs are one")
		}
	}), Options{Version: "9.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(v.NotChecked, "; ")
	for _, want := range []string{
		"models.joint.hallucination_by_definition.variance_only in result.json",
		"models.consistency.decomposition.plug_in in result.json, which is not in the bundle",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("not checked: %q, want %q", said, want)
		}
	}
	if strings.Contains(said, "decomposition.variance") || strings.Contains(said, "decomposition.bias_squared") {
		t.Errorf("not checked: %q", said)
	}
	for name, change := range map[string]func(map[string]any){
		"variance":     func(d map[string]any) { d["variance"] = d["variance"].(float64) + .001 },
		"bias_squared": func(d map[string]any) { d["bias_squared"] = d["bias_squared"].(float64) - .001 },
		"error":        func(d map[string]any) { d["error"] = .001 },
	} {
		_, err := Verify(context.Background(), before(change), Options{Version: "9.0.0"})
		if err == nil || !strings.Contains(err.Error(), "consistency.decomposition."+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A bundle with both pairs has all of it checked.
	all := unpacked(t, b.File)
	var doc map[string]any
	if err := json.Unmarshal(all[resultName], &doc); err != nil {
		t.Fatal(err)
	}
	joint := doc["models"].([]any)[0].(map[string]any)["joint"].(map[string]any)
	joint["hallucination_by_definition"].(map[string]any)["variance_only"] = .0625
	if all[resultName], err = json.Marshal(doc); err != nil {
		t.Fatal(err)
	}
	_, err = Verify(context.Background(), sealed(t, all), Options{Version: "9.0.0"})
	if err == nil || !strings.Contains(err.Error(), "variance_only") {
		t.Errorf("%v", err)
	}
}

// A bundle of another release verifies where no figure differs, with a note; where one does, the fault says which
// release made it.
func TestOtherRelease(t *testing.T) {
	_, _, b := made(t)
	v, err := Verify(context.Background(), b.File, Options{Version: "9.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Notes) != 1 || !strings.Contains(v.Notes[0], "made by hallmark 1.2.3; this is hallmark 9.0.0") {
		t.Errorf("notes %q", v.Notes)
	}
	all := unpacked(t,
		b.File) // an earlier release had fewer figures, in fewer columns, and worded and drew them otherwise
	var doc map[string]any
	if err := json.Unmarshal(all[resultName], &doc); err != nil {
		t.Fatal(err)
	}
	delete(doc["models"].([]any)[0].(map[string]any), "unscored")
	delete(doc["models"].([]any)[0].(map[string]any)["rubric"].(map[string]any), "confusion")
	doc["findings"] = []any{map[string]any{"text": "It was found before."}}
	if all[resultName], err = json.Marshal(doc); err != nil {
		t.Fatal(err)
	}
	all[pageName], all[readmeName] = []byte("<p>before</p>"), []byte("Read me.")
	v, err = Verify(context.Background(), sealed(t, all), Options{Version: "9.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(v.NotChecked, "; "); said != "findings in result.json; "+
		"models.rubric.outcomes.grading.implied in result.json; models.rubric.confusion in result.json, which is not in "+
		"the bundle; models.unscored in result.json, which is not in the bundle; "+
		"protocol.html, which this release draws otherwise; README.txt, which this release draws otherwise" {
		t.Errorf("not checked: %q", said)
	}
	if c := v.Compared; c == nil || c.Compared < 500 || c.NotInBundle < 30 || c.NotKnown != 22 {
		t.Errorf("%v", c)
	}
	for _, m := range v.Manifest.Members {
		if m.SHA256 != hashOf(all[m.Name]) {
			t.Errorf("%s is listed as another than is in the bundle", m.Name)
		}
	}
	all = unpacked(t, b.File)
	all[resultName] = bytes.Replace(all[resultName], []byte(`"tau": 0.8`), []byte(`"tau": 0.9`), 1)
	_, err = Verify(context.Background(), sealed(t, all), Options{Version: "9.0.0"})
	if err == nil || !strings.Contains(err.Error(), "hallmark 1.2.3 made the bundle and this is hallmark 9.0.0") {
		t.Errorf("%v", err)
	}
}

// Builds of one release are told apart. A bundle of another build verifies where no figure differs, and it is said that
// a page does; a bundle of this very build has to be the same in every byte.
func TestOtherBuild(t *testing.T) {
	t.Parallel()
	p, store, plain := made(t)
	b, err := makeFile(context.Background(), store, p, Options{Version: version, Build: "abc"})
	if err != nil {
		t.Fatal(err)
	}
	if b.Manifest.Build != "abc" || bytes.Equal(b.File, plain.File) {
		t.Errorf("build %q", b.Manifest.Build)
	}
	changed := func(from, to string) []byte {
		all := unpacked(t, b.File)
		page := bytes.Replace(all[reportName], []byte(from), []byte(to), 1)
		if bytes.Equal(page, all[reportName]) {
			t.Fatalf("the page has no %q", from)
		}
		all[reportName] = page
		return sealed(t, all)
	}
	for _, tt := range []struct {
		about, build string
		file         []byte
		note, fault  string
		not          string // in the fault; where there is none, "every byte" says that all of it is as computed again
	}{
		{"the same", "abc", b.File, "", "", "every byte"},
		{"another", "def", b.File, "made by hallmark 1.2.3 (build abc); this is hallmark 1.2.3 (build def), which " +
			"computes the same", "", "every byte"},
		{"unknown here", "", b.File, "made by hallmark 1.2.3 (build abc); this is hallmark 1.2.3, which", "", "every byte"},
		{"a page changed", "abc", changed("</title>", "!</title>"), "",
			"every figure in result.json and cases.csv are as computed again", "made the bundle"},
		{"a page changed, another build", "def", changed("</title>", "!</title>"),
			"made by hallmark 1.2.3 (build abc); this is hallmark 1.2.3 (build def), which computes the same figures and " +
				"shows them otherwise", "", ""},
		{"a page changed, of no known build", "", plainChanged(t, plain.File), "",
			"it was changed, or another build of hallmark 1.2.3 made the bundle", ""},
	} {
		v, err := Verify(context.Background(), tt.file, Options{Version: version, Build: tt.build})
		switch {
		case tt.fault == "" && err != nil:
			t.Errorf("%s: %v", tt.about, err)
		case tt.fault == "":
			if got := strings.Join(v.Notes, "; "); !strings.HasPrefix(got, tt.note) || tt.note == "" && got != "" {
				t.Errorf("%s: notes %q", tt.about, got)
			}
			if (v.Compared == nil) != (tt.not == "every byte") {
				t.Errorf("%s: compared %v", tt.about, v.Compared)
			}
		case err == nil || !strings.Contains(err.Error(), tt.fault) || !strings.Contains(err.Error(), reportName) ||
			tt.not != "" && strings.Contains(err.Error(), tt.not):
			t.Errorf("%s: %v", tt.about, err)
		}
	}
	all := unpacked(t, b.File) // the manifest alone says another build
	all[manifestName] = bytes.Replace(all[manifestName], []byte(`"build": "abc"`), []byte(`"build": "abd"`), 1)
	if _, err := Verify(context.Background(), packed(all), Options{Version: version, Build: "abd"}); err == nil ||
		!strings.Contains(err.Error(), readmeName) {
		t.Errorf("a changed build: %v", err)
	}
}

func plainChanged(t *testing.T, file []byte) []byte {
	all := unpacked(t, file)
	all[reportName] = append(all[reportName], '\n')
	return sealed(t, all)
}
