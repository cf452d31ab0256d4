package bundle

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
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
	if _, err := run.Execute(context.Background(), store, map[string]model.Model{"table": answers}, slices.Values(calls), run.Options{Concurrency: concurrency}); err != nil {
		t.Fatal(err)
	}
	return store
}

func made(t testing.TB) (*assay.Plan, run.Store, *Bundle) {
	t.Helper()
	p := planOf(t, tiny)
	store := stored(t, p, 1)
	b, err := Make(context.Background(), store, p, Options{Version: version})
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
	again, err := Make(context.Background(), stored(t, p, 7), p, Options{Version: version})
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
	if records := unpacked(t, b.File)[recordsName]; !bytes.Contains(records, []byte(`"raw":`)) || !bytes.Contains(records, []byte("no such prompt in the table")) {
		t.Error("the records lack the raw answers, or the failure")
	}
}

func unpacked(t testing.TB, file []byte) map[string][]byte {
	t.Helper()
	members, err := unpack(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, m := range members {
		all[m.name] = bytes.Clone(m.data)
	}
	return all
}

func packed(all map[string][]byte) []byte {
	var members []member
	for name, data := range all {
		members = append(members, member{name, data})
	}
	return pack(members)
}

// sealed packs members under a manifest that has their hashes: what a forger would do.
func sealed(t testing.TB, all map[string][]byte) []byte {
	t.Helper()
	var m Manifest
	if err := json.Unmarshal(all[manifestName], &m); err != nil {
		t.Fatal(err)
	}
	for i, x := range m.Members {
		m.Members[i].Bytes, m.Members[i].SHA256 = len(all[x.Name]), hashOf(all[x.Name])
	}
	b, err := json.MarshalIndent(&m, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	all[manifestName] = append(b, '\n')
	return packed(all)
}

// Whatever byte is changed, the bundle does not verify: every byte of every header and table, and bytes of every
// member, at first with all else left as it is, then under a container that fits, then under a manifest that fits too.
func TestEveryByteCounts(t *testing.T) {
	t.Parallel()
	_, _, b := made(t)
	if err := verify(b.File); err != nil {
		t.Fatal(err)
	}
	members, err := unpack(b.File)
	if err != nil {
		t.Fatal(err)
	}
	structural := map[int]bool{}
	at := 0
	for _, m := range members {
		for i := range localBytes + len(m.name) {
			structural[at+i] = true
		}
		at += localBytes + len(m.name) + len(m.data)
	}
	for i := at; i < len(b.File); i++ {
		structural[i] = true
	}
	file, step := bytes.Clone(b.File), archtest.Draws(523, 131, 131)
	flipped := 0
	for i := range file {
		if !structural[i] && i%step != 0 {
			continue
		}
		file[i] ^= 1 << (i % 8)
		if verify(file) == nil {
			t.Fatalf("byte %d is changed, and the bundle verifies", i)
		}
		file[i] ^= 1 << (i % 8)
		flipped++
	}
	for _, m := range members {
		step := max(1, len(m.data)/20)
		for i := 0; i < len(m.data); i += step {
			all := unpacked(t, b.File)
			all[m.name][i] ^= 1
			if verify(packed(all)) == nil {
				t.Fatalf("%s: byte %d is changed, and the bundle verifies", m.name, i)
			}
			flipped++
		}
	}
	for _, m := range members {
		if m.name == recordsName || m.name == manifestName {
			continue
		}
		step := max(1, len(m.data)/4)
		for i := 0; i < len(m.data); i += step {
			all := unpacked(t, b.File)
			all[m.name][i] ^= 1
			if verify(sealed(t, all)) == nil {
				t.Fatalf("%s: byte %d is changed and all hashes fit, and the bundle verifies", m.name, i)
			}
			flipped++
		}
	}
	t.Logf("%d changes of %d bytes, none verifies", flipped, len(file))
}

// An answer that was changed no longer gives the figures, though every hash fits.
func TestChangedAnswers(t *testing.T) {
	_, _, b := made(t)
	for _, c := range []struct{ from, to, member string }{
		{`"text":"Milan"`, `"text":"Rome"`, verdictsName},
		{`"text":"It is Paris."`, `"text":"It is Pariz."`, verdictsName},
		{`"prompt_tokens":3`, `"prompt_tokens":4`, resultName},
		{`"prompt":"p0"`, `"prompt":"p9"`, recordsName}, // the key is not that of the call
		{`"failure":"no such`, `"failure":"No such`, verdictsName},
		{`"call":{`, `"call": {`, recordsName}, // not as a bundle writes it
		{`{"key"`, `{"at":1,"key"`, recordsName},
	} {
		all := unpacked(t, b.File)
		changed := bytes.Replace(all[recordsName], []byte(c.from), []byte(c.to), 1)
		if bytes.Equal(changed, all[recordsName]) {
			t.Fatalf("no record has %s", c.from)
		}
		all[recordsName] = changed
		refused(t, c.from+" to "+c.to, sealed(t, all), c.member, "line ")
	}
	all := unpacked(t, b.File)
	line, rest, _ := bytes.Cut(all[recordsName], []byte("\n"))
	all[recordsName] = rest
	refused(t, "an answer less", sealed(t, all), verdictsName, "")
	all[recordsName] = bytes.Join([][]byte{line, line, rest}, []byte("\n"))
	refused(t, "an answer twice", sealed(t, all), recordsName, "there twice")
	all[recordsName] = append(bytes.Clone(rest[:len(rest)-1]), line...)
	refused(t, "no end of line", sealed(t, all), recordsName, "line 24 does not end")
}

// Other zip files, and bundles that were damaged, are named as what they are.
func TestHostileFiles(t *testing.T) {
	_, _, b := made(t)
	all := func() map[string][]byte { return unpacked(t, b.File) }
	refused(t, "empty", nil, "", "no evidence bundle")
	refused(t, "text", []byte("hello, this is no zip file at all"), "", "no evidence bundle")
	for _, n := range []int{30, 40, 2000, len(b.File) / 2, len(b.File) - 1, len(b.File) - 30} {
		refused(t, "truncated", b.File[:n], "", "cut off")
	}
	refused(t, "more", append(bytes.Clone(b.File), "more"...), "", "goes on for 4 bytes")
	for _, name := range []string{"../../etc/passwd", "/etc/passwd", "Other.txt", ".txt", ""} {
		x := all()
		x[name] = []byte("x")
		refused(t, name, packed(x), "", "no bundle has a member named")
	}
	members, _ := unpack(b.File)
	refused(t, "a member twice", pack(append(members, members[2])), "", "there twice or out of order")
	x := all()
	delete(x, resultName)
	refused(t, "a member less", packed(x), resultName, "is missing")
	x[manifestName] = bytes.Replace(x[manifestName], []byte("evidence/2"), []byte("evidence/9"), 1)
	refused(t, "another format", packed(x), manifestName, "verify it with the release that made it")
	for text, want := range map[string]string{`[]`: "it is a JSON array; want an object", `"x"`: "it is a JSON string; want an object", `{"format":["x"]}`: `field "format" is an array; want string`} {
		x[manifestName] = []byte(text)
		refused(t, text, packed(x), manifestName, "does not read: "+want)
	}
	delete(x, manifestName)
	refused(t, "no manifest", packed(x), manifestName, "is missing")
	x = all()
	x[memoryName] = []byte("x")
	refused(t, "a member more", packed(x), memoryName, "was added")
	x[manifestName] = bytes.Replace(x[manifestName], []byte(`"members": [`), []byte(`"members": [{"name":"guard-memory"},`), 1)
	refused(t, "a member more that is listed", sealed(t, x), memoryName, "does not belong here")

	// A plan that would keep the machine busy for ever is refused before anything is planned.
	for _, c := range []struct{ from, to, text string }{
		{`"sampled":0`, `"sampled":2000000000`, "too much"},
		{`"repeats":3`, `"repeats":2000000000`, "too much"},
		{`"sampled":0`, `"sampled":10000`, "answers, which is too much for a bundle of"},
		{`"repeats":3`, `"repeats":-3`, "repeats is -3"},
		{`"floor_cases":20`, `"floor_cases":-1`, "floor_cases is -1"},
		{`"variants":null`, `"variants":[{"Kind":"options","N":100000}]`, "100000 variants"},
		{`"variants":null`, `"variants":[{"Kind":"fancy","N":1}]`, "unknown"},
		{`"option_score":"perplexity"`, `"option_score":"x"`, "option score"},
		{`"sc":"without-replacement"`, `"sc":"x"`, "sc is"},
		{`"suites":[`, `"suites":[null,`, "suite 1 is null"},
		{`"texts":`, `"texts_":`, ""},
		{`"id":"right"`, `"id":"wrong"`, "is taken"},
	} {
		x := all()
		changed := bytes.Replace(x[planName], []byte(c.from), []byte(c.to), 1)
		if bytes.Equal(changed, x[planName]) {
			if c.text != "" {
				t.Errorf("the plan has no %s: %s", c.from, x[planName])
			}
			continue
		}
		x[planName] = changed
		refused(t, c.to, sealed(t, x), planName, c.text)
	}
}

// Any zip program reads a bundle; a file that was zipped again is none.
func TestIsZip(t *testing.T) {
	_, _, b := made(t)
	z, err := zip.NewReader(bytes.NewReader(b.File), int64(len(b.File)))
	if err != nil {
		t.Fatal(err)
	}
	want := unpacked(t, b.File)
	var again bytes.Buffer
	w := zip.NewWriter(&again)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r) // checks the checksum
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, want[f.Name]) {
			t.Errorf("%s differs", f.Name)
		}
		out, err := w.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if len(z.File) != len(want) {
		t.Errorf("%d files for %d members", len(z.File), len(want))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	refused(t, "zipped again", again.Bytes(), readmeName, "is packed")
}

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
	p := planOf(t, strings.Replace(tiny, "gold: Bern}", "gold: Bern}\n  - {id: again, prompt: p0, phrasings: [p1, p2], gold: Paris}", 1))
	ctx, store := context.Background(), stored(t, p, 1)
	b, err := Make(ctx, store, p, Options{Version: version})
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
	if b, err = Make(ctx, store, p, Options{Version: version}); err != nil {
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
	for _, tt := range []struct {
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
	all := unpacked(t, b.File) // an earlier release had fewer figures, in fewer columns, and worded and drew them otherwise
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
	if said := strings.Join(v.NotChecked, "; "); said != "findings in result.json; models.rubric.outcomes.grading.implied in result.json; models.rubric.confusion in result.json, which is not in the bundle; models.unscored in result.json, which is not in the bundle; "+
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
	b, err := Make(context.Background(), store, p, Options{Version: version, Build: "abc"})
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
		{"another", "def", b.File, "made by hallmark 1.2.3 (build abc); this is hallmark 1.2.3 (build def), which computes the same", "", "every byte"},
		{"unknown here", "", b.File, "made by hallmark 1.2.3 (build abc); this is hallmark 1.2.3, which", "", "every byte"},
		{"a page changed", "abc", changed("</title>", "!</title>"), "", "every figure in result.json and cases.csv are as computed again", "made the bundle"},
		{"a page changed, another build", "def", changed("</title>", "!</title>"),
			"made by hallmark 1.2.3 (build abc); this is hallmark 1.2.3 (build def), which computes the same figures and shows them otherwise", "", ""},
		{"a page changed, of no known build", "", plainChanged(t, plain.File), "", "it was changed, or another build of hallmark 1.2.3 made the bundle", ""},
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
		case err == nil || !strings.Contains(err.Error(), tt.fault) || !strings.Contains(err.Error(), reportName) || tt.not != "" && strings.Contains(err.Error(), tt.not):
			t.Errorf("%s: %v", tt.about, err)
		}
	}
	all := unpacked(t, b.File) // the manifest alone says another build
	all[manifestName] = bytes.Replace(all[manifestName], []byte(`"build": "abc"`), []byte(`"build": "abd"`), 1)
	if _, err := Verify(context.Background(), packed(all), Options{Version: version, Build: "abd"}); err == nil || !strings.Contains(err.Error(), readmeName) {
		t.Errorf("a changed build: %v", err)
	}
}

func plainChanged(t *testing.T, file []byte) []byte {
	all := unpacked(t, file)
	all[reportName] = append(all[reportName], '\n')
	return sealed(t, all)
}

// What people said of the answers is part of the evidence.
func TestAnnotations(t *testing.T) {
	p, store, b := made(t)
	label := json.RawMessage(`{"truth":"pass","decidability":"pass","reciprocity":"pass"}`)
	err := store.(run.AnnotationStore).Annotate(context.Background(), []run.Annotation{{Run: p.ID(), Unit: b.Assay.Items()[0].ID, Rater: "a", Label: label}})
	if err != nil {
		t.Fatal(err)
	}
	said, err := Make(context.Background(), store, p, Options{Version: version})
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
	if again, err := Make(context.Background(), store, p, Options{Version: version}); err != nil || !bytes.Equal(again.File, said.File) {
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

// What the container's reader takes is, packed again, the same bytes.
func FuzzUnpack(f *testing.F) {
	small := pack([]member{{name: "a.json", data: []byte("{}\n")}, {name: "b.jsonl", data: nil}})
	f.Add(small)
	f.Add(small[:len(small)/2])
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, file []byte) {
		members, err := unpack(file)
		if err == nil && !bytes.Equal(pack(members), file) {
			t.Fatalf("%d members of %d bytes are packed otherwise", len(members), len(file))
		}
	})
}

// No manifest makes reading crash, and one that reads lists every other member with its hash.
func FuzzManifest(f *testing.F) {
	plan := member{planName, []byte("{}\n")}
	valid := fmt.Sprintf(`{"format": %q, "hallmark": "1.2.3", "run": "0", "suites": null, "models": null, "records": 0, "members": [{"name": %q, "bytes": 3, "sha256": %q}]}`,
		Format, planName, hashOf(plan.data))
	if _, err := read(pack([]member{plan, {manifestName, []byte(valid)}}), ""); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(valid))
	f.Add([]byte(strings.Replace(valid, Format, FormatOne, 1)))
	f.Add([]byte(`{"format": null}`))
	f.Fuzz(func(t *testing.T, manifest []byte) {
		c, err := read(pack([]member{plan, {manifestName, manifest}}), "")
		if err == nil && (len(c.manifest.Members) == 0 || c.manifest.Members[0].Name != planName || c.manifest.Members[0].SHA256 != hashOf(plan.data)) {
			t.Errorf("%q is taken for the manifest of a plan that it does not list", manifest)
		}
	})
}

// No plan and no records under hashes that fit make verifying crash, or panic in a method. The bundle is of one case,
// so that a try is short; the container by itself is FuzzUnpack's.
func FuzzVerify(f *testing.F) {
	p := planOf(f, "suite: {name: s, version: \"1\"}\ncases: [{id: a, prompt: p0, phrasings: [p1], gold: Paris}]\n")
	p.Repeats = 1
	b, err := Make(context.Background(), stored(f, p, 1), p, Options{Version: version})
	if err != nil {
		f.Fatal(err)
	}
	members := unpacked(f, b.File)
	f.Add(false, uint16(20), uint16(1), []byte("9"))
	f.Add(true, uint16(60), uint16(3), []byte{})
	f.Add(true, uint16(len(members[recordsName])), uint16(0), members[recordsName])
	f.Fuzz(func(t *testing.T, records bool, at, cut uint16, insert []byte) {
		name := planName
		if records {
			name = recordsName
		}
		all := maps.Clone(members)
		i := int(at) % (len(all[name]) + 1)
		j := min(len(all[name]), i+int(cut))
		all[name] = slices.Concat(all[name][:i], insert, all[name][j:])
		if err := verify(sealed(t, all)); err != nil && strings.Contains(err.Error(), misused) {
			t.Errorf("%s %d to %d: %q: %v", name, i, j, insert, err) // let Check refuse it
		}
	})
}
