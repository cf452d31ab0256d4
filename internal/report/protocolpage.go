package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"hallmark/internal/assay"
)

// ProtocolJSON writes the filled template as JSON.
func ProtocolJSON(w io.Writer, p *Protocol) error { return indented(w, p) }

// ProtocolPage writes the filled template as one HTML file that needs nothing else, as HTML does. Every figure on it
// names its place in protocol.json. The facts of the run are taken from the assay.
func ProtocolPage(w io.Writer, p *Protocol, a *assay.Assay) error {
	return page{Title: p.Title + " – Hallmark", Kind: "protocol report", Heading: p.Title, Blocks: p.blocks(),
		Provenance: provenance(&view{Doc: &a.Document}), How: said.How["protocol"]}.write(w)
}

// blocks sets out the filled template.
func (p *Protocol) blocks() []block {
	t := treeOf(p)
	results := table{Columns: heads("AI system", textOf("evaluation domain"), "N", "k", "SS*", "%PC<0.5", "%PC≥0.8",
		"accuracy", textOf("level*"))}
	out := append(banners(p.Banners), p.verdicts(), noteOf(noteSecond, p.Purpose))
	full := chapter{ID: "rows", Name: "Each row in full", Title: "Each row in full"}
	for i := range p.Rows {
		r, c := p.Rows[i].blocks(t.branch("rows", strconv.Itoa(i)))
		results.Rows, full.Body = append(results.Rows, r), append(full.Body, c)
	}
	levels := table{Columns: []column{textOf("SS*"), textOf("level"), textOf("recommendation of the protocol")},
		Rows: each(p.Levels, func(l RobustnessLevel) row { return rowOf(l.Range, l.Name, l.Recommendation) })}
	terms := table{Columns: []column{textOf("term"), codeOf("formula"), textOf("what it says")},
		Rows: each(p.Definitions, func(d Definition) row { return rowOf(d.Term, d.Formula, d.Text) })}
	cited := table{Columns: []column{textOf("framework"), textOf("provision"),
		textOf("what the protocol says it contributes")},
		Rows: each(p.Alignment, func(x Provision) row { return rowOf(x.Framework, x.Provision, x.Contribution) })}
	scope, needs, steps := listOf(p.Scope), list{Items: each(p.Requirements, ProtocolCheck.prose)}, list{}
	for i, c := range p.Steps {
		steps.Items = append(steps.Items, say(fmt.Sprintf("%d. ", i+1), c.prose()))
	}
	footnote := sentence("* " + p.Footnote)
	out = append(out, chapterOf("results", results, sentence("In small type: 95 % intervals. * "+p.Footnote)),
		chapterOf("warnings", warnings{List: t.texts("warnings")}))
	out = layered(out, []block{full, chapterOf("scope", scope), chapterOf("requirements", needs),
		chapterOf("steps", steps), chapterOf("levels", levels, footnote), chapterOf("definitions", terms),
		chapterOf("alignment", cited, sentence(p.AsCited)), chapterOf("citation", sentence(oneLine(p.Citation)))})
	return append(out, noteOf(noteSign, "Responsible for the evaluation: name, date, signature"),
		noteOf(noteSign, "Audited by: name, date, signature"))
}

// whyNone is how the warning begins that says why a row has no recommendation.
const whyNone = "no recommendation: "

// verdictsOf is how many rows have a verdict before the table of all.
const verdictsOf = 8

// verdicts say of each system and suite which level it reaches, and what the protocol recommends or why nothing.
func (p *Protocol) verdicts() block {
	c := chapter{ID: "verdicts", Title: "What can be said", Run: true}
	for i := range p.Rows {
		r := &p.Rows[i]
		if r.Domain != "" || len(c.Body) == verdictsOf {
			continue
		}
		kind, says := noteMet, "Recommendation of the protocol: "+r.Recommendation
		if r.Recommendation == "" {
			kind, says = noteUndecided, "The warnings say why."
			for _, w := range r.Warnings {
				if why, ok := strings.CutPrefix(w, whyNone); ok {
					says = strings.ToUpper(why[:1]) + why[1:] + "."
				}
			}
			says = "No recommendation is given. " + says
		}
		level := "No level"
		if r.Robustness != "" {
			level = "Stability " + oneLine(r.Robustness)
		}
		c.Body = append(c.Body, note{Kind: kind, Text: say(strong(level+": "), clip(oneLine(r.System), 120)+" on "+
			clip(oneLine(r.Suite), 80)+". "+oneLine(says))})
	}
	return c
}

// blocks sets out a row of results: in the table of all, and in full.
func (r *ProtocolRow) blocks(b tree) (short row, full chapter) {
	at := func(u unit, tone string, keys ...string) fig { return b.fig(u, keys...).toned(tone) }
	part := func(key, interval string) cell {
		return cellWithin(at(share, "", key).interval(b, "pc_intervals", interval))
	}
	system, suite, domain := clip(oneLine(r.System), 120), clip(oneLine(r.Suite), 80), clip(oneLine(r.Domain), 40)
	n, ss, accuracy := at(tally, "", "n"), at(mean, "ink", "semantic_stability"), at(mean, "ok", "accuracy")
	k := say(at(tally, "", "k", "min"))
	if r.K.Max != r.K.Min {
		k = say(k, " to ", at(tally, "", "k", "max"))
	}
	measured := cellOf("not measured")
	if r.Accuracy != nil {
		measured = cellWithin(accuracy)
	}
	short = rowOf(system, cellOf(suite).under(domain), n, k, cellWithin(ss), part("pc_below_0.5", "below_0.5"),
		part("pc_at_least_0.8", "at_least_0.8"), measured, cmp.Or(r.Robustness, "none"))

	full = chapter{Title: system + " on " + suite, Inner: true}
	if domain != "" {
		full.Title += ", " + domain
	}
	says := say("Semantic stability ", ss, " (", within(ss), ") over ", n, " questions in ", k,
		" variants each; it cannot fall below ", at(mean, "", "pc_floor"), ", the mean of 1/k.")
	if r.Accuracy != nil {
		says = say(says, " Accuracy ", accuracy, " (", within(accuracy), ") over the variants")
		if f := at(mean, "", "accuracy", "default"); f.OK {
			says = say(says, ", ", f, " on the default prompt")
		}
		says = say(says, ".")
	} else {
		full.Body = append(full.Body,
			noteOf(noteBanner, strong("Accuracy was not measured."), " No recommendation is given."))
	}
	if h := at(share, "err", "hallucination"); h.OK {
		says = say(says, " Rubric failure rate (H) on the default prompt ", h, " (", within(h), ").")
	}
	if again := at(mean, "", "repeat_agreement"); again.OK {
		says = say(says, " The identical prompt, asked again, gave the same answer with a chance of ", again, " (",
			within(again), ").")
	}
	advice := say("Level: ", strong(r.Robustness), ". ")
	if r.Robustness == "" {
		advice = say("No level is given. ")
	}
	if r.Recommendation != "" {
		advice = say(advice, "Recommendation of the protocol: "+r.Recommendation)
	} else {
		advice = say(advice, "No recommendation; the warnings say why.")
	}
	full.Body = append(full.Body, picture(levels(ss, accuracy)), sentence(says), sentence(advice),
		warnings{List: b.texts("warnings")})
	return short, full
}

// prose is what is asked with how it is met.
func (c ProtocolCheck) prose() prose {
	return say(c.Asked, strong(" Here: "+clip(oneLine(c.Done), 600)+"."))
}
