package bundle

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"hallmark/internal/base/jsonl"
)

// read takes a bundle apart and holds its members against the manifest. What the program that is named made itself
// holds nothing that it does not know.
func read(file []byte, own string) (*contents, error) {
	if len(file) > MaxBytes {
		return nil, fault("", "has more than %d bytes, the most that a bundle has", MaxBytes)
	}
	members, err := unpack(file)
	if err != nil {
		return nil, err
	}
	c := &contents{members: mapped(members), order: members}
	for _, m := range members {
		if err := oneReading(m); err != nil {
			return nil, err
		}
	}
	manifest, ok := c.members[manifestName]
	if !ok {
		return nil, fault(manifestName, "is missing")
	}
	var format struct {
		Format   string `json:"format"`
		Hallmark string `json:"hallmark"`
		Build    string `json:"build"`
	}
	if err := json.Unmarshal(manifest, &format); err != nil {
		return nil, fault(manifestName, "does not read: %v", jsonl.Plain(err))
	}
	if format.Format != Format && format.Format != FormatOne {
		return nil, fault(manifestName, "the bundle is of format %q and this release reads %q: verify it with "+
			"the release that made it, hallmark %q", shortened(format.Format), Format, shortened(format.Hallmark))
	}
	c.strict = format.Format == FormatOne || maker(format.Hallmark, format.Build) == own
	if err := decode(manifest, &c.manifest, c.strict); err != nil {
		return nil, fault(manifestName, "does not read: %v", err)
	}
	listed := map[string]bool{}
	for _, m := range c.manifest.Members {
		data, there := c.members[m.Name]
		switch {
		case !there:
			return nil, fault(shortened(m.Name), "is missing: the manifest lists it")
		case len(data) != m.Bytes || hashOf(data) != m.SHA256:
			return nil, fault(m.Name, "was changed: it has %d bytes of SHA-256 %s, the manifest says %d of %s",
				len(data), hashOf(data), m.Bytes, shortened(m.SHA256))
		}
		listed[m.Name] = true
	}
	for _, m := range members {
		switch {
		case m.name != manifestName && !listed[m.name]:
			return nil, fault(m.name, "was added: the manifest does not list it")
		case !slices.Contains(names, m.name) && c.strict:
			return nil, fault(m.name, "%s gives no bundle a member of that name", c.manifest.maker())
		case !slices.Contains(names, m.name):
			c.unknown = append(c.unknown, m.name)
		}
	}
	return c, nil
}

// oneReading returns a fault where a member that is JSON, or lines of it, can be read in more than one way: it is no
// single document, or one with a key twice. Keys of what is read into a fixed form are one also where they differ in
// case.
func oneReading(m member) error {
	switch {
	case strings.HasSuffix(m.name, ".json"):
		if err := jsonl.Strict(m.data, m.name == manifestName); err != nil {
			return fault(m.name, "does not read: %v", err)
		}
	case strings.HasSuffix(m.name, ".jsonl"):
		n := 0
		for line := range bytes.Lines(m.data) {
			n++
			if !bytes.HasSuffix(line, []byte("\n")) {
				return fault(m.name, "line %d does not end: it is cut off", n)
			}
			if err := jsonl.Strict(line, slices.Contains(names, m.name)); err != nil {
				return fault(m.name, "line %d does not read: %v", n, err)
			}
		}
	}
	return nil
}

// made returns what is written of a member: the one that the bundle has where both are the same, so that only what
// differs is held twice.
func (c *contents) made(name string, write func(io.Writer) error) ([]byte, error) {
	out := expected{want: c.members[name]}
	err := write(&out)
	return out.bytes(), err
}

// An expected is a text that is written, of which nothing is held as long as it is what was expected.
type expected struct {
	want  []byte
	same  int // bytes so far that are
	other []byte
	parts bool // they are in other, with what is not
}

// Write implements io.Writer.
func (e *expected) Write(p []byte) (int, error) {
	if !e.parts && bytes.HasPrefix(e.want[e.same:], p) {
		e.same += len(p)
		return len(p), nil
	}
	if !e.parts {
		e.parts, e.other = true, slices.Clone(e.want[:e.same])
	}
	if len(e.other)+len(p) > MaxBytes {
		return 0, ErrTooLarge
	}
	e.other = append(e.other, p...)
	return len(p), nil
}

// bytes returns what was written.
func (e *expected) bytes() []byte {
	if e.parts {
		return e.other
	}
	return e.want[:e.same:e.same]
}
