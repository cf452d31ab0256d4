// Package bundle makes and verifies evidence bundles: one file that holds a run
// whole, from its plan and raw answers to every figure, the case table and the
// filled protocol report, so that somebody else can recompute each number
// (docs/evidence.md). A bundle is a function of the plan and the records on which
// its results rest; to verify one is to make it again and compare the bytes.
package bundle

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"hallmark/internal/assay"
	"hallmark/internal/report"
	"hallmark/internal/run"
)

// Format names the layout of a bundle. A change that older releases cannot read gets another number.
const Format = "hallmark-evidence/1"

// The members of a bundle.
const (
	readmeName      = "README.txt"
	annotationsName = "annotations.jsonl"
	casesName       = "cases.csv"
	indexName       = "guard-index"
	memoryName      = "guard-memory"
	manifestName    = "manifest.json"
	planName        = "plan.json"
	protocolName    = "protocol.json"
	pageName        = "protocol.html"
	recordsName     = "records.jsonl"
	reportName      = "report.html"
	resultName      = "result.json"
)

// names are the members that a bundle may have.
var names = []string{readmeName, annotationsName, casesName, indexName, memoryName, manifestName, planName, protocolName, pageName, recordsName, reportName, resultName}

// A Manifest says what a bundle is and holds the hash of every other member.
type Manifest struct {
	Format   string            `json:"format"`
	Hallmark string            `json:"hallmark"`        // the release that made it
	Build    string            `json:"build,omitempty"` // the build of that release, where it is known
	Run      string            `json:"run"`
	Suites   []assay.SuiteInfo `json:"suites"`
	Models   []assay.Subject   `json:"models"`
	Judge    *assay.Subject    `json:"judge,omitempty"`
	Records  int               `json:"records"` // stored outcomes of calls on which the results rest, inner ones included
	// Guards says of each guarded model whether its answers were recomputed from the answers of the model inside.
	Guards  []Guarded `json:"guards,omitempty"`
	Members []Member  `json:"members"`
}

// A Member is a file of the bundle with its hash.
type Member struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Options of Make and Verify.
type Options struct {
	// Version is the release that results name.
	Version string
	// Build is the commit that the program was built from, as builds of one release may differ in figures and pages; empty where it is not
	// known, and with Changed behind it where the program holds changes of its own.
	Build string
	// Guard rebuilds the constraint layer of a guarded model; nil where no run is guarded.
	Guard Rebuild
	// Read reads the files that a guard's flags name, where a bundle is made; nil where no run is guarded.
	Read func(path string) ([]byte, error)
}

// Changed is the end of a Build that is not quite its commit, so that two of one name need not be the same.
const Changed = "+changed"

// A Bundle is a bundle with the run that it holds.
type Bundle struct {
	File     []byte // the zip file
	Manifest Manifest
	Assay    *assay.Assay
	Plan     *assay.Plan
	// Notes say what a reader of the outcome has to know.
	Notes []string
}

// SHA256 is the hash of the whole file in hexadecimal: what to keep elsewhere, to know a bundle that was made anew from other answers.
func (b *Bundle) SHA256() string { return hashOf(b.File) }

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// The most that a plan may ask for, so that verifying a bundle ends: as many answers, and prompts of as many bytes beyond a few times the
// file.
const (
	maxAnswers  = 4_000_000
	promptSpace = 1 << 28
	promptTimes = 8
)

// Make makes the bundle of a stored run. It calls no model. The same plan and records give the same bytes, on whatever machine and out of
// whatever store. A run that is too large for one bundle is an error.
func Make(ctx context.Context, store run.Store, plan *assay.Plan, opt Options) (*Bundle, error) {
	if err := plan.Check(); err != nil { // what verifying refuses is not made
		return nil, faultf(planName, "%v", err)
	}
	b, err := build(ctx, store, plan, opt, nil)
	if err != nil {
		return nil, err
	}
	if err := bounded(plan, len(b.File)); err != nil {
		return nil, err
	}
	return b, nil
}

// bounded refuses a plan that asks for more than a bundle of a size can carry.
func bounded(p *assay.Plan, size int) error {
	answers, prompts := p.Extent()
	if answers > maxAnswers || prompts > promptSpace+promptTimes*float64(size) {
		return faultf(planName, "asks for up to %.0f answers to prompts of %.0f bytes in all, which is too much for a bundle of %d bytes", answers, prompts, size)
	}
	return nil
}

// build makes the bundle: again from the contents of one, or for the first time where these are nil.
func build(ctx context.Context, store run.Store, plan *assay.Plan, opt Options, from *contents) (*Bundle, error) {
	planned, err := plan.Stored()
	if err != nil {
		return nil, err
	}
	tap := newTap(store)
	result, err := assay.Evaluate(ctx, tap, plan, opt.Version)
	if err != nil {
		return nil, err
	}
	b := &Bundle{Assay: result, Plan: plan, Manifest: Manifest{
		Format: Format, Hallmark: opt.Version, Build: opt.Build, Run: plan.ID(), Suites: result.Document.Run.Suites, Models: plan.Models, Judge: plan.Judge,
	}}
	used := map[string][]byte{} // by guards
	if b.Manifest.Guards, err = replay(ctx, tap, plan, opt, used, from); err != nil {
		return nil, err
	}
	records, err := tap.records()
	if err != nil {
		return nil, err
	}
	said, err := tap.annotations()
	if err != nil {
		return nil, err
	}
	b.Manifest.Records = len(tap.found)
	protocol := report.NewProtocol(result)
	var members []member
	var failed error
	add := func(name string, render func(io.Writer) error) {
		var out bytes.Buffer
		if err := render(&out); err != nil && failed == nil {
			failed = err
		}
		members = append(members, member{name, out.Bytes()})
	}
	plain := func(data []byte) func(io.Writer) error {
		return func(w io.Writer) error { _, err := w.Write(data); return err }
	}
	add(readmeName, func(w io.Writer) error { return readme(w, &b.Manifest) })
	if len(said) > 0 {
		add(annotationsName, plain(said))
	}
	add(casesName, func(w io.Writer) error { return report.CSV(w, result) })
	if data, ok := used[indexName]; ok {
		add(indexName, plain(data))
	}
	if data, ok := used[memoryName]; ok {
		add(memoryName, plain(data))
	}
	add(planName, plain(append(planned, '\n')))
	add(pageName, func(w io.Writer) error { return report.ProtocolPage(w, protocol, result) })
	add(protocolName, func(w io.Writer) error { return report.ProtocolJSON(w, protocol) })
	add(recordsName, plain(records))
	add(reportName, func(w io.Writer) error { return report.HTML(w, result) })
	add(resultName, func(w io.Writer) error { return report.JSON(w, result) })
	if failed != nil {
		return nil, failed
	}
	total := 0
	for _, m := range members {
		b.Manifest.Members = append(b.Manifest.Members, Member{m.name, len(m.data), hashOf(m.data)})
		total += len(m.data)
	}
	if total > MaxBytes-1<<20 {
		return nil, ErrTooLarge
	}
	manifest, err := json.MarshalIndent(&b.Manifest, "", "  ")
	if err != nil {
		return nil, err
	}
	b.File = pack(append(members, member{manifestName, append(manifest, '\n')}))
	return b, nil
}

// readme tells whoever unpacks a bundle what is in it.
func readme(w io.Writer, m *Manifest) error {
	_, err := fmt.Fprintf(w, `Evidence of run %s, made by %s.

manifest.json    what this is, and the SHA-256 of every other file
plan.json        all that decides the run: suites with their questions, models, methods, parameters, seed
records.jsonl    every answer that a figure rests on, as it came, with the request that was sent
result.json      every figure
cases.csv        a row per question
report.html      the report of the run
protocol.html    the filled protocol report, set for printing
protocol.json    the same for programs
annotations.jsonl, guard-*: verdicts of people, and what the constraint layer knew, where there are any

Verify it:       hallmark verify BUNDLE.zip
This computes every number again from records.jsonl and plan.json, calls no model, and fails if one byte of the file differs.
It cannot show that the answers are those of the model, or that this is the file that was first made: for that, keep the SHA-256 that
hallmark verify prints somewhere else, such as in a signed document.
`, m.Run, m.maker())
	return err
}
