// Package bundle makes and verifies evidence bundles: one file that holds a run
// whole, from its plan and raw answers to every figure, the case table and the
// filled protocol report, so that somebody else can recompute each number
// (docs/evidence.md). A bundle is a function of the plan and the records on which
// its results rest; to verify one is to make it again and compare the bytes, or
// all but last digits where another kind of processor made it.
package bundle

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed" // what a bundle says of itself
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"hallmark/internal/assay"
	"hallmark/internal/base/shelf"
	"hallmark/internal/grade"
	"hallmark/internal/report"
	"hallmark/internal/report/rulebook"
	"hallmark/internal/run"
	"hallmark/internal/stat/figure"
)

// Format names the layout of a bundle. Later releases may add members to it, and members to its JSON: what a reader
// does not know it leaves alone, under its hash. FormatOne is that of releases 0.1, which holds no verdicts but
// those of the case table.
const (
	Format    = "hallmark-evidence/2"
	FormatOne = "hallmark-evidence/1"
)

// The members of a bundle.
const (
	readmeName      = "README.txt"
	annotationsName = "annotations.jsonl"
	casesName       = "cases.csv"
	goldsName       = "golds.jsonl"
	indexName       = "guard-index"
	memoryName      = "guard-memory"
	manifestName    = "manifest.json"
	planName        = "plan.json"
	protocolName    = "protocol.json"
	pageName        = "protocol.html"
	recordsName     = "records.jsonl"
	reportName      = "report.html"
	resultName      = "result.json"
	rubricName      = "rubric.md"
	verdictsName    = "verdicts.jsonl"
)

// names are the members that this release knows.
var names = []string{readmeName, annotationsName, casesName, goldsName, indexName, memoryName, manifestName, planName,
	protocolName, pageName, recordsName, reportName, resultName, rubricName, verdictsName}

// A Manifest says what a bundle is and holds the hash of every other member.
type Manifest struct {
	Format   string `json:"format"`
	Hallmark string `json:"hallmark"`        // the release that made it
	Build    string `json:"build,omitempty"` // the build of that release, where it is known
	// Arithmetic tells kinds of processors apart that give other last digits; empty in bundles of earlier builds.
	Arithmetic string            `json:"arithmetic,omitempty"`
	Grading    grade.Grading     `json:"grading"` // by which the answers were read
	Run        string            `json:"run"`
	Suites     []assay.SuiteInfo `json:"suites"`
	Models     []assay.UnderTest `json:"models"`
	Judge      *assay.UnderTest  `json:"judge,omitempty"`
	// stored outcomes of calls on which the results rest, inner ones included
	Records int `json:"records"`
	// Guards says of each guarded model whether its answers were recomputed from the answers of the model inside.
	Guards []Guarded `json:"guards,omitempty"`
	// Verdicts counts the lines of verdicts.jsonl, so that every verdict is in a figure.
	Verdicts *Tally   `json:"verdicts,omitempty"`
	Members  []Member `json:"members"`
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
	// Build is the commit that the program was built from, as builds of one release may differ in figures and
	// pages; empty where it is not known, and with Changed behind it where the program holds changes of its own.
	Build string
	// Guard rebuilds the constraint layer of a guarded model; nil where no run is guarded.
	Guard Rebuild
	// Read reads the files that a guard's flags name, where a bundle is made; nil where no run is guarded.
	Read func(path string) ([]byte, error)

	// Lookups notes the records on which the figures of a bundle rest as it is made; nil: nobody asks.
	Lookups *run.Lookups

	grading string // taken for the grading version of this release; empty: grade.Version
}

// reads is the grading version of the answers that are read here.
func (o *Options) reads() string { return cmp.Or(o.grading, grade.Version) }

// Changed is the end of a Build that is not quite its commit, so that two of one name need not be the same.
const Changed = "+changed"

// A Bundle is a bundle with the run that it holds.
type Bundle struct {
	File     []byte // the zip file, where it was read; Copy writes it of any
	Manifest Manifest
	// Assay is the run as evaluated by the verdicts of the bundle: those of this release, or of the version that
	// the manifest names; nil for a bundle of FormatOne, which has not all of them: see Again.
	Assay *assay.Assay
	Plan  *assay.Plan
	// Own says that the verdicts were taken from the bundle, as they are of another grading version, and that its
	// figures follow from them.
	Own bool
	// NotChecked lists what of a bundle of another grading version, release or build could not be held against
	// anything but its hash.
	NotChecked []string
	// Compared counts the figures that were held against what this release computes; nil where every byte is as
	// computed again, and in FormatOne.
	Compared *Comparison
	// Rounded says that another kind of processor made the bundle, and that last digits of figures differ.
	Rounded bool
	// Notes say what a reader of the outcome has to know.
	Notes []string

	made     []member        // of which the file is packed, or those that were computed to verify it
	sum      string          // of the file, where it is packed of these
	readings *assay.Readings // how each answer was read; nil in FormatOne
	contents *contents       // as it was opened; nil where it was made here
	anew     *reread         // the same answers as this release reads them, where that was done
}

// SHA256 is the hash of the whole file in hexadecimal: what to keep elsewhere, to know a bundle that was made anew
// from other answers.
func (b *Bundle) SHA256() string { return cmp.Or(b.sum, hashOf(b.File)) }

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// The most that a plan may ask for, so that verifying a bundle ends: as many answers, and prompts of as many bytes
// beyond a few times the file.
const (
	maxAnswers  = 4_000_000
	answerSpace = 10_000 // answers that may be missing, each of which takes some 9 kB,
	answerTimes = 100    // beside so many for each record
	promptSpace = 1 << 28
	promptTimes = 8
)

// Make makes the bundle of a stored run. It calls no model. The same plan and records give the same bytes, on
// whatever machine and out of whatever store. A run that is too large for one bundle is an error.
func Make(ctx context.Context, store run.Store, plan *assay.Plan, opt Options) (*Bundle, error) {
	if err := plan.Check(); err != nil { // what verifying refuses is not made
		return nil, fault(planName, "%v", err)
	}
	b, err := build(ctx, store, plan, opt, nil, nil)
	if err != nil {
		return nil, err
	}
	if err := bounded(plan, packedBytes(b.made), b.Manifest.Records); err != nil {
		return nil, err
	}
	sum := sha256.New()
	if err := writeZip(sum, b.made); err != nil {
		return nil, err
	}
	b.sum = hex.EncodeToString(sum.Sum(nil))
	return b, nil
}

// bounded refuses a plan that asks for more than a bundle of a size can carry.
func bounded(p *assay.Plan, size, records int) error {
	answers, prompts := p.Extent()
	if answers > maxAnswers || prompts > promptSpace+promptTimes*float64(size) {
		return fault(planName, "asks for up to %s answers to prompts of %s bytes in all, which is too much "+
			"for a bundle of %d bytes", figure.Fixed(answers, 0), figure.Fixed(prompts, 0), size)
	}
	if answers := p.Answers(); answers > answerSpace+answerTimes*float64(records) {
		return fault(planName, "asks for up to %s answers, which is too much for a bundle of %d records: make "+
			"one once more of them are there", figure.Fixed(answers, 0), records)
	}
	return nil
}

// build makes the bundle: again from the contents of one, or for the first time where these are nil; by the
// verdicts of earlier readings, or by reading the answers where these are nil.
func build(ctx context.Context, store run.Store, plan *assay.Plan, opt Options, from *contents,
	given *assay.Readings) (*Bundle, error) {
	planned, err := plan.Stored()
	if err != nil {
		return nil, err
	}
	tap := newTap(store)
	var read run.Store = tap
	if opt.Lookups != nil {
		read = opt.Lookups.Watch(tap)
	}
	b := &Bundle{Plan: plan, readings: given}
	if given != nil {
		b.Assay, err = assay.EvaluateRead(ctx, read, plan, opt.Version, given)
	} else {
		b.Assay, b.readings, err = assay.Read(ctx, read, plan, opt.Version)
	}
	if err != nil {
		return nil, err
	}
	b.Manifest = Manifest{
		Format: Format, Hallmark: opt.Version, Build: opt.Build, Arithmetic: arithmetic(),
		Grading: b.Assay.Document.Grading, Run: plan.ID(), Suites: b.Assay.Document.Run.Suites, Models: plan.Models,
		Judge:    plan.Judge,
		Verdicts: tallied(b.readings),
	}
	if err := tap.ofUnits(b.Assay, plan, from != nil); err != nil {
		return nil, err
	}
	used := map[string][]byte{} // by guards
	if b.Manifest.Guards, err = replay(ctx, tap, plan, opt, used, from, given != nil); err != nil {
		return nil, err
	}
	var members []member
	for name, data := range used {
		members = append(members, member{name: name, data: data})
	}
	away := &shelf.Shelf{}
	protocol := report.NewProtocol(b.Assay)
	for _, x := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{planName, func(w io.Writer) error { _, err := w.Write(append(planned, '\n')); return err }},
		{recordsName, func(w io.Writer) error { return tap.records(ctx, w) }}, {annotationsName, tap.annotations},
		{verdictsName, func(w io.Writer) error { return cmp.Or(writeLines(w, b.readings.All()), b.readings.Err()) }},
		{goldsName, func(w io.Writer) error { return writeLines(w, slices.Values(b.readings.Golds)) }},
		{readmeName, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, readme, plan.ID(), b.Manifest.maker())
			return err
		}},
		{casesName, func(w io.Writer) error { return report.CSV(w, b.Assay) }},
		{pageName, func(w io.Writer) error { return report.ProtocolPage(w, protocol, b.Assay) }},
		{protocolName, func(w io.Writer) error { return report.ProtocolJSON(w, protocol) }},
		{reportName, func(w io.Writer) error { return report.HTML(w, b.Assay) }},
		{resultName, func(w io.Writer) error { return report.JSON(w, b.Assay) }},
		{rubricName, rulebook.Specification().WriteMarkdown},
	} {
		m := member{name: x.name}
		if from == nil {
			m.away, err = shelve(away, x.write)
		} else {
			m.data, err = from.made(x.name, x.write)
		}
		if err != nil {
			return nil, err
		}
		if m.size() > 0 || x.name != annotationsName {
			members = append(members, m)
		}
	}
	b.Manifest.Records = len(tap.found)
	return b, b.seal(members)
}

// seal lists the members in the manifest, which is one more.
func (b *Bundle) seal(members []member) error {
	slices.SortFunc(members, byName)
	total := 0
	for _, m := range members {
		b.Manifest.Members = append(b.Manifest.Members, Member{m.name, m.size(), m.sha256()})
		total += m.size()
	}
	if total > MaxBytes-1<<20 {
		return ErrTooLarge
	}
	manifest, err := json.MarshalIndent(&b.Manifest, "", "  ")
	if err != nil {
		return err
	}
	b.made = append(members, member{name: manifestName, data: append(manifest, '\n')})
	return nil
}

// readme tells whoever unpacks a bundle what is in it.
//
//go:embed readme.txt
var readme string
