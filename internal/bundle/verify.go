package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"hallmark/internal/assay"
	"hallmark/internal/run"
	"hallmark/internal/run/store/memory"
)

// contents are the members of a bundle as they were read.
type contents struct {
	manifest Manifest
	members  map[string][]byte
	order    []member
}

// Open reads a bundle from a file of at most MaxBytes and verifies it. Errors of the file system are those of os; a *Fault says what is
// wrong with the bundle.
func Open(ctx context.Context, path string, opt Options) (*Bundle, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, faultf("", "is no file; want an evidence bundle, as hallmark report --format evidence writes it")
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	return Verify(ctx, data, opt)
}

// Verify recomputes a bundle from the plan and the answers in it, and returns it if every byte is as it must be. The first thing that is not
// is a *Fault that names the member and what differs; an error of the context is returned as it is. It calls no model, and takes time and
// memory bounded by the size of the file. A bundle of another release or build is verified if this one computes the same bytes, with a
// note; else the fault says which made it. Where plan, answers and figures hold and only what shows them differs, the fault says so.
//
// What it cannot see: that the answers came from the model, and that a bundle was made anew from other answers. The hash of the file, kept
// elsewhere, shows the second.
func Verify(ctx context.Context, file []byte, opt Options) (*Bundle, error) {
	c, err := read(file)
	if err != nil {
		return nil, err
	}
	again, err := c.recompute(ctx, opt)
	if err == nil {
		err = c.compare(again)
	}
	if err != nil {
		return nil, c.another(err, opt)
	}
	if made, own := c.manifest.maker(), maker(opt.Version, opt.Build); made != own {
		again.Notes = append(again.Notes, fmt.Sprintf("made by %s; this is %s, which computes the same", made, own))
	}
	for _, g := range again.Manifest.Guards {
		if !g.Recomputed {
			again.Notes = append(again.Notes, fmt.Sprintf("%s: its answers were not recomputed from those of the model inside: %s", g.Model, g.Why))
		}
	}
	return again, nil
}

// maker names a program as people tell releases and builds apart.
func maker(version, build string) string {
	if build == "" {
		return "hallmark " + shortened(version)
	}
	return "hallmark " + shortened(version) + " (build " + shortened(build) + ")"
}

func (m *Manifest) maker() string { return maker(m.Hallmark, m.Build) }

// another adds to a fault which program made the bundle, where it is not known to be this one, as that may be why.
func (c *contents) another(err error, opt Options) error {
	var f *Fault
	if !errors.As(err, &f) {
		return err
	}
	made, own := c.manifest.maker(), maker(opt.Version, opt.Build)
	switch {
	case made != own:
		return faultf(f.Member, "%s; %s made the bundle and this is %s, whose figures and pages may differ: verify it with the one that made it", f.Text, made, own)
	case opt.Build == "" || strings.HasSuffix(opt.Build, Changed):
		return faultf(f.Member, "%s; it was changed, or another build of %s made the bundle", f.Text, own)
	}
	return err
}

// read takes a bundle apart and holds its members against the manifest.
func read(file []byte) (*contents, error) {
	if len(file) > MaxBytes {
		return nil, faultf("", "has more than %d bytes, the most that a bundle has", MaxBytes)
	}
	members, err := unpack(file)
	if err != nil {
		return nil, err
	}
	c := &contents{members: map[string][]byte{}, order: members}
	for _, m := range members {
		c.members[m.name] = m.data
	}
	manifest, ok := c.members[manifestName]
	if !ok {
		return nil, faultf(manifestName, "is missing")
	}
	var format struct {
		Format   string `json:"format"`
		Hallmark string `json:"hallmark"`
	}
	if err := json.Unmarshal(manifest, &format); err != nil {
		return nil, faultf(manifestName, "does not read: %v", err)
	}
	if format.Format != Format {
		return nil, faultf(manifestName, "the bundle is of format %q and this release reads %q: verify it with the release that made it, hallmark %q", shortened(format.Format), Format, shortened(format.Hallmark))
	}
	if err := decode(manifest, &c.manifest); err != nil {
		return nil, faultf(manifestName, "does not read: %v", err)
	}
	listed := map[string]bool{}
	for _, m := range c.manifest.Members {
		data, there := c.members[m.Name]
		switch {
		case !there:
			return nil, faultf(shortened(m.Name), "is missing: the manifest lists it")
		case len(data) != m.Bytes || hashOf(data) != m.SHA256:
			return nil, faultf(m.Name, "was changed: it has %d bytes of SHA-256 %s, the manifest says %d of %s", len(data), hashOf(data), m.Bytes, shortened(m.SHA256))
		}
		listed[m.Name] = true
	}
	for _, m := range members {
		if m.name != manifestName && !listed[m.name] {
			return nil, faultf(m.name, "was added: the manifest does not list it")
		}
	}
	return c, nil
}

// recompute makes the bundle again from its plan and its answers.
func (c *contents) recompute(ctx context.Context, opt Options) (*Bundle, error) {
	plan, err := assay.ParsePlan(c.members[planName])
	if err != nil {
		return nil, faultf(planName, "%v", err)
	}
	if err := plan.Check(); err != nil {
		return nil, faultf(planName, "is none that a run has: %v", err)
	}
	size := 0
	for _, m := range c.order {
		size += len(m.data)
	}
	if err := bounded(plan, size); err != nil {
		return nil, err
	}
	store := memory.New()
	defer store.Close()
	if err := load(ctx, store, plan.ID(), c.members); err != nil {
		return nil, err
	}
	opt.Version, opt.Build = c.manifest.Hallmark, c.manifest.Build
	b, err := c.build(ctx, store, plan, opt)
	var f *Fault
	if err != nil && ctx.Err() == nil && !errors.As(err, &f) {
		return nil, faultf(planName, "cannot be evaluated: %v", err)
	}
	return b, err
}

// misused begins the fault of a plan that a method panicked over.
const misused = "no run has such a plan: "

// build makes the bundle of a plan that a stranger wrote. What no resolved plan holds the methods take for misuse by a programmer, and
// panic; Check refuses what is known of that, and here the rest becomes a fault.
func (c *contents) build(ctx context.Context, store run.Store, plan *assay.Plan, opt Options) (b *Bundle, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = faultf(planName, misused+"%s", shortened(fmt.Sprint(p)))
		}
	}()
	return build(ctx, store, plan, opt, c)
}

// compare returns a fault that names the first member in which the bundle is not what was computed: what is computed from, then the figures,
// then what shows them.
func (c *contents) compare(again *Bundle) error {
	members, err := unpack(again.File)
	if err != nil {
		return err
	}
	want := map[string][]byte{}
	for _, m := range members {
		want[m.name] = m.data
	}
	if err := c.same(want, planName, recordsName, annotationsName, indexName, memoryName, resultName, casesName); err != nil {
		return err
	}
	err = c.same(want, protocolName, reportName, pageName, readmeName, manifestName)
	var f *Fault
	if errors.As(err, &f) {
		return faultf(f.Member, "%s (the plan, the answers and every figure in %s and %s are as computed again; what shows them is not)", f.Text, resultName, casesName)
	}
	return err
}

// same returns a fault that names the first of some members that the bundle lacks, has beyond what was computed, or has otherwise.
func (c *contents) same(want map[string][]byte, names ...string) error {
	for _, name := range names {
		got, there := c.members[name]
		computed, made := want[name]
		switch {
		case there && !made:
			return faultf(name, "does not belong here: nothing in the run uses it")
		case made && !there:
			return faultf(name, "is missing")
		case !bytes.Equal(got, computed):
			return faultf(name, "%s", differs(got, computed))
		}
	}
	return nil
}

// differs says where two texts part.
func differs(got, want []byte) string {
	i := firstDifference(got, want)
	line := 1 + bytes.Count(got[:i], []byte("\n"))
	return fmt.Sprintf("line %d, byte %d: the bundle has %s where its answers give %s", line, i, around(got, i), around(want, i))
}

// around quotes a few bytes of a text at a place.
func around(text []byte, i int) string {
	if i >= len(text) {
		return "its end"
	}
	from := max(0, i-12)
	return fmt.Sprintf("%q", text[from:min(len(text), i+20)])
}
