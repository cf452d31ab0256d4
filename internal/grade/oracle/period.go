package oracle

import (
	"slices"
	"strings"

	"hallmark/internal/grade"
	"hallmark/internal/text/evidence"
	"hallmark/internal/text/quantity"
	"hallmark/internal/text/reading"
)

// byPeriod decides answers whose gold is a period, from one date to another: "1914–1918". An answer gives a period
// where it joins two dates, "from 1914 until November 1918", or says of one that it began then and of the next that it
// ended then. What gives none is left open, however many dates it names.
type byPeriod struct {
	*env
	gold     string
	from, to quantity.Date
}

// byPeriod makes the oracle of a gold that is nothing but a period, of a question that asks for a time; nil else.
func (e *env) byPeriod(gold string) *byPeriod {
	t := evidence.Read(gold)
	ps := periods(t)
	if len(ps) != 1 || !e.q.AsksTime() || ps[0].from.Year == 0 {
		return nil
	}
	from, to := ps[0].words[0], ps[0].words[1]
	for i, w := range t.Words {
		dated := from.Start <= i && i < from.End || to.Start <= i && i < to.End
		if !dated && !reading.Is(w.Fold, "until", "preposition", "joining") {
			return nil
		}
	}
	return &byPeriod{e, gold, ps[0].from, ps[0].to}
}

// A period is two dates that a text puts as beginning and end, and their words.
type period struct {
	from, to quantity.Date
	words    [2]evidence.Span
}

// mostBetween is how many words stand at most between the dates of a period.
const mostBetween = 12

// periods returns the periods of a text that it asserts.
func periods(t *evidence.Text) (all []period) {
	var dates []quantity.Date
	var items []item
	for _, d := range datesOf(t, nil) {
		it := mention(t, d.Start, d.End)
		if it.stance = t.Stance(it.words); it.words.Start < it.words.End && it.asserts() && d.Years == 0 {
			dates, items = append(dates, d), append(items, it)
		}
	}
	for i := 1; i < len(dates); i++ {
		a, b := items[i-1].words, items[i].words
		from := dates[i-1]
		if from.Year == 0 { // 3 to 9 May 1945
			from.Year, from.BC = dates[i].Year, dates[i].BC
		}
		if follows(from, dates[i]) && (joined(t, a, b) || begins(t, a) && ends(t, b)) {
			all = append(all, period{from, dates[i], [2]evidence.Span{a, b}})
		}
	}
	return all
}

// follows reports whether a date is later than one that a period begins with; of BC years the lower is.
func follows(from, to quantity.Date) bool {
	if to.Year == 0 || from.Same(to) || from.BC != to.BC {
		return to.Year != 0 && from.BC && !to.BC
	}
	return slices.Compare([]int{from.Year, from.Month, from.Day}, []int{to.Year, to.Month, to.Day}) < 0 != from.BC
}

// joined reports whether two dates of a sentence are put as beginning and end: "1914–1918", "1914 to 1918", "from 1914,
// after the shots, to November 1918", "between 1914 and 1918"; but not "born in 1879 and moved to Berlin in 1914".
func joined(t *evidence.Text, a, b evidence.Span) bool {
	if t.Words[a.Start].Sentence != t.Words[b.Start].Sentence || b.Start-a.End > mostBetween {
		return false
	}
	if a.End == b.Start {
		gap := strings.TrimSpace(t.Plain[t.Words[a.End-1].End:t.Words[b.Start].Start])
		return slices.Contains([]string{"–", "-", "—", "−"}, gap)
	}
	last := b.Start - 1
	if last > a.End && reading.Is(t.Words[last].Fold, "opener") { // until about 1918
		last--
	}
	led, until := t.Fold(a.Start-1), evidence.Span{Start: a.End, End: b.Start}
	return led == "from" && some(t, until, "until") || reading.Is(t.Words[last].Fold, "until") ||
		led == "between" && b.Start-a.End == 1 && t.Words[a.End].Fold == "and"
}

// begins and ends report whether the words before a date, in its sentence, say that something begins or ends then.
func begins(t *evidence.Text, s evidence.Span) bool { return some(t, lead(t, s), "beginning") }
func ends(t *evidence.Text, s evidence.Span) bool   { return some(t, lead(t, s), "ending") }

func lead(t *evidence.Text, s evidence.Span) evidence.Span {
	return evidence.Span{Start: t.Sentences[t.Words[s.Start].Sentence].Words.Start, End: s.Start}
}

func (o *byPeriod) Golds() []string { return []string{o.gold} }

func (o *byPeriod) Judge(r Reading) Ruling {
	open := unread("exact: no period, or several", r.Text)
	var good, bad, unsure int
	first := ""
	for _, p := range periods(r.Text) {
		from, _ := quantity.CompareDates(o.from, p.from)
		to, _ := quantity.CompareDates(o.to, p.to)
		switch {
		case from == quantity.Same && to == quantity.Same:
			good++
		case from == quantity.Different || to == quantity.Different:
			bad++
		default:
			unsure++
		}
		if first == "" {
			first = r.Text.Slice(evidence.Span{Start: p.words[0].Start, End: p.words[1].End})
		}
	}
	f, withheld := o.withheld(r.Text)
	switch {
	case good > 0 && bad+unsure == 0:
		return answered(pass("exact: the same period", quoted(first)), o.gold)
	case bad == 1 && good+unsure == 0:
		return answered(fail("exact: another period", quoted(first)+", expected "+o.gold), first)
	case withheld && good+bad+unsure == 0 && f.Act != grade.Hedged && len(datesOf(r.Text, nil)) == 0:
		return f
	}
	return open
}
