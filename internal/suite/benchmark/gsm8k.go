package benchmark

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/text/quantity"
)

func isGSM8K(_ string, data []byte) bool {
	var q struct{ Question, Answer string }
	return json.Unmarshal(head(data), &q) == nil && q.Question != "" && strings.Contains(q.Answer, "\n#### ")
}

// readGSM8K reads GSM8K: a question and a worked answer that ends in "#### N" a line. The gold is N without separators.
func readGSM8K(f *file) error {
	return objects(f, "", func(line int, q struct{ Question, Answer string }) error {
		gold, ok := finalNumber(q.Answer)
		if !ok || q.Question == "" {
			return f.leave(line, `want a question, and an answer that ends in "#### " and a number`)
		}
		return f.add("gsm8k", line, suite.Case{Prompt: q.Question, AnswerType: suite.Numeric,
			Gold: suite.Gold{Texts: []string{gold}}})
	})
}

// finalNumber returns the number behind the mark of a published answer, "#### N" or, in the model solutions, "A: N".
func finalNumber(s string) (string, bool) {
	i := strings.LastIndex(s, "#### ")
	if i < 0 {
		if i = strings.LastIndex(s, "\nA: "); i < 0 {
			return "", false
		}
	}
	s = strings.ReplaceAll(strings.TrimSpace(strings.TrimLeft(s[i:], "\n#A: ")), ",", "")
	_, ok := quantity.Number(s)
	return s, ok
}

// lines takes each line of JSON Lines that is not blank.
func (f *file) lines(take func(line int, text []byte) error) error {
	line := 0
	for text := range bytes.SplitSeq(f.data, []byte{'\n'}) {
		if line++; len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if err := take(line, text); err != nil {
			return err
		}
	}
	return nil
}

// objects takes each line of JSON Lines as a T, or each entry where the file is one list of what.
func objects[T any](f *file, what string, take func(line int, q T) error) error {
	one := func(line int, text []byte) error {
		var q T
		if err := unmarshal(text, &q); err != nil {
			return f.errorf(line, "%v", err)
		}
		return take(line, q)
	}
	if what != "" && isList(f.data) {
		return f.list(what, one)
	}
	return f.lines(one)
}

// isList reports whether a file is one JSON list.
func isList(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(data[:min(len(data), 64<<10)]), []byte{'['})
}

// firstOf reads the first entry of a list of JSON, and reports whether that is possible.
func firstOf(data []byte, v any) bool {
	dec := json.NewDecoder(bytes.NewReader(data[:min(len(data), 64<<10)]))
	_, err := dec.Token()
	return err == nil && dec.Decode(v) == nil
}

// unmarshal is json.Unmarshal with messages about the text, not about Go's types.
func unmarshal(text []byte, v any) error {
	err := json.Unmarshal(text, v)
	var typ *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON value is cut off")
	case errors.As(err, &typ):
		return errors.New("key " + strings.ToLower(typ.Field) + " is a " + typ.Value +
			"; the format has another kind of value there")
	}
	return errors.New("not valid JSON: " + err.Error())
}
