package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/report/rulebook"
)

// TestRubric has the rules in a bundle, under its hash. One that says other rules is refused where this very build made
// it; another release may have had others, or none.
func TestRubric(t *testing.T) {
	_, _, b := made(t)
	var page bytes.Buffer
	if err := rulebook.Specification().WriteMarkdown(&page); err != nil {
		t.Fatal(err)
	}
	all := unpacked(t, b.File)
	if !bytes.Equal(all[rubricName], page.Bytes()) {
		t.Errorf("%s is not the rubric", rubricName)
	}
	all[rubricName] = bytes.ReplaceAll(all[rubricName], []byte("| fail |"), []byte("| pass |"))
	refused(t, "a rule turned round", packed(all), rubricName, "was changed")
	forged := sealed(t, all)
	refused(t, "a rule turned round, with its hash", forged, rubricName, "the plan, the answers and every figure")
	other := func(file []byte, want string) {
		t.Helper()
		v, err := Verify(context.Background(), file, Options{Version: "9.0.0"})
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(v.NotChecked, "; "); strings.Contains(said, rubricName) != (want != "") ||
			!strings.Contains(said, want) {
			t.Errorf("not checked: %q, want %q", said, want)
		}
	}
	other(forged, rubricName+", which has other rules")
	var m Manifest
	if err := json.Unmarshal(all[manifestName], &m); err != nil {
		t.Fatal(err)
	}
	m.Members = slices.DeleteFunc(m.Members, func(x Member) bool { return x.Name == rubricName })
	delete(all, rubricName)
	var err error
	if all[manifestName], err = json.Marshal(&m); err != nil {
		t.Fatal(err)
	}
	other(sealed(t, all), "")
}
