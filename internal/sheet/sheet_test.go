package sheet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestGuard(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "plain": "plain", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "  =1": "'  =1", "\u00a0=1": "'\u00a0=1", "＝1": "'＝1", "\t=1": "'\t=1", "\tx": "'\tx",
		"\nx": "'\nx", "'=1": "''=1", "''=1": "'''=1", "'tis": "'tis", "' =1": "'' =1", "a=1": "a=1", "'": "'", "'\t": "''\t",
	} {
		if got := Guard(in); got != want {
			t.Errorf("Guard(%q) = %q, want %q", in, got, want)
		}
		if back := Unguard(Guard(in)); back != in {
			t.Errorf("Unguard(Guard(%q)) = %q", in, back)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"'", "=", " ", "\t", "\n", "\r", "-", "x", "＝", "é", "\u00a0"}), 0, 8).Draw(t, "parts"), "")
		g := Guard(s)
		if Unguard(g) != s {
			t.Fatalf("%q became %q and %q", s, g, Unguard(g))
		}
		if g != "" && strings.ContainsAny(strings.TrimLeft(g, " ")[:min(1, len(strings.TrimLeft(g, " ")))], "=+-@\t") {
			t.Fatalf("%q begins as a formula", g)
		}
	})
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
	for _, s := range []string{"unit,rater\nu,a\n", "\ufeffunit;rater\n", "\"", "unit,rater\n'=1,a", "\x00", "unit\trater\n\t\t"} {
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
