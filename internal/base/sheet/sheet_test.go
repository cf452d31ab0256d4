package sheet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestGuard(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "plain": "plain", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "  =1": "'  =1",
		"\u00a0=1": "'\u00a0=1", "＝1": "'＝1", "\t=1": "'\t'=1", "\tx": "'\tx",
		"\nx": "'\nx", "'=1": "''=1", "''=1": "'''=1", "'tis": "'tis", "' =1": "'' =1", "a=1": "a=1", "'": "'", "'\t": "''\t",
		"a;=1+1;b": "a;'=1+1;b", "a;b": "a;b", "a\t+1": "a\t'+1", "a\n@x": "a\n'@x", "a;\"=1\"": "a;'\"=1\"", "\"-1": "'\"-1",
		"a; '=1": "a;' '=1",
		"a;;=1":  "a;;'=1", ";": ";", ";\t": ";\t", "=1;=2": "'=1;'=2", "\t=1;b": "'\t'=1;b", "a,=1": "a,=1", "a;=": "a;'=",
		"a;＝1": "a;'＝1",
	} {
		if got := Guard(in); got != want {
			t.Errorf("Guard(%q) = %q, want %q", in, got, want)
		}
		if back := Unguard(Guard(in)); back != in {
			t.Errorf("Unguard(Guard(%q)) = %q", in, back)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"'", "=", " ", "\t", "\n", "\r", "-", "x", "＝", "é",
			"\u00a0", ";", "\""}), 0, 8).Draw(t, "parts"), "")
		g := Guard(s)
		if Unguard(g) != s {
			t.Fatalf("%q became %q and %q", s, g, Unguard(g))
		}
		if formulas(g) {
			t.Fatalf("%q runs as a formula", g)
		}
	})
}

// formulas reports whether a cell of a row, written as CSV, begins as a formula for a reader that separates at commas,
// at semicolons or at tabs, takes quotes for such only at the beginning of a cell, and does not care how they end.
func formulas(cells ...string) bool {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(append([]string{"first"}, cells...)) // a strings.Builder does not fail
	w.Flush()
	starts := regexp.MustCompile(`^[ \x{a0}]*"*[ \x{a0}]*[=+\-@＝]`)
	for _, separator := range []string{";", "\t"} {
		for line := range strings.FieldsFuncSeq(b.String(), func(r rune) bool { return r == '\n' || r == '\r' }) {
			for cell := range strings.SplitSeq(line, separator) {
				if starts.MatchString(cell) {
					return true
				}
			}
		}
	}
	r := csv.NewReader(strings.NewReader(b.String()))
	row, err := r.Read()
	return err != nil || slices.ContainsFunc(row, starts.MatchString)
}

// TestFormulas: the check of the property finds what is to be found.
func TestFormulas(t *testing.T) {
	for _, s := range []string{"=1", "a;=1+1;b", "a\t=1", "a\n=1", "a;\"=1\"", "a; -1", "x,\"y;@z\""} {
		if !formulas(s, "end") {
			t.Errorf("%q is not found", s)
		}
		if formulas(Guard(s), "end") {
			t.Errorf("%q, guarded as %q, still runs", s, Guard(s))
		}
	}
	if formulas("a", "1;2", "a=b", "two\nlines") {
		t.Error("plain cells are taken for formulas")
	}
}

func rows(file string) ([]string, error) {
	var out []string
	err := Each("f.csv", strings.NewReader(file), []string{"unit", "rater"}, func(line int, r Record) error {
		if r["unit"] == "bad" {
			return errors.New("bad unit")
		}
		out = append(out, fmt.Sprint(line, " ", r["unit"], "|", r["rater"], "|", r["note"]))
		return nil
	})
	return out, err
}

func TestEach(t *testing.T) {
	for in, want := range map[string]string{
		"unit,rater,note\nu1,a,x\nu2,a,\"two\nlines\"\nu3,b,'=1\n": "2 u1|a|x;3 u2|a|two\nlines;5 u3|b|=1",
		"\ufeffUnit ; RATER;note\r\nu1;a;x,y\r\n":                  "2 u1|a|x,y",
		"unit\trater\nu1\ta":                                       "2 u1|a|",
	} {
		got, err := rows(in)
		if err != nil || strings.Join(got, ";") != want {
			t.Errorf("%q: %q, %v, want %q", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"":                                 "f.csv:1: no rows",
		"unit,rater\n":                     "f.csv:1: no rows",
		"unit,note\nu,x\n":                 `f.csv:1: no column "rater"`,
		"unit,unit,rater\nu,v,a\n":         `f.csv:1: column "unit" stands there twice`,
		"unit,rater\nu1,a\nu2\n":           "f.csv:3: the row has other columns",
		"unit,rater\nu1,\"a\n":             "f.csv:2: no valid CSV",
		"unit,rater\n\xff,a\n":             `f.csv:2: column "unit" is not UTF-8`,
		"unit,rater\nu1,\"a\nb\"\nbad,a\n": "f.csv:4: bad unit",
	} {
		if _, err := rows(in); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
}

// FuzzEach: no input crashes the reader, every fault names the file, and what a writer guards comes back.
func FuzzEach(f *testing.F) {
	for _, s := range []string{"unit,rater\nu,a\n", "\ufeffunit;rater\n", "\"", "unit,rater\n'=1,a", "\x00",
		"unit\trater\n\t\t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if _, err := rows(in); err != nil && !strings.HasPrefix(err.Error(), "f.csv") {
			t.Fatalf("an error without a place: %v", err)
		}
		if strings.ContainsAny(in, "\r") || strings.ToValidUTF8(in, "") != in {
			return // CSV readers fold line ends
		}
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		if w.Write([]string{"unit", "rater"}) != nil || w.Write([]string{Guard(in), "a"}) != nil {
			t.Fatal("not written")
		}
		w.Flush()
		err := Each("f.csv", &b, nil, func(_ int, r Record) error {
			if r["unit"] != in {
				return fmt.Errorf("%q came back as %q", in, r["unit"])
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
