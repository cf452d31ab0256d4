package suite

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/strictyaml"
	"hallmark/internal/base/within"
)

// Bounds on what a file may hold, so that a hostile one costs neither time nor memory; strictyaml has those of its
// values.
const (
	maxBytes   = 256 << 20 // of a file in JSON, JSON Lines, CSV or TSV
	maxCases   = 1_000_000
	maxColumns = 10_000   // of a table
	maxText    = 16 << 20 // bytes of one text of a case
)

// ErrEmpty is wrapped where a file holds nothing but space.
var ErrEmpty = errors.New("the file is empty")

// ReadFile returns the bytes of an input file, without a byte order mark. It refuses what is no file, is empty, is not
// UTF-8 or is larger than 256 MiB. Builtin are the names of the built-in suites, which the error for a name that is no
// file lists.
func ReadFile(path string, builtin ...string) ([]byte, error) {
	what, hint := "file", ""
	if len(builtin) > 0 {
		what, hint = "suite or file", "; built in are "+strings.Join(builtin, ", ")
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no %s %q%s", what, path, hint)
	case err != nil:
		return nil, fmt.Errorf("%s %q: %w", what, path, err)
	case info.IsDir():
		return nil, fmt.Errorf("%q is a folder; name a file in it%s", path, hint)
	}
	data, err := inputfile.Read(path, maxBytes)
	if errors.Is(err, inputfile.ErrTooLarge) {
		return nil, strictyaml.Faultf(path, 1, "more than %d MiB; split the file", maxBytes>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", what, path, inputfile.Cause(err))
	}
	return clean(path, data)
}

var bom = []byte("\xef\xbb\xbf") // the byte order mark

// clean drops a byte order mark and refuses what is empty or not UTF-8.
func clean(path string, data []byte) ([]byte, error) {
	for bytes.HasPrefix(data, bom) { // some programs add one to a file that has one
		data = data[len(bom):]
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, strictyaml.Faultf(path, 1, "UTF-16 text, not UTF-8; save the file as UTF-8")
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%s:1: %w; want a suite, or rows with a question each", path, ErrEmpty)
	}
	if line := BadUTF8(data); line > 0 {
		return nil, strictyaml.Faultf(path, line, "not UTF-8 text; save the file as UTF-8")
	}
	return data, nil
}

// BadUTF8 returns the line of the first byte that is not UTF-8, or 0.
func BadUTF8(data []byte) int {
	n := 0
	for line := range bytes.Lines(data) {
		if n++; !utf8.Valid(line) {
			return n
		}
	}
	return 0
}

// Parse reads a suite from the data of a file of that name and checks it; pools are found relative to it. The ending of
// the name says the format: .yaml or .yml, .jsonl or .ndjson, .json, .csv, .tsv; a file with another ending is taken
// for JSON if it begins like it. Every error about its content begins with FILE:LINE.
func Parse(path string, data []byte) (*Suite, error) {
	s, err := ParsePacked(path, data, false)
	if err == nil {
		s.Cases = ListOf(s.Cases.Loose())
	}
	return s, err
}

// ParsePacked is Parse, but packs the cases as it reads them. One that is trusted may name pools and modules in any
// folder.
func ParsePacked(path string, data []byte, trusted bool) (*Suite, error) {
	data, err := clean(path, data)
	if err != nil {
		return nil, err
	}
	r := newReader(path)
	r.take, r.trusted, r.suite.Cases.packs = r.row, trusted, &r.packer.packs
	if err := r.read(data); err != nil {
		return nil, err
	}
	return r.finish()
}

// read walks over the file and takes each row.
func (r *reader) read(data []byte) error {
	switch format := formatOf(r.file, data); format {
	case ".yaml":
		return r.document(strictyaml.Read(r.file, data))
	case ".json":
		return r.document(strictyaml.ReadJSON(r.file, data, 1))
	case ".jsonl":
		return r.lines(data)
	case ".csv", ".tsv":
		return r.table(data, format == ".tsv")
	}
	return r.faultf(1, "unknown kind of file %q; want a name that ends in .yaml, .jsonl, .json, "+
		".csv or .tsv, or JSON, which needs no ending",
		filepath.Ext(r.file))
}

func formatOf(path string, data []byte) string {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".yml":
		return ".yaml"
	case ".ndjson":
		return ".jsonl"
	case ".yaml", ".json", ".jsonl", ".csv", ".tsv":
		return ext
	}
	switch first := bytes.TrimSpace(data); {
	case len(first) == 0:
	case first[0] == '{':
		return ".jsonl"
	case first[0] == '[':
		return ".json"
	}
	return ""
}

// A reader collects a suite from the rows of a file.
type reader struct {
	decoder
	take    func(*strictyaml.Node) error // takes a row
	suite   *Suite
	packer  packer                  // of its cases
	headAt  func(key string) string // the place of a key of its header
	trusted bool                    // may name files outside its folder
	plain   bool                    // rows of others: columns by the names people use, unknown ones ignored
	before  *before
	pools   map[string][]Demonstration
	ignored map[string]bool // columns that were not read

	tagColumns map[string]*tagColumn // columns that the suite format does not know
	tagNames   []string              // of them, as they came

	aliased map[int]string // where the aliases of a case stand
	head    int            // the line of a table's header, 0 where there is none
	found   []string       // columns that were read, as the file names them
	noGold  string         // why a column that looks like the gold gave none
	lettered,
	retagged int // golds given as letters; classes and domains of others that became tags
}

func newReader(path string) *reader {
	return &reader{decoder: decoder{file: path}, suite: &Suite{}, ignored: map[string]bool{}, before: newBefore(),
		pools: map[string][]Demonstration{}, aliased: map[int]string{},
		headAt: func(string) string { return path }}
}

// document reads a whole file that is one value: {suite: …, cases: […]}, or a list of plain rows.
func (r *reader) document(root *strictyaml.Node, err error) error {
	switch {
	case err != nil:
		return err
	case root.Kind == strictyaml.List:
		r.plain = true
		return r.rows(root.Items)
	case root.Kind != strictyaml.Dict:
		return r.faultf(root.Line, "want the keys suite and cases, or a list of rows, not %s", root.Kind)
	}
	for _, k := range root.Keys {
		if k.Name != "suite" && k.Name != "cases" {
			return r.faultf(k.Line, "unknown key %q beside suite and cases; %s", k.Name,
				strictyaml.Suggest(k.Name, []string{"suite", "cases"}))
		}
	}
	if err := r.header(root.Get("suite")); err != nil {
		return err
	}
	cases := root.Get("cases")
	if cases == nil || cases.Kind != strictyaml.List {
		return r.faultf(root.Line, "no list of cases; want cases: with one entry per question")
	}
	return r.rows(cases.Items)
}

func (r *reader) header(n *strictyaml.Node) error {
	if n == nil {
		return nil
	}
	if err := r.decode(n, r.suite, "suite"); err != nil {
		return err
	}
	r.headAt = func(key string) string { return r.place(n, key) }
	return r.suite.checkHeader(r.headAt)
}

// lines reads JSON Lines: a header and cases, or plain rows.
func (r *reader) lines(data []byte) error {
	r.plain = true
	first := true
	line := 0
	for text := range bytes.SplitSeq(data, []byte{'\n'}) {
		line++
		text = bytes.TrimPrefix(text, bom) // of files that were joined
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		n, err := strictyaml.ReadJSON(r.file, text, line)
		if err != nil {
			return err
		}
		if h := n.Get("suite"); first && h != nil && h.Kind == strictyaml.Dict {
			first, r.plain = false, false
			if len(n.Keys) > 1 {
				return r.faultf(line, "the header line has keys beside suite; want the cases on lines of their own")
			}
			if err := r.header(h); err != nil {
				return err
			}
			continue
		}
		first = false
		if err := r.take(n); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) rows(items []*strictyaml.Node) error {
	for _, n := range items {
		if err := r.take(n); err != nil {
			return err
		}
	}
	return nil
}

// row reads one case.
func (r *reader) row(n *strictyaml.Node) error {
	if len(r.packer.cases) == maxCases {
		return r.faultf(n.Line, "more than %d cases; split the file", maxCases)
	}
	if most := n.Longest(); most > maxText {
		return r.faultf(n.Line, "a text of %d MiB, at most %d are read", most>>20, maxText>>20)
	}
	if n.Kind != strictyaml.Dict {
		return r.faultf(n.Line, "a case must be keys and values, not %s", n.Kind)
	}
	n, err := r.canonical(n)
	if err != nil {
		return err
	}
	c := Case{Place: fmt.Sprintf("%s:%d", r.file, n.Line)}
	if err := r.decode(n, &c, "case"); err != nil {
		return err
	}
	if c.ID == "" && r.plain {
		c.ID = fmt.Sprintf("row-%d", len(r.packer.cases)+1)
	}
	if r.plain {
		r.adapt(&c)
	}
	at := func(key string) string { return r.place(n, key) }
	if c.Pool != "" {
		if c.Rows, err = r.pool(c.Pool); err != nil {
			return fmt.Errorf("%s: pool of case %q: %w", at("pool"), c.ID, err)
		}
	}
	if err := r.modules(c.Oracle); err != nil {
		return fmt.Errorf("%s: case %q: %w", at("oracle"), c.ID, err)
	}
	if len(c.Aliases) > 0 {
		r.aliased[len(r.packer.cases)] = at("aliases")
	}
	r.packer.add(&c)
	return r.suite.checkCase(&c, len(r.packer.cases)-1, r.before, at)
}

// pool returns the rows of a pool, which is found relative to the file of the suite.
func (r *reader) pool(name string) ([]Demonstration, error) {
	rows, ok := r.pools[name]
	if !ok {
		path, err := r.beside(name)
		if err != nil {
			return nil, err
		}
		if rows, err = ReadPool(path); err != nil {
			return nil, err
		}
		r.pools[name] = rows
	}
	return rows, nil
}

// beside returns the path of a file that the suite names, which is relative to the suite's own file. Unless the
// suite is trusted it is an error where that leads out of the folder: the suite may be a stranger's, and what it
// names ends in prompts and reports.
func (r *reader) beside(name string) (string, error) {
	folder := filepath.Dir(r.file)
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	if r.trusted {
		return path, nil
	}
	in, err := within.Folder(folder, path)
	if err == nil && !in {
		err = fmt.Errorf("%q is outside the folder of the suite, which a file may not decide, as it may be a "+
			"stranger's; type --allow-path if you trust it", name)
	}
	return path, err
}

// maxModule is the largest module of WebAssembly, in bytes.
const maxModule = 8 << 20

// modules reads the modules that an oracle and its parts name, which are found relative to the file of the suite.
func (r *reader) modules(o *Oracle) error {
	for p := range o.All() {
		if p.Module == "" || p.Code != "" {
			continue
		}
		path, err := r.beside(p.Module)
		if err != nil {
			return fmt.Errorf("module %w", err)
		}
		code, err := inputfile.Read(path, maxModule)
		if errors.Is(err, inputfile.ErrTooLarge) {
			return fmt.Errorf("module %q is larger than %d MiB", p.Module, maxModule>>20)
		}
		if err != nil {
			return fmt.Errorf("module %q: %w", p.Module, inputfile.Cause(err))
		}
		p.Code = base64.StdEncoding.EncodeToString(code)
	}
	return nil
}

// place returns FILE:LINE of a key of a node, or of the node where it has no such key.
func (r *reader) place(n *strictyaml.Node, key string) string {
	return fmt.Sprintf("%s:%d", r.file, n.LineOf(key))
}

// finish names the suite and adds the warnings.
func (r *reader) finish() (*Suite, error) {
	s := r.suite
	r.tagged()
	s.Cases.packs = r.packer.tight()
	if s.Cases.Len() == 0 {
		return nil, r.faultf(1, "the suite has no cases")
	}
	if err := s.checkAliases(func(i int) string { return r.aliased[i] }); err != nil {
		return nil, err
	}
	if err := s.checkCluster(r.headAt("cluster")); err != nil {
		return nil, err
	}
	s.Name = cmp.Or(s.Name, strings.TrimSuffix(filepath.Base(r.file), filepath.Ext(r.file)))
	if len(r.ignored) > 0 {
		s.warnf("%s: columns that were not read: %s", r.file, strings.Join(slices.Sorted(maps.Keys(r.ignored)), ", "))
	}
	if r.plain && !s.Cases.Has(func(c *Case) bool { return c.Decline || !c.Gold.IsZero() }) {
		s.warnf("%s: no gold was found, so no answer can be graded as right or wrong; the columns that were read "+
			"are %s; a gold stands under %s%s",
			r.file, strings.Join(r.found, ", "), strings.Join(goldNames, ", "), r.noGold)
	}
	if r.lettered > 0 {
		s.warnf("%s: %d of %d golds are letters and were read as the options they name", r.file, r.lettered,
			s.Cases.Len())
	}
	if r.retagged > 0 {
		s.warnf("%s: %d classes or domains that are none of the suite format's became tags", r.file, r.retagged)
	}
	for _, by := range []struct {
		key, what string
		m         map[string]Switches
		has       func(c *Case, name string) bool
	}{
		{"by_class", "of the class", s.ByClass, func(c *Case, name string) bool { return c.Class == name }},
		{"by_tag", "with the tag", s.ByTag, func(c *Case, name string) bool { return slices.Contains(c.Tags, name) }},
	} {
		for _, name := range slices.Sorted(maps.Keys(by.m)) {
			if !s.Cases.Has(func(c *Case) bool { return by.has(c, name) }) {
				s.warnf("%s: %s sets switches for %q, and there is no case %s", r.file, by.key, name, by.what)
			}
		}
	}
	return s, nil
}

func (s *Suite) warnf(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

// ReadLines reads a text file given as an argument; want says what its lines hold.
func ReadLines(file, want string) ([]byte, error) {
	data, err := ReadFile(file)
	if errors.Is(err, ErrEmpty) {
		return nil, fmt.Errorf("%s:1: %w; want %s", file, ErrEmpty, want)
	}
	return data, err
}

// Named returns the suite of that name, or with no name the only one.
func Named(suites []*Suite, name string) (*Suite, error) {
	var names []string
	for _, s := range suites {
		if s.Name == name || name == "" && len(suites) == 1 {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("--suite %q: the run has %q; name one of them", name, names)
}

// ReadPool reads a file of worked examples to draw demonstrations from: JSON Lines, a JSON or YAML list, CSV or
// TSV, with an input and a label in each row under these or the other names of a question and its answer. A row
// that repeats another is dropped. Errors are as those of Read.
func ReadPool(path string) ([]Demonstration, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows []Demonstration
	seen := map[Demonstration]bool{}
	r := newReader(path)
	r.take = func(n *strictyaml.Node) error {
		if n.Kind != strictyaml.Dict {
			return strictyaml.Faultf(path, n.Line, "a row must be keys and values, not %s", n.Kind)
		}
		input := first(n, append([]string{"input"}, columns[1].names...))
		label := first(n, append([]string{"label", "answer"}, columns[2].names...))
		if input == nil || label == nil {
			return strictyaml.Faultf(path, n.Line, "no input or no label; a row of a pool needs both")
		}
		if d := (Demonstration{input.Text, label.Text}); !seen[d] {
			seen[d] = true
			rows = append(rows, d)
		}
		return nil
	}
	if err := r.read(data); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, strictyaml.Faultf(path, 1, "the pool has no rows")
	}
	return rows, nil
}

// first returns the first value that is a text under one of the names.
func first(n *strictyaml.Node, names []string) *strictyaml.Node {
	for _, name := range names {
		if i := slices.IndexFunc(n.Keys, func(k strictyaml.Key) bool {
			return strings.EqualFold(k.Name, name)
		}); i >= 0 && n.Items[i].Kind == strictyaml.Scalar {
			return n.Items[i]
		}
	}
	return nil
}
