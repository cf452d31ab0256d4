package paraphrase

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"hallmark/internal/base/jsonl"
)

// MaxFileRows bounds the rows of a file of paraphrases, and MaxPerCase the paraphrases of one case in it.
const (
	MaxFileRows = 1_000_000
	MaxPerCase  = 10_000
)

// An Entry is what a file gives for one case: paraphrases of the prompt of the case with an id, or of a prompt.
type Entry struct {
	ID          string   `json:"id,omitempty"`
	Prompt      string   `json:"prompt,omitempty"`
	Paraphrases []string `json:"paraphrases"`
}

// row is a line of a file under the names that people use.
type row struct {
	ID          json.RawMessage `json:"id"`
	CaseID      json.RawMessage `json:"case_id"`
	Prompt      *string         `json:"prompt"`
	Question    *string         `json:"question"`
	Input       *string         `json:"input"`
	Text        *string         `json:"text"`
	Paraphrase  *string         `json:"paraphrase"`
	Paraphrases *[]string       `json:"paraphrases"`
}

// ReadFile reads paraphrases from JSON Lines, an object a line: id (or case_id) or prompt (or question, input,
// text), and paraphrases, a list, or paraphrase, one text. Lines of one case add up in their order. Paraphrases
// that are empty or say the prompt again are kept: the filter names and counts them. Errors name the file and the
// line.
func ReadFile(file string, r io.Reader) ([]Entry, error) {
	var entries []Entry
	at := map[[2]string]int{}
	rows := 0
	err := jsonl.Each(file, r, func(_ int, r row) error {
		if rows++; rows > MaxFileRows {
			return fmt.Errorf("more than %d rows", MaxFileRows)
		}
		e, err := r.entry()
		if err != nil {
			return err
		}
		key := [2]string{e.ID, e.Prompt}
		i, known := at[key]
		if !known {
			i = len(entries)
			at[key] = i
			entries = append(entries, Entry{ID: e.ID, Prompt: e.Prompt})
		}
		entries[i].Paraphrases = append(entries[i].Paraphrases, e.Paraphrases...)
		if len(entries[i].Paraphrases) > MaxPerCase {
			return fmt.Errorf("more than %d paraphrases of one case", MaxPerCase)
		}
		return nil
	}, nil)
	return entries, err
}

// entry is what a line says; the prompt is left out where an id says which case.
func (r row) entry() (e Entry, err error) {
	for _, id := range []json.RawMessage{r.ID, r.CaseID} {
		if len(id) == 0 || string(id) == "null" || e.ID != "" {
			continue
		}
		if json.Unmarshal(id, &e.ID) != nil {
			var number json.Number
			if err := json.Unmarshal(id, &number); err != nil {
				return e, errors.New("id is neither a text nor a number")
			}
			e.ID = number.String()
		}
	}
	for _, p := range []*string{r.Prompt, r.Question, r.Input, r.Text} {
		if p != nil && e.Prompt == "" && e.ID == "" {
			e.Prompt = *p
		}
	}
	switch {
	case e.ID == "" && strings.TrimSpace(e.Prompt) == "":
		return e, errors.New(`neither id nor prompt; want {"id": "…", "paraphrases": ["…"]} or {"prompt": "…", ` +
			`"paraphrases": ["…"]}`)
	case r.Paraphrases != nil && r.Paraphrase != nil:
		return e, errors.New("paraphrase and paraphrases both; keep one")
	case r.Paraphrases != nil:
		e.Paraphrases = *r.Paraphrases
	case r.Paraphrase != nil:
		e.Paraphrases = []string{*r.Paraphrase}
	default:
		return e, errors.New(`no paraphrases; want "paraphrases": ["…"] or "paraphrase": "…"`)
	}
	return e, nil
}
