package jsonl

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"hallmark/internal/archtest"
)

type row struct {
	A string `json:"a"`
	N int    `json:"n"`
}

func read(text string, skip func(*Fault)) (rows []string, err error) {
	err = Each("f", strings.NewReader(text), func(line int, r row) error {
		if r.A == "bad" {
			return errors.New("a is bad")
		}
		rows = append(rows, fmt.Sprintf("%d:%s", line, r.A))
		return nil
	}, skip)
	return rows, err
}

func TestEach(t *testing.T) {
	for _, tc := range []struct{ name, text, rows, wrong string }{
		{"plain", "{\"a\":\"x\"}\n{\"a\":\"y\"}\n", "1:x 2:y", ""},
		{"no end of line", "{\"a\":\"x\"}", "1:x", ""},
		{"mark, Windows ends, blank lines", "\ufeff{\"a\":\"x\"}\r\n\r\n  {\"a\":\"y\",\"z\":1}\r\n", "1:x 3:y", ""},
		{"empty", "\n \n", "", "f: no rows"},
		{"no object", "{\"a\":\"x\"}\n[1]\n", "1:x", `f:2: want a JSON object, found "[1]"`},
		{"cut off", "{\"a\":\"x\"}\n{\"a\":", "1:x", "f:2: no valid JSON"},
		{"type", "{\"n\":\"1\"}\n", "", `f:1: field "n" is a string; want a whole number in range`},
		{"refused", "{\"a\":\"bad\"}\n", "", "f:1: a is bad"},
		{"bytes", "{\"a\":\"\xff\"}\n", "", "f:1: the line is not UTF-8"},
	} {
		rows, err := read(tc.text, nil)
		if got := strings.Join(rows, " "); got != tc.rows {
			t.Errorf("%s: rows %q, want %q", tc.name, got, tc.rows)
		}
		if tc.wrong == "" && err != nil || tc.wrong != "" && (err == nil || !strings.HasPrefix(err.Error(), tc.wrong)) {
			t.Errorf("%s: error %v, want %q", tc.name, err, tc.wrong)
		}
	}
}

func TestSkip(t *testing.T) {
	var faults []string
	rows, err := read("{\"a\":\"x\"}\nnonsense\n{\"a\":\"bad\"}\n{\"a\":\"y\"}\n", func(f *Fault) {
		faults = append(faults, f.Error())
	})
	if err != nil || strings.Join(rows, " ") != "1:x 4:y" || len(faults) != 2 {
		t.Errorf("rows %v, faults %q, error %v", rows, faults, err)
	}
}

func TestLineBound(t *testing.T) {
	archtest.OneGoroutine(t)
	long := `{"a":"` + strings.Repeat("x", MaxLine) + `"}`
	if _, err := read(long, nil); err == nil || !strings.Contains(err.Error(), "f:1: the line is longer than 64 MiB") {
		t.Errorf("error %v", err)
	}
}

func FuzzEach(f *testing.F) {
	f.Add("{\"a\":\"x\"}\n{\"n\":1}")
	f.Add("\ufeff{}\r\n{\"a\":\"\\ud800\"}")
	f.Fuzz(func(t *testing.T, text string) {
		read(text, nil)
		read(text, func(*Fault) {})
	})
}
