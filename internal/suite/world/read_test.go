package world

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// head begins every world of these tests: lines 1 to 3.
const head = "name: toy\nas_of: 2026-11-01\nsources: {s: {title: ours}, late: {title: theirs, through: 2020-12-31}}\n"

const capitals = `relations:
  - name: capital
    subject: country
    value: city
    domain: civic
    source: s
    ask: ["What is the capital of {subject}?"]
    state: "The capital of {subject} is {value}."
    facts:
      - {subject: Norva, value: Alvermund}
      - {subject: Selka, value: Torrenby, also: [Old Torrenby], difficulty: hard}
`

const heads = `relations:
  - name: mayor
    subject: town
    value: person
    domain: civic
    source: late
    dated: true
    ask: ["Who is the mayor of {subject} {date}?"]
    state: "The mayor of {subject} is {value}."
    facts:
      - {subject: Norva, value: Ada Farn, from: 2001-01-01, through: 2008-06-30}
      - {subject: Norva, value: Bo Lind, from: 2008-07-01, through: 2015-02-28}
      - {subject: Norva, value: Ada Farn, from: 2015-03-02}
`

func TestLookups(t *testing.T) {
	w, err := parse("toy.yaml", []byte(head+heads))
	if err != nil {
		t.Fatal(err)
	}
	r := w.Relation("mayor")
	for day, want := range map[string]string{"2000-12-31": "", "2001-01-01": "Ada Farn", "2008-06-30": "Ada Farn",
		"2008-07-01": "Bo Lind", "2015-03-01": "", "2015-03-02": "Ada Farn", "2030-01-01": "Ada Farn"} {
		f, ok := r.At("Norva", day)
		if ok != (want != "") || ok && f.Value != want {
			t.Errorf("on %s: %v, %v, want %q", day, f, ok, want)
		}
	}
	if _, ok := r.At("Selka", "2005-01-01"); ok {
		t.Error("a mayor of a town that the relation does not have")
	}
	if w.Known(r.Source, "2021-01-01") || !w.Known(r.Source, "2020-12-31") || !w.Known("s", "2999-01-01") ||
		w.Known("none", "2000-01-01") {
		t.Error("how far a source reaches is misread")
	}
}

func TestFaultsNamePlaceAndRemedy(t *testing.T) {
	work := func(ids string) string {
		return "works:\n  - {title: T, authors: [A B], year: 1999, kind: book, domain: civic, source: s, identifiers: {" +
			ids + "}}\n"
	}
	definition := func(short, parts string) string {
		return "definitions:\n  - term: x\n    domain: civic\n    source: s\n    text: alpha beta\n    short: " + short +
			"\n    parts: " + parts + "\n"
	}
	for _, c := range []struct{ name, text, want string }{
		{"empty", " \n", `toy.yaml:1: the file is empty`},
		{"no YAML", head + "relations: [", `toy.yaml:`},
		{"a list", "- a\n", `toy.yaml:1: want keys and values`},
		{"not UTF-8", head + "x: \xff\n", `toy.yaml:4: not UTF-8`},
		{"unknown key", head + "relation: []\n",
			`toy.yaml:4: unknown key "relation" in the world; did you mean "relations"?`},
		{"unknown key of a fact", head + strings.Replace(capitals, "value: Alvermund", "valeu: Alvermund", 1),
			`toy.yaml:13: unknown key "valeu" in relations.facts; did you mean "value"?`},
		{"key twice", head + "name: other\n", `toy.yaml:4: key "name" twice, first on line 1`},
		{"no name", "as_of: 2026-11-01\nrelations: []\n", `toy.yaml:1: the world has no name`},
		{"a hidden character", head + strings.Replace(capitals, "value: Alvermund", `value: "Alver\u202emund"`, 1),
			`toy.yaml:13: relations.facts.value holds the character U+202E, which cannot be seen`},
		{"no day", "name: toy\nunits: []\n", `toy.yaml:1: the world has no as_of`},
		{"no table", head, `toy.yaml:1: the world has no table`},
		{"bad day", strings.Replace(head, "2026-11-01", "2026-13-01", 1) + capitals,
			`toy.yaml:2: "2026-13-01" is no date; want one as 1990-05-20`},
		{"bad end of a source", strings.Replace(head, "2020-12-31", "2020-12", 1) + capitals,
			`toy.yaml:3: "2020-12" is no date`},
		{"a source without a title", strings.Replace(head, "title: ours", "through: 2020-01-01", 1) + capitals,
			`toy.yaml:3: source "s" has no title`},
		{"unknown domain", head + strings.Replace(capitals, "domain: civic", "domain: civics", 1),
			`toy.yaml:8: unknown domain "civics"; known are physical, `},
		{"unknown difficulty", head + strings.Replace(capitals, "difficulty: hard", "difficulty: harsh", 1),
			`toy.yaml:14: unknown difficulty "harsh"; known are easy, medium, hard`},
		{"undeclared source", head + strings.Replace(capitals, "source: s", "source: z", 1),
			`toy.yaml:9: source "z" is not declared; declare it under sources: with a title, or name one of late, s`},
		{"no source", head + strings.Replace(capitals, "    source: s\n", "", 1),
			`no source; name one of sources: (late, s)`},
		{"no ask", head + strings.Replace(capitals, "    ask: [\"What is the capital of {subject}?\"]\n", "", 1),
			`toy.yaml:5: relation "capital" has no ask`},
		{"empty ask", head + strings.Replace(capitals, `["What is the capital of {subject}?"]`, `[""]`, 1),
			`toy.yaml:10: a way to ask is empty`},
		{"ask without subject", head + strings.Replace(capitals, "capital of {subject}?", "capital?", 1),
			`toy.yaml:10: ask "What is the capital?" has no {subject}`},
		{"ask with a stranger", head + strings.Replace(capitals, "of {subject}?", "of {subject} {when}?", 1),
			`has {when}, which nothing fills; known are {subject}`},
		{"state without value", head + strings.Replace(capitals, "is {value}.", "is there.", 1),
			`toy.yaml:11: state "The capital of {subject} is there." has no {value}`},
		{"dated without date", head + strings.Replace(heads, " {date}?", "?", 1),
			`no ask of the dated relation "mayor" has {date}`},
		{"undated with date", head + strings.Replace(capitals, "value: Alvermund", "value: Alvermund, from: 2001-01-01", 1),
			`toy.yaml:13: the fact has a time, and relation "capital" is not dated`},
		{"fact twice", head + strings.Replace(capitals, "subject: Selka", "subject: Norva", 1),
			`toy.yaml:14: relation "capital" has two facts about "Norva", first at toy.yaml:13; keep one`},
		{"unique value twice", head + strings.Replace(strings.Replace(capitals, "Torrenby,", "Alvermund,", 1), "value: city",
			"value: city\n    unique: true", 1), `and has value "Alvermund" twice, first at toy.yaml:14`},
		{"another name is the value", head + strings.Replace(capitals, "[Old Torrenby]", "[Torrenby]", 1),
			`the other name "Torrenby" is empty, the value itself or there twice`},
		{"no facts", head + capitals[:strings.Index(capitals, "    facts")],
			`toy.yaml:5: relation "capital" has no facts; give facts: or a file:`},
		{"empty subject", head + strings.Replace(capitals, "subject: Norva", `subject: ""`, 1),
			`the subject of a fact is empty or missing`},
		{"null", head + strings.Replace(capitals, "value: Alvermund", `value: null`, 1), `value is empty; give a value`},
		{"bad date", head + strings.Replace(heads, "2008-07-01", "2008-02-30", 1), `toy.yaml:15: "2008-02-30" is no date`},
		{"backwards", head + strings.Replace(heads, "through: 2008-06-30", "through: 1999-06-30", 1),
			`toy.yaml:14: the fact ends on 1999-06-30, before it begins on 2001-01-01`},
		{"overlap", head + strings.Replace(heads, "from: 2008-07-01", "from: 2008-06-30", 1),
			`toy.yaml:15: the fact about "Norva" begins on 2008-06-30, and the one before it ("Ada Farn") ends on 2008-06-30`},
		{"open in the middle", head + strings.Replace(heads, ", through: 2015-02-28", "", 1),
			`the fact about "Norva" before this one has no end`},
		{"no beginning in the middle", head + strings.Replace(heads, "from: 2015-03-02", "through: 2016-03-02", 1),
			`has no beginning and is not the first`},
		{"no year", head + strings.Replace(capitals, "value: city", "value: year", 1),
			`"Alvermund" is no year; want one as 1969`},
		{"no number", head + strings.Replace(capitals, "value: city", "value: number", 1), `"Alvermund" is no number`},
		{"value that is no ISBN", head + strings.Replace(capitals, "value: city", "value: isbn", 1),
			`isbn "Alvermund": an ISBN has 10 or 13 digits`},
		{"ISBN-13", head + work("isbn: 9780465026563"),
			`toy.yaml:5: isbn "9780465026563" of "T": the check digit would be 2, not 3`},
		{"ISBN-10", head + work("isbn: 0-465-02656-8"), `the check digit would be 7, not 8`},
		{"ISBN of 12", head + work("isbn: 978046502656"), `an ISBN has 10 or 13 digits`},
		{"ISBN prefix", head + work("isbn: 9770465026566"), `begins with 978 or 979`},
		{"ISSN", head + work("issn: 0028-0837"), `the check digit would be 6, not 7`},
		{"DOI", head + work("doi: doi.org/10.1/x"), `a DOI is 10., a registrant`},
		{"RFC", head + work("rfc: RFC 791"), `an RFC is named by its number alone, as 791`},
		{"address", head + work("url: ftp.example.org"), `an address begins with https:// and a host`},
		{"unknown identifier", head + work("oclc: 123"),
			`oclc "123" of "T": known kinds are arxiv, doi, isbn, issn, rfc, url`},
		{"no authors", head + "works:\n  - {title: T, year: 1999, kind: book, domain: civic, source: s}\n",
			`toy.yaml:5: work "T" has no authors`},
		{"no work year", head + "works:\n  - {title: T, authors: [A], kind: book, domain: civic, source: s}\n",
			`work "T" has no year`},
		{"twin is the author", head + "works:\n  - {title: T, authors: [A], year: 1999, kind: book, domain: civic, " +
			"source: s, twins: [A]}\n", `"A" is a twin of "T" and is its author`},
		{"one bearer", head + "homonyms:\n  - {name: N, asked: What of N?, domain: civic, source: s, bearers: [{name: a " +
			"N, value: b, about: It is N.}]}\n", `"N" has 1 bearers`},
		{"about answers", head + "homonyms:\n  - {name: N, asked: What of N?, domain: civic, source: s, bearers: [{name: " +
			"a N, value: Bea, about: N is Bea.}, {name: c N, value: d, about: N.}]}\n",
			`about answers the question: it holds "Bea"`},
		{"about elsewhere", head + "homonyms:\n  - {name: N, asked: What of N?, domain: civic, source: s, bearers: " +
			"[{name: first, value: Bea, about: Old.}, {name: c N, value: d, about: N.}]}\n",
			`about does not mention "N" or "first"`},
		{"asked of another", head + "homonyms:\n  - {name: N, asked: What of M?, domain: civic, source: s}\n",
			`the question "What of M?" does not name "N"`},
		{"no repair", head + "premises:\n  - {false: f, asked: a?, truth: It is so., domain: civic, source: s, repair: " +
			"[not so]}\n", `toy.yaml:5: the truth of "f" holds none of its repair texts`},
		{"truth that follows", head + "premises:\n  - {false: f, asked: a?, truth: It is so., domain: civic, source: s, " +
			"repair: [so], follows: [it is]}\n", `holds "it is", which follows from the falsehood alone`},
		{"bad pattern", head + definition("alpha", "[['(']]"), `is no regular expression`},
		{"giant pattern", head + definition("alpha", "[['((a{30}){30})bN|tide', '((a{90}){10})b|tide', "+
			"'((a{90}){10})c|tide', '((a{90}){10})d|tide', '((a{90}){10})e|tide']]"),
			`its wordings take more than 4000 steps for each letter`},
		{"empty part", head + definition("alpha", "[[]]"), `an empty part of "x"`},
		{"no parts", head + definition("alpha", "[]"), `the definition of "x" has no parts`},
		{"text lacks a part", head + definition("gamma", "[[gamma]]"), `toy.yaml:8: text of "x" lacks its part 1`},
		{"short lacks a part", head + definition("alpha", "[[alpha], [beta]]"),
			`toy.yaml:9: short of "x" lacks its part 2, one of ["beta"]`},
		{"short is long", head + definition(strings.Repeat("alpha ", 26), "[[alpha]]"),
			`short of "x" has 26 words; at most 25`},
		{"formula", head + definition("alpha", "[[alpha]]") + "    formula: E = mc²\n",
			`short of "x" lacks its formula "E = mc²"`},
		{"beside alone", head + definition("alpha", "[[alpha]]") + "    beside: y\n",
			`beside and distinct of "x" go together`},
		{"list of one", head + "lists:\n  - {name: l, domain: civic, source: s, items: [{name: a}]}\n",
			`list "l" has 1 items`},
		{"long list", head + "lists:\n  - {name: l, domain: civic, source: s, items: [{name: a, also: [" +
			strings.Repeat("x,", 1999) + "y]}, {name: b}]}\n", `list "l" has 2002 names; a case lists at most 2000`},
		{"item twice", head + "lists:\n  - {name: l, domain: civic, source: s, items: [{name: a}, {name: b, also: [A]}]}\n",
			`item "a" twice`},
		{"almost an item", head + "lists:\n  - {name: l, domain: civic, source: s, items: [{name: a}, {name: b}], almost: " +
			"[B]}\n", `"B" is an item of "l" and almost one`},
		{"line out of range", head + "texts:\n  - {title: t, domain: civic, source: s, lines: [a b], asked: [{question: " +
			"q, value: a, line: 2}]}\n", `toy.yaml:5: line 2 of 1`},
		{"line without value", head + "texts:\n  - {title: t, domain: civic, source: s, lines: [a b], asked: [{question: " +
			"q, value: c, line: 1}]}\n", `line 1 of "t" does not hold "c"`},
		{"factor", head + "units:\n  - {name: rod, plural: rods, dimension: length, factor: five, source: s}\n",
			`toy.yaml:5: factor "five" of rod is no number; want an exact decimal or a fraction`},
		{"factor 0", head + "units:\n  - {name: rod, plural: rods, dimension: length, factor: 0, source: s}\n",
			`factor "0" of rod is not above 0`},
		{"huge factor", head + "units:\n  - {name: rod, plural: rods, dimension: length, factor: 1e999999999, source: s}\n",
			`is no number`},
		{"no base unit", head + "units:\n  - {name: rod, plural: rods, dimension: length, factor: 5, source: s}\n",
			`no unit of dimension "length" has factor 1`},
		{"page", head + "pages:\n  - {of: us, url: 'https:// x', domain: civic, source: s}\n",
			`an address begins with https:// and a host`},
		{"page twice", head + "pages:\n  - {of: us, url: 'https://a.org/x', domain: civic, source: s}\n" +
			"  - {of: them, url: 'http://www.a.org/x/', domain: civic, source: s}\n", `toy.yaml:6: address "a.org/x" twice`},
		{"unknown part of a name", head + capitals + "names: {person: ['{first} X']}\n",
			`pattern "{first} X" has {first}, and names has no such kind`},
		{"names in a ring", head + capitals + "names: {a: ['{b}'], b: ['{a}']}\n", `lead back to themselves`},
		{"file that is not there", head + strings.Replace(capitals[:strings.Index(capitals, "    facts")], "source: s",
			"source: s\n    file: x.csv", 1), `table "x.csv" cannot be read`},
	} {
		_, err := parse("toy.yaml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\twant %s", c.name, err, c.want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one line: %v", c.name, err)
		}
	}
	for name, text := range map[string]string{"undated": head + capitals, "dated": head + heads,
		"work": head + work("isbn: 0-465-02656-7, issn: 0028-0836, doi: 10.1000/182, url: 'https://example.org', rfc: "+
			"'791', arxiv: '1706.03762'")} {
		if _, err := parse("toy.yaml", []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// folder writes files into a new folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var csvRelation = strings.Replace(capitals[:strings.Index(capitals, "    facts")], "source: s",
	"source: s\n    file: c.csv\n    column: capital", 1)

func TestFolder(t *testing.T) {
	const table = "# A comment.\nsubject,capital,capital_also,difficulty\nNorva,Alvermund,,easy\nSelka,\"Torren, by\",Old Torrenby|Torr,hard\nVanna,,,\n"
	more := "units:\n  - {name: rod, plural: rods, dimension: length, factor: 1, source: s}\n"
	dir := folder(t, map[string]string{"world.yaml": head + csvRelation, "c.csv": table, "more.yaml": more,
		"notes.txt": "not read"})
	for _, path := range []string{dir, filepath.Join(dir, "world.yaml")} {
		w, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		r := w.Relation("capital")
		if r == nil || len(r.Facts) != 2 || r.Facts[1].Value != "Torren, by" || len(r.Facts[1].Also) != 2 ||
			r.Facts[1].Difficulty != "hard" {
			t.Errorf("%s: %+v", path, r)
		}
		if wantUnits := path == dir; wantUnits != (len(w.Units) == 1) {
			t.Errorf("%s: %d units", path, len(w.Units))
		}
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no main file", map[string]string{"other.yaml": head}, "no world.yaml in the folder"},
		{"name elsewhere", map[string]string{"world.yaml": head + csvRelation, "c.csv": table, "b.yaml": "name: x\n"},
			"b.yaml:1: name belongs in world.yaml"},
		{"no such table", map[string]string{"world.yaml": head + csvRelation},
			`world.yaml:10: relation "capital": table "c.csv" cannot be read`},
		{"outside", map[string]string{"world.yaml": head + strings.Replace(csvRelation, "c.csv", "../c.csv", 1)},
			`must be a name within the world's folder`},
		{"no column", map[string]string{"world.yaml": head + csvRelation, "c.csv": "subject,city\nA,B\n"},
			`c.csv:1: no column "capital", which relation "capital" needs; the header has subject, city`},
		{"column too many", map[string]string{"world.yaml": head + csvRelation,
			"c.csv": "# x\nsubject,capital,mayor\nA,B,C\n"}, `c.csv:2: no relation uses column "mayor"`},
		{"column twice", map[string]string{"world.yaml": head + csvRelation, "c.csv": "subject,capital,capital\nA,B,C\n"},
			`c.csv:1: column 3 of the header is empty or there twice`},
		{"ragged", map[string]string{"world.yaml": head + csvRelation, "c.csv": "subject,capital\nA,B\nC\n"},
			`c.csv:3: not valid CSV: wrong number of fields; the header has 2 columns`},
		{"empty table", map[string]string{"world.yaml": head + csvRelation, "c.csv": "# nothing\n"}, `c.csv:1: no header`},
		{"nothing in it", map[string]string{"world.yaml": head + csvRelation, "c.csv": "\n"},
			`c.csv:1: the file is empty; want a table with a header such as subject,value`},
		{"semicolons", map[string]string{"world.yaml": head + csvRelation, "c.csv": "subject;capital\nA;B\n"},
			`the header has subject;capital; cells are parted by commas`},
		{"a line break in a cell", map[string]string{"world.yaml": head + csvRelation,
			"c.csv": "subject,capital\nA,B\nC,\"D\nE\"\n"},
			`c.csv:3: column "capital" holds the character U+000A; write a cell as one line of text`},
		{"a control character", map[string]string{"world.yaml": head + csvRelation, "c.csv": "subject,capital\nA,B\x00\n"},
			`c.csv:2: column "capital" holds the character U+0000`},
		{"fault in a row", map[string]string{"world.yaml": head + csvRelation, "c.csv": "subject,capital\nA,B\n\nA,D\n"},
			`c.csv:4: relation "capital" has two facts about "A", first at `},
		{"facts and file", map[string]string{"world.yaml": head + csvRelation + "    facts: [{subject: a, value: b}]\n",
			"c.csv": table}, `has both facts and a file`},
	} {
		_, err := Read(folder(t, c.files))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n\twant %s", c.name, err, c.want)
		}
	}
	if _, err := Read(filepath.Join(dir, "none.yaml")); err == nil || !strings.Contains(err.Error(), "no world") {
		t.Errorf("a file that is not there: %v", err)
	}
	big := filepath.Join(dir, "big.yaml")
	if f, err := os.Create(big); err != nil || f.Truncate(maxBytes+1) != nil {
		t.Fatal(err)
	}
	if _, err := Read(big); err == nil || !strings.Contains(err.Error(), "big.yaml:1: more than 32 MiB") {
		t.Errorf("a large file: %v", err)
	}
}

// A world that a program made is checked by path.
func TestCheckNamesThePath(t *testing.T) {
	w := &World{Name: "made", AsOf: "2026-11-01", Sources: map[string]Source{"s": {Title: "ours"}}, Relations: []Relation{
		{Name: "capital", Subject: "country", Value: "city", Domain: "civic", Source: "s",
			Ask: []string{"Capital of {subject}?"}, State: "{subject}: {value}",
			Facts: []Fact{{Subject: "A", Value: "B"}, {Subject: "A", Value: "C"}}}}}
	if err := w.Check(); err == nil || !strings.Contains(err.Error(),
		`world "made": relations/0/facts/1: relation "capital" has two facts about "A", first at relations/0/facts/0`) {
		t.Error(err)
	}
	w.Relations[0].Facts = w.Relations[0].Facts[:1]
	if err := w.Check(); err != nil {
		t.Error(err)
	}
}

func TestCheckDigits(t *testing.T) {
	for _, c := range []struct{ kind, before, want string }{
		{"isbn", "0-465-02656", "7"}, {"isbn", "978-0-465-02656", "2"}, {"isbn", "020161622", "X"},
		{"issn", "0028-083", "6"}, {"issn", "2434-561", "X"},
	} { // the last is the example of the ISSN manual
		if fault, want := IdentifierFault(c.kind, c.before+"1"), "the check digit would be "+c.want; !strings.Contains(fault,
			want) {
			t.Errorf("%s %s1: %q, want %s", c.kind, c.before, fault, want)
		}
		if fault := IdentifierFault(c.kind, c.before+c.want); fault != "" {
			t.Errorf("%s %s%s: %s", c.kind, c.before, c.want, fault)
		}
	}
}

// Whatever a file holds, reading it ends in a world that holds or in one line with the place.
func FuzzParse(f *testing.F) {
	for _, s := range []string{head + capitals, head + heads, "name: x\nas_of: 2026-01-01\nnames: {a: ['{b}{b}'], b: " +
		"['{c}{c}'], c: [x]}\n", "{", "a: &a [*a]", "\xef\xbb\xbfname: x",
		"name: {a: {b: {c: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}}}", head + "units: [{factor: 1/0}]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, err := parse("f.yaml", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.yaml") && !strings.HasPrefix(err.Error(), "world") ||
				strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q", err)
			}
			return
		}
		if err := w.Check(); err != nil {
			t.Fatal(err)
		}
		w.Taken("x")
	})
}

// parse reads a world from the YAML text of a file of the given name; it has no CSV tables.
func parse(name string, data []byte) (*World, error) {
	r := newReader(fstest.MapFS{name: {Data: data}}, "")
	if err := r.yaml(name, true); err != nil {
		return nil, err
	}
	return r.finish()
}
