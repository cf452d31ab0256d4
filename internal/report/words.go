package report

import (
	_ "embed" // the words
	"encoding/json"
	"fmt"
	"path"
)

//go:embed words.json
var wordsFile []byte

// said has what reports say whatever was measured: the words for what results name, by kind and name, and texts that
// always read alike, how chapters begin, the columns of CSV, and how each kind of page is to be read.
var said = func() (s struct {
	Words    map[string]map[string]string
	Chapters map[string]struct {
		Name, Title, Over, Lede string
		Axis, Run, Inner        bool
	}
	Columns, How map[string][]string
}) {
	if err := json.Unmarshal(wordsFile, &s); err != nil {
		panic("report: words.json: " + err.Error())
	}
	return s
}()

// called is the word for a name of a kind; "" where there is none.
func called[Name ~string](kind string, name Name) string { return said.Words[kind][string(name)] }

// chapterOf is a chapter as words.json has it begin. What is before a stroke in its key is no part of its place.
func chapterOf(key string, body ...block) chapter {
	w := said.Chapters[key]
	return chapter{ID: path.Base(key), Name: w.Name, Title: w.Title, Over: w.Over, Lede: say(w.Lede), Axis: w.Axis,
		Run: w.Run, Inner: w.Inner, Body: body}
}

// chapter is one of the section.
func (s *section) chapter(key string, body ...block) chapter {
	c := chapterOf(key, body...)
	c.ID = s.id(key)
	return c
}

// over is the chapter with what its figures are of, lede with what it answers, and asks with values in that.
func (b chapter) over(s string) chapter     { b.Over = s; return b }
func (b chapter) lede(parts ...any) chapter { b.Lede = say(parts...); return b }
func (b chapter) asks(values ...any) chapter {
	b.Lede = say(fmt.Sprintf(b.Lede[0].Text, values...))
	return b
}
