package logs

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFinish takes from logs and tables how answers ended. Of the log of Inspect three of four samples have the stop
// reason max_tokens.
func TestFinish(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string]int{
		filepath.Join("testdata", "inspect", "options.json"):                                                 3,
		filepath.Join("testdata", "promptfoo", "capitals.json"):                                              0,
		write("a.csv", "question,response,gold,finish_reason\nOne?,It is,1,length\nTwo?,2,2,stop\n"):         1,
		write("b.csv", "question,response,gold,ended\nOne?,It is,1,max_tokens\nTwo?,2,2,\n"):                 1,
		write("c.jsonl", `{"question": "One?", "response": "It", "gold": "1", "stop_reason": "max_tokens"}`): 1,
	} {
		o := &Options{Name: "m"}
		if filepath.Base(path) == "b.csv" {
			o.Map = Mapping{finish: "ended"}
		}
		a, err := Read([]string{path}, o)
		if err != nil {
			t.Fatal(err)
		}
		cut := 0
		for i := range a.Len() {
			if x := a.At(i); x.Finish == "length" {
				cut++
			}
		}
		if cut != want {
			t.Errorf("%s: %d answers were cut off, want %d", path, cut, want)
		}
		if err := a.Texts.Close(); err != nil {
			t.Error(err)
		}
	}
}
