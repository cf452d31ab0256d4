package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hallmark/internal/assay"
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
			case "iframe", "object", "embed", "img", "image", "link", "base", "foreignObject", "use", "audio", "video", "source",
				"textarea":
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
		want := "default-src 'none'; style-src '" + hashOf(string(style)) + "'; script-src '" + hashOf(string(script)) +
			"'; base-uri 'none'; form-action 'none'"
		if policy != want {
			t.Errorf("%s: policy %q, want %q", name, policy, want)
		}
	}
}

// asJSON is a result as its JSON reads, by which pages name their figures.
func asJSON(t *testing.T, result any) tree {
	t.Helper()
	b, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var read any
	if err := json.Unmarshal(b, &read); err != nil {
		t.Fatal(err)
	}
	return treeOf(read)
}

// TestHTMLFiguresAreTheDocuments looks every shown figure up in the document by its path, and asserts that the tables
// of figures show no number that is not such a figure.
func TestHTMLFiguresAreTheDocuments(t *testing.T) {
	digits := regexp.MustCompile(`\d`)
	for name, a := range map[string]*assay.Assay{"one": one(t), "several": several(t), "pocket": pocketLike(t),
		"swept": sweptRun(t, "")} {
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
	for _, name := range []string{"Findings", "Outcomes", "Rubric", "Consistency", "Sampled", "Detectors", "Classes",
		"Confusion map", "Both axes", "Designed", "Unscored"} {
		if !seen[name] {
			t.Errorf("there is no %s", name)
		}
	}
	for name, least := range map[string]int{"Outcomes": 6, "Rubric": 12, "Consistency": 20, "Sampled": 16, "Detectors": 24,
		"Classes": 40, "Confusion map": 50, "Both axes": 14, "Designed": 40} {
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
			"pocket is a calibration model about a fictional world.", "only one question of that class",
			"500 from the server, 4 tries",
			"hallmark run --model &#39;exec:sh a.sh&#39; --variants phrasings=10 --sampled 10 --seed 1",
			"about 300 would bring it under 10 points", "test–retest: 20 questions asked 3 times",
		}, []string{"Accuracy was not measured"}},
		{"several", several(t), []string{"Accuracy was not measured.", "Overview", "2 models on 2 suites",
			"its rubric was left out", "$0.0123"}, []string{"<b>, identity"}},
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
	for _, want := range []string{"Of some only the answer to the default prompt stands here",
		" cases are left out, those that passed and were stable first", "more characters", "cut here at 200 characters"} {
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
