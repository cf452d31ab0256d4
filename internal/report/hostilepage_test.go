package report

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"hallmark/internal/archtest"
	"hallmark/internal/assay"
	"hallmark/internal/text/evidence"
)

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
		if e.within("details", "case") && strings.Contains(e.text,
			"<script>alert('x')</script></script><b>|`*_␛[31mred␛[0m⟨U+202E⟩evil⟨U+202C⟩␀ & \"quotes\"\nsecond line\ufffd") {
			found = true
		}
	}
	if !found {
		t.Error("the hostile answer is not shown as it came")
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
	cmd := exec.Command(browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
		"--dump-dom", "file://"+file)
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
	// What does harm where it begins a text, or is all of it, and the others: in the short tests as one.
	seeds, within := []string{hostile, "", "=1+1", "\t@x", "javascript:alert(1)"},
		[]string{"]]>", "\u2028\u200b\U000e0041", "`` ` ```",
			"\xff\xfe", "-->", "<!--", "${{7*7}}", "a|b\n|--|", "\r\r\n", "{{.}}"}
	if !archtest.Long() {
		within = []string{strings.Join(within, "")}
	}
	for _, s := range append(seeds, within...) {
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
		m.Audit.Raters, m.Audit.Warnings, m.Audit.Readjudicate[0].CaseID, m.Audit.Readjudicate[0].Axes = []string{s},
			[]string{s}, s, []string{s}
		m.Rubric.Confusion.ByClass[s], m.Rubric.Confusion.ByTag[s] = m.Rubric.Confusion.ByClass["multi-hop"],
			m.Rubric.Confusion.ByTag["calc"]
		for i, c := range a.Cases.All() {
			c.Model, c.Suite, c.Class, c.Domain, c.Tags, c.System, c.Prompt, c.Gold, c.Mode = s, s, s, s, []string{s, s}, s, s,
				s, s
			c.ID = strconv.Itoa(i) + s
			c.Options, c.Context = []string{s}, []evidence.Passage{{ID: s, Text: s}}
			for j := range c.Axes {
				c.Axes[j].Rule, c.Axes[j].Evidence = s, s
			}
			for j := range c.Answers {
				c.Answers[j].Text, c.Answers[j].Read, c.Answers[j].Prompt, c.Answers[j].Kind, c.Answers[j].Failure,
					c.Answers[j].Retrieved = s, s, s, s, s, []string{s}
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
			{"ink", "paper", 4.5}, {"soft", "paper", 4.5}, {"faint", "paper", 4.5}, {"ink", "warn", 4.5},
			{"ink", "card", 4.5}, {"ink", "mark", 4.5},
			{"ok-ink", "paper", 4.5}, {"err-ink", "paper", 4.5}, {"rnd-ink", "paper", 4.5}, {"ok", "paper", 3},
			{"err", "paper", 3}, {"rnd", "paper", 3}, {"best", "paper", 3}, {"ok", "mark", 3},
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
