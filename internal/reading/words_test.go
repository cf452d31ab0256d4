package reading

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestSenses holds that words.txt has every sense that code asks for by name.
func TestSenses(t *testing.T) {
	listed := map[string]bool{}
	for _, senses := range sensed {
		for _, s := range senses {
			listed[s] = true
		}
	}
	call, name := regexp.MustCompile(`\bIs\(.*?((?:, "[a-z]+")+)\)`), regexp.MustCompile(`[a-z]+`)
	files, _ := filepath.Glob("*.go")
	oracle, _ := filepath.Glob("../grade/oracle/*.go")
	asked := 0
	for _, f := range append(files, oracle...) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllStringSubmatch(string(text), -1) {
			for _, s := range name.FindAllString(m[1], -1) {
				if asked++; !listed[s] {
					t.Errorf("%s asks for the sense %q, which words.txt does not have", f, s)
				}
			}
		}
	}
	if asked < 60 {
		t.Errorf("%d senses found in the code", asked)
	}
}
