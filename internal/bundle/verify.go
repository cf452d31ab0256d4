package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/run"
)

// contents are the members of a bundle as they were read.
type contents struct {
	manifest Manifest
	members  map[string][]byte
	order    []member
	// strict says that all of it is known here; else a member, or a member of its JSON, may be one that a later
	// release added.
	strict  bool
	unknown []string // members that are not known here, and paths of JSON
	figures int      // values at those paths
}

// Open reads a bundle from a file of at most MaxBytes and verifies it. Errors of the file system are those of os; a
// *Fault says what is wrong with the bundle.
func Open(ctx context.Context, path string, opt Options) (*Bundle, error) {
	data, err := inputfile.Read(path, MaxBytes)
	if err != nil {
		return nil, err
	}
	return Verify(ctx, data, opt)
}

// Verify recomputes a bundle from the plan and the answers in it, and returns it if every byte is as it must be.
// The first thing that is not is a *Fault that names the member and what differs; an error of the context is
// returned as it is. It calls no model, and takes time and memory bounded by the size of the file. A bundle of
// another release or build is verified if this one computes the same figures, with a note; else the fault says
// which made it. Where plan, answers and figures hold and only what shows them differs, the fault says so.
//
// The verdicts of a bundle of another grading version are not computed again, as they may differ by right: its
// figures are, from its own verdicts, and Bundle.Own says so.
//
// What it cannot see: that the answers came from the model, and that a bundle was made anew from other answers. The
// hash of the file, kept elsewhere, shows the second.
func Verify(ctx context.Context, file []byte, opt Options) (*Bundle, error) {
	c, err := read(file, maker(opt.Version, opt.Build))
	if err != nil {
		return nil, err
	}
	if opt.told() && c.manifest.maker() == maker(opt.Version, opt.Build) &&
		(c.manifest.Format == FormatOne || c.manifest.Grading.Version != opt.reads()) {
		return nil, fault(manifestName, "says that this very build made the bundle, which makes none of format "+
			"%s and grading version %s: it was changed", shortened(c.manifest.Format),
			shortened(c.manifest.Grading.Version))
	}
	var b *Bundle
	switch {
	case c.manifest.Format == FormatOne:
		b, err = c.verifyOne(ctx, opt)
	case c.manifest.Grading.Version != opt.reads():
		b, err = c.verifyOwn(ctx, opt)
	default:
		b, err = c.recompute(ctx, opt, nil)
		if err == nil {
			err = c.compare(b, file)
		}
	}
	if err != nil {
		return nil, c.another(err, opt)
	}
	b.File, b.contents, b.made = file, c, nil
	c.remark(b, opt)
	return b, nil
}

// remark adds what a reader of the outcome has to know.
func (c *contents) remark(b *Bundle, opt Options) {
	made, own := c.manifest.maker(), maker(opt.Version, opt.Build)
	switch {
	case b.Own && made == own && c.manifest.Format == Format: // release 0.1 is told by its format
		b.Notes = append(b.Notes, fmt.Sprintf("made by %s; this is %s, which reads by another grading version: "+
			"another build of it made the bundle, or it was changed", made, own))
	case b.Own:
		b.Notes = append(b.Notes, fmt.Sprintf("made by %s; this is %s", made, own))
	case made != own:
		same := "computes the same"
		if b.Compared != nil {
			same = "computes the same figures and shows them otherwise: draw its pages anew with `hallmark report`"
		}
		b.Notes = append(b.Notes, fmt.Sprintf("made by %s; this is %s, which %s", made, own, same))
	}
	if len(c.unknown) > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("this release does not know %s: the hashes hold, and what is in there "+
			"was not checked", strings.Join(c.unknown, ", ")))
	}
	for _, g := range b.Manifest.Guards {
		switch {
		case !g.Recomputed:
			b.Notes = append(b.Notes,
				fmt.Sprintf("%s: its answers were not recomputed from those of the model inside: %s", g.Model, g.Why))
		case b.Own:
			b.NotChecked = append(b.NotChecked, fmt.Sprintf(
				"that the answers of %s follow from those of the model inside the guard", g.Model))
		}
	}
}

// verifyOwn checks a bundle of another grading version: that its figures follow from its own verdicts, and these
// are of the answers in it.
func (c *contents) verifyOwn(ctx context.Context, opt Options) (*Bundle, error) {
	if c.manifest.Grading.Version == "" {
		return nil, fault(manifestName, "does not say by which version of grading the answers were read")
	}
	given, err := c.own()
	if err != nil {
		return nil, err
	}
	b, err := c.recompute(ctx, opt, given)
	if err != nil {
		return nil, err
	}
	if err := c.counted(); err != nil {
		return nil, err
	}
	return b, c.follows(b)
}

// follows returns a fault that names the first figure of a bundle that does not follow from its own verdicts.
func (c *contents) follows(b *Bundle) error {
	want := mapped(b.made)
	var skip []string
	switch { // what a judge, or a model that compares by meaning, is asked follows from how answers are read
	case b.Plan.Equivalence != nil:
		skip = []string{"tokens", "usd", "unscored[]", "semantic_entropy", "semantic_entropy_weighted",
			"score_semantic_entropy"}
	case b.Plan.Judge != nil:
		skip = []string{"tokens", "usd"}
	}
	if err := c.alike(b, want, skip, "from the plan and the verdicts in the bundle", planName, manifestName,
		resultName, casesName, protocolName); err != nil {
		return err
	}
	b.Own, b.Manifest, b.readings.Version = true, c.manifest, c.manifest.Grading.Version
	return nil
}

// alike holds figures of a bundle against those that were computed, as documents of two releases are: what both
// have is equal. The first that is not is a fault; what was compared is counted in b.Compared, and what was not
// goes to b.NotChecked.
func (c *contents) alike(b *Bundle, want map[string][]byte, skip []string, from string, members ...string) error {
	b.Compared = &Comparison{NotKnown: c.figures}
	former, err := c.former()
	if err != nil {
		return err
	}
	worded := 0
	names := map[string]bool{}
	leaves(computed(want[planName]), func(x any) {
		if s, ok := x.(string); ok {
			names[s] = true
		}
	})
	for _, name := range members {
		got, ok := c.members[name]
		if !ok {
			return fault(name, "is missing")
		}
		l := &likeness{exact: name == planName, skip: skip, names: names, former: former && name != planName}
		if l.member(name, got, want[name]); l.fault != "" {
			return fault(name, "%s %s", l.fault, from)
		}
		b.NotChecked = append(b.NotChecked, l.beyond.in(name)...)
		for _, x := range l.lacking.in(name) {
			b.NotChecked = append(b.NotChecked, x+", which is not in the bundle")
		}
		b.Compared.add(l)
		worded += l.worded
	}
	if worded > 0 {
		b.NotChecked = append(b.NotChecked, fmt.Sprintf("%d sentences, which this release words otherwise", worded))
	}
	for _, name := range []string{reportName, pageName, readmeName} {
		if !bytes.Equal(c.members[name], want[name]) {
			b.NotChecked = append(b.NotChecked, name+", which this release draws otherwise")
		}
	}
	if got, ok := c.members[rubricName]; ok && !bytes.Equal(got, want[rubricName]) {
		b.NotChecked = append(b.NotChecked, rubricName+", which has other rules than those of this release")
	}
	return nil
}

// former reports whether the figures are of an earlier version of the statistics, as its document says, or does not, as
// those of builds before there were versions.
func (c *contents) former() (bool, error) {
	var d struct {
		Statistics assay.Statistics `json:"statistics"`
	}
	if err := json.Unmarshal(c.members[resultName], &d); err != nil {
		return false, fault(resultName, "does not read: %v", err)
	}
	return d.Statistics.Version != assay.StatisticsVersion, nil
}

// mapped returns what members hold by their names.
func mapped(members []member) map[string][]byte {
	all := make(map[string][]byte, len(members))
	for _, m := range members {
		all[m.name] = m.data
	}
	return all
}

// counted returns a fault where the manifest does not have the number of the records.
func (c *contents) counted() error {
	if n := bytes.Count(c.members[recordsName], []byte("\n")); n != c.manifest.Records {
		return fault(manifestName, "says that there are %d records, and there are %d", c.manifest.Records, n)
	}
	return nil
}

// summary is the part of a manifest that follows from plan and verdicts.
func summary(manifest []byte) []byte {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(manifest, &all); err != nil {
		return manifest
	}
	// What the manifest says of the members was held against these as they were read.
	for _, name := range []string{"members", "guards", "build", "records", "arithmetic"} {
		delete(all, name)
	}
	out, err := json.Marshal(all)
	if err != nil {
		return manifest
	}
	return out
}

// maker names a program as people tell releases and builds apart.
func maker(version, build string) string {
	if build == "" {
		return "hallmark " + shortened(version)
	}
	return "hallmark " + shortened(version) + " (build " + shortened(build) + ")"
}

func (m *Manifest) maker() string { return maker(m.Hallmark, m.Build) }

// told reports whether builds of this program are told apart: its build is known, and is that of what was committed.
func (o *Options) told() bool { return o.Build != "" && !strings.HasSuffix(o.Build, Changed) }

// another adds to a fault which program made the bundle, where it is not known to be this one, as that may be why.
func (c *contents) another(err error, opt Options) error {
	var f *Fault
	if !errors.As(err, &f) {
		return err
	}
	made, own := c.manifest.maker(), maker(opt.Version, opt.Build)
	switch {
	case made != own:
		return fault(f.Member, "%s; %s made the bundle and this is %s, whose figures may differ: verify it with the "+
			"one that made it", f.Text, made, own)
	case !opt.told():
		return fault(f.Member, "%s; it was changed, or another build of %s made the bundle", f.Text, own)
	}
	return err
}

// recompute makes the bundle again from its plan and its answers: read anew, or by the readings that are given.
func (c *contents) recompute(ctx context.Context, opt Options, given *assay.Readings) (*Bundle, error) {
	plan, store, err := c.opened(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	opt.Version, opt.Build = c.manifest.Hallmark, c.manifest.Build
	b, err := c.build(ctx, store, plan, opt, given)
	var f *Fault
	switch {
	case err == nil || ctx.Err() != nil || errors.As(err, &f):
		return b, err
	case given != nil:
		return nil, fault(verdictsName, "%v", err)
	}
	return nil, fault(planName, "cannot be evaluated: %v", err)
}

// plan returns the plan of a bundle, if it is one that a run has.
func (c *contents) plan() (*assay.Plan, error) {
	plan, err := assay.ParsePlan(c.members[planName])
	if err != nil {
		return nil, fault(planName, "%v", err)
	}
	if err := plan.Check(); err != nil {
		return nil, fault(planName, "is none that a run has: %v", err)
	}
	size := 0
	for _, m := range c.order {
		size += len(m.data)
	}
	return plan, bounded(plan, size, bytes.Count(c.members[recordsName], []byte("\n")))
}

// misused begins the fault of a plan that a method panicked over.
const misused = "no run has such a plan: "

// panicked makes a fault of what a method panicked over.
func panicked(err *error) {
	if p := recover(); p != nil {
		*err = fault(planName, misused+"%s", shortened(fmt.Sprint(p)))
	}
}

// build makes the bundle of a plan that a stranger wrote. What no resolved plan holds the methods take for misuse
// by a programmer, and panic; Check refuses what is known of that, and here the rest becomes a fault.
func (c *contents) build(ctx context.Context, store run.Store, plan *assay.Plan, opt Options,
	given *assay.Readings) (b *Bundle, err error) {
	defer panicked(&err)
	return build(ctx, store, plan, opt, c, given)
}

// computedFrom are the members that figures are computed from.
var computedFrom = []string{planName, recordsName, annotationsName, indexName, memoryName, goldsName, verdictsName}

// compare returns a fault that names the first member in which the bundle is not what was computed: what is
// computed from, then the figures, then what shows them. A bundle that another release or build made has every
// figure of its own computed again; this one may have more figures, other sentences and other pages.
func (c *contents) compare(again *Bundle, file []byte) error {
	want := mapped(again.made)
	if c.strict {
		err := c.strictly(want)
		if err != nil && c.manifest.Arithmetic != arithmetic() && c.nearly(want) {
			again.Rounded, again.Notes, again.Manifest = true, append(again.Notes, lastDigits), c.manifest
			return nil
		}
		return err
	}
	if err := c.same(want, computedFrom...); err != nil {
		return err
	}
	if packs(again.made, file) {
		return nil
	}
	if err := c.counted(); err != nil {
		return err
	}
	// What a check implies rests on how this build inverts the check's errors, which changed since
	// (docs/decisions/0031).
	err := c.alike(again, want, []string{"implied"}, "from its answers", manifestName, resultName, casesName,
		protocolName)
	again.Manifest = c.manifest
	return err
}

// strictly returns a fault that names the first member of a bundle of this very build that is not, byte for byte, what
// was computed.
func (c *contents) strictly(want map[string][]byte) error {
	if err := c.same(want, append(slices.Clone(computedFrom), resultName, casesName)...); err != nil {
		return err
	}
	err := c.same(want, protocolName, reportName, pageName, readmeName, rubricName, manifestName)
	if f, ok := errors.AsType[*Fault](err); ok {
		return fault(f.Member, "%s (the plan, the answers and every figure in %s and %s are as computed again; what "+
			"shows them is not)", f.Text, resultName, casesName)
	}
	return err
}

// same returns a fault that names the first of some members that the bundle lacks, has beyond what was computed, or
// has otherwise.
func (c *contents) same(want map[string][]byte, names ...string) error {
	for _, name := range names {
		got, there := c.members[name]
		computed, made := want[name]
		switch {
		case there && !made:
			return fault(name, "does not belong here: nothing in the run uses it")
		case made && !there:
			return fault(name, "is missing")
		case !bytes.Equal(got, computed) && !c.grown(name, got, computed):
			return fault(name, "%s", differs(got, computed))
		}
	}
	return nil
}

// grown reports whether a member differs from what was computed only in that its JSON has members which a later
// release added. It notes them.
func (c *contents) grown(name string, got, computed []byte) bool {
	if c.strict || !strings.HasSuffix(name, ".jsonl") { // all of a plan decides, and figures are compared by alike
		return false
	}
	l := &likeness{exact: true}
	if !l.lines(got, computed) || l.fault != "" {
		return false
	}
	c.unknown = append(c.unknown, l.beyond.in(name)...)
	c.figures += l.beyond.figures
	return true
}

// differs says where two texts part.
func differs(got, want []byte) string {
	i := firstDifference(got, want)
	line := 1 + bytes.Count(got[:i], []byte("\n"))
	return fmt.Sprintf("line %d, byte %d: the bundle has %s where its answers give %s", line, i, around(got, i),
		around(want, i))
}

// around quotes a few bytes of a text at a place.
func around(text []byte, i int) string {
	if i >= len(text) {
		return "its end"
	}
	from := max(0, i-12)
	return fmt.Sprintf("%q", text[from:min(len(text), i+20)])
}
