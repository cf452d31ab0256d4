package generate

import (
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

// A pressure is put on top of a case. It leaves what is asked, and what is right, as they are; its name is a tag of
// the case.
type pressure struct {
	name string
	fits func(c *suite.Case) bool
	put  func(d *draw, c *suite.Case)
}

// The names of the pressures.
const (
	adversarial = "adversarial"             // urgency, authority, flattery, a claim that others agree
	loaded      = "loaded"                  // moral and normative words around a question of fact
	brief       = "brevity"                 // few words allowed
	conflicting = "conflicting-instruction" // the user takes back what the system prompt asks for
	decoy       = "decoy-line"              // lines of context that are true and beside the point
)

// pressures are all of them, in the order of their names' declaration.
var pressures = []pressure{
	{adversarial, anything[*suite.Case], around("adversarial")},
	{loaded, anything[*suite.Case], around("loaded")},
	{brief, func(c *suite.Case) bool {
		return c.Format.IsZero() && c.Requires.Steps == 0 && len(c.Requires.Facts) == 0
	}, putBrief},
	{conflicting, func(c *suite.Case) bool { return c.System == "" }, putConflict},
	{decoy, func(c *suite.Case) bool { return len(c.Context) > 0 }, putDecoys},
}

// loadedAt is the place of loaded among the pressures.
const loadedAt = 1

// press puts as many pressures on a case as its difficulty has levels above easy. A case for audit is loaded, since
// whether an answer takes over the norm with the fact is what people are to judge.
func press(d *draw, c *suite.Case, audit bool) {
	n := d.hardness()
	c.Tags = slices.Clone(c.Tags)
	c.Phrasings = slices.Clone(c.Phrasings)
	order := d.r.Perm(len(pressures))
	if audit {
		c.Tags = append(c.Tags, AuditTag)
		n = max(1, n)
		order = append([]int{loadedAt}, order...)
	}
	// Only after the draw, so that a pressure that does not fit moves no other.
	for _, i := range order {
		if p := pressures[i]; n > 0 && !slices.Contains(c.Tags, p.name) && p.fits(c) {
			p.put(d, c)
			c.Tags = append(c.Tags, p.name)
			n--
		}
	}
}

// around puts words before or behind the question, other ones in each wording of it.
func around(name string) func(d *draw, c *suite.Case) {
	return func(d *draw, c *suite.Case) {
		before, behind := said(name+"-before"), said(name+"-behind")
		k := d.r.IntN(len(before) + len(behind))
		each(c, func(s string, i int) string {
			i = (k + i) % (len(before) + len(behind))
			if i < len(before) {
				return before[i] + " " + s
			}
			return s + " " + behind[i-len(before)]
		})
	}
}

// behind puts one of the forms behind each wording of the question, in turn from the k-th.
func behind(c *suite.Case, forms []string, k int, values ...string) {
	each(c, func(s string, i int) string { return s + " " + fill(forms[(k+i)%len(forms)], values...) })
}

// each rewrites the prompt, as number 0, and the phrasings.
func each(c *suite.Case, put func(s string, i int) string) {
	c.Prompt = put(c.Prompt, 0)
	for i := range c.Phrasings {
		c.Phrasings[i] = put(c.Phrasings[i], i+1)
	}
}

// wordsAllowed is a limit that a complete answer to the case keeps.
func wordsAllowed(d *draw, c *suite.Case) int {
	least := 40
	if len(c.Context) > 0 || c.Oracle != nil && (c.Oracle.Type == "clarification" || c.Oracle.Type == "refusal") {
		least = 60
	}
	least = max(least, proofWords(c))
	// The limit is no number that an answer may have, since a number of the question is rarely taken for the answer.
	held := " " + strings.Join(c.Gold.Texts, " ") + " "
	if c.Oracle != nil {
		held += strings.Join(slices.Concat(c.Oracle.Accept, c.Oracle.Reject, c.Oracle.Readings, c.Oracle.Repair,
			c.Oracle.Steps), " ") + " "
	}
	for n := least + 5*d.r.IntN(5); ; n += 5 {
		if !strings.Contains(held, " "+strconv.Itoa(n)+" ") {
			return n
		}
	}
}

func putBrief(d *draw, c *suite.Case) {
	n := wordsAllowed(d, c)
	c.Format.MaxWords = n
	behind(c, said("brief"), d.r.IntN(3), "{n}", strconv.Itoa(n))
}

// putConflict lets the user's turn contradict a system prompt that asks for nothing but what the rubric asks of
// every answer.
func putConflict(d *draw, c *suite.Case) {
	c.System = oneOf(d, said("conflicting-system"))
	forms := said("conflicting-user")
	behind(c, forms, d.r.IntN(len(forms)))
}

// putDecoys adds true lines of the world that have nothing to do with the question, at drawn places of the context.
func putDecoys(d *draw, c *suite.Case) {
	text := strings.ToLower(c.Prompt + " " + strings.Join(c.Phrasings, " "))
	for _, p := range c.Context {
		text += " " + strings.ToLower(p.Text)
	}
	if c.Oracle != nil {
		text += " " +
			strings.ToLower(strings.Join(slices.Concat(c.Oracle.Accept, c.Oracle.Reject, c.Oracle.Readings), " "))
	}
	text += " " + strings.ToLower(strings.Join(c.Gold.Texts, " "))
	added := 0
	for range 12 {
		if added == 2 {
			break
		}
		line, names := decoyLine(d)
		if line == "" || slices.ContainsFunc(names, func(n string) bool {
			return strings.Contains(text, strings.ToLower(n))
		}) {
			continue
		}
		c.Context = append(slices.Clone(c.Context),
			evidence.Passage{ID: lineID(len(c.Context) + 1), Text: line})
		added++
	}
	shuffleContext(d, c)
}

// shuffleContext puts the lines of the context into a drawn order and numbers them anew, L1 and up, in the oracle too.
func shuffleContext(d *draw, c *suite.Case) {
	c.Context = slices.Clone(c.Context)
	d.r.Shuffle(len(c.Context), func(i, j int) { c.Context[i], c.Context[j] = c.Context[j], c.Context[i] })
	renamed := map[string]string{}
	for i := range c.Context {
		id := lineID(i + 1)
		renamed[c.Context[i].ID] = id
		c.Context[i].ID = id
	}
	if c.Oracle == nil {
		return
	}
	rename := func(lines []string) []string {
		var out []string
		for _, id := range lines {
			out = append(out, renamed[id])
		}
		slices.Sort(out)
		return out
	}
	c.Oracle = new(c.Oracle.Changed(func(o *suite.Oracle) {
		o.Lines, o.Distractors = rename(o.Lines), rename(o.Distractors)
	}))
}

// decoyLine draws a true sentence and the names in it.
func decoyLine(d *draw) (line string, names []string) {
	rels := d.ix.fields[oneOf(d, suite.Domains)].relations
	if len(rels) == 0 {
		return "", nil
	}
	r := oneOf(d, rels)
	f := oneOf(d, r.Facts)
	return r.stated(f.Subject, f.Value), append([]string{f.Subject, f.Value}, f.Also...)
}
