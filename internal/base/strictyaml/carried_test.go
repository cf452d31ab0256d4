package strictyaml

import (
	"slices"
	"testing"
	"testing/fstest"
)

// TestCarried holds that files add up, and that what does not hold, or is not there, is a panic.
func TestCarried(t *testing.T) {
	files := fstest.MapFS{
		"words/a.yaml": {Data: []byte("words: {fruit: [apple]}\n")},
		"words/b.yaml": {Data: []byte("words: {tool: [saw, axe]}\nnames: [Ada]\n")},
		"wrong.yaml":   {Data: []byte("word: {fruit: [pear]}\n")},
	}
	var got struct {
		Words map[string][]string `yaml:"words"`
		Names []string            `yaml:"names"`
	}
	Carried(files, "words/*.yaml", &got)
	if len(got.Words) != 2 || !slices.Equal(got.Words["tool"], []string{"saw", "axe"}) || len(got.Names) != 1 {
		t.Errorf("got %+v", got)
	}
	for _, pattern := range []string{"wrong.yaml", "none.yaml"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic of %s", pattern)
				}
			}()
			Carried(files, pattern, &got)
		}()
	}
}
