package soundness

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hallmark/internal/base/pattern"
	"hallmark/internal/grade"
	"hallmark/internal/model"
	"hallmark/internal/stat"
	"hallmark/internal/text/answer"
	"hallmark/internal/text/evidence"
)

// missing counts answers that did not come back, by the commonest reason.
func missing(l *Log, _ *Options) ([]Issue, string) {
	var t tally
	n := 0
	reasons := map[string]int{}
	for i := range l.Cases {
		for _, a := range l.Cases[i].Answers {
			if n++; a.Missing != "" {
				t.add(&l.Cases[i])
				reasons[a.Missing]++
			}
		}
	}
	most := ""
	for why, k := range reasons {
		if k > reasons[most] || k == reasons[most] && why < most {
			most = why
		}
	}
	return t.issue(Fault, n, "answer", "is missing: "+most, "are missing, most often as: "+most,
		"ask for them again: what is missing is in no rate, and may be the harder part"), ""
}

// empty counts answers without a word.
func empty(l *Log, _ *Options) ([]Issue, string) {
	var t tally
	n := l.each(func(c *Case, a *Answer) {
		if strings.TrimFunc(a.Text, blank) == "" {
			t.add(c)
		}
	})
	return t.issue(Fault, n, "answer", "is empty", "are empty", "see whether the log kept another field than the "+
		"answer, or the token limit left no room after hidden thoughts"), ""
}

func blank(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' }

var (
	page = pattern.New(`(?i)^\s*(?:<!doctype html|<html[\s>]|<head[\s>]|<\?xml )`)
	// an error that a program or a server writes, at the beginning of a short text
	failed = pattern.New(`(?i)^\s*(?:traceback \(most recent call last\)|` +
		`(?:\w+\.)*\w*(?:error|exception): |error (?:code|occurred)\b|error \d{3}\b|` +
		`(?:http(?:/\d(?:\.\d)?)? )?(?:4\d\d|5\d\d)[ :-]+(?:client error|server error|bad request|unauthorized|` +
		`forbidden|not found|too many requests|internal server error|bad gateway|service unavailable|` +
		`gateway time-?out)|` +
		`too many requests|internal server error|bad gateway|service unavailable|gateway time-?out|` +
		`rate limit (?:reached|exceeded)|(?:request|connection|read) timed out|connection (?:refused|reset|error)|` +
		`\{\s*"(?:error|detail)"\s*:|an error occurred while|maximum context length)`)
	// a refusal that a service writes in the place of an answer
	refused = pattern.New(`(?i)^\s*(?:(?:i['’]m|i am|we['’]re) (?:very )?sorry|sorry)?[,.! ]*(?:but )?` +
		`(?:i (?:can['’]?t|cannot|can not|am unable to|['’]m unable to) (?:assist|help|comply) with (?:that|this)|` +
		`(?:the|this|your) (?:response|request|prompt|content) (?:was|has been|is) (?:filtered|blocked|flagged))`)
)

// An error is short; an answer that begins so and goes on may be about one.
const mostError = 600

// isError reports whether an answer is a page or the message of an error.
func isError(a *Answer) bool {
	return page.MatchString(a.Text) ||
		len(a.Text) <= mostError && a.Outcome != grade.Correct && failed.MatchString(a.Text)
}

// leastFailed are the answers that failed from which their places are tested.
const leastFailed = 5

// failuresInOrder tests whether answers that failed (missing, empty, cut off, messages of errors) stand early or late
// among the cases, in the order of the suite, which of a log is that of the ids: stat.Welch on their places, from 0 to
// 1. A service that gives way or a limit that is used up shows so; logs do not say when answers came.
func failuresInOrder(l *Log, o *Options) ([]Issue, string) {
	var place []float64
	var fails []bool
	var t tally
	for i := range l.Cases {
		c := &l.Cases[i]
		if len(c.Answers) == 0 {
			continue
		}
		a := &c.Answers[0]
		bad := a.Missing != "" || strings.TrimFunc(a.Text, blank) == "" || a.Finish == model.FinishLength || isError(a)
		if place, fails = append(place, float64(i)/float64(len(l.Cases))), append(fails, bad); bad {
			t.add(c)
		}
	}
	var w stat.Tested
	if min(t.n, len(fails)-t.n) >= leastFailed {
		w = stat.Welch(place, fails, nil, o.Level)
	}
	if !w.OK() {
		return nil, "too few answers failed, or did not"
	}
	where := "late"
	if w.Value < 0 {
		where = "early"
	}
	out := t.issue(Doubt, len(fails), "answer", "", "failed (missing, empty, cut off or an error), and they stand "+
		where+" in the order of the cases", "the service or a limit gave way on the way, so that what is left is no "+
		"random part of the suite: ask for these again before comparing")
	out[0].P, out[0].Effect, out[0].Unit = &w.P, &w.Estimate, "share of the order"
	return out, ""
}

// errorTexts finds answers that are a page, a message of an error or a refusal of the service. That to a case whose
// right act is to decline is none.
func errorTexts(l *Log, _ *Options) ([]Issue, string) {
	var pages, errs, refusals tally
	n := l.each(func(c *Case, a *Answer) {
		switch {
		case page.MatchString(a.Text):
			pages.add(c)
		case len(a.Text) > mostError || a.Outcome == grade.Correct:
		case failed.MatchString(a.Text):
			errs.add(c)
		case refused.MatchString(a.Text) && !c.Decline:
			refusals.add(c)
		}
	})
	out := pages.issue(Fault, n, "answer", "is a page of HTML or XML", "are pages of HTML or XML",
		"a server or proxy answered in the model's place: ask again, and see that failures are logged as failures")
	out = append(out, errs.issue(Fault, n, "answer", "is the message of an error", "are messages of errors",
		"they are graded as if the model had said them: ask again, or leave them out as missing")...)
	return append(out, refusals.issue(Doubt, n, "answer", "is a refusal of the service",
		"are refusals of the service", "they are no attempt of the model at the question: report them apart")...), ""
}

// cutOff finds answers that ended at the limit of tokens: as the log says, or, where it says of none how it ended, in
// the middle of a sentence at about the length of the longest.
func cutOff(l *Log, _ *Options) ([]Issue, string) {
	var t tally
	told := false
	n := l.each(func(c *Case, a *Answer) {
		told = told || a.Finish != "" && a.Finish != model.FinishStop
		if a.Finish == model.FinishLength {
			t.add(c)
		}
	})
	const remedy = "ask again with a larger limit (--max-tokens): the end of an answer is often what is graded"
	if told || n == 0 {
		return t.issue(Fault, n, "answer", "was cut off at the token limit", "were cut off at the token limit",
			remedy), ""
	}
	long, open := 0, tally{}
	longest, in := 0, words
	if slices.ContainsFunc(l.Cases, func(c Case) bool {
		return slices.ContainsFunc(c.Answers, func(a Answer) bool { return a.Tokens > 0 })
	}) {
		in = func(a *Answer) int { return a.Tokens }
	}
	l.each(func(_ *Case, a *Answer) { longest = max(longest, in(a)) })
	l.each(func(c *Case, a *Answer) {
		if 10*in(a) < 9*longest {
			return
		}
		if long++; !ended(a.Text) {
			open.add(c)
		}
	})
	if longest < leastLong || open.n < 2 || 2*open.n < long {
		return nil, ""
	}
	return open.issue(Doubt, n, "answer", "", "end in the middle of a sentence at about the length of the longest",
		"they were probably cut off at the token limit: "+remedy), ""
}

// leastLong is the least length, in words or tokens, at which an answer that does not end is taken for cut off.
const leastLong = 12

func words(a *Answer) int { return len(strings.Fields(a.Text)) }

// ended reports whether a text ends as a sentence, a list or a block of code does.
func ended(text string) bool {
	text = strings.TrimRightFunc(text, blank)
	last, _ := utf8.DecodeLastRuneInString(text)
	if strings.ContainsRune(".!?…。！？)]}\"'”’»`*|>:;", last) {
		return true
	}
	line := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	return strings.ContainsRune("-*•#|", rune((line + " ")[0])) || len(strings.Fields(line)) <= 3 && line != text
}

// The least questions that one answer is given to, and the least share of all, for it to be worth a word.
const (
	leastRepeated = 5
	shareRepeated = .1
)

// repeated finds an answer that is given to many questions whose golds differ, twice as often as it is right. Options
// have few texts, so that these are for positionBias.
func repeated(l *Log, _ *Options) ([]Issue, string) {
	type given struct {
		tally
		golds map[string]bool
		right int
	}
	by := map[string]*given{}
	n := 0
	for _, x := range l.first() {
		key := answer.Words(x.Text)
		if len(x.Options) > 0 || key == "" {
			continue
		}
		n++
		g := by[key]
		if g == nil {
			g = &given{golds: map[string]bool{}}
			by[key] = g
		}
		g.add(x.Case)
		g.golds[strings.Join(x.Gold, "\x00")] = true
		if x.Outcome == grade.Correct {
			g.right++
		}
	}
	if n == 0 {
		return nil, "every question has options"
	}
	best := ""
	for key, g := range by {
		if g.n < leastRepeated || float64(g.n) < shareRepeated*float64(n) || len(g.golds) < 3 || 2*g.right >= g.n {
			continue
		}
		if best == "" || g.n > by[best].n || g.n == by[best].n && key < best {
			best = key
		}
	}
	if best == "" {
		return nil, ""
	}
	g := by[best]
	return []Issue{{Severity: Doubt, Count: g.n, Of: n, Examples: g.ids,
		Text: fmt.Sprintf("%d of %d questions, of %d different golds, have the same answer: “%s”", g.n, n, len(g.golds),
			evidence.Excerpt(best, 60)),
		Remedy: "see whether a default, a cache or a template stood in the place of the model"}}, ""
}

// unbalanced finds cases that have fewer answers than most: a figure over all weighs them otherwise.
func unbalanced(l *Log, _ *Options) ([]Issue, string) {
	counts := map[int]int{}
	for i := range l.Cases {
		counts[given(&l.Cases[i])]++
	}
	usual := 0
	for n, cases := range counts {
		if cases > counts[usual] || cases == counts[usual] && n > usual {
			usual = n
		}
	}
	if usual < 2 && len(counts) < 2 {
		return nil, "every case has one answer"
	}
	var t tally
	for i := range l.Cases {
		if n := given(&l.Cases[i]); n != usual && n > 0 {
			t.add(&l.Cases[i])
		}
	}
	other := fmt.Sprintf("another number of answers than the usual %d", usual)
	return t.issue(Doubt, len(l.Cases), "case", "has "+other, "have "+other,
		"ask for the variants and repeats that are missing, or compare the cases alone that have all"), ""
}

// given counts the answers to a case that are there.
func given(c *Case) (n int) {
	for _, a := range c.Answers {
		n += int(stat.Bit(a.Missing == ""))
	}
	return n
}

// Of two models on one suite, answers from which they are taken for one log, and the share that must be the same.
const (
	leastSame = 5
	shareSame = .98
)

// sameLogs finds pairs of models that gave the same text to nearly every question. Right answers are often the same, so
// that at least leastSame of texts that are wrong, or of more than six words, must be.
func sameLogs(logs []*Log) (out []Issue) {
	type place struct {
		id              string
		variant, repeat int
		sampled         bool
	}
	texts := make([]map[place]string, len(logs))
	for i, l := range logs {
		texts[i] = map[place]string{}
		l.each(func(c *Case, a *Answer) {
			texts[i][place{c.ID, a.Variant, a.Repeat, a.Sampled}] = strings.TrimSpace(a.Text)
		})
	}
	for i, l := range logs {
		for k := range i {
			if logs[k].Suite != l.Suite || logs[k].Model == l.Model {
				continue
			}
			both, telling := 0, 0
			var t tally
			l.each(func(c *Case, a *Answer) {
				other, ok := texts[k][place{c.ID, a.Variant, a.Repeat, a.Sampled}]
				if !ok {
					return
				}
				if both++; other == strings.TrimSpace(a.Text) {
					if t.add(c); a.Outcome == grade.Incorrect && len(c.Options) == 0 || words(a) > 6 {
						telling++
					}
				}
			})
			if telling < leastSame || float64(t.n) < shareSame*float64(both) {
				continue
			}
			out = append(out, Issue{Check: "same_log", Severity: Fault, Model: l.Model, Suite: l.Suite, Count: t.n,
				Of: both, Examples: t.ids,
				Text: fmt.Sprintf("%d of %d answers of %s are those of %s to the letter", t.n, both,
					evidence.Excerpt(l.Model, 60), evidence.Excerpt(logs[k].Model, 60)),
				Remedy: "see whether one log was named twice, or one model under two names: a comparison of them " +
					"says nothing"})
		}
	}
	return out
}
