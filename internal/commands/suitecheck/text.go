package suitecheck

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"hallmark/internal/base/lists"
	"hallmark/internal/metric/mutation"
	"hallmark/internal/report"
	"hallmark/internal/stat/figure"
	"hallmark/internal/text/evidence"
)

// mostShown bounds the lines of one list; --json has all.
const mostShown = 12

// Write prints what was found for people.
func (d *Checked) Write(w io.Writer) error {
	p := &page{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	p.line("suite %s (%s): %d cases", d.Suite, d.File, d.Cases)
	p.coverage(&d.Coverage)
	p.duplicates(&d.Duplicates)
	if d.Clusters.N < d.Cases {
		by := "those that ask the same"
		if d.Clusters.By != "" {
			by = "grouped by " + d.Clusters.By
		}
		p.line("The cases are %d clusters (%s), the largest of %d: intervals are by cluster.", d.Clusters.N, by,
			d.Clusters.Largest)
	}
	p.size(&d.Size)
	p.golds(&d.Golds)
	p.mutation(d.Mutation)
	for _, x := range d.Warnings {
		p.line("warning: %s", x)
	}
	for _, f := range d.Faults {
		p.line("fault: %s", f)
	}
	return p.w.Flush()
}

// A page is written to, in tables of which a blank line ends one.
type page struct{ w *tabwriter.Writer }

// line writes a line of text; tabs of the format part the cells of a table.
func (p *page) line(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = strings.ReplaceAll(report.OneLine(s), "\t", " ")
		}
	}
	fmt.Fprintf(p.w, format+"\n", args...)
}

// cells writes a row of a table.
func (p *page) cells(row []string) { fmt.Fprintln(p.w, strings.Join(row, "\t")) }

// head begins a part.
func (p *page) head(title string) { fmt.Fprintf(p.w, "\n%s\n", strings.ToUpper(title)) }

// some writes the first of a list, and how many there are more.
func some[T any](p *page, all []T, write func(T)) {
	for _, x := range all[:min(len(all), mostShown)] {
		write(x)
	}
	if more := len(all) - mostShown; more > 0 {
		p.line("  and %d more: --json has all", more)
	}
}

func (p *page) coverage(c *Coverage) {
	p.head("coverage")
	row := []string{"CLASS"}
	for _, d := range c.Domains {
		row = append(row, strings.ToUpper(cmp.Or(d, "no domain")))
	}
	p.cells(append(row, "ALL"))
	for i, class := range c.Classes {
		row, sum := []string{cmp.Or(class, "no class")}, 0
		for _, n := range c.Cells[i] {
			row, sum = append(row, fmt.Sprint(n)), sum+n
		}
		p.cells(append(row, fmt.Sprint(sum)))
	}
	gaps := map[string][]string{}
	for _, g := range c.Gaps {
		gaps[g.Class] = append(gaps[g.Class], g.Domain)
	}
	for _, class := range c.Classes {
		if g := gaps[class]; len(g) > 0 {
			p.line("gap: %s: no case in %s", class, strings.Join(g, ", "))
		}
	}
	if len(c.Missing) > 0 {
		p.line("gap: no case of %s", strings.Join(c.Missing, ", "))
	}
}

func (p *page) duplicates(d *Duplicates) {
	if len(d.Identical)+len(d.Near) == 0 {
		p.line("No question stands twice.")
		return
	}
	p.head("duplicates")
	conflict := func(c bool) string {
		if c {
			return "; their golds differ"
		}
		return ""
	}
	some(p, d.Identical, func(g Group) {
		at := lists.Map(g.Cases[:min(len(g.Cases), mostShown)], Place.String)
		p.line("%d times: %s%s", len(g.Cases), strings.Join(at, ", "), conflict(g.Conflict))
	})
	some(p, d.Near, func(n Pair) {
		p.line("nearly the same (%s of the words): %s and %s%s", figure.InPercent(n.Shared, 0), n.Cases[0].String(),
			n.Cases[1].String(), conflict(n.Conflict))
	})
}

// String names a case by its place, or its id where it has none.
func (c Place) String() string { return cmp.Or(c.Place, c.CaseID) }

func (p *page) size(s *Size) {
	p.head("size")
	p.line("RATE\t±%s POINTS TAKE\t%d GIVE ±\tLEAST FALL FOUND", figure.Fixed(100*s.HalfWidth, 1), s.N)
	points := func(x *float64) string {
		if x == nil {
			return "none"
		}
		return figure.Fixed(100**x, 1) + " points"
	}
	for _, r := range s.Rates {
		p.line("%s\t%d cases\t%s\t%s", figure.InPercent(r.Base, 0), r.Needs, points(r.Half), points(r.Fall))
	}
	p.line("A fall is found by two runs on these cases, whose outcomes correlate by %s, with a power of %s.",
		figure.Fixed(s.Paired, 1), figure.InPercent(s.Power, 0))
}

func (p *page) golds(g *Golds) {
	p.head("golds")
	p.line("Of %d cases that can be graded, %d have a gold that their own oracle does not call correct alone. "+
		"Alone or in", g.Cases, g.Bare)
	p.line("a plain sentence %d are called wrong, and %d cannot be read.", g.Rejected, g.Ungradable)
	some(p, g.Found, func(x Gold) {
		p.line("%s: %q is %s (%s); %s", cmp.Or(x.Place, x.CaseID), evidence.Excerpt(x.Answer, 60),
			string(x.Outcome), x.Rule, x.Remedy)
	})
}

// words are the kinds of mutants in words.
var words = map[mutation.Kind]string{mutation.Another: "another's gold", mutation.OffByOne: "off by one",
	mutation.LastPlace: "off by one in its last place", mutation.Beyond: "beyond the bounds",
	mutation.Day: "a day off", mutation.Month: "a month off", mutation.Year: "a year off",
	mutation.Option: "another option", mutation.Opposite: "the opposite", mutation.LeftOut: "a part left out",
	mutation.Negated: "negated", mutation.Retracted: "retracted"}

func (p *page) mutation(m *mutation.Result) {
	p.head("mutants")
	if m.Drawn < m.Cases {
		p.line("Made of %d cases drawn from %d; --mutants says how many.", m.Drawn, m.Cases)
	}
	for _, why := range slices.Sorted(maps.Keys(m.Left)) {
		p.line("Of %d cases none is made: %s.", m.Left[why], why)
	}
	if m.Killed.N > 0 {
		p.killed(m)
	}
	some(p, m.Toothless, func(t mutation.Toothless) {
		p.line("%s: the oracle kills none of %d mutants", cmp.Or(t.Place, t.CaseID), t.Mutants)
	})
	some(p, m.Survivors, func(f mutation.Misread) {
		p.line("%s: %q is called correct (%s)", cmp.Or(f.Place, f.CaseID), evidence.Excerpt(f.Answer, 60), f.Rule)
	})
	for i, f := range m.Right {
		if i == 0 {
			p.line("Of %d right answers in the forms in which people write them, %s are rejected and %s not "+
				"read.", f.N, figure.InPercent(f.Rejected.Value, 1), figure.InPercent(f.Unread.Value, 1))
		} else if f.Rejected.Value > 0 || f.Unread.Value > 0 {
			p.line("  %s, %s: %d, %s rejected, %s not read", f.Gold, f.Form, f.N,
				figure.InPercent(f.Rejected.Value, 1), figure.InPercent(f.Unread.Value, 1))
		}
	}
}

// killed is the table of how many mutants the oracles kill, by gold and by mutant.
func (p *page) killed(m *mutation.Result) {
	p.line("\nGOLD\tMUTANT\tMADE\tKILLED\t95 %%")
	row := func(gold, mutant string, s mutation.Share) {
		p.line("%s\t%s\t%d\t%s\t%s to %s", gold, mutant, s.N, figure.Decimal(s.Killed.Value),
			figure.Decimal(s.Killed.Lo), figure.Decimal(s.Killed.Hi))
	}
	for _, g := range m.ByGold {
		for _, b := range m.ByBoth {
			if b.Gold == g.Gold {
				row(g.Gold, words[b.Mutant], b)
			}
		}
		if len(m.ByGold) > 1 {
			row(g.Gold, "all", g)
		}
	}
	for _, k := range m.ByMutant {
		if len(m.ByGold) > 1 {
			row("all", words[k.Mutant], k)
		}
	}
	row("all", "all", m.Killed)
	p.line("")
	for _, g := range m.ByGold {
		if slices.Contains(exact, g.Gold) && g.Cases < mutation.Enough {
			p.line("%d cases have a gold that is a %s, each of whose near mutants is made; bounds of %s take %d.",
				g.Cases, g.Gold, figure.Fixed(wanted, 2), mutation.Enough)
		}
	}
}
