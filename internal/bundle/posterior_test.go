package bundle

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/assay"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
	"hallmark/internal/suite"
)

// An urn goes on with a context of labels by counting them.
type urn struct{}

func (urn) Identity() string { return "table" }

func (urn) Generate(_ context.Context, req model.Request) (model.Response, error) {
	red, blue := 1+float64(strings.Count(req.Prompt, "Label: red\n")),
		1+float64(strings.Count(req.Prompt, "Label: blue\n"))
	p := red / (red + blue)
	if len(req.Options) > 0 {
		var out model.Response
		for _, o := range req.Options {
			lp := math.Log(p)
			if strings.TrimSpace(o) == "blue" {
				lp = math.Log(1 - p)
			}
			out.Options = append(out.Options, model.OptionScore{LogProbs: []float64{lp}})
		}
		return out, nil
	}
	label := "red"
	if req.Seed != nil && rand.New(rand.NewPCG(uint64(*req.Seed), 1)).Float64() >= p {
		label = "blue"
	}
	text := " " + label
	if !strings.HasSuffix(req.Prompt, "Label:") {
		text = " thing\nLabel: " + label
	}
	return model.Response{Text: &text, Finish: model.FinishStop}, nil
}

// posteriorBundle is a bundle of a run of the posterior method over contexts of two and three pairs.
func posteriorBundle(t *testing.T, estimator string) *Bundle {
	t.Helper()
	var b strings.Builder
	b.WriteString("suite: {name: urns, version: \"1\"}\ncases:\n")
	for c := range 10 {
		shown := "{input: a, label: red}, {input: b, label: blue}"
		if c%2 == 1 {
			shown += fmt.Sprintf(", {input: c%d, label: red}", c)
		} else {
			shown += fmt.Sprintf(", {input: c%d, label: blue}, {input: d, label: blue}", c)
		}
		fmt.Fprintf(&b, "  - {id: q%d, form: input-label, prompt: x%d, demonstrations: [%s], gold: red, options: [red, "+
			"blue]}\n", c, c, shown)
	}
	s, err := suite.Parse("urns.yaml", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	p := assay.Plan{Posterior: &assay.PosteriorOptions{}}
	p.SetDefaults()
	p.Models, p.Suites, p.Methods = []assay.UnderTest{{Ref: "an urn", Identity: "table"}}, []*suite.Suite{s},
		[]string{assay.Posterior}
	x := *p.Posterior
	x.M, x.Extend, x.K, x.Estimator, x.Eps = 2, 2, 3, estimator, .3
	x = x.Resolved()
	p.Posterior = &x
	store, ctx := inmemory.New(), context.Background()
	err = p.Ask(ctx, store, false, func(w assay.Wave) error {
		_, err := run.Execute(ctx, store, map[string]model.Model{"table": urn{}}, w.Calls, run.Options{Concurrency: 4})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	made, err := makeFile(ctx, store, &p, Options{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Of a posterior run, whose calls follow from one another, every answer bears on the figures: a made-up pair, a drawn
// answer, a log-probability or a figure that was changed by one byte does not verify, though every hash fits.
func TestChangedPosterior(t *testing.T) {
	t.Parallel()
	more := 1 // HALLMARK_LONG=1 changes more
	if archtest.Long() {
		more = 3
	}
	for _, estimator := range []string{posterior.Sum, posterior.Published} {
		b := posteriorBundle(t, estimator)
		v, err := Verify(context.Background(), b.File, Options{Version: version})
		if err != nil {
			t.Fatalf("%s: %v", estimator, err)
		}
		r := v.Assay.Document.Models[0].Posterior
		if r == nil || r.N != 10 || r.ByN["3"] == nil || r.ByN["4"] == nil ||
			(r.Study == nil) != (estimator == posterior.Published) {
			t.Fatalf("%s: %+v", estimator, r)
		}
		records := unpacked(t, b.File)[recordsName]
		changed := 0
		try := func(member string, data []byte, at int, to byte) {
			t.Helper()
			all := unpacked(t, b.File)
			all[member] = slices.Clone(data)
			all[member][at] = to
			if verify(sealed(t, all)) == nil {
				t.Errorf("%s, %s: byte %d, %q in …%s…, is %q now, and the bundle verifies", estimator, member, at, data[at],
					data[max(0, at-60):min(len(data), at+60)], to)
			}
			changed++
		}
		each := func(member string, data []byte, pattern string, most int, to func(byte) byte) {
			t.Helper()
			all := regexp.MustCompile(pattern).FindAllSubmatchIndex(data, -1)
			if len(all) == 0 {
				t.Fatalf("%s, %s: nothing is like %s", estimator, member, pattern)
			}
			for i := 0; i < len(all); i += max(1, len(all)/most) {
				at := all[i][2]
				try(member, data, at, to(data[at]))
			}
		}
		digit := func(c byte) byte { return '0' + (c-'0'+1)%10 }
		other := func(byte) byte { return 'X' }
		if estimator == posterior.Sum { // of draws only ranks and a distance that is clipped at 0 may be taken
			each(recordsName, records, `"logprobs":\[-\d\.(\d)`, 4*more, digit)
		}
		each(recordsName, records, `"text":" thing\\nLabel: (r|b)`, 2*more, other)
		each(recordsName, records, `"text":" (t)hing`, more, other) // the input of a made-up pair is in every later prompt
		if estimator == posterior.Published {
			each(recordsName, records, `"text":" (r|b)[a-z]+"`, 2*more, other)
		}
		result := unpacked(t, b.File)[resultName]
		from, to := bytes.Index(result, []byte(`"posterior"`)), bytes.LastIndexByte(result, '}')
		if from < 0 || to < from {
			t.Fatal("no posterior in the result")
		}
		for _, name := range []string{"phr", "estimate", "mutual_information", "exchangeability", "entropy", "redrawn"} {
			at := bytes.Index(result[from:], []byte(`"`+name+`"`))
			if at < 0 {
				t.Fatalf("%s: no %s in the result", estimator, name)
			}
			at += from
			for result[at] < '0' || result[at] > '9' {
				at++
			}
			try(resultName, result, at, digit(result[at]))
		}
		t.Logf("%s: %d changes, none verifies", estimator, changed)
	}
}

// A bundle of an earlier version of the statistics may have other bounds of the rates of draws, and no other rates.
func TestEarlierBoundsOfDraws(t *testing.T) {
	b := posteriorBundle(t, posterior.Published)
	of := func(key string) []byte {
		all := unpacked(t, b.File)
		all[resultName] = changed(t, all[resultName], func(doc map[string]any) {
			delete(doc, "statistics")
			phr := doc["models"].([]any)[0].(map[string]any)["posterior"].(map[string]any)["phr"].(map[string]any)
			phr[key] = phr[key].(float64)*.9 + .0123
		})
		return sealed(t, all)
	}
	v, err := Verify(context.Background(), of("lo"), Options{Version: "9.0.0"})
	if err != nil || !strings.Contains(strings.Join(v.NotChecked, "; "), "posterior.phr.lo in result.json") {
		t.Errorf("another bound: %v, %+v", err, v)
	}
	if _, err := Verify(context.Background(), of("estimate"), Options{Version: "9.0.0"}); err == nil ||
		!strings.Contains(err.Error(), "phr.estimate") {
		t.Errorf("another rate: %v", err)
	}
}
