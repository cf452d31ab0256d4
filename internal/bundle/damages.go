package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"

	"hallmark/internal/base/jsonl"
)

// Damages lists what of a bundle is not as its own hashes say: each member, and each record whose key is not that
// of its call or that does not read. Verify stops at the first; what it finds beyond these, figures that do not
// follow from the answers, is not among them.
func Damages(file []byte) (all []*Fault) {
	members, changed, broken := split(file)
	all = append(all, changed...)
	if broken != nil {
		all = append(all, broken)
	}
	var manifest Manifest
	data := mapped(members)
	if err := json.Unmarshal(data[manifestName], &manifest); err != nil {
		all = append(all, fault(manifestName, "does not read: %v", jsonl.Plain(err)))
	}
	known := map[string]bool{}
	for _, f := range all {
		known[f.Member] = true
	}
	for _, m := range manifest.Members {
		switch have, there := data[m.Name]; {
		case known[m.Name]:
		case !there:
			all = append(all, fault(shortened(m.Name), "is missing: the manifest lists it"))
		case hashOf(have) != m.SHA256:
			all = append(all, fault(m.Name, "was changed: the manifest has another SHA-256"))
		}
	}
	n := 0
	for line := range bytes.Lines(data[recordsName]) {
		n++
		if why := badRecord(line); why != "" {
			all = append(all, fault(recordsName, "line %d: %s", n, why))
		}
	}
	return all
}

// badRecord returns what is wrong with a line of records.jsonl, or nothing.
func badRecord(line []byte) string {
	var l recordLine
	if err := decode(line, &l, false); err != nil {
		return fmt.Sprintf("does not read: %v", err)
	}
	if key := l.Call.Key().String(); key != l.Key {
		return fmt.Sprintf("the key %q is not that of its call, %s", shortened(l.Key), key)
	}
	return ""
}
