package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/suite"
)

const version = "1.2.3"

const tiny = `suite: {name: tiny, version: "1"}
cases:
  - {id: right, domain: civic, prompt: p0, phrasings: [p1, p2], gold: Paris}
  - {id: wrong, domain: physical, class: multi-hop, prompt: q0, phrasings: [q1, q2], gold: Rome}
  - {id: mixed, domain: physical, class: multi-hop, prompt: r0, phrasings: [r1, r2], gold: Oslo}
  - {id: declined, domain: civic, prompt: s0, phrasings: [s1, s2], gold: Lima}
  - {id: gone, prompt: t0, phrasings: [t1, t2], gold: Bern}
`

var answers = modeltest.Table{
	"p0": "Paris", "p1": "It is Paris.", "p2": "paris",
	"q0": "Milan", "q1": "Milan", "q2": "Milan",
	"r0": "Oslo", "r1": "Bergen", "r2": "Bergen",
	"s0": "I don't know.", "s1": "I don't know.", "s2": "I do not know.",
	"t1": "Bern", "t2": "Bern <b>\u202e",
}

func planOf(t testing.TB, text string) *assay.Plan {
	t.Helper()
	s, err := suite.Parse("tiny.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p := assay.Defaults()
	p.Models, p.Suites = []assay.UnderTest{{Ref: "the table", Identity: "table"}}, []*suite.Suite{s}
	return &p
}

func stored(t testing.TB, p *assay.Plan, concurrency int) run.Store {
	t.Helper()
	store := inmemory.New()
	callsSeq, _, err := p.Calls()
	if err != nil {
		t.Fatal(err)
	}
	calls := slices.Collect(callsSeq)
	if _, err := run.Execute(context.Background(), store, map[string]model.Model{"table": answers}, slices.Values(calls),
		run.Options{Concurrency: concurrency}); err != nil {
		t.Fatal(err)
	}
	return store
}

func made(t testing.TB) (*assay.Plan, run.Store, *Bundle) {
	t.Helper()
	p := planOf(t, tiny)
	store := stored(t, p, 1)
	b, err := makeFile(context.Background(), store, p, Options{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	return p, store, b
}

func verify(file []byte) error {
	_, err := Verify(context.Background(), file, Options{Version: version})
	return err
}

// refused checks that a bundle is refused with a fault that names the member and says the text.
func refused(t *testing.T, about string, file []byte, name, text string) {
	t.Helper()
	err := verify(file)
	var f *Fault
	switch {
	case err == nil:
		t.Errorf("%s: it verifies", about)
	case !errors.As(err, &f):
		t.Errorf("%s: %v is no fault", about, err)
	case name != "" && f.Member != name || !strings.Contains(f.Text, text):
		t.Errorf("%s: %q of %q; want %q of %q", about, f.Text, f.Member, text, name)
	case strings.Contains(f.Error(), "\n"):
		t.Errorf("%s: %q is more than a line", about, f.Error())
	}
}

// The same run gives the same bytes: made at another concurrency, out of another store, and out of the bundle itself.
func TestSameBytes(t *testing.T) {
	p, _, b := made(t)
	again, err := makeFile(context.Background(), stored(t, p, 7), p, Options{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.File, again.File) {
		t.Error("two bundles of one run differ")
	}
	v, err := Verify(context.Background(), b.File, Options{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Notes) > 0 || v.SHA256() != b.SHA256() || v.Manifest.Records != 25 || v.Manifest.Run != p.ID() {
		t.Errorf("verified as %+v with notes %q", v.Manifest, v.Notes)
	}
	if got := *v.Assay.Document.Models[0].Consistency.Ambiguity; got.Value != 1./5 {
		t.Errorf("ambiguity of the bundle is %v", got)
	}
	if records := unpacked(t, b.File)[recordsName]; !bytes.Contains(records, []byte(`"raw":`)) ||
		!bytes.Contains(records, []byte("no such prompt in the table")) {
		t.Error("the records lack the raw answers, or the failure")
	}
}

// What people said of the answers is part of the evidence.
func TestAnnotations(t *testing.T) {
	p, store, b := made(t)
	label := json.RawMessage(`{"truth":"pass","decidability":"pass","reciprocity":"pass"}`)
	err := store.(run.AnnotationStore).Annotate(context.Background(),
		[]run.Annotation{{Run: p.ID(), Unit: b.Assay.Items()[0].ID, Rater: "a", Label: label}})
	if err != nil {
		t.Fatal(err)
	}
	said, err := makeFile(context.Background(), store, p, Options{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	if err := verify(said.File); err != nil {
		t.Fatal(err)
	}
	all := unpacked(t, said.File)
	if len(all[annotationsName]) == 0 || said.Assay.Document.Models[0].Audit == nil {
		t.Fatal("the bundle lacks the annotation")
	}
	all[annotationsName] = bytes.Replace(all[annotationsName], []byte(`"truth":"pass"`), []byte(`"truth":"fail"`), 1)
	refused(t, "another verdict", sealed(t, all), resultName, "")
	all = unpacked(t, said.File)
	for _, lines := range []string{string(all[annotationsName]), ""} { // a unit that the run has not, alone too
		all[annotationsName] = []byte(lines + `{"unit":"x","rater":"a","label":{"truth":"fail"}}` + "\n")
		for _, opt := range []Options{{Version: version}, {Version: version, Build: "def"}, {Version: "9.0.0"}, elsewhere} {
			faulted(t, "an unknown unit", sealed(t, all), opt)
		}
	}
	stale := run.Annotation{Run: p.ID(), Unit: "x", Rater: "a", Label: label} // such as a pair that was compared once
	if err := store.(run.AnnotationStore).Annotate(context.Background(), []run.Annotation{stale}); err != nil {
		t.Fatal(err)
	}
	if again, err := makeFile(context.Background(), store, p, Options{Version: version}); err != nil ||
		!bytes.Equal(again.File, said.File) {
		t.Errorf("what was said of no unit of the run is in its bundle, or %v", err)
	}
}

// Members that are JSON can be read in one way alone, whatever build made them: a key that is there twice, or a second
// document, says one thing to this reader and another to the next.
func TestOneReading(t *testing.T) {
	_, _, b := made(t)
	for _, tt := range []struct{ name, from, to, fault string }{
		{resultName, `"tau": 0.8`, `"tau": 0.9, "tau": 0.8`, "there twice"},
		{resultName, `"tau": 0.8`, `"tau": 0.8, "t\u0061u": 0.9`, "there twice"},
		{resultName, "\n}\n", "\n}\n{\"models\": []}\n", "does not read"},
		{resultName, "\n}\n", "\n}\ngarbage", "does not read"},
		{protocolName, "\n}\n", "\n}\n{}", "does not read"},
		{protocolName, "\n}\n", ", \"rows\": []\n}\n", "there twice"},
		{manifestName, `"run":`, `"Run": "x", "run":`, "there twice"},
		{planName, `{"`, `{"seed": 7, "`, "there twice"},
		{verdictsName, `"outcome":"correct"`, `"outcome":"incorrect","outcome":"correct"`, "line 1 does not read"},
		{verdictsName, `"outcome":"correct"`, `"outcome":"correct","Outcome":"incorrect"`, "line 1 does not read"},
		{verdictsName, "}\n", "} {}\n", "line 1 does not read"},
		{goldsName, `"golds"`, `"golds":[],"golds"`, "line 1 does not read"},
		{recordsName, `"call":{`, `"call":{"model":"x",`, "line 1 does not read"},
		{recordsName, "\n", "\n\n", "line 2 does not read"},
	} {
		all := unpacked(t, b.File)
		all[manifestName] = bytes.Replace(all[manifestName], []byte(`"hallmark"`), []byte(`"build": "def", "hallmark"`), 1)
		changed := bytes.Replace(all[tt.name], []byte(tt.from), []byte(tt.to), 1)
		if bytes.Equal(changed, all[tt.name]) {
			t.Fatalf("%s has no %q", tt.name, tt.from)
		}
		all[tt.name] = changed
		file := packed(all)
		if tt.name != manifestName {
			file = sealed(t, all)
		}
		for _, build := range []string{"", "def", "ghi"} {
			_, err := Verify(context.Background(), file, Options{Version: version, Build: build})
			var f *Fault
			if !errors.As(err, &f) || f.Member != tt.name || !strings.Contains(f.Text, tt.fault) {
				t.Errorf("%q in %s, build %q: %v", tt.to, tt.name, build, err)
			}
		}
	}
}
