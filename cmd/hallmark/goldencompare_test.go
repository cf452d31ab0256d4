package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// canonical returns an output as it is kept. JSON is indented with its keys in order and its numbers as printed; of
// this_invocation, times and paths are left out, and of verify's result the notes on which build made a bundle.
func canonical(name, out string) (string, error) {
	switch path.Ext(name) {
	case ".json", ".jsonl":
	default:
		return out, nil
	}
	docs, err := documents(out)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if path.Ext(name) == ".json" {
		e.SetIndent("", " ")
	}
	for _, doc := range docs {
		if m, ok := doc.(map[string]any); ok {
			if mine, ok := m["this_invocation"].(map[string]any); ok {
				for _, key := range []string{"seconds", "started", "report"} {
					delete(mine, key)
				}
			}
			if _, ok := m["verified"]; ok {
				delete(m, "notes")
			}
		}
		if err := e.Encode(doc); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// documents reads JSON documents, one after the other, with numbers as they are printed.
func documents(text string) ([]any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	docs := []any{}
	for {
		var doc any
		err := d.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
}

// differences says what of a kept output a new one lacks or has otherwise, a line each. JSON and CSV may have more:
// keys of objects, columns. All else is the same bytes.
func differences(name, kept, now string) []string {
	switch path.Ext(name) {
	case ".json", ".jsonl":
		was, err := documents(kept)
		if err != nil {
			return []string{"the kept file: " + err.Error()}
		}
		is, err := documents(now)
		if err != nil {
			return []string{"the output: " + err.Error()}
		}
		if len(was) == 1 && len(is) == 1 {
			return lacks("", was[0], is[0])
		}
		return lacks("", any(was), any(is))
	case ".csv":
		return lacksCells(kept, now)
	}
	was, is := strings.Split(kept, "\n"), strings.Split(now, "\n")
	for i := range max(len(was), len(is)) {
		if i >= len(was) || i >= len(is) || was[i] != is[i] {
			return []string{fmt.Sprintf("line %d: %s, now %s", i+1, quoted(was, i), quoted(is, i))}
		}
	}
	return nil
}

func quoted(lines []string, i int) string {
	if i >= len(lines) {
		return "missing"
	}
	return fmt.Sprintf("%.200q", lines[i])
}

// lacks compares two JSON values at a path: keys that were there have to be there and equal, arrays have the same
// length, and everything else is equal as printed.
func lacks(at string, was, is any) []string {
	var all []string
	switch was := was.(type) {
	case map[string]any:
		object, ok := is.(map[string]any)
		if !ok {
			break
		}
		for _, key := range slices.Sorted(maps.Keys(was)) {
			here := at + "/" + key
			if _, ok := object[key]; !ok {
				all = append(all, fmt.Sprintf("%s: %s, now missing", here, printed(was[key])))
				continue
			}
			all = append(all, lacks(here, was[key], object[key])...)
		}
		return all
	case []any:
		array, ok := is.([]any)
		if !ok {
			break
		}
		if len(was) != len(array) {
			all = append(all, fmt.Sprintf("%s: %d elements, now %d", at, len(was), len(array)))
		}
		for i := range min(len(was), len(array)) {
			all = append(all, lacks(fmt.Sprintf("%s/%d", at, i), was[i], array[i])...)
		}
		return all
	default:
		if was == is { // two of a kind that can be compared: string, json.Number, bool, nil
			return nil
		}
	}
	return []string{fmt.Sprintf("%s: %s, now %s", at, printed(was), printed(is))}
}

// printed is a value as JSON has it, cut short.
func printed(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%.300s", b)
}

// lacksCells compares two tables: the columns that were there are there, in their order, with the same cells.
func lacksCells(kept, now string) []string {
	was, err := csv.NewReader(strings.NewReader(kept)).ReadAll()
	if err != nil {
		return []string{"the kept file: " + err.Error()}
	}
	is, err := csv.NewReader(strings.NewReader(now)).ReadAll()
	if err != nil {
		return []string{"the output: " + err.Error()}
	}
	if len(was) != len(is) {
		return []string{fmt.Sprintf("%d rows, now %d", len(was), len(is))}
	}
	var all []string
	next := 0
	for c, name := range was[0] {
		at := slices.Index(is[0][min(next, len(is[0])):], name)
		if at < 0 {
			all = append(all, fmt.Sprintf("column %d %q: now missing, or in another place", c+1, name))
			continue
		}
		next += at + 1
		for r := range was {
			if was[r][c] != is[r][next-1] {
				all = append(all, fmt.Sprintf("row %d, column %q: %q, now %q", r+1, name, was[r][c], is[r][next-1]))
			}
		}
	}
	return all
}

// What the comparison lets pass and what it names.
func TestGoldenComparison(t *testing.T) {
	for _, c := range []struct{ name, kept, now, want string }{
		{"a.json", `{"a": 1, "b": [1.50]}`, `{"b": [1.50], "new": {}, "a": 1}`, ""},
		{"a.json", `{"a": [{"b": 1}]}`, `{"a": [{"b": 1, "c": 2}]}`, ""},
		{"a.json", `{"a": {"b": 0.1}}`, `{"a": {"b": 0.10000000000000001}}`, "/a/b: 0.1, now 0.10000000000000001"},
		{"a.json", `{"a": {"b": null}}`, `{"a": {}}`, "/a/b: null, now missing"},
		{"a.json", `{"a": {"b": null}}`, `{"a": {"b": 0}}`, "/a/b: null, now 0"},
		{"a.json", `{"a": {}}`, `{"a": []}`, "/a: {}, now []"},
		{"a.json", `{"a": []}`, `{"a": null}`, "/a: [], now null"},
		{"a.json", `{"a": [1, 2]}`, `{"a": [1, 2, 3]}`, "/a: 2 elements, now 3"},
		{"a.json", `{"a": [1, 2]}`, `{"a": [2, 1]}`, "/a/0: 1, now 2\n/a/1: 2, now 1"},
		{"a.json", `{"a": "x"}`, `{"a": "x"} {"a": "x"}`, ": 1 elements, now 2"},
		{"a.jsonl", "{\"a\": 1}\n{\"a\": 2}\n", "{\"a\": 1}\n{\"a\": 3}\n", "/1/a: 2, now 3"},
		{"a.csv", "a,b\n1,2\n", "a,new,b\n1,,2\n", ""},
		{"a.csv", "a,b\n1,2\n", "b,a\n2,1\n", `column 2 "b": now missing, or in another place`},
		{"a.csv", "a,b\n1,2\n", "a,b\n1,3\n", `row 2, column "b": "2", now "3"`},
		{"a.csv", "a,b\n1,2\n", "a,b\n", "2 rows, now 1"},
		{"a.md", "x\ny\n", "x\nz\n", `line 2: "y", now "z"`},
		{"a.md", "x", "x\n", `line 2: missing, now ""`},
	} {
		if got := strings.Join(differences(c.name, c.kept, c.now), "\n"); got != c.want {
			t.Errorf("%s: %s and %s: %s, want %s", c.name, c.kept, c.now, got, c.want)
		}
	}
}
