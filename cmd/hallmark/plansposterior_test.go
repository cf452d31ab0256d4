package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"hallmark/internal/assay"
	"hallmark/internal/model/stub"
)

// madeLabelled is a made file of a task that is learned from examples, "" for others.
func madeLabelled(name string) string {
	var b strings.Builder
	switch name {
	case "agnews/train.csv":
		for i := range 200 {
			fmt.Fprintf(&b, "\"%d\",\"Made-up mill %d\",\"It stands by a river.\"\n", i%4+1, i)
		}
	case "wnli/dev.tsv", "wnli/train.tsv":
		b.WriteString("index\tsentence1\tsentence2\tlabel\n")
		for i := range 200 {
			fmt.Fprintf(&b, "%d\tThe cart %d met the mill and it stopped.\tThe cart %d stopped.\t%d\n", i, i, i, i%2)
		}
	}
	return b.String()
}

// runPosteriorPlan runs a plan of the posterior rate on its first queries with a stub of a server, which goes on with a
// pair of the label that it saw last, and holds that what is quoted has a place in the result.
func runPosteriorPlan(t *testing.T, root, plan string, data []byte) {
	t.Helper()
	if strings.Contains(string(data), "subj=") { // its other half lies beside it
		placeFile(t, root, "subj/plot.tok.gt9.5000", nil)
	}
	server := httptest.NewServer(stub.New(stub.Options{Answer: func(prompt string) string {
		label := "none"
		if i := strings.LastIndex(prompt, "\nLabel: "); i >= 0 {
			label, _, _ = strings.Cut(prompt[i+len("\nLabel: "):], "\n")
		}
		if strings.HasSuffix(prompt, "Input:") {
			return " something made up\nLabel: " + label
		}
		return " " + label
	}}))
	defer server.Close()
	var out, messages bytes.Buffer
	code := hallmark([]string{"run", "-c", plan, "--allow-path", "--allow-host", "--model", server.URL + "/v1#m",
		"--limit", "4", "--m", "2", "--k", "2", "--extend", "1", "--no-report", "--quiet", "--json"},
		strings.NewReader(""), &out, &messages)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, messages.String())
	}
	var doc assay.Document
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	r := doc.Models[0].Posterior
	if r == nil || r.N != 4 || r.Estimator != "published" || r.Eps != .05 || r.ByEps["75"] == nil || r.MHR == nil ||
		r.ErrorRate == nil || r.Exchangeability == nil || r.MartingaleGap == nil || r.InCapability == nil {
		t.Fatalf("the posterior rate is %+v", r)
	}
	published := planPublished(t, plan, data)
	for i := range published.Figures {
		published.Figures[i].Model = "*"
	}
	beside := published.Beside(&doc)
	for _, f := range beside.Figures { // lines through four queries of a stub need not exist
		if f.Measured == nil && !strings.Contains(f.Figure, "against_") {
			t.Errorf("%s is not measured", f.Figure)
		}
		if strings.HasSuffix(f.Figure, "_random") && (f.Difference == nil || *f.Difference > 1e-6 || *f.Difference < -1e-6) {
			t.Errorf("%s is %v, published %g", f.Figure, f.Measured, f.Published)
		}
	}
}
