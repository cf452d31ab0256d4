package report

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/metric/consistency"
	"hallmark/internal/metric/rate"
	"hallmark/internal/stat"
)

func protocolOf(t testing.TB, a *assay.Assay) (*Protocol, []byte, string) {
	t.Helper()
	p := NewProtocol(a)
	var doc, page bytes.Buffer
	if err := ProtocolJSON(&doc, p); err != nil {
		t.Fatal(err)
	}
	if err := ProtocolPage(&page, p, a); err != nil {
		t.Fatal(err)
	}
	return p, doc.Bytes(), page.String()
}

// Every figure on the page is one of protocol.json, at the place it names; hostile names stay text; the page needs
// nothing else.
func TestProtocolPage(t *testing.T) {
	for name, a := range map[string]*assay.Assay{"one": one(t), "several": several(t), "pocket": pocketLike(t)} {
		a.Document.Models[0].Model += hostile
		p, doc, page := protocolOf(t, a)
		tr := asJSON(t, json.RawMessage(doc))
		figures := 0
		for _, e := range elements(t, []byte(page)) {
			switch e.name {
			case "td":
				if e.within("td", "n") && strings.ContainsAny(e.text, "0123456789") {
					t.Errorf("%s: a figure without its place: %q", name, e.text)
				}
			case "img", "iframe", "link", "object", "form":
				t.Errorf("%s: the page has a %s", name, e.name)
			case "data":
				figures++
				path := strings.NewReplacer("_0.5", "_0\x005", "_0.8", "_0\x008").Replace(e.attr["data-path"])
				keys := strings.Split(path, ".")
				for i := range keys {
					keys[i] = strings.ReplaceAll(keys[i], "\x00", ".")
				}
				want, ok := tr.Number(keys...)
				if got, err := strconv.ParseFloat(e.attr["value"], 64); !ok || err != nil || got != want {
					t.Errorf("%s: %s: page %q, document %v", name, e.attr["data-path"], e.attr["value"], want)
				}
			}
		}
		if figures < 10*len(p.Rows) || len(p.Rows) == 0 {
			t.Errorf("%s: %d figures in %d rows", name, figures, len(p.Rows))
		}
		checkVisible(t, name, []byte(page))
		for _, says := range []string{"EU AI Act", "Article 15(3)", "MEASURE 2.6", "6.1.4", "as cited by the protocol",
			"never reported alone", "@page", "SS ≤ 0.9", "Hallucinations Live in Variance"} {
			if !strings.Contains(page, says) {
				t.Errorf("%s: the page lacks %q", name, says)
			}
		}
	}
}

// A level brings its recommendation only where accuracy stands beside it; else there is a banner. Each warning reaches
// its row.
func TestProtocolRows(t *testing.T) {
	half, ss := .5, stat.Estimate{Value: .95, Lo: .85, Hi: .99}
	res := consistency.Result{
		Questions: 140, Variants: consistency.Extremes{Min: 10, Max: 12}, SemanticStability: &ss, PCBelowHalf: &half,
		PCAtLeast80: &half, LeastPC: &half,
		RobustnessLevel: "high", Warnings: []string{"N", "k", "boundary"},
	}
	withGold := res
	withGold.Accuracy = &consistency.Accuracy{Average: stat.Average{Value: .4, Lo: .3, Hi: .5}, Questions: 40}
	checked := &rate.Result{}
	checked.Outcomes.Grading.State = rate.CorrectedByLabels
	a := &assay.Assay{Document: assay.Document{
		Run: assay.RunInfo{ID: "r", Suites: []assay.SuiteInfo{{Name: "s", Cases: 40}},
			Warnings: []string{"suite s: it stands in for another", "suite t: not here"}},
		Models: []assay.ModelResult{
			{Model: "bare", SuiteResult: &assay.SuiteResult{Consistency: &res}},
			{Model: "gold", Greedy: true, SuiteResult: &assay.SuiteResult{
				Rubric:      checked,
				Consistency: &withGold,
				RepeatAgreement: &assay.RepeatAgreement{Agreement: &stat.Estimate{Value: .9, Lo: .8, Hi: 1},
					Warnings: []string{"floor"}},
				ConsistencyByDomain: map[string]*consistency.Result{"civic": &withGold, "biomedical": &res},
			}},
			{Model: "unmeasured", SuiteResult: &assay.SuiteResult{}},
		},
	}}
	p, _, page := protocolOf(t, a)
	if len(p.Rows) != 4 {
		t.Fatalf("%d rows", len(p.Rows))
	}
	type row struct {
		system, domain, recommendation string
		warnings                       string
	}
	want := []row{
		{"bare", "", "", "N|k|boundary|the answers were sampled, as the system refuses temperature 0: some answers " +
			"change by sampling and not by the paraphrase|no recommendation: accuracy was not measured|the identical prompt was not asked again " +
			"(--repeats), so its test–retest agreement is not known|suite s: it stands in for another"},
		{"gold", "", p.Levels[3].Recommendation, "N|k|boundary|floor|suite s: it stands in for another"},
		{"gold", "biomedical", "", "N|k|boundary|no recommendation: accuracy was not measured"},
		{"gold", "civic", p.Levels[3].Recommendation, "N|k|boundary"},
	}
	for i, r := range p.Rows {
		if got := (row{r.System, r.Domain, r.Recommendation, strings.Join(r.Warnings, "|")}); got != want[i] {
			t.Errorf("row %d is %+v, want %+v", i, got, want[i])
		}
	}
	if !strings.Contains(page, "bare on s. No recommendation is given. Accuracy was not measured.") {
		t.Error("a row without a recommendation does not say why before the figures")
	}
	if len(p.Banners) != 1 || !strings.Contains(page, "Accuracy was not measured.") {
		t.Errorf("banners %q", p.Banners)
	}
	if len(p.Warnings) != 3 || !strings.Contains(page, "suite t: not here") ||
		!strings.Contains(page, "unmeasured on s: consistency was not measured") {
		t.Errorf("warnings %q", p.Warnings)
	}
	if p.Rows[0].Accuracy != nil || !strings.Contains(page, ">not measured<") {
		t.Error("an accuracy that was not measured has a value")
	}
	empty, _, page := protocolOf(t, &assay.Assay{Document: assay.Document{Run: assay.RunInfo{ID: "r"}}})
	if len(empty.Rows) != 0 || !strings.Contains(page, "the protocol has no figure to report") {
		t.Error("a run without consistency does not say so")
	}
}
