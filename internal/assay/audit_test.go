package assay

import (
	"context"
	"encoding/json"
	"testing"

	"hallmark/internal/assay/annotate"
	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// What people say of a run's answers stands beside its rates, and changes neither them nor the run.
func TestAudit(t *testing.T) {
	p, store := plan(read(t, "tiny.yaml", tiny)), inmemory.New()
	execute(t, p, answers, store)
	before := evaluate(t, p, store)
	items := before.Items()
	if before.Document.Models[0].Audit != nil || len(items) != 4 { // of five cases one has no answer
		t.Fatalf("audit %+v, %d units", before.Document.Models[0].Audit, len(items))
	}
	var list []run.Annotation
	for _, u := range items {
		if u.Answer == "" || u.Reference == "" || u.ID != annotate.ItemID(p.ID(), "table", "tiny", u.CaseID) {
			t.Errorf("unit %+v", u)
		}
		verdict := annotate.Pass
		if u.CaseID == "declined" {
			verdict = annotate.Fail
		}
		b, err := json.Marshal(annotate.Label{Truth: verdict, Decidability: annotate.Pass, Reciprocity: annotate.Pass,
			Stratum: u.Stratum, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, run.Annotation{Run: p.ID(), Unit: u.ID, Rater: "ann", Label: b},
			run.Annotation{Run: p.ID(), Unit: u.ID, Rater: "bob", Label: b},
			run.Annotation{Run: "another", Unit: u.ID, Rater: "ann", Label: json.RawMessage(`"unread"`)})
	}
	if err := store.Annotate(context.Background(), list); err != nil {
		t.Fatal(err)
	}
	after := evaluate(t, p, store)
	audit := after.Document.Models[0].Audit
	// The grader fails truth on wrong and declined; people on declined only.
	truth := audit.Corrected["truth_error"]
	if audit.N != 4 || truth.Uncorrected.Value != .5 || truth.Corrected.Value != .25 || truth.OnlyGraderFail != 1 ||
		truth.BothFail != 1 || *audit.Agreement["truth"].Alpha != 1 {
		t.Errorf("%+v, truth %+v", audit, truth)
	}
	after.Document.Models[0].Audit = nil
	a, _ := json.Marshal(before.Document)
	b, _ := json.Marshal(after.Document)
	if string(a) != string(b) {
		t.Errorf("the audit moved other figures:\n%s\n%s", a, b)
	}
}
