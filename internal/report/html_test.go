package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"hallmark/internal/assay"
	"hallmark/internal/text/evidence"
)

var draft = flag.String("draft", "", "write the fixtures' pages into this directory, to be looked at")

// TestDraft writes pages for a person to look at.
func TestDraft(t *testing.T) {
	if *draft == "" {
		t.Skip("without -draft DIR no page is kept")
	}
	for name, a := range map[string]*assay.Assay{"one": one(t), "several": several(t), "pocket": pocketLike(t)} {
		if err := os.WriteFile(filepath.Join(*draft, name+".html"), page1(t, a), 0o644); err != nil {
			t.Error(err)
		}
	}
}

func page1(t testing.TB, a *assay.Assay) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, a); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var (
	styleElement  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	scriptElement = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
)

// An element is one start tag of a page with the text directly in it.
type element struct {
	name    string
	attr    map[string]string
	parents []*element
	text    string
}

// elements parses a page, which is written as well-formed XML with its style and script taken out, and fails where it
// is not.
func elements(t testing.TB, page []byte) []*element {
	t.Helper()
	s := styleElement.ReplaceAllString(string(page), "<style/>")
	s = scriptElement.ReplaceAllString(s, "<script/>")
	d := xml.NewDecoder(strings.NewReader(s))
	d.Entity = xml.HTMLEntity
	var all, open []*element
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("the page is not well formed: %v", err)
		}
		switch x := tok.(type) {
		case xml.StartElement:
			e := &element{name: x.Name.Local, attr: map[string]string{}, parents: slices.Clone(open)}
			for _, a := range x.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			all, open = append(all, e), append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(x)
			}
		}
	}
}

func (e *element) within(name, class string) bool {
	for _, p := range append(slices.Clone(e.parents), e) {
		if p.name == name && (class == "" || slices.Contains(strings.Fields(p.attr["class"]), class)) {
			return true
		}
	}
	return false
}

// TestHTMLIsSealed asserts that nothing in a page can load, run or submit anything but the page's own style and script.
func TestHTMLIsSealed(t *testing.T) {
	for name, a := range map[string]*assay.Assay{"one": one(t), "several": several(t)} {
		page := page1(t, a)
		if n := len(scriptElement.FindAll(page, -1)); n != 1 {
			t.Errorf("%s: %d script elements, want 1", name, n)
		}
		style, script := styleElement.FindSubmatch(page)[1], scriptElement.FindSubmatch(page)[1]
		policy := ""
		for _, e := range elements(t, page) {
			if e.attr["http-equiv"] == "Content-Security-Policy" {
				policy = e.attr["content"]
			}
			switch e.name {
			case "iframe", "object", "embed", "img", "image", "link", "base", "foreignObject", "use", "audio", "video", "source", "textarea":
				t.Errorf("%s: element %s", name, e.name)
			}
			for k, v := range e.attr {
				switch {
				case strings.HasPrefix(k, "on"), k == "style", k == "src", k == "srcset", k == "action", k == "formaction":
					t.Errorf("%s: attribute %s on %s", name, k, e.name)
				case k == "href" && !strings.HasPrefix(v, "#"):
					t.Errorf("%s: a link out of the page: %q", name, v)
				}
			}
		}
		want := "default-src 'none'; style-src '" + hashOf(string(style)) + "'; script-src '" + hashOf(string(script)) + "'; base-uri 'none'; form-action 'none'"
		if policy != want {
			t.Errorf("%s: policy %q, want %q", name, policy, want)
		}
	}
}

// checkVisible fails on characters that act on their reader.
func checkVisible(t testing.TB, what string, out []byte) {
	t.Helper()
	for _, r := range string(out) {
		if r != '\n' && r != '\t' && r != '\r' && (unicode.Is(unicode.Cc, r) || steers(r)) {
			t.Fatalf("%s: contains %U", what, r)
		}
	}
}

func TestHTMLShowsHostileTextAsText(t *testing.T) {
	page := page1(t, one(t))
	checkVisible(t, "page", page)
	var found bool
	for _, e := range elements(t, page) {
		if e.within("details", "case") && strings.Contains(e.text, "<script>alert('x')</script></script><b>|`*_␛[31mred␛[0m⟨U+202E⟩evil⟨U+202C⟩␀ & \"quotes\"\nsecond line\ufffd") {
			found = true
		}
	}
	if !found {
		t.Error("the hostile answer is not shown as it came")
	}
}

// asJSON is a result as its JSON reads, by which pages name their figures.
func asJSON(t *testing.T, result any) tree {
	t.Helper()
	b, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return treeOf(json.RawMessage(b))
}

// TestHTMLFiguresAreTheDocuments looks every shown figure up in the document by its path, and asserts that the tables
// of figures show no number that is not such a figure.
func TestHTMLFiguresAreTheDocuments(t *testing.T) {
	digits := regexp.MustCompile(`\d`)
	for name, a := range map[string]*assay.Assay{"one": one(t), "several": several(t), "pocket": pocketLike(t), "swept": sweptRun(t, "")} {
		doc := asJSON(t, a.Document)
		figures := 0
		for _, e := range elements(t, page1(t, a)) {
			if e.name == "td" && e.within("td", "n") && !e.within("details", "case") && digits.MatchString(e.text) {
				t.Errorf("%s: a figure without its place: %q", name, e.text)
			}
			if e.name != "data" {
				continue
			}
			figures++
			at := ""
			for _, p := range e.parents {
				if p.attr["data-at"] != "" {
					at = p.attr["data-at"]
				}
			}
			keys := append(strings.Split(at, "."), strings.Split(e.attr["data-path"], ".")...)
			// pc_below_0.5 is a key with a dot in it
			path := strings.ReplaceAll(strings.Join(keys, "\x00"), "_0\x00", "_0.")
			want, ok := doc.Number(strings.Split(path, "\x00")...)
			got, err := strconv.ParseFloat(e.attr["value"], 64)
			if !ok || err != nil || got != want {
				t.Errorf("%s: %s.%s: page %q, document %v %v", name, at, e.attr["data-path"], e.attr["value"], want, ok)
			}
			shown := strings.NewReplacer("\u202f", "", "%", "", "nats", "", ",", "", "−", "-", "<", "", ">", "").Replace(e.text)
			x, err := strconv.ParseFloat(shown, 64)
			if err != nil || !(close(x, want, .0005001) || close(x, 100*want, .1)) {
				t.Errorf("%s: %s shows %q for %v", name, e.attr["data-path"], e.text, want)
			}
		}
		if figures < 40 {
			t.Errorf("%s: only %d figures", name, figures)
		}
	}
}

func close(a, b, by float64) bool { return a-b <= by && b-a <= by }

// TestCompleteRunShowsEveryFigure asserts that a run with everything measured leaves no place empty but those that are
// empty by nature.
func TestCompleteRunShowsEveryFigure(t *testing.T) {
	v := newView(pocketLike(t))
	article := v.Sections[0].article(nil, false)
	shown, seen := map[string]int{}, map[string]bool{}
	var look func(in string, blocks []block)
	look = func(in string, blocks []block) {
		check := func(f fig) {
			shown[in]++
			// Nothing in the run asks for a format, and nothing was designed to be open or drawn of it.
			if path := strings.Join(f.path, "."); !f.OK && path != "format" && !strings.HasPrefix(path, "designed.3.") &&
				!strings.HasPrefix(path, "consistency.predictive_entropy") {
				t.Errorf("%s: %s has no value: %s", in, f.Label, path)
			}
		}
		for _, b := range standing(onPage, blocks...) {
			switch b := b.(type) {
			case chapter:
				name := in
				if b.Name != "" {
					name = b.Name
					seen[name] = true
				}
				look(name, b.Body)
			case pair:
				look(in, b.Left)
				look(in, b.Right)
			case keys:
				if len(b.Figs) != 4 {
					t.Errorf("%d key figures, want 4", len(b.Figs))
				}
			case figures:
				for _, f := range b.shown(onPage) {
					check(f)
				}
			case table:
				for _, r := range b.Rows {
					for _, c := range r.Cells {
						for _, w := range c.Main {
							if w.As == asValue {
								check(w.Fig)
							}
						}
					}
				}
			}
		}
	}
	look("", article.Body)
	for _, name := range []string{"Findings", "Outcomes", "Rubric", "Consistency", "Sampled", "Detectors", "Classes", "Confusion map", "Both axes", "Designed", "Unscored"} {
		if !seen[name] {
			t.Errorf("there is no %s", name)
		}
	}
	for name, least := range map[string]int{"Outcomes": 6, "Rubric": 12, "Consistency": 20, "Sampled": 16, "Detectors": 24, "Classes": 40, "Confusion map": 50, "Both axes": 14, "Designed": 40} {
		if shown[name] < least {
			t.Errorf("%s: %d figures, want %d", name, shown[name], least)
		}
	}
}

func TestHTMLSaysWhatItMust(t *testing.T) {
	tests := []struct {
		name  string
		a     *assay.Assay
		want  []string
		avoid []string
	}{
		{"one", one(t), []string{
			"pocket is a calibration model about a fictional world.", "only one question of that class", "500 from the server, 4 tries",
			"hallmark run --model &#39;exec:sh a.sh&#39; --variants phrasings=10 --sampled 10 --seed 1",
			"about 300 would bring it under 10 points", "test–retest: 20 questions asked 3 times",
		}, []string{"Accuracy was not measured"}},
		{"several", several(t), []string{"Accuracy was not measured.", "Overview", "2 models on 2 suites", "its rubric was left out", "$0.0123"}, []string{"<b>, identity"}},
	}
	for _, tt := range tests {
		page := string(page1(t, tt.a))
		for _, s := range tt.want {
			if !strings.Contains(page, s) {
				t.Errorf("%s: does not say %q", tt.name, s)
			}
		}
		for _, s := range tt.avoid {
			if strings.Contains(page, s) {
				t.Errorf("%s: says %q", tt.name, s)
			}
		}
	}
}

// TestFilters asserts that each link to the cases behind a figure names a choice that the filter of its section has,
// and that ids are unique and links lead somewhere.
func TestFilters(t *testing.T) {
	for name, a := range map[string]*assay.Assay{"one": one(t), "several": several(t), "pocket": pocketLike(t)} {
		all := elements(t, page1(t, a))
		ids, options := map[string]bool{}, map[string]bool{}
		for _, e := range all {
			if id := e.attr["id"]; id != "" {
				if ids[id] {
					t.Errorf("%s: id %q twice", name, id)
				}
				ids[id] = true
			}
			if e.name == "option" {
				cases, sel := "", ""
				for _, p := range e.parents {
					if p.within("section", "cases") && p.name == "section" {
						cases = p.attr["id"]
					}
					if p.name == "select" {
						sel = p.attr["name"]
					}
				}
				options[cases+" "+sel+" "+e.attr["value"]] = true
			}
		}
		for _, e := range all {
			if h := e.attr["href"]; h != "" && !ids[strings.TrimPrefix(h, "#")] {
				t.Errorf("%s: link to nowhere: %s", name, h)
			}
			for _, k := range []string{"aria-labelledby"} {
				if v := e.attr[k]; v != "" && !ids[v] {
					t.Errorf("%s: %s names no element: %s", name, k, v)
				}
			}
			if f := e.attr["data-filter"]; f != "" {
				key, value, _ := strings.Cut(f, "=")
				if !options[strings.TrimPrefix(e.attr["href"], "#")+" "+key+" "+value] {
					t.Errorf("%s: no choice for %s %s", name, e.attr["href"], f)
				}
			}
		}
	}
}

func TestSameBytes(t *testing.T) {
	for _, format := range formats {
		a, b := one(t), one(t)
		if format.name != "json" {
			b.Document.ThisInvocation = &assay.Invocation{Seconds: 12.5, Started: "2026-11-20T00:00:00Z", Report: "elsewhere"}
		}
		if x, y := format.render(t, a), format.render(t, b); !bytes.Equal(x, y) {
			t.Errorf("%s: the same run gives other bytes", format.name)
		}
	}
}

// TestHTMLSize bounds the page of the default run, and that of a run far larger.
func TestHTMLSize(t *testing.T) {
	few := pocketLike(t)
	var six []assay.CaseRow
	for i := 0; len(six) < 600; i++ {
		for _, r := range few.Cases.All() {
			row := *r
			row.ID += "-" + strconv.Itoa(i)
			six = append(six, row)
		}
	}
	few.Cases = assay.Rows(six[:600])
	if n := len(page1(t, few)); n > 1_000_000 {
		t.Errorf("the page of 600 cases takes %d bytes", n)
	}
	a := pocketLike(t)
	long := strings.Repeat("<&\u202e long answer ", 2000)
	for _, row := range a.Cases.All() {
		row.Answers[0].Text = long
	}
	var rows []assay.CaseRow
	for i := range 28 {
		for _, r := range a.Cases.All() {
			row := *r
			if i > 0 {
				row.ID += "-" + strconv.Itoa(i-1)
			}
			rows = append(rows, row)
		}
	}
	a.Cases = assay.Rows(rows)
	page := page1(t, a)
	if len(page) > 16<<20 {
		t.Errorf("a page of %d cases takes %d bytes", a.Cases.Len(), len(page))
	}
	for _, want := range []string{"Of some only the answer to the default prompt stands here", " cases are left out, those that passed and were stable first", "more characters", "cut here at 200 characters"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("a page that left something out does not say %q", want)
		}
	}
}

// TestHTMLShares holds that several models share the room of one page: each in turn, what failed or moved first, and no
// more than the bound.
func TestHTMLShares(t *testing.T) {
	v := newView(pocketLike(t))
	one, n := v.Sections[0], 5
	for len(v.Sections) < n {
		v.Sections = append(v.Sections, one)
	}
	var rows []assay.CaseRow
	for range 4 {
		for _, r := range one.Rows.All() {
			rows = append(rows, *r)
		}
	}
	one.Rows = assay.Rows(rows)
	limit, depths := plan(v, 100_000)
	total, shown := 0, make([]int, n)
	quietShown, loudLeft := 0, 0
	for i, d := range depths {
		r := one.Rows.At(i % len(rows))
		switch {
		case d == whole:
			shown[i/len(rows)]++
			total += size(r, limit)
		case d == verdictOnly:
			total += verdictBytes(r, limit)
		}
		if roomOf(r).passed && d == whole {
			quietShown++
		}
		if !roomOf(r).passed && d != whole {
			loudLeft++
		}
	}
	if budget := manyBudget(n); total > budget || total < budget*9/10 {
		t.Errorf("%d bytes of %d planned", total, budget)
	}
	if slices.Max(shown)-slices.Min(shown) > 1 || shown[0] == 0 {
		t.Errorf("cases shown whole by model: %d", shown)
	}
	if quietShown > 0 && loudLeft > 0 {
		t.Errorf("%d cases that passed are shown whole, %d that did not are not", quietShown, loudLeft)
	}
}

// formats are all outputs of a whole run.
var formats = []struct {
	name   string
	render func(t testing.TB, a *assay.Assay) []byte
}{
	{"html", page1},
	{"terminal", renderer(func(w io.Writer, a *assay.Assay) error { return Terminal(w, a, Style{Width: 100}) })},
	{"markdown", renderer(Markdown)}, {"junit", renderer(JUnit)}, {"csv", renderer(CSV)}, {"grid", renderer(GridCSV)}, {"json", renderer(JSON)}, {"sweep", renderer(SweepCSV)}, {"phase", renderer(PhaseSVG)}, {"decomposition", renderer(DecompositionSVG)},
}

func renderer(f func(io.Writer, *assay.Assay) error) func(testing.TB, *assay.Assay) []byte {
	return func(t testing.TB, a *assay.Assay) []byte {
		t.Helper()
		var b bytes.Buffer
		if err := f(&b, a); err != nil && !errors.As(err, new(Absent)) {
			t.Fatal(err)
		}
		return b.Bytes()
	}
}

// TestNothingMeasured asserts that every format bears runs that hold nothing.
func TestNothingMeasured(t *testing.T) {
	bare := one(t)
	bare.Document.Models[0].SuiteResult = nil
	empty := one(t)
	*empty.Document.Models[0].SuiteResult = assay.SuiteResult{}
	none := one(t)
	none.Cases, none.Document.Models = assay.CaseTable{}, nil
	suiteless := one(t)
	suiteless.Document.Run.Suites = nil
	ungradable := one(t)
	for _, row := range ungradable.Cases.All() {
		row.Axes, row.Answers = [4]assay.Axis{}, nil
	}
	for name, a := range map[string]*assay.Assay{"no result": bare, "empty result": empty, "no model": none, "no answers": ungradable, "no suite": suiteless, "zero": {}} {
		for _, f := range formats {
			if out := f.render(t, a); len(out) == 0 && !slices.Contains([]string{"sweep", "phase", "decomposition"}, f.name) {
				t.Errorf("%s, %s: nothing written", name, f.name)
			}
		}
		elements(t, page1(t, a))
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteErrorsAreReturned(t *testing.T) {
	a := pocketLike(t)
	for name, f := range map[string]func(io.Writer, *assay.Assay) error{
		"html": HTML, "markdown": Markdown, "junit": JUnit, "csv": CSV, "grid": GridCSV, "json": JSON, "sweep": SweepCSV,
		"terminal": func(w io.Writer, a *assay.Assay) error { return Terminal(w, a, Style{}) },
		"case":     func(w io.Writer, a *assay.Assay) error { return Case(w, a.Cases.At(0), Style{}) },
	} {
		if f(failingWriter{}, a) == nil {
			t.Errorf("%s: a failed write goes unsaid", name)
		}
	}
}

// TestBrowser loads a page in a browser and asserts that its policy admits its own style and script, that the filter
// works and that nothing is reported on the console.
func TestBrowser(t *testing.T) {
	if os.Getenv("HALLMARK_BROWSER") == "" {
		t.Skip("set HALLMARK_BROWSER=1 to load the page in chromium")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("HALLMARK_BROWSER is set, but there is no chromium: ", err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, page1(t, one(t)), 0o644); err != nil {
		t.Fatal(err)
	}
	var logs bytes.Buffer
	cmd := exec.Command(browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0", "--dump-dom", "file://"+file)
	cmd.Stderr = &logs
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, logs.Bytes())
	}
	if !bytes.Contains(dom, []byte("5 of 5 cases")) {
		t.Error("the script did not run: the filter does not count the cases")
	}
	for line := range strings.Lines(logs.String()) {
		if strings.Contains(line, "CONSOLE") {
			t.Error("on the console: ", line)
		}
	}
}

// FuzzHostile puts any text in every place of a run that text from outside can reach, and asserts that no format is
// broken by it.
func FuzzHostile(f *testing.F) {
	for _, s := range []string{hostile, "", "]]>", "\u2028\u200b\U000e0041", "`` ` ```", "=1+1", "\t@x", "\xff\xfe", "-->", "<!--", "${{7*7}}", "a|b\n|--|", "\r\r\n", "{{.}}", "javascript:alert(1)"} {
		f.Add(s)
	}
	base, err := json.Marshal(one(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var a assay.Assay
		if err := json.Unmarshal(base, &a); err != nil {
			t.Fatal(err)
		}
		a.Cases = one(t).Cases
		r := &a.Document.Run
		r.ID, r.Suites[0].Name, r.Suites[0].Version, r.AsOf, r.Version, r.Warnings, r.Equal = s, s, s, s, s, []string{s}, s
		m := &a.Document.Models[0]
		m.Model, m.Identity, m.Unscored[0].Reason, m.Unscored[0].CaseID = s, s, s, s
		m.Findings[0].Sentence, m.Findings[0].Advice, m.Findings[0].Path, m.Findings[0].Warnings = s, s, s, []string{s}
		m.Designed[0].Category, m.Designed[0].Expected = s, s
		m.Audit.Raters, m.Audit.Warnings, m.Audit.Readjudicate[0].CaseID, m.Audit.Readjudicate[0].Axes = []string{s}, []string{s}, s, []string{s}
		m.Rubric.Confusion.ByClass[s], m.Rubric.Confusion.ByTag[s] = m.Rubric.Confusion.ByClass["multi-hop"], m.Rubric.Confusion.ByTag["calc"]
		for i, c := range a.Cases.All() {
			c.Model, c.Suite, c.Class, c.Domain, c.Tags, c.System, c.Prompt, c.Gold, c.Mode = s, s, s, s, []string{s, s}, s, s, s, s
			c.ID = strconv.Itoa(i) + s
			c.Options, c.Context = []string{s}, []evidence.Passage{{ID: s, Text: s}}
			for j := range c.Axes {
				c.Axes[j].Rule, c.Axes[j].Evidence = s, s
			}
			for j := range c.Answers {
				c.Answers[j].Text, c.Answers[j].Read, c.Answers[j].Prompt, c.Answers[j].Kind, c.Answers[j].Failure, c.Answers[j].Retrieved = s, s, s, s, s, []string{s}
			}
		}
		for _, f := range formats {
			if f.name == "json" {
				continue // is as it is stored
			}
			checkVisible(t, f.name, f.render(t, &a))
		}
		page := page1(t, &a)
		elements(t, page)
		if n := bytes.Count(bytes.ToLower(page), []byte("<script")); n != 1 {
			t.Errorf("%d scripts in the page", n)
		}
		checkCase(t, a.Cases.At(0))
		checkJUnit(t, formats[3].render(t, &a), a.Cases.Len())
		checkCSV(t, formats[4].render(t, &a), a.Cases.Len())
	})
}

// TestContrast computes the contrast of each colour on the backgrounds that it stands on, in both themes, by WCAG 2.2:
// at least 4.5 for text and 3 for what a chart draws.
func TestContrast(t *testing.T) {
	blocks := regexp.MustCompile(`(?s)(:root[^{]*)\{([^}]*)\}`).FindAllStringSubmatch(style, -1)
	checked := 0
	for _, b := range blocks {
		vars := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{6}|#[0-9a-f]{3});`).FindAllStringSubmatch(b[2], -1) {
			vars[m[1]] = m[2]
		}
		if vars["paper"] == "" {
			continue
		}
		checked++
		for _, x := range []struct {
			fore, back string
			least      float64
		}{
			{"ink", "paper", 4.5}, {"soft", "paper", 4.5}, {"faint", "paper", 4.5}, {"ink", "warn", 4.5}, {"ink", "card", 4.5}, {"ink", "mark", 4.5},
			{"ok-ink", "paper", 4.5}, {"err-ink", "paper", 4.5}, {"rnd-ink", "paper", 4.5}, {"ok", "paper", 3}, {"err", "paper", 3}, {"rnd", "paper", 3}, {"best", "paper", 3}, {"ok", "mark", 3},
		} {
			if c := contrast(t, vars[x.fore], vars[x.back]); c < x.least {
				t.Errorf("%s: %s on %s has contrast %.2f, want %.1f", strings.TrimSpace(b[1]), x.fore, x.back, c, x.least)
			}
		}
	}
	if checked != 4 { // light, dark by the system, dark by the switch, print
		t.Errorf("%d sets of colours found, want 4", checked)
	}
}

func contrast(t *testing.T, a, b string) float64 {
	luminance := func(hex string) float64 {
		if len(hex) == 4 {
			hex = "#" + strings.Repeat(hex[1:2], 2) + strings.Repeat(hex[2:3], 2) + strings.Repeat(hex[3:4], 2)
		}
		var sum float64
		for i, weight := range []float64{.2126, .7152, .0722} {
			v, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			c := float64(v) / 255
			if c <= .04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+.055)/1.055, 2.4)
			}
			sum += weight * c
		}
		return sum
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}
