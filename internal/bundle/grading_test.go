package bundle

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/assay"
	"hallmark/internal/grade"
	"hallmark/internal/metric/equivalence"
	"hallmark/internal/metric/grading"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/model"
	"hallmark/internal/model/modeltest"
	"hallmark/internal/run"
	"hallmark/internal/text/answer"
)

// elsewhere are the options of a release whose grading version is another than that of the bundles it is given.
var elsewhere = Options{Version: version, grading: "elsewhere"}

// another returns the bundle of the tiny run as a release of another grading version would have made it, which read one
// answer otherwise: Milan as right.
func another(t testing.TB) *Bundle {
	t.Helper()
	p, store, b := made(t)
	given := assay.Readings{Version: "7", Golds: b.readings.Golds}
	for r := range b.readings.All() {
		given.Answers = append(given.Answers, *r)
	}
	var rome answer.Form
	for _, g := range given.Golds {
		if g.CaseID == "wrong" {
			rome = g.Golds[0]
		}
	}
	for i := range given.Answers {
		if r := &given.Answers[i]; r.CaseID == "wrong" && r.Use == "" && r.Variant == 0 {
			r.Truth, r.Decidability, r.Reciprocity = grading.Stated{Verdict: "pass", Rule: "generous"},
				grading.Stated{Verdict: "pass"}, grading.Stated{Verdict: "pass"}
			r.Outcome, r.Kind, r.Act, r.Class, r.Confidence = grade.Correct, grade.None, grade.Answered, rome, .75
		}
	}
	other, err := build(context.Background(), store, p, Options{Version: "8.0.0"}, nil, &given)
	if err != nil {
		t.Fatal(err)
	}
	other.File = pack(other.made)
	return other
}

// A bundle says by which version its answers were read, in the manifest and in the document, and the run's id does not
// depend on it.
func TestGradingIsNamed(t *testing.T) {
	p, _, b := made(t)
	other := another(t)
	for _, x := range []struct {
		b       *Bundle
		version string
	}{{b, grade.Version}, {other, "7"}} {
		all := unpacked(t, x.b.File)
		var manifest, result struct{ Grading grade.Grading }
		if err := json.Unmarshal(all[manifestName], &manifest); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(all[resultName], &result); err != nil {
			t.Fatal(err)
		}
		if manifest.Grading.Version != x.version || result.Grading.Version != x.version || x.b.Manifest.Run != p.ID() {
			t.Errorf("manifest %+v and result %+v of run %s", manifest, result, x.b.Manifest.Run)
		}
		if n := bytes.Count(all[verdictsName], []byte("\n")); n != 25 || x.b.Manifest.Verdicts.Answers != n {
			t.Errorf("%d verdicts for 25 answers, and %+v", n, x.b.Manifest.Verdicts)
		}
	}
}

// A bundle of another grading version is sound where its figures follow from its own verdicts, whatever this release
// would read.
func TestOtherGrading(t *testing.T) {
	t.Parallel()
	b := another(t)
	v, err := Verify(context.Background(), b.File, Options{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	if !v.Own || v.Assay.Document.Grading.Version != "7" || len(v.NotChecked) > 0 || v.SHA256() != b.SHA256() {
		t.Errorf("own %v, grading %+v, not checked %q", v.Own, v.Assay.Document.Grading, v.NotChecked)
	}
	for _, row := range v.Assay.Cases.All() {
		if row.ID == "wrong" && (row.Hallucinated == nil || *row.Hallucinated || row.Answers[0].Verdict != "right") {
			t.Errorf("its own verdict is lost: %+v", row)
		}
	}
	r, err := v.Regrade(context.Background(), Options{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	if r.From != "7" || r.To != grade.Version || r.Answers != 25 || r.Differ != 1 || len(r.Cases) != 1 ||
		r.Cases[0].CaseID != "wrong" ||
		r.Cases[0].Was.Outcome != grade.Correct || r.Cases[0].Is.Outcome != grade.Incorrect ||
		r.Cases[0].String() != "was correct, is incorrect" {
		t.Errorf("regraded %+v", r)
	}
	again, err := v.Again(context.Background(), Options{Version: version})
	if err != nil || again.Document.Grading.Version != grade.Version {
		t.Errorf("%+v, %v", again, err)
	}
	// Read by the version that made it, it is what its answers do not give: then a verdict was changed.
	if _, err := Verify(context.Background(), b.File, Options{Version: version, grading: "7"}); err == nil ||
		!strings.Contains(err.Error(), verdictsName) {
		t.Errorf("of the same version it verifies: %v", err)
	}
	// The same version has nothing to list.
	_, _, same := made(t)
	if v, err = Verify(context.Background(), same.File, Options{Version: version}); err != nil {
		t.Fatal(err)
	}
	if r, err = v.Regrade(context.Background(), Options{Version: version}); err != nil || r.Differ != 0 ||
		r.Answers != 25 {
		t.Errorf("%+v, %v", r, err)
	}
}

// faulted checks that a bundle does not verify in a mode.
func faulted(t *testing.T, about string, file []byte, opt Options) {
	t.Helper()
	_, err := Verify(context.Background(), file, opt)
	var f *Fault
	switch {
	case err == nil:
		t.Errorf("%s: it verifies", about)
	case !errors.As(err, &f) || strings.Contains(err.Error(), misused):
		t.Errorf("%s: %v", about, err)
	}
}

// In every mode, a byte that is changed, a verdict whose figures were not changed and a figure are found; the last two
// though all hashes fit.
func TestChangesInEveryMode(t *testing.T) {
	t.Parallel()
	p := planOf(t, tiny)
	p.Sampled = 2
	b, err := makeFile(context.Background(), stored(t, p, 1), p, Options{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	for mode, opt := range map[string]Options{"read anew": {Version: version}, "by another build": {Version: version,
		Build: "other"}, "own verdicts": elsewhere} {
		if _, err := Verify(context.Background(), b.File, opt); err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		each, few := 199_999, 1 // HALLMARK_LONG=1 changes more
		if archtest.Long() {
			each, few = 49_999, 5
		}
		for i := 0; i < len(b.File); i += each {
			file := bytes.Clone(b.File)
			file[i] ^= 1 << (i % 8)
			if _, err := Verify(context.Background(), file, opt); err == nil {
				t.Fatalf("%s: byte %d is changed, and it verifies", mode, i)
			}
		}
		changed := 0
		replace := func(member, from, to string) {
			t.Helper()
			text := unpacked(t, b.File)[member]
			var places []int
			for at := 0; ; at++ {
				i := bytes.Index(text[at:], []byte(from))
				if i < 0 {
					break
				}
				at += i
				places = append(places, at)
			}
			for i := 0; i < len(places); i += max(1, len(places)/few) { // of variants, samples and repeats
				all := unpacked(t, b.File)
				all[member] = slices.Concat(text[:places[i]], []byte(to), text[places[i]+len(from):])
				faulted(t, mode+": "+member+": "+from+" to "+to, sealed(t, all), opt)
				changed++
			}
		}
		for _, axis := range []string{"truth", "decidability", "reciprocity", "format"} {
			for _, v := range [][2]string{{"pass", "fail"}, {"fail", "pass"}, {"n/a", "fail"}, {"pass", "ungradable"},
				{"fail", "unscored"}} {
				replace(verdictsName, `"`+axis+`":{"verdict":"`+v[0]+`"`, `"`+axis+`":{"verdict":"`+v[1]+`"`)
			}
		}
		replace(verdictsName, `"outcome":"incorrect"`, `"outcome":"correct"`)
		replace(verdictsName, `"class":"milan"`, `"class":"rome"`)
		replace(verdictsName, `"kind":"commission"`, `"kind":"undecided"`)
		replace(verdictsName, `"key":"`, `"key":"0`)
		replace(goldsName, `["rome"]`, `["milan"]`)
		digits := regexp.MustCompile(`: \d\.(\d)`)
		for _, member := range []string{resultName, protocolName} {
			text := unpacked(t, b.File)[member]
			found := digits.FindAllSubmatchIndex(text, -1)
			for i := 0; i < len(found); i += max(1, len(found)/few) {
				at := found[i]
				all := unpacked(t, b.File)
				all[member][at[2]] = '0' + (text[at[2]]-'0'+1)%10
				faulted(t, mode+": "+member+": a figure at "+string(text[max(0, at[0]-30):at[1]]), sealed(t, all), opt)
				changed++
			}
		}
		replace(casesName, ",false,,answered,", ",true,,answered,")
		replace(manifestName, `"correct": `, `"correct": 1`)
		replace(manifestName, `"records": `, `"records": 1`)
		if changed < 15*few {
			t.Errorf("%s: %d changes only", mode, changed)
		}
	}
}

// What a later release adds is left alone under its hash, and named: a member of its own, and members of JSON. A bundle
// that this very release says it made has none.
func TestLaterMembers(t *testing.T) {
	p, store, _ := made(t)
	later := func(made Options) []byte {
		b, err := makeFile(context.Background(), store, p, made)
		if err != nil {
			t.Fatal(err)
		}
		all := unpacked(t, b.File)
		all["labels.jsonl"] = []byte("{}\n")
		all[verdictsName] = bytes.Replace(all[verdictsName], []byte(`{"model"`),
			[]byte(`{"judges":[{"ref":"a","outcome":"correct"}],"model"`), 1)
		all[recordsName] = bytes.Replace(all[recordsName], []byte(`{"key"`), []byte(`{"imported":true,"key"`), 1)
		all[resultName] = bytes.Replace(all[resultName], []byte(`"grading": {`),
			[]byte(`"grading": {"state": "corrected_by_labels", `), 1)
		all[manifestName] = bytes.Replace(all[manifestName], []byte(`"members": [`),
			[]byte(`"imported": {"from": "log.json"}, "members": [{"name":"labels.jsonl"},`), 1)
		var m map[string]any
		if err := json.Unmarshal(all[manifestName], &m); err != nil {
			t.Fatal(err)
		}
		for _, x := range m["members"].([]any) {
			x := x.(map[string]any)
			x["bytes"], x["sha256"] = len(all[x["name"].(string)]), hashOf(all[x["name"].(string)])
		}
		if all[manifestName], err = json.MarshalIndent(m, "", "  "); err != nil {
			t.Fatal(err)
		}
		all[manifestName] = append(all[manifestName], '\n')
		return packed(all)
	}
	for mode, opt := range map[string]Options{"read anew": {Version: version}, "own verdicts": elsewhere} {
		v, err := Verify(context.Background(), later(Options{Version: "9.0.0"}), opt)
		if err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		if said := strings.Join(append(v.Notes, v.NotChecked...), "; "); !strings.Contains(said, "labels.jsonl") ||
			!strings.Contains(said, "grading.state in result.json") {
			t.Errorf("%s: %s", mode, said)
		}
		faulted(t, mode+": of this release", later(Options{Version: version}), opt)
	}
}

// one is a bundle that release 0.1 made; see testdata/README.md.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	f, err := os.Open("testdata/" + name + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A bundle of release 0.1 verifies as far as its verdicts reach, says what was not checked, and is read anew where that
// is asked for.
func TestFormatOne(t *testing.T) {
	file := fixture(t, "evidence-1.zip")
	ctx, opt := context.Background(), Options{Version: version}
	v, err := Verify(ctx, file, opt)
	if err != nil {
		t.Fatal(err)
	}
	if !v.Own || v.Manifest.Grading.Version != GradingOne || v.Manifest.Records != 28 || !bytes.Equal(v.File, file) {
		t.Errorf("%+v", v.Manifest)
	}
	if said := strings.Join(v.NotChecked, "; "); !strings.Contains(said, "hold no verdicts on them") ||
		!strings.Contains(said, reportName) || strings.Contains(said, recordsName) {
		t.Errorf("not checked: %s", said)
	}
	r, err := v.Regrade(ctx, opt)
	if err != nil {
		t.Fatal(err)
	}
	if r.From != GradingOne || r.Answers != 7 || r.Differ != len(r.Cases) {
		t.Errorf("%+v", r)
	}
	for _, d := range r.Cases { // the only answer whose outcome readers may see otherwise is "Darwin" for Charles Darwin
		if d.Was.Outcome != d.Is.Outcome && (d.CaseID != "origin" || d.Was.Outcome != grade.Incorrect) {
			t.Errorf("%+v", d)
		}
	}
	again, err := v.Again(ctx, opt)
	if err != nil || again.Document.Run.ID != v.Manifest.Run || again.Document.Grading.Version != grade.Version {
		t.Errorf("%+v, %v", again, err)
	}
}

// What is changed in a bundle of release 0.1 is found, though all hashes fit: a verdict, a figure, an answer, a key.
func TestFormatOneChanged(t *testing.T) {
	file := fixture(t, "evidence-1.zip")
	for _, c := range []struct{ member, from, to string }{
		{casesName, "Milan,fail,", "Milan,pass,"},
		{casesName, "Milan,fail,", "Milan,unread,"},
		{casesName, ",true,commission,answered,", ",false,,answered,"},
		{casesName, ",true,commission,answered,", ",true,undecided,answered,"},
		{casesName, "pass,nothing made up was found", "fail,nothing made up was found"},
		{casesName, ",0.5,0,true,oslo,", ",1,1,false,oslo,"},
		{casesName, "randomness,1,1,", "randomness,2,0,"},
		{casesName, ",randomness,", ",prompt_agnostic_error,"},
		{casesName, "?,Rome,Milan,", "?,Rome,Turin,"},
		{casesName, ",italy,", ",france,"},
		{resultName, `"rate": 0.42857142857142855`, `"rate": 0.32857142857142855`},
		{resultName, `"lo": 0.1582198552514698`, `"lo": 0.1482198552514698`},
		{resultName, `"estimate": 0.9285714285714286`, `"estimate": 0.9385714285714286`},
		{resultName, `"n": 7`, `"n": 8`},
		{resultName, `"mean": 0.5,`, `"mean": 0.6,`},
		{recordsName, `"text":"Milan"`, `"text":"Rome"`},
		{recordsName, `capital of Italy`, `capital of Ital`},
		{recordsName, `{"key"`, `{"at":1,"key"`},
		{planName, `"tau":0.8`, `"tau":0.7`},
		{planName, `"gold":"Rome"`, `"gold":"Milan"`},
		{manifestName, `"records": 28`, `"records": 29`},
		{manifestName, `"format"`, `"more": 1, "format"`},
		{manifestName, `"run":`, `"grading": {"version": "2"}, "run":`},
		{resultName, `"rubric": {`, `"rubric": {"outcomes": {"n": 7},`},
		{resultName, `"commission": {`, `"outcomes": {"n": 7}, "commission": {`},
		{resultName, `"models": [`, `"grading": {"version": "1"}, "models": [`},
		{resultName, `"seed": 1`, `"seed": 1, "grading": "1"`},
		{resultName, `"hi": 0.7495416354723428`, `"hi": 0.7495416354723428, "range": 1`},
		{resultName, `"by_tag": {`, `"by_tag": {"multi": {"n": 0},`},
		{resultName, `"failed": 1`, `"failed": 0`},
		{resultName, `"errors_per_case": 0.57`, `"errors_per_case": 0.47`},
		{resultName, `"unscored": 0,`, `"unscored": 1,`},
		{casesName, `run,model,`, `run,outcome,`},
	} {
		all := unpacked(t, file)
		times := 1
		if c.member == recordsName { // of which those to default prompts are in the case table
			times = -1
		}
		changed := bytes.Replace(all[c.member], []byte(c.from), []byte(c.to), times)
		if bytes.Equal(changed, all[c.member]) {
			t.Errorf("%s has no %s", c.member, c.from)
			continue
		}
		all[c.member] = changed
		if c.member == manifestName {
			refused(t, c.to, packed(all), "", "")
		} else {
			refused(t, c.to, resealed(t, all), "", "")
		}
	}
	for i := 0; i < len(file); i += 1999 {
		bad := bytes.Clone(file)
		bad[i] ^= 1 << (i % 8)
		if verify(bad) == nil {
			t.Errorf("byte %d is changed, and it verifies", i)
		}
	}
}

// A bundle of this format is no bundle of release 0.1 because its manifest says so, nor is one of 0.1 with a member
// more.
func TestRelabelled(t *testing.T) {
	_, _, b := made(t)
	all := unpacked(t, b.File)
	all[manifestName] = bytes.Replace(all[manifestName], []byte(Format), []byte(FormatOne), 1)
	refused(t, "another format", packed(all), "", "")
	for _, name := range []string{verdictsName, goldsName} {
		more := unpacked(t, fixture(t, "evidence-1.zip"))
		more[name] = all[name]
		var m map[string]any
		if err := json.Unmarshal(more[manifestName], &m); err != nil {
			t.Fatal(err)
		}
		m["members"] = append(m["members"].([]any), map[string]any{"name": name})
		more[manifestName], _ = json.Marshal(m)
		refused(t, name, resealed(t, more), "", "")
	}
}

// resealed mends the hashes of a manifest in place, whatever its format.
func resealed(t testing.TB, all map[string][]byte) []byte {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(all[manifestName], &m); err != nil {
		t.Fatal(err)
	}
	for _, x := range m["members"].([]any) {
		x := x.(map[string]any)
		data := all[x["name"].(string)]
		x["bytes"], x["sha256"] = len(data), hashOf(data)
	}
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	all[manifestName] = append(b, '\n')
	return packed(all)
}

// Figures follow from stored verdicts whatever the method: with a judge, by meaning, of a posterior rate, of what
// people said. What a judge and the model that compares were asked is listed as not checked, and nothing else of
// theirs.
func TestOwnVerdictsOfMethods(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := planOf(t, rich)
	p.Sampled = 2
	helper := assay.UnderTest{Ref: "yes", Identity: "yes"}
	p.Judge, p.Equivalence, p.Equal = &helper, &assay.Equivalence{Model: helper, Question: equivalence.Version, Most: 10},
		assay.EqualSemantic
	store, yes := stored(t, p, 1), modeltest.Says("yes", `{"verdict": "pass", "reason": "yes"} yes`)
	err := p.Ask(ctx, store, false, func(w assay.Wave) error {
		if w.For == assay.ForVariants {
			return nil // they are there
		}
		_, err := run.Execute(ctx, store, map[string]model.Model{"yes": yes}, w.Calls, run.Options{Concurrency: 1})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	asked, err := makeFile(ctx, store, p, Options{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	said, annotated, plain := made(t)
	label := json.RawMessage(`{"truth":"pass","decidability":"pass","reciprocity":"pass"}`)
	if err := annotated.(run.AnnotationStore).Annotate(ctx,
		[]run.Annotation{{Run: said.ID(), Unit: plain.Assay.Items()[0].ID, Rater: "a", Label: label}}); err != nil {
		t.Fatal(err)
	}
	labelled, err := makeFile(ctx, annotated, said, Options{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]*Bundle{
		"judge, meaning": asked, "labels": labelled, "posterior, scored": posteriorBundle(t, posterior.Sum),
		"posterior, drawn": posteriorBundle(t, posterior.Published),
	} {
		v, err := Verify(ctx, b.File, elsewhere)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, x := range v.NotChecked {
			if name != "judge, meaning" {
				t.Errorf("%s: not checked: %s", name, x)
			} else if !regexp.MustCompile(`judged|tokens|usd|equality|unscored|semantic_entropy|html`).MatchString(x) {
				t.Errorf("not checked: %s", x)
			}
		}
		if r, err := v.Regrade(ctx, Options{Version: version}); err != nil || r.Differ != 0 {
			t.Errorf("%s: regraded %+v, %v", name, r, err)
		}
	}
}
