package report

import (
	"fmt"
	"slices"
	"strconv"

	"hallmark/internal/assay"
)

// Bounds on the size of a page: what the cases that show their answers may take together, how many cases are shown at
// all, and the rows of the unscored list.
const (
	maxCaseBytes = 6 << 20
	pageBytes    = 930_000   // of a page of up to some 700 cases, with all else that is on it
	leastCases   = 310 << 10 // that cases may take however much else there is
	eachBytes    = 1700      // what one case may take of a page of more, beyond pageBytes
	maxCases     = 4000

	// Several models or suites on one page: what all may take, what one takes without its cases, and the least that is
	// left for cases.
	manyBytes, sectionBytes, leastBytes = 7 << 19, 380 << 10, 1 << 20
	maxUnscored                         = 300
)

// How much of a case a page shows.
type depth int8

const (
	nothing     depth = iota // it is only counted
	verdictOnly              // its question, verdicts and stability
	whole                    // its answers too
)

// cuts are the lengths at which texts are cut, in characters: the first at which all cases find room, or else the last.
var cuts = [...]int{2000, 600, 200}

// A room is what a case takes on a page, in bytes, for each of the cuts.
type room struct {
	whole, brief [len(cuts)]int // with its answers, and without
	passed       bool           // nothing is to be seen in it: it passed, and no variant moved it
}

func roomOf(r *assay.CaseRow) (x room) {
	for k, limit := range cuts {
		x.whole[k], x.brief[k] = size(r, limit), verdictBytes(r, limit)
	}
	x.passed = unremarkable(r)
	return x
}

// plan chooses where texts are cut and how much each case shows, so that a page stays within its size. What failed
// or moved comes before what passed and was stable, and within these the order of the suite decides. The rest is how
// many bytes all else on the page takes.
func plan(v *view, rest int) (limit int, depths []depth) {
	var rows []room
	for _, s := range v.Sections {
		for _, r := range s.Rows.All() {
			rows = append(rows, roomOf(r))
		}
	}
	budget := max(leastCases, pageBytes-rest, min(maxCaseBytes, eachBytes*len(rows)-pageBytes))
	if len(v.Sections) > 1 {
		budget = manyBudget(len(v.Sections))
	}
	for k := range cuts {
		total := 0
		for i := range rows {
			total += rows[i].whole[k]
		}
		if total <= budget && len(rows) <= maxCases {
			return cuts[k], slices.Repeat([]depth{whole}, len(rows))
		}
	}
	depths = make([]depth, len(rows))
	last := len(cuts) - 1
	left, cases := budget, maxCases
	order := inTurns(v)
	alone := len(v.Sections) == 1 // then up to four fifths are kept for a line of each case
	lines := 0
	if alone {
		for _, i := range order[:min(len(order), maxCases)] {
			lines += rows[i].brief[last]
		}
		lines = min(lines, 4*budget/5)
		left -= lines
	}
	for _, passed := range []bool{false, true} {
		for _, i := range order {
			if rows[i].passed != passed || cases == 0 {
				continue
			}
			more, brief := rows[i].whole[last], rows[i].brief[last]
			switch {
			case alone && lines >= brief && more-brief <= left:
				depths[i], left, lines = whole, left-(more-brief), lines-brief
			case alone && lines >= brief:
				depths[i], lines = verdictOnly, lines-brief
			case more <= left:
				depths[i], left = whole, left-more
			case !alone && brief <= left:
				depths[i], left = verdictOnly, left-brief
			default:
				continue
			}
			cases--
		}
	}
	return cuts[last], depths
}

// manyBudget returns what the cases of n models or suites may take on one page.
func manyBudget(n int) int { return max(leastBytes, manyBytes-n*sectionBytes) }

// inTurns returns the places of all rows, sections one after the other, in the order first of each section, second
// of each, and so on, so that no section takes the room of another.
func inTurns(v *view) []int {
	var order []int
	for row, more := 0, true; more; row++ {
		more = false
		at := 0
		for _, s := range v.Sections {
			n := s.Rows.Len()
			if row < n {
				order, more = append(order, at+row), true
			}
			at += n
		}
	}
	return order
}

// verdictBytes estimates what a case takes without its answers.
func verdictBytes(r *assay.CaseRow, limit int) int {
	if unremarkable(r) {
		return 430 + min(len(r.Prompt), 2*titleOf)
	}
	n := 700 + min(len(r.Prompt), 2*titleOf) + min(len(r.Gold), shortOf) + min(len(answerOf(r)), shortOf)
	if len(r.Prompt) > titleOf {
		n += min(len(r.Prompt), limit)
	}
	return n
}

// size estimates what a case with its answers takes on the page, in bytes.
func size(r *assay.CaseRow, limit int) int {
	n := 1900 + 2*min(len(r.Prompt), limit) + min(len(r.System), limit)
	for _, p := range slices.Concat(r.Context[:min(len(r.Context), maxPassages)],
		r.Retrieved[:min(len(r.Retrieved), maxRetrieved)]) {
		n += 80 + min(len(p.Text), limit)
	}
	if r.Ambiguous {
		n += 20 * min(len(r.Answers), maxColumns) * min(len(r.Answers), 6)
	}
	for _, a := range r.Answers {
		n += 220 + min(len(a.Text), limit)
		if a.Prompt != r.Prompt {
			n += min(len(a.Prompt), limit)
		}
	}
	return n
}

// behind sets out the cases behind the figures of a section, as many and as much of each as a page has room for.
func (s *section) behind(limit int, depths []depth) block {
	f := filed{ID: s.id("cases")}
	answersLeft := false
	for i := range s.Rows.Len() {
		if depths[i] == nothing {
			continue
		}
		c := newCase(s.Rows.At(i), limit, maxColumns, depths[i] == whole)
		c.Anchor = "c" + strconv.Itoa(s.Index) + "-" + strconv.Itoa(i)
		f.Cases = append(f.Cases, c)
		answersLeft = answersLeft || depths[i] != whole
	}
	f.Selects = selects(f.Cases)
	lede := fmt.Sprintf("%s, each with its prompts, answers and the reason of every verdict. A text is cut here at %s "+
		"characters.", count(s.Rows.Len(), "case"), grouped(limit))
	if n := s.Rows.Len() - len(f.Cases); n > 0 {
		lede += fmt.Sprintf(
			" To bound the size of this page %s are left out, those that passed and were stable first; "+
				"all are in `hallmark report %s --format csv`, and `%s` prints any.", count(n, "case"), s.Run,
			CommandLine("hallmark", "show", s.Run, oneLine(s.Rows.At(slices.Index(depths, nothing)).ID)))
	}
	if answersLeft {
		lede += fmt.Sprintf(" Of some only the answer to the default prompt stands here, and of those that "+
			"passed and were stable the verdict alone: `hallmark show %s CASE` prints the rest.", s.Run)
	}
	return s.chapter("behind", f).lede(lede).only(onPage)
}

type selectView struct {
	Label, Name string
	Options     []option
}

type option struct{ Value, Label string }

// selects returns the filters over the cases: those that have more than one value to choose from.
func selects(cases []caseView) []selectView {
	values := map[string][]string{}
	put := func(name string, of ...string) { values[name] = append(values[name], of...) }
	for i := range cases {
		c := &cases[i]
		put("verdict", c.State)
		put("verdict", c.Failed...)
		put("kind", c.KindSlug)
		put("category", c.Category)
		put("class", c.Class)
		put("tag", c.Tags...)
	}
	var out []selectView
	for _, s := range []selectView{{Label: "verdict", Name: "verdict"}, {Label: "kind of failure", Name: "kind"},
		{Label: "stability", Name: "category"}, {Label: "class", Name: "class"}, {Label: "tag", Name: "tag"}} {
		slices.Sort(values[s.Name])
		for _, value := range slices.Compact(values[s.Name]) {
			if value != "" {
				s.Options = append(s.Options, option{value, filterLabel(s.Name, value)})
			}
		}
		if len(s.Options) > 0 {
			out = append(out, s)
		}
	}
	return out
}

func filterLabel(filter, value string) string {
	word := called("categories", value)
	switch {
	case filter == "category" && word != "":
		return word
	case filter == "verdict" && slices.Contains(dimensions[:], value):
		return "fails " + value
	}
	return clip(value, 60)
}
