package oracle

import (
	"fmt"
	"strings"

	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/reading"
)

// byList decides answers whose gold names several things, each of which must be named, in any order.
type byList struct {
	*env
	gold    string
	ref     *answer.Reference
	members []*named
	names   []string
}

var listModel = newModel("list", .80, .80, .70)

// byList makes the oracle of a gold that is a list of members.
func (e *env) byList(ref *answer.Reference, gold string, members []string) *byList {
	o := &byList{env: e, gold: gold, ref: ref, names: members}
	for _, m := range members {
		o.members = append(o.members, newNamed(e.references([]string{m}, nil), nil, isUpper(m[0])))
	}
	return o
}

// byAll is byList for members that the case lists one by one; each is compared with the whole of a gold's liberty.
func (e *env) byAll(members []string) *byList {
	gold := strings.Join(members, ", ")
	return e.byList(answer.NewReference(gold, answer.Context{Question: e.c.Prompt}), gold, members)
}

func (o *byList) Golds() []string { return []string{o.gold} }

func (o *byList) Judge(r Reading) Ruling {
	t := r.Text
	if identical(t, o.gold) {
		return answered(pass("exact: the same words", quoted(t.Plain)), o.gold)
	}
	have, denied, held := o.have(t)
	named := strings.Join(have, ", ")
	ev := fmt.Sprintf("%d of %d: %s", len(have), len(o.members), quoted(named))
	open := unread("exact: which of the list the answer names cannot be told", t)
	f := o.decide(t, listModel.ask(o.look(t, len(have), denied, held)), open, func(right bool) Ruling {
		switch {
		case !right:
			return answered(fail("exact: a member is missing or another is named", ev), named)
		case len(have) < len(o.members):
			return open
		}
		return answered(pass("exact: every member is named", ev), o.gold)
	})
	if len(o.c.Gold.All) > 0 {
		f.Credit = float64(len(have)) / float64(len(o.members))
	}
	return f
}

// have returns the members that a text puts forward, whether it mentions one and does not, and which words are theirs.
func (o *byList) have(t *evidence.Text) (have []string, denied bool, held map[int]bool) {
	held = map[int]bool{}
	for i, m := range o.members {
		found := false
		for _, it := range m.items(t, o.q, nil) {
			if it.verdict != answer.Same {
				continue
			}
			found, denied = found || it.asserts(), denied || !it.asserts()
			for w := it.words.Start; w < it.words.End; w++ {
				held[w] = true
			}
		}
		if found {
			have = append(have, o.names[i])
		}
	}
	return have, denied, held
}

// look returns what is seen of a text that puts so many members forward.
func (o *byList) look(t *evidence.Text, have int, denied bool, held map[int]bool) features {
	others, listed := o.others(t, held)
	names := count(t.Whole(), func(i int) bool { return t.Name(i) && !held[i] && !o.q.Says(t.Words[i].Fold) })
	same, another := false, false
	const wholeList = 20 // words of a text that are compared with the list as one
	all := reading.Claim{Words: evidence.Span{Start: 0, End: min(len(t.Words), wholeList)}}
	for _, c := range append(reading.Claims(t, o.q), all) {
		v, _ := o.ref.Compare(t.Slice(c.Words))
		said := c.Stance <= evidence.Uncertain
		same = same || said && v == answer.Same
		another = another || said && v == answer.Different && c.Words.End-c.Words.Start > len(o.members)
	}
	missing := len(o.members) - have
	return append(manner(t), feature{"share", float64(have) / float64(len(o.members))}, is("all", missing == 0),
		is("none", have == 0), is("denied", denied), is("listed others", listed > 0),
		is("others than members", others >= missing && others > 0 && missing > 0),
		is("more than members", listed > 0 && missing == 0), many("fresh names", names), is("claims the same", same),
		is("claims another", another))
}

// others counts the short stretches between marks that stand in a row with a member and are none, and those that
// are the item of a bullet or row.
func (o *byList) others(t *evidence.Text, held map[int]bool) (others, listed int) {
	for _, s := range t.Sentences {
		in := count(s.Words, func(i int) bool { return held[i] }) > 0
		for i := s.Words.Start; i < s.Words.End; {
			end := i + 1
			for end < s.Words.End && t.Words[end].Clause == t.Words[i].Clause &&
				!reading.Is(t.Words[end].Fold, "joining") {
				end++
			}
			part := count(evidence.Span{Start: i, End: end}, func(k int) bool {
				return held[k] || o.q.Holds(t.Words[k].Fold)
			})
			if part == 0 && end-i <= 3 && !evidence.IsStop(t.Words[end-1].Fold) {
				others++
				listed += int(flag(in))
			}
			if i = end; i < s.Words.End && reading.Is(t.Words[i].Fold, "joining") {
				i++
			}
		}
	}
	return others, listed
}
