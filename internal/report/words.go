package report

import (
	_ "embed" // the words
	"encoding/json"
)

//go:embed words.json
var wordsFile []byte

// said has what reports say whatever was measured: the words for what results name, by kind and name, and how each
// kind of page is to be read.
var said = func() (s struct {
	Words map[string]map[string]string
	How   map[string][]string
}) {
	if err := json.Unmarshal(wordsFile, &s); err != nil {
		panic("report: words.json: " + err.Error())
	}
	return s
}()

// called is the word for a name of a kind; "" where there is none.
func called[Name ~string](kind string, name Name) string { return said.Words[kind][string(name)] }
