package report

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"hallmark/internal/assay"
)

type junitCounts struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
}

type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	junitCounts
	Suites []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	junitCounts
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Error   *junitFailure `xml:"error"`
	Failure *junitFailure `xml:"failure"`
	Skipped *junitFailure `xml:"skipped"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes a test suite for each suite and model with a test for each case: its class name is suite.class, its name
// the case's id. A case that fails the rubric fails, with its outcome and rule and evidence of each failed axis; one
// that is unscored, or could not be graded, is skipped with its reason. Where the rubric was not asked, a case fails
// that is wrong or random over its variants. Control characters are made visible, and what else XML cannot hold the
// encoder replaces. A run of which calls were never made begins with a suite of one error. There are no times in it, as
// the same run gives the same bytes.
func JUnit(w io.Writer, a *assay.Assay) error {
	v := newView(a)
	all := junitSuites{junitCounts: junitCounts{Name: "hallmark"}}
	for i := range v.Doc.Incomplete {
		if x := &v.Doc.Incomplete[i]; x.Unasked > 0 {
			all.Suites, all.Tests, all.Errors = append(all.Suites, unfinished(x)), all.Tests+1, all.Errors+1
		}
	}
	for _, s := range v.Sections {
		suite := junitSuite{junitCounts{Name: s.Suite + " × " + s.Model}, []junitProperty{
			{"run", oneLine(v.Doc.Run.ID)}, {"model", s.Model}, {"suite", s.Suite},
			{"seed", fmt.Sprint(v.Doc.Run.Seed)},
		}, nil}
		missing := map[string]string{} // reasons by case, for variant 0
		for _, u := range s.Unscored {
			if u.Variant == 0 && u.Repeat == 0 && missing[u.CaseID] == "" {
				missing[u.CaseID] = strings.TrimPrefix(u.Axis+": "+u.Reason, ": ")
			}
		}
		for _, r := range s.Rows.All() {
			c := junitRow(r, s.t.Has("rubric"), missing)
			suite.Tests++
			switch {
			case c.Failure != nil:
				suite.Failures++
			case c.Skipped != nil:
				suite.Skipped++
			}
			suite.Cases = append(suite.Cases, c)
		}
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		all.Skipped += suite.Skipped
		all.Suites = append(all.Suites, suite)
	}
	out := bufio.NewWriter(w)
	out.WriteString(xml.Header)
	enc := xml.NewEncoder(out)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	out.WriteByte('\n')
	return cmp.Or(out.Flush(), a.Err())
}

// unfinished is a test suite of one error, for calls that were never made.
func unfinished(x *assay.Incomplete) junitSuite {
	c := junitCase{Class: oneLine(x.Suite), Name: "every planned call was made",
		Error: &junitFailure{Type: "incomplete", Message: partial(x, false)}}
	return junitSuite{junitCounts: junitCounts{Name: "incomplete", Tests: 1, Errors: 1}, Cases: []junitCase{c}}
}

func junitRow(r *assay.CaseRow, rubric bool, missing map[string]string) junitCase {
	const limit = 2000
	c := junitCase{Class: oneLine(r.Suite), Name: oneLine(r.ID)}
	if r.Class != "" {
		c.Class += "." + oneLine(r.Class)
	}
	switch {
	case rubric && r.Outcome == "ungradable":
		c.Skipped = &junitFailure{Message: "could not be graded: " + oneLine(r.Axes[0].Rule)}
	case r.Hallucinated != nil && *r.Hallucinated:
		c.Failure = &junitFailure{cmp.Or(r.Kind, "hallucination"), failedAxes(r), reasons(r, limit)}
	case rubric && r.Hallucinated == nil:
		c.Skipped = &junitFailure{Message: "unscored: " + cmp.Or(missing[c.Name], openAxes(r))}
	case !rubric && (r.Category == "randomness" || r.Category == "prompt_agnostic_error"):
		c.Failure = &junitFailure{r.Category, called("categories", r.Category), "\n" + stability(r) + "\n"}
	case !rubric && r.Category == "":
		c.Skipped = &junitFailure{Message: "nothing that can pass or fail was measured: no rubric, and no gold " +
			"answer or fewer than two scored prompt variants"}
	}
	if c.Failure != nil {
		c.Out = asked(r, limit)
	}
	return c
}

// asked is what was asked in the default prompt, what is right, and what was answered.
func asked(r *assay.CaseRow, limit int) string {
	part := func(name, s string) string { return name + ": " + newText(s, limit).Shown }
	out := part("question", r.Prompt) + "\n" + part("gold", r.Gold)
	for _, a := range r.Answers {
		if a.Variant == 0 {
			return out + "\n" + part("answer", a.Text)
		}
	}
	return out
}

// axesOf are the axes on which a case has a verdict.
func axesOf(r *assay.CaseRow, verdict string) []assay.Axis {
	return slices.DeleteFunc(slices.Clone(r.Axes[:]), func(a assay.Axis) bool { return a.Verdict != verdict })
}

func failedAxes(r *assay.CaseRow) string {
	names := each(axesOf(r, "fail"), func(a assay.Axis) string { return a.Name })
	fails := "fails " + strings.Join(names, ", ")
	if r.Outcome != "" {
		fails = strings.ReplaceAll(r.Outcome, "_", " ") + ": " + fails
	}
	return fails
}

func reasons(r *assay.CaseRow, limit int) string {
	says := ""
	for _, a := range axesOf(r, "fail") {
		says += "\n" + a.Name + ": " + newText(a.Rule, limit).Shown
		if a.Evidence != "" {
			says += "\n  " + newText(a.Evidence, limit).Shown
		}
	}
	return says + "\n"
}

func openAxes(r *assay.CaseRow) string {
	if open := axesOf(r, "unscored"); len(open) > 0 {
		return oneLine(open[0].Name + ": " + open[0].Rule)
	}
	return "no verdict"
}
