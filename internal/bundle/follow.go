package bundle

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/base/lists"
)

// A likeness holds documents of one release against those that another computes: what both have must be equal. It
// counts that, and notes what only one has, and how many sentences are worded otherwise.
type likeness struct {
	figures int   // that both have: values that hold no other, and cells
	beyond  paths // in the bundle, and not computed
	lacking paths // computed, and not in the bundle
	worded  int
	fault   string   // the first difference
	skip    []string // members (lists only, with [] behind) and columns that are taken for not computed
	// former says that the bundle is of an earlier version of the statistics: what that made otherwise may differ,
	// and is taken for not computed then.
	former bool
	// exact says that the bundle lacks nothing and that sentences are equal too: it may only have more.
	exact bool
	// names are texts that say what was asked of whom, such as models and suites: no release words them otherwise.
	names map[string]bool
}

// maxPaths bounds the paths of a document that are listed.
const maxPaths = 30

// paths are places in a document, without indices, each once.
type paths struct {
	seen    map[string]bool
	listed  []string // the first maxPaths
	figures int      // values at all of them
}

// in lists the paths as those of a member.
func (p *paths) in(member string) (out []string) {
	out = lists.Map(p.listed, func(path string) string { return path + " in " + member })
	if n := len(p.seen) - len(p.listed); n > 0 {
		out = append(out, fmt.Sprintf("%d more in %s", n, member))
	}
	return out
}

// add notes the path of a value.
func (p *paths) add(path string, v any) {
	p.figures += figuresIn(v)
	var b strings.Builder
	depth := 0
	for _, r := range strings.TrimPrefix(path, ".") {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	name := shortened(b.String())
	if p.seen[name] {
		return
	}
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	if p.seen[name] = true; len(p.listed) < maxPaths {
		p.listed = append(p.listed, name)
	}
}

// figuresIn counts the values in a value that hold no other.
func figuresIn(v any) (n int) {
	leaves(v, func(any) { n++ })
	return n
}

// leaves visits the values in a value that hold no other.
func leaves(v any, visit func(any)) {
	switch x := v.(type) {
	case map[string]any:
		for _, y := range x {
			leaves(y, visit)
		}
	case []any:
		for _, y := range x {
			leaves(y, visit)
		}
	default:
		visit(v)
	}
}

// A Comparison counts what of a bundle was held against what was computed: values of its documents that hold no other,
// and cells of its table.
type Comparison struct {
	Compared    int `json:"compared"`      // in both, and the same
	NotInBundle int `json:"not_in_bundle"` // computed here alone
	NotKnown    int `json:"not_known"`     // in the bundle alone
}

func (c *Comparison) add(l *likeness) {
	c.Compared += l.figures
	c.NotInBundle += l.lacking.figures
	c.NotKnown += l.beyond.figures
}

// String says it in one line.
func (c *Comparison) String() string {
	const format = "%d figures compared, %d not in the bundle, %d not known here"
	return fmt.Sprintf(format, c.Compared, c.NotInBundle, c.NotKnown)
}

// redone are the members that an earlier version of the statistics (assay.StatisticsVersion) made otherwise of the
// same answers: bounds, tests, and what rests on these alone; what is of the plug-in pair of bias² and variance;
// rates over variants, which weighed answers alike and not cases; what corrected the posterior rate of draws; the
// middle perplexity, which has no interval where few clusters are of very different sizes; the tokens of the
// posterior study's cost; curves of risk over coverage, which at .55 had one query too many of 100, 200 and 400; and of
// people's labels in clusters the error of a corrected rate, and how many more would do.
var redone = []string{
	"lo", "hi", "p", "p_holm", "test", "recovered", "moves_most", "holds", "regime", "optimal",
	"variance_only", "bias_squared", "variance", "other_beats_base_as_published", "over_variants",
	"phr_lo", "phr_hi", "phr_corrected", "less_phr_75", "curve", "statistics", "median", "cost",
	"se", "more",
}

// sentences are the members that hold text for people, which releases word otherwise.
var sentences = []string{"findings", "warnings", "command", "reason", "advice", "notes", "why", "limits", "says"}

// member compares a member of a bundle with the computed one.
func (l *likeness) member(name string, got, want []byte) {
	switch name {
	case manifestName:
		l.document(summary(got), summary(want))
	case casesName:
		l.table(got, want)
	default:
		l.document(got, want)
	}
}

// lines compares lines of JSON, and reports whether there are as many.
func (l *likeness) lines(got, want []byte) bool {
	x, y := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !bytes.Equal(x[i], y[i]) {
			l.document(x[i], y[i])
		}
	}
	return true
}

// document compares two JSON documents.
func (l *likeness) document(got, want []byte) {
	x, err := parsed(got)
	if err != nil {
		l.fault = fmt.Sprintf("does not read: %v", err)
		return
	}
	l.compare("", x, computed(want))
}

// computed reads a document that was just made.
func computed(data []byte) any {
	v, err := parsed(data)
	if err != nil {
		panic("bundle: " + err.Error())
	}
	return v
}

// parsed reads a document that jsonl.Strict took.
func parsed(data []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return v, dec.Decode(&v)
}

func (l *likeness) differ(path string, got, want any) {
	if l.fault == "" {
		l.fault = fmt.Sprintf("%s: the bundle has %s where %s follows", strings.TrimPrefix(path, "."), quoted(got),
			quoted(want))
	}
}

func quoted(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "a value"
	}
	return shortened(string(b))
}

// compare holds a value of the bundle against the computed one.
func (l *likeness) compare(path string, got, want any) {
	switch x := got.(type) {
	case map[string]any:
		y, ok := want.(map[string]any)
		if !ok {
			l.differ(path, got, want)
			return
		}
		l.object(path, x, y)
	case []any:
		y, ok := want.([]any)
		if !ok || len(x) != len(y) {
			l.differ(path, got, want)
			return
		}
		for i := range x {
			l.compare(fmt.Sprintf("%s[%d]", path, i), x[i], y[i])
		}
	case json.Number:
		l.figures++
		if y, ok := want.(json.Number); !ok || !near(x, y) {
			l.differ(path, got, want)
		}
	case string:
		l.figures++
		y, ok := want.(string)
		switch {
		case !ok:
			l.differ(path, got, want)
		case x != y && !l.exact && !l.names[y] && strings.Count(x, " ") > 3 && strings.Count(y, " ") > 3:
			l.figures--
			l.worded++
		case x != y:
			l.differ(path, got, want)
		}
	default:
		l.figures++
		if got != want {
			l.differ(path, got, want)
		}
	}
}

func (l *likeness) object(path string, got, want map[string]any) {
	before := map[string]any{}
	if _, now := got["plug_in"]; !now && l.former { // bias² and variance of an earlier build, which had no other pair
		before, _ = want["plug_in"].(map[string]any)
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		at := path + "." + name
		y, there := want[name]
		if pair, is := before[name]; is {
			l.compare(at, got[name], pair)
			continue
		}
		if !there && !groups(path) {
			for other := range want {
				if alsoNamed(other, name) {
					l.differ(at, "a name that readers take for "+other, other)
				}
			}
		}
		switch {
		case !there, slices.Contains(l.skip, name) && !groups(path), isList(y) && slices.Contains(l.skip, name+"[]"):
			l.beyond.add(at, got[name])
		case !l.exact && slices.Contains(sentences, name) && isText(y) && isText(got[name]) && !groups(path):
			if !reflect.DeepEqual(got[name], y) {
				l.worded++
			} else {
				l.figures += figuresIn(y)
			}
		case l.former && slices.Contains(redone, name) && !groups(path):
			l.unless(at, got[name], y)
		default:
			l.compare(at, got[name], y)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		at := path + "." + name
		switch _, there := got[name]; {
		case there:
		case l.exact:
			l.differ(at, nil, want[name])
		default:
			l.lacking.add(at, want[name])
		}
	}
}

// unless compares a value, which is taken for not computed where it is another.
func (l *likeness) unless(path string, got, want any) {
	try := likeness{skip: l.skip, former: l.former, exact: l.exact, names: l.names}
	try.compare(path, got, want)
	if try.fault != "" {
		l.beyond.add(path, got)
		return
	}
	l.compare(path, got, want)
}

// alsoNamed reports whether readers may take one name for another: they differ in blanks or case alone.
func alsoNamed(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

func isList(v any) bool { _, ok := v.([]any); return ok }

// isText reports whether a value is a sentence or a list, as of sentences: no figure, and no object of them.
func isText(v any) bool { _, ok := v.(string); return ok || isList(v) }

// groups reports whether the members of what is at a path have the names of groups of cases, such as tags, which a
// suite chooses.
func groups(path string) bool {
	return strings.HasPrefix(path[strings.LastIndexByte(path, '.')+1:], "by_")
}

// near reports whether two numbers are one figure: other builds of the arithmetic may differ in the last bits. Two
// whole numbers are one where they are equal: counts and seeds.
func near(a, b json.Number) bool {
	if a == b {
		return true
	}
	if !strings.ContainsAny(string(a)+string(b), ".eE") {
		return false
	}
	x, err := a.Float64()
	y, err2 := b.Float64()
	far := math.IsInf(x, 0) || math.IsInf(y, 0) // as figures are never: all are near to them
	return err == nil && err2 == nil && !far && math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y))
}

// A table is a CSV file by the names of its columns.
type table struct {
	columns []string
	rows    [][]string
}

func readTable(data []byte) (t table, err error) {
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return t, err
	}
	if len(rows) == 0 {
		return t, fmt.Errorf("it is empty")
	}
	for i, column := range rows[0] {
		if slices.IndexFunc(rows[0], func(c string) bool { return alsoNamed(c, column) }) < i {
			return t, fmt.Errorf("the column %.60q is there twice", column)
		}
	}
	return table{rows[0], rows[1:]}, nil
}

// cell returns a cell by the name of its column; "" where there is no such column.
func (t *table) cell(row int, column string) string {
	if i := slices.Index(t.columns, column); i >= 0 {
		return t.rows[row][i]
	}
	return ""
}

// table compares the columns that two tables share, all of them or those that are named.
func (l *likeness) table(got, want []byte, only ...string) {
	x, err := readTable(got)
	if err != nil {
		l.fault = fmt.Sprintf("does not read: %v", err)
		return
	}
	y, err := readTable(want)
	if err != nil {
		panic("bundle: " + err.Error())
	}
	if len(x.rows) != len(y.rows) {
		l.fault = fmt.Sprintf("has %d rows where %d follow", len(x.rows), len(y.rows))
		return
	}
	differs := func(column string, i int) bool {
		a, b := x.cell(i, column), y.cell(i, column)
		return a != b && (slices.Contains(texts, column) || !number(a) || !number(b) ||
			!near(json.Number(a), json.Number(b)))
	}
	other := func(column string) bool { // as an earlier version made it
		for i := range x.rows {
			if l.former && slices.Contains(redone, column) && differs(column, i) {
				return true
			}
		}
		return false
	}
	for _, column := range x.columns {
		switch {
		case only != nil && !slices.Contains(only, column):
		case !slices.Contains(y.columns, column), only == nil && (slices.Contains(l.skip, column) || other(column)):
			l.beyond.add(column, column)
			l.beyond.figures += len(x.rows) - 1
		default:
			for i := range x.rows {
				if l.figures++; differs(column, i) {
					l.differ(fmt.Sprintf("row %d, %s", i+2, column), x.cell(i, column), y.cell(i, column))
				}
			}
		}
	}
	for _, column := range y.columns {
		if only == nil && !slices.Contains(x.columns, column) {
			l.lacking.add(column, column)
			l.lacking.figures += len(y.rows) - 1
		}
	}
}

// texts are the columns of a table whose cells are no figures, though they may look like some.
var texts = []string{"run", "model", "suite", "case_id", "class", "domain", "tags", "prompt", "gold", "answer"}

func number(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
