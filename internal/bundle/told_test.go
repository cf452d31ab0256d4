package bundle

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestOwnBuildOfAnotherGrading has a bundle that says that this very build made it, and by another grading version:
// where builds are told apart, it was changed, and else that is said.
func TestOwnBuildOfAnotherGrading(t *testing.T) {
	p, store, _ := made(t)
	for build, want := range map[string]string{"abc": "says that this very build made the bundle", "": "",
		"abc" + Changed: ""} {
		opt := Options{Version: version, Build: build}
		b, err := makeFile(context.Background(), store, p, opt)
		if err != nil {
			t.Fatal(err)
		}
		all := unpacked(t, b.File)
		for _, name := range []string{manifestName, resultName} {
			from := []byte(`"version": "` + b.Manifest.Grading.Version + `"`)
			if !bytes.Contains(all[name], from) {
				t.Fatalf("%s has no %s", name, from)
			}
			all[name] = bytes.ReplaceAll(all[name], from, []byte(`"version": "77"`))
		}
		v, err := Verify(context.Background(), sealed(t, all), opt)
		switch {
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("build %q: %v", build, err)
		case want == "" && err != nil:
			t.Errorf("build %q: %v", build, err)
		case want == "" && !strings.Contains(strings.Join(v.Notes, " "),
			"another build of it made the bundle, or it was changed"):
			t.Errorf("build %q: %q", build, v.Notes)
		}
	}
}
