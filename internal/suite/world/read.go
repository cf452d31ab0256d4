package world

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"

	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/strictyaml"
	"hallmark/internal/suite"
)

// Bounds on what a world may hold, so that a hostile file costs neither time nor memory.
const (
	maxBytes = 32 << 20  // of one file
	maxTotal = 128 << 20 // of all files of a folder
	maxFiles = 256       // of a folder
	maxDepth = 16        // of patterns of names in one another
)

// Read reads a world and checks it: a YAML file, or a folder with world.yaml, any other YAML files (their tables
// are added) and the CSV tables that relations name as their file. Every error about the content begins with
// FILE:LINE and says what would be right.
func Read(path string) (*World, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf(
			"no world %q; name a YAML file, a folder with world.yaml in it, or earth, which is built in", path)
	case err != nil:
		return nil, fmt.Errorf("world %q: %w", path, err)
	}
	folder := path
	if !info.IsDir() {
		folder = filepath.Dir(path)
	}
	root, err := os.OpenRoot(folder) // so that no link in a stranger's folder leads out of it
	if err != nil {
		return nil, fmt.Errorf("world %q: %w", path, err)
	}
	defer root.Close()
	if info.IsDir() {
		return readFS(inputfile.InRoot(root), path)
	}
	r := newReader(inputfile.InRoot(root), folder)
	if err := r.yaml(filepath.Base(path), true); err != nil {
		return nil, err
	}
	return r.finish()
}

// readFS reads the world that a folder holds; shown is the folder's name in messages.
func readFS(fsys fs.FS, shown string) (*World, error) {
	r := newReader(fsys, shown)
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("world %q: %w", shown, err)
	}
	var names []string
	for _, e := range entries {
		if ext := path.Ext(e.Name()); (ext == ".yaml" || ext == ".yml") && !e.IsDir() && e.Name() != mainFile {
			names = append(names, e.Name())
		}
	}
	if len(names) > maxFiles {
		return nil, fmt.Errorf("world %q: %d YAML files; at most %d are read, join some", shown, len(names), maxFiles)
	}
	if err := r.yaml(mainFile, true); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("world %q: no %s in the folder; it says at least name and as_of", shown, mainFile)
	} else if err != nil {
		return nil, err
	}
	slices.Sort(names)
	for _, name := range names {
		if err := r.yaml(name, false); err != nil {
			return nil, err
		}
	}
	return r.finish()
}

// mainFile is the file of a folder that says the world's name and day.
const mainFile = "world.yaml"

// A fault is an error at a place of a file.
type fault struct {
	at   place
	text string
}

func (f *fault) Error() string { return f.at.String() + ": " + f.text }

// A place is a line of a file; or the path of a value, in a world that no file gave.
type place struct {
	file string
	line int
}

func (p place) String() string {
	if p.line == 0 {
		return p.file
	}
	return fmt.Sprintf("%s:%d", p.file, p.line)
}

func (p place) faultf(format string, args ...any) error {
	return &fault{p, fmt.Sprintf(format, args...)}
}

// A reader gathers a world from its files and remembers where its parts stand.
type reader struct {
	fsys   fs.FS
	shown  string
	file   string // the file being read, as shown in messages
	total  int
	w      World
	first  place            // the beginning of the file that says the world's name
	places map[string]place // by path, such as relations/3/facts/5
	files  map[string]*table
}

func newReader(fsys fs.FS, shown string) *reader {
	return &reader{fsys: fsys, shown: shown, places: map[string]place{}, files: map[string]*table{}}
}

func (r *reader) faultf(line int, format string, args ...any) error {
	return place{r.file, max(line, 1)}.faultf(format, args...)
}

// bytes returns a file's text, without a byte order mark. It refuses what is too large, empty or not UTF-8.
func (r *reader) bytes(name string) ([]byte, error) {
	r.file = filepath.Join(r.shown, name)
	f, err := r.fsys.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil && strings.HasSuffix(err.Error(), "escapes from parent"): // os.Root exports no name of it
		return nil, fmt.Errorf("%s: leads out of the folder of the world, which a file may not decide, as it may "+
			"be a stranger's; copy what it names into the folder", r.file)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", r.file, inputfile.Cause(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.file, err)
	}
	if len(data) > maxBytes {
		return nil, r.faultf(1, "more than %d MiB; split the file", maxBytes>>20)
	}
	if r.total += len(data); r.total > maxTotal {
		return nil, r.faultf(1, "the world's files hold more than %d MiB; leave some out", maxTotal>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		want := "a world, or a part of one"
		if strings.EqualFold(filepath.Ext(r.file), ".csv") {
			want = "a table with a header such as subject,value"
		}
		return nil, r.faultf(1, "the file is empty; want %s", want)
	}
	if line := suite.BadUTF8(data); line > 0 {
		return nil, r.faultf(line, "not UTF-8 text; save the file as UTF-8")
	}
	return data, nil
}

// yaml adds what a YAML file holds. Only the first file has a name and a day.
func (r *reader) yaml(name string, first bool) error {
	data, err := r.bytes(name)
	if err != nil {
		return err
	}
	file := r.file
	n, err := strictyaml.Read(file, data)
	if err != nil {
		return err
	}
	if n.Kind != strictyaml.Dict {
		return r.faultf(n.Line, "want keys and values, such as name: and relations:, not %s", n.Kind)
	}
	if first {
		r.first = place{file, 1}
	} else {
		for _, k := range n.Keys {
			if k.Name == "name" || k.Name == "as_of" || k.Name == "fictional" {
				return r.faultf(k.Line, "%s belongs in %s", k.Name, mainFile)
			}
		}
	}
	return (&strictyaml.Decoder{File: file, Special: r.seen, Extend: true, Placed: func(path string, line int) {
		r.places[path] = place{file, line}
	}}).Decode(n, &r.w, "the world")
}

// hidden reports whether a character has no place in a text that people and models read: a control character, or a
// mark that turns or hides text.
func hidden(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || r >= '\u202a' && r <= '\u202e' ||
		r >= '\u2066' && r <= '\u2069' || r == '\u200b' || r == '\ufeff'
}

// seen refuses what is empty and what cannot be seen in a text.
func (r *reader) seen(n *strictyaml.Node, v reflect.Value, name string) (taken bool, err error) {
	if n.Kind == strictyaml.Null {
		return true, r.faultf(n.Line, "%s is empty; give a value or leave the key out", name)
	}
	for _, c := range n.Text {
		if hidden(c) {
			return true, r.faultf(n.Line, "%s holds the character %U, which cannot be seen; leave it out", name, c)
		}
	}
	return false, nil
}

// clip shortens a text of a file for a message.
func clip(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}

// finish reads the CSV tables and checks the whole.
func (r *reader) finish() (*World, error) {
	for at, rel := range entries("relations", r.w.Relations) {
		if rel.File != "" {
			if err := r.fill(rel, at); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		t := r.files[name]
		for _, column := range t.columns {
			if !t.used[column] {
				return nil, t.header.faultf("no relation uses column %q; name it in column: of a relation with file: "+
					"%s, or drop it", clip(column), name)
			}
		}
	}
	if err := r.w.check(r.places, r.first); err != nil {
		return nil, err
	}
	return &r.w, nil
}

// A table is a CSV file as read: its header and rows with their lines.
type table struct {
	header  place
	columns []string
	rows    [][]string
	places  []place
	used    map[string]bool
}

// shared are the columns that every relation of a table uses.
var shared = []string{"subject", "from", "through", "difficulty"}

// fill reads the facts of a relation from its CSV table.
func (r *reader) fill(rel *Relation, at string) error {
	t, err := r.tableOf(rel, r.places[at+"/file"])
	if err != nil {
		return err
	}
	column := cmp.Or(rel.Column, "value")
	also := "also"
	if column != "value" {
		also = column + "_also"
	}
	index := map[string]int{}
	for i, name := range t.columns {
		index[name] = i
	}
	for _, need := range []string{"subject", column} {
		if _, ok := index[need]; !ok {
			hint := ""
			if len(t.columns) == 1 && strings.ContainsAny(t.columns[0], ";\t|") {
				hint = "; cells are parted by commas"
			}
			return t.header.faultf("no column %q, which relation %q needs; the header has %s%s", clip(need),
				clip(rel.Name), clip(strings.Join(t.columns, ", ")), hint)
		}
	}
	for _, name := range append([]string{column, also}, shared...) {
		t.used[name] = true
	}
	for i, row := range t.rows {
		cell := func(name string) string {
			if j, ok := index[name]; ok {
				return strings.TrimSpace(row[j])
			}
			return ""
		}
		if cell(column) == "" { // a subject of which the table does not say this
			continue
		}
		f := Fact{Subject: cell("subject"), Value: cell(column), From: cell("from"), Through: cell("through"),
			Difficulty: cell("difficulty")}
		for _, a := range strings.Split(cell(also), "|") {
			if a = strings.TrimSpace(a); a != "" {
				f.Also = append(f.Also, a)
			}
		}
		r.places[fmt.Sprintf("%s/facts/%d", at, len(rel.Facts))] = t.places[i]
		rel.Facts = append(rel.Facts, f)
	}
	return nil
}

// tableOf returns the table that a relation names, read once; here is the place of the name.
func (r *reader) tableOf(rel *Relation, here place) (*table, error) {
	if len(rel.Facts) > 0 {
		return nil, here.faultf("relation %q has both facts and a file; keep one", clip(rel.Name))
	}
	if !fs.ValidPath(rel.File) || rel.File == "." {
		return nil, here.faultf("file %q must be a name within the world's folder", clip(rel.File))
	}
	if t, ok := r.files[rel.File]; ok {
		return t, nil
	}
	t, err := r.csv(rel.File)
	if _, ok := errors.AsType[*fault](err); ok {
		return nil, err
	}
	if err != nil {
		return nil, here.faultf("relation %q: table %q cannot be read: %v", clip(rel.Name), clip(rel.File), err)
	}
	r.files[rel.File] = t
	return t, nil
}

// csv reads a table. Lines that begin with # are comments.
func (r *reader) csv(name string) (*table, error) {
	data, err := r.bytes(name)
	if err != nil {
		return nil, err
	}
	t := &table{used: map[string]bool{}}
	c := csv.NewReader(bytes.NewReader(data))
	c.Comment = '#'
	for {
		row, err := c.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			if bad, ok := errors.AsType[*csv.ParseError](err); ok {
				hint := ""
				if errors.Is(bad.Err, csv.ErrFieldCount) {
					hint = fmt.Sprintf("; the header has %d columns, quote cells that hold a comma", len(t.columns))
				}
				return nil, r.faultf(bad.Line, "not valid CSV: %v%s", bad.Err, hint)
			}
			return nil, r.faultf(1, "not valid CSV: %v", err)
		}
		line, _ := c.FieldPos(0)
		if t.columns == nil {
			for i := range row {
				row[i] = strings.TrimSpace(row[i])
				if row[i] == "" || slices.Contains(row[:i], row[i]) {
					return nil, r.faultf(line, "column %d of the header is empty or there twice; name it", i+1)
				}
			}
			t.columns, t.header = row, place{r.file, line}
			continue
		}
		for i, cell := range row {
			if at := strings.IndexFunc(cell, func(r rune) bool { return hidden(r) || r == '\n' }); at >= 0 {
				return nil, r.faultf(line, "column %q holds the character %U; write a cell as one line of text",
					clip(t.columns[i]), []rune(cell[at:])[0])
			}
		}
		t.rows, t.places = append(t.rows, row), append(t.places, place{r.file, line})
	}
	if t.columns == nil {
		return nil, r.faultf(1, "no header; want one such as subject,value")
	}
	return t, nil
}

//go:embed earth
var earthFiles embed.FS

// Earth returns the built-in world of true facts, read from the tables that the program carries. It is the same
// World at every call; do not change it. Its tables and their sources are listed in docs/worlds.md.
var Earth = sync.OnceValue(func() *World {
	folder, err := fs.Sub(earthFiles, "earth")
	if err != nil {
		panic(err)
	}
	w, err := readFS(folder, "earth")
	if err != nil {
		panic("the built-in world does not hold: " + err.Error()) // a test reads it
	}
	return w
})
