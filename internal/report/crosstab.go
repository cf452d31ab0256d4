package report

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// crossTab sets the axes beside each other: which failures call for better knowledge, and which for less chance.
func (s *section) crossTab() []block {
	if !s.t.Has("joint") {
		return nil
	}
	at := s.t.under("joint", "hallucination_by_definition")
	definitions := []fig{at("rubric"), at("prompt_agnostic_error"), at("randomness"), at("either"), at("variance_only")}
	splits := table{Columns: heads("failed axis", "failures", column{Head: "prompt-agnostic | prompt-sensitive",
		Kind: ofBars}, "prompt-agnostic", "prompt-sensitive")}
	for _, axis := range dimensions[:3] {
		at := s.t.under("joint", "by_axis", axis)
		stay, move := at("prompt_agnostic"), at("random")
		drawn := cell{}
		if stay.OK {
			drawn = cellOfBar(fmt.Sprintf("%s prompt-agnostic, %s prompt-sensitive", stay.Text(), move.Text()),
				stay.toned("err"), move.toned("rnd"))
		}
		splits.add(axis, at("failures"), drawn, cellWithin(stay), move)
	}
	n, gold := s.t.Whole("joint", "n"), s.t.Whole("joint", "with_gold")
	over := fmt.Sprintf("The rate called hallucination by each source, over the same %s questions", grouped(n))
	if n != gold {
		over += fmt.Sprintf(" (%s with a gold answer)", grouped(gold))
	}
	doubts := s.t.texts("joint", "warnings")
	return []block{warnings{List: doubts, In: inTerminal}, s.chapter("joint",
		pair{
			Left: []block{inner("One word, five definitions", figures{Head: "definition", Value: "share",
				Scale: scaleFor(definitions...), Figs: definitions}).lede(over + ".")},
			Right: []block{inner("Are an axis’ failures prompt-agnostic or prompt-sensitive?", splits,
				aside("Prompt-agnostic errors are wrong knowledge: fix data or add evidence. Prompt-sensitive errors "+
					"are chance: reduce variance, or abstain.")).lede("Failures of the default prompt, split by " +
				"whether the answer holds over the variants (self-consistency at least " + s.Tau + ").")},
		},
		warnings{List: doubts},
	).only(inFull)}
}

// A recovery counts the cases and groups with a design that fell where it calls for.
type recovery struct {
	hits, cases, groups, yes int
	no, open                 []string
}

// designed sets what each group of cases was made to show beside how many were read so.
func (s *section) designed() block {
	t := table{One: "group", Many: "groups", Columns: heads("built in", textOf("designed to be"), "n",
		column{Head: "read as", Kind: ofBars, In: onPage}, "right", "wrong", "random",
		fullOf("declined"), columnOf("split").wide(), columnOf("unseen").wide(), "as built", ci)}
	var r recovery
	drawn := false
	for i, d := range s.t.items("designed") {
		at := s.t.under("designed", strconv.Itoa(i))
		expected := cmp.Or(called("categories", d.Text("expected")), oneLine(d.Text("expected")), "open")
		right, wrong, random := at("prompt_agnostic_factual"), at("prompt_agnostic_error"), at("randomness")
		n, as, unseen := at("n"), at("as_designed"), at("unseen_by_greedy")
		of := math.Max(1, n.Value)
		reads := cell{Says: fmt.Sprintf("%s right, %s stable errors, %s random", right.Text(), wrong.Text(),
			random.Text()),
			Bar: []part{{right.Value / of, "ok", ""}, {wrong.Value / of, "err", ""}, {random.Value / of, "rnd", ""}}}
		r.add(d, n, as)
		drawn = drawn || unseen.OK
		t.add(oneLine(d.Text("category")), expected, n, reads, right, wrong, random, at("declined"),
			at("sampled_ambiguous"), unseen, bounded(as))
	}
	if !drawn {
		for _, i := range []int{8, 9} {
			t.Columns[i].In = inFull
		}
	}
	return s.chapter("designed", t, aside(r.says())).over(r.over())
}

func (r *recovery) add(d tree, n, as fig) {
	if !as.OK {
		return
	}
	r.groups++
	r.cases += int(n.Value)
	r.hits += int(math.Round(as.Value * n.Value))
	switch yes, said := d.Bool("recovered"); {
	case !said:
		r.open = append(r.open, oneLine(d.Text("category")))
	case yes:
		r.yes++
	default:
		r.no = append(r.no, oneLine(d.Text("category")))
	}
}

// over says how many cases fell where their design calls for.
func (r *recovery) over() string {
	if r.cases == 0 {
		return "nothing is called for"
	}
	return fmt.Sprintf("%d of the %d cases with a design were read as designed", r.hits, r.cases)
}

// says says of how many groups the designed category was recovered, and names the others.
func (r *recovery) says() string {
	if r.groups == 0 {
		return ""
	}
	s := fmt.Sprintf("Recovered, as most of the group by the exact test and Holm: %d of %s with a design", r.yes,
		count(r.groups, "group"))
	if len(r.no) > 0 {
		s += "; not " + strings.Join(r.no, ", ")
	}
	if len(r.open) > 0 {
		s += "; the data do not decide for " + strings.Join(r.open, ", ")
	}
	return s + "."
}
