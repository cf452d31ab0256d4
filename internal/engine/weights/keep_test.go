package weights

import (
	"maps"
	"slices"
	"testing"
	"testing/fstest"
)

// A changed model keeps how text is cut and laid out, not its old weights, nor the log of the stage it no longer is.
func TestKeep(t *testing.T) {
	folder := fstest.MapFS{}
	for _, name := range []string{"config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja",
		"model.safetensors", "model.safetensors.index.json", StageFile, "notes.txt", "sub/a.json"} {
		folder[name] = &fstest.MapFile{Data: []byte("old")}
	}
	files := map[string][]byte{"config.json": []byte("new"), "model.safetensors": []byte("new")}
	if err := Keep(folder, files); err != nil {
		t.Fatal(err)
	}
	want := []string{"chat_template.jinja", "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) || string(files["config.json"]) != "new" {
		t.Errorf("%q with config %s, want %q", got, files["config.json"], want)
	}
}
