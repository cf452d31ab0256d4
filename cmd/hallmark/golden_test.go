package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/stored"
)

var updateKept = flag.Bool("update-kept", false, "rewrite kept golden files: for deliberate changes alone")

// Where the golden files are. README.md there says how they are laid out.
const (
	goldenDir = "testdata/golden"
	packed    = 32_000 // bytes from which a kept file is packed
)

// dayAsked is the day on which a run was begun, which a page says.
var dayAsked = regexp.MustCompile(`Asked on \d{4}-\d\d-\d\d:`)

// pageKinds are the endings of what a redesign may change. All else is kept.
var pageKinds = []string{".html", ".md", ".txt", ".xml", ".svg"}

// TestGolden runs the commands of testdata/golden/rows and holds what they print against golden files. These were made
// before the code between stored records and printed pages was taken apart, so that behaviour stays:
//
//   - kept: exit codes, run ids, the keys of all records, JSON and CSV. What is there stays, to the last digit; keys of
//     objects and columns may be added. A failure names the path, what was there and what is there now.
//   - pages: HTML, Markdown, JUnit, SVG and the terminal, of a few runs. A redesign may change them.
//
// -update writes pages anew, and adds new keys to kept files where nothing else differs. It does not write over what
// differs: -update-kept does, and is for changes that users are told of.
//
// Documents carry the release (run.version) and the grading version: a release that changes one of them changes these
// lines of the kept files, and no others. The rows marked long run with HALLMARK_LONG=1.
func TestGolden(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("made on amd64: elsewhere the last digit of a logarithm may differ")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	rows, err := filepath.Glob(goldenDir + "/rows/*.txtar")
	if err != nil || len(rows) == 0 {
		t.Fatalf("no rows: %v", err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range rows {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		names[name] = true
		t.Run(name, func(t *testing.T) {
			row := goldenRow{name: name, home: here, seen: map[string]bool{}}
			row.run(t, archive)
		})
	}
	for _, kind := range []string{"kept", "pages"} {
		folders, _ := os.ReadDir(filepath.Join(goldenDir, kind))
		for _, f := range folders {
			if !names[f.Name()] {
				t.Errorf("%s/%s/%s belongs to no row", goldenDir, kind, f.Name())
			}
		}
	}
}

// A goldenRow is one row of the table: commands that share a folder and, mostly, a store.
type goldenRow struct {
	name, home string
	exits      []string
	seen       map[string]bool // golden files that belong to a step
}

// run runs the steps of a row in a new folder with the row's files.
func (g *goldenRow) run(t *testing.T, archive *txtar.Archive) {
	long := false
	var steps []string
	for line := range strings.Lines(string(archive.Comment)) {
		switch line = strings.TrimSpace(line); {
		case line == "long":
			long = true
		case line != "" && line[0] != '#':
			steps = append(steps, line)
		}
	}
	if long && os.Getenv("HALLMARK_LONG") != "1" {
		t.Skip("runs with HALLMARK_LONG=1")
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		writeGoldenFile(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
	}
	t.Chdir(dir)
	for _, step := range steps {
		g.step(t, step)
	}
	g.keep(t, "runs.json", g.summary(t))
	g.stale(t)
}

func writeGoldenFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// step runs one line: COMMAND; NAME = COMMAND, whose output is golden; or NAME > COMMAND, whose output is a file of the
// row alone. {1} stands for the id of the run that the row started first.
func (g *goldenRow) step(t *testing.T, line string) {
	t.Helper()
	words := split(line)
	name, how := "", ""
	if len(words) > 2 && (words[1] == "=" || words[1] == ">") {
		name, how, words = words[0], words[1], words[2:]
	}
	ids := storedRuns(t, stored.Default)
	for i, w := range words {
		for n, id := range ids {
			w = strings.ReplaceAll(w, fmt.Sprintf("{%d}", n+1), id)
		}
		words[i] = w
	}
	out := g.output(t, line, words)
	if name != "" {
		writeGoldenFile(t, name, []byte(out))
	}
	if how == "=" {
		g.keep(t, name, out)
	}
}

// output runs the command of a step: `unzip FILE MEMBER`, `gunzip FILE` of cmd/hallmark, `sh …`, or hallmark with these
// arguments, whose exit code is kept.
func (g *goldenRow) output(t *testing.T, line string, words []string) string {
	t.Helper()
	switch words[0] {
	case "unzip":
		r, err := zip.OpenReader(words[1])
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		data, err := fs.ReadFile(r, words[2])
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	case "gunzip":
		return unpacked(t, filepath.Join(g.home, filepath.FromSlash(words[1])))
	case "sh":
		out, err := exec.Command("sh", words[1:]...).Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return string(out)
	}
	out, errs, code := said(words...)
	if code != exit.Done || testing.Verbose() {
		t.Logf("%s: exit %d: %.1000s", line, code, errs)
	}
	g.exits = append(g.exits, fmt.Sprintf("exit %d: %s", code, line))
	return out
}

// split cuts a line into words at spaces that do not stand between single quotes.
func split(line string) []string {
	var words []string
	var word strings.Builder
	in, any := false, false
	for _, r := range line + " " {
		switch {
		case r == '\'':
			in, any = !in, true
		case r != ' ' || in:
			word.WriteRune(r)
		case any || word.Len() > 0:
			words = append(words, word.String())
			word.Reset()
			any = false
		}
	}
	return words
}

// summary is what is kept of every row: exit codes, and what the store holds in the end.
func (g *goldenRow) summary(t *testing.T) string {
	t.Helper()
	type keys struct {
		N      int    `json:"n"`
		SHA256 string `json:"sha256"`
	}
	all := struct {
		Exits []string `json:"exits"`
		Runs  []string `json:"runs"`
		Keys  keys     `json:"record_keys"`
	}{Exits: g.exits, Runs: storedRuns(t, stored.Default)}
	found := query(t, stored.Default, "SELECT DISTINCT lower(hex(key)) FROM record ORDER BY 1")
	all.Keys = keys{len(found), fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(found, "\n"))))}
	b, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// storedRuns returns the ids of the runs of a store, the first that was started first; none where there is no store.
func storedRuns(t *testing.T, path string) []string {
	t.Helper()
	return query(t, path, "SELECT id FROM run ORDER BY started, id")
}

// query reads one column of text.
func query(t *testing.T, path, q string) []string {
	t.Helper()
	all := []string{}
	if _, err := os.Stat(path); err != nil {
		return all
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(q)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// keep holds an output against its golden file, or writes that.
func (g *goldenRow) keep(t *testing.T, name, out string) {
	t.Helper()
	if g.seen[name] {
		t.Fatalf("two steps make %s", name)
	}
	g.seen[name] = true
	if filepath.Ext(name) == ".html" {
		out = dayAsked.ReplaceAllString(out, "Asked on DAY:")
	}
	now, err := canonical(name, out)
	if err != nil {
		t.Errorf("%s: %v in %.300q", name, err, out)
		return
	}
	kind, mayDiffer := "kept", *updateKept
	if slices.Contains(pageKinds, filepath.Ext(name)) {
		kind, mayDiffer = "pages", *update
	}
	file := filepath.Join(g.home, goldenDir, kind, g.name, name)
	was, ok := golden(t, file)
	write := !ok && (*update || *updateKept)
	switch {
	case !ok && !write:
		t.Errorf("no golden file %s/%s/%s; -update writes it", kind, g.name, name)
	case ok && was != now:
		differ := differences(name, was, now)
		if len(differ) > 0 && !mayDiffer {
			first := strings.Join(differ[:min(len(differ), 20)], "\n  ")
			t.Errorf("%s/%s/%s: %d differences\n  %s", kind, g.name, name, len(differ), first)
			return
		}
		write = *update || *updateKept
	}
	if write {
		writeGolden(t, file, now)
	}
}

// golden reads a golden file, packed or not.
func golden(t *testing.T, file string) (text string, ok bool) {
	t.Helper()
	if _, err := os.Stat(file + ".gz"); err == nil {
		return unpacked(t, file+".gz"), true
	}
	b, err := os.ReadFile(file)
	return string(b), err == nil
}

func unpacked(t *testing.T, file string) string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// writeGolden writes a golden file, packed where it is large: a failure names the path all the same.
func writeGolden(t *testing.T, file, text string) {
	t.Helper()
	os.Remove(file)
	os.Remove(file + ".gz")
	data := []byte(text)
	if len(data) > packed {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(data)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		file, data = file+".gz", b.Bytes()
	}
	writeGoldenFile(t, file, data)
}

// stale names golden files of the row that no step makes.
func (g *goldenRow) stale(t *testing.T) {
	t.Helper()
	for _, kind := range []string{"kept", "pages"} {
		files, _ := os.ReadDir(filepath.Join(g.home, goldenDir, kind, g.name))
		for _, f := range files {
			if !g.seen[strings.TrimSuffix(f.Name(), ".gz")] {
				t.Errorf("%s/%s/%s is made by no step", kind, g.name, f.Name())
			}
		}
	}
}
