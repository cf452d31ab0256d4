package assay

import (
	"bytes"
	_ "embed"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/grade"
	"hallmark/internal/grade/judge"
)

//go:embed anchors.jsonl
var anchorLines []byte

// An anchor is an answer of which it is plain what it did. A judge is asked about all of them in each run, so that
// one that was changed between runs, under the same name, is seen.
type anchor struct {
	ID         string        `json:"id"`
	Question   string        `json:"question"`
	References []string      `json:"references"`
	Answer     string        `json:"answer"`
	Outcome    grade.Outcome `json:"outcome"`
}

// anchors are the anchors in their order. They are the same as long as judge.Version is.
var anchors = func() (all []anchor) {
	err := jsonl.Each("anchors.jsonl", bytes.NewReader(anchorLines), func(_ int, a anchor) error {
		all = append(all, a)
		return nil
	}, nil)
	if err != nil { // the file is our own
		panic("assay: " + err.Error())
	}
	return all
}()

// in returns what a judge is asked about the anchor in a run. No two runs ask the same, so that no run has the
// replies of another.
func (a anchor) in(run string) judge.Asked {
	return judge.Asked{Question: a.Question, References: a.References, Answer: a.Answer, Nonce: run}
}
