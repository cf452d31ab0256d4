package paraphrase

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A swap is a phrase at a place of a text and another that means the same there.
type swap struct {
	at       int
	from, to string
}

// in makes the swap. A capital stays a capital.
func (w swap) in(text string) string {
	to := w.to
	if startsUpper(text[w.at:]) {
		to = capitalized(to)
	}
	return text[:w.at] + to + text[w.at+len(w.from):]
}

// everySwap makes all swaps that do not overlap.
func everySwap(text string, swaps []swap) string {
	var out strings.Builder
	done := 0
	for _, w := range swaps {
		if w.at < done {
			continue
		}
		to := w.to
		if startsUpper(text[w.at:]) {
			to = capitalized(to)
		}
		out.WriteString(text[done:w.at] + to)
		done = w.at + len(w.from)
	}
	return out.String() + text[done:]
}

// maxSwaps bounds the swaps of one text.
const maxSwaps = 40

// swapsIn finds what can be swapped in a text, from left to right, the longest phrase at a place.
func swapsIn(text string) (out []swap) {
	for i := 0; i < len(text) && len(out) < maxSwaps; {
		if r, n := utf8.DecodeRuneInString(text[i:]); !unicode.IsLetter(r) || i > 0 && inWord(text[:i]) {
			i += n
			continue
		}
		end := i
		next := i
		for k := 0; k < longestPhrase && end < len(text); k++ {
			for end < len(text) && isWordByte(text[end]) {
				end++
			}
			if k == 0 {
				next = end
			}
			if end < len(text) && !phraseEnds(text[end:]) {
				break
			}
			from := text[i:end]
			fold := strings.ToLower(from)
			if to, ok := synonyms[fold]; ok && (from == fold || from == capitalized(fold) && !midName(text, i)) {
				for _, t := range to {
					out = append(out, swap{i, from, t})
				}
			}
			if end < len(text) && text[end] == ' ' {
				end++
			} else {
				break
			}
		}
		i = max(next, i+1)
	}
	return out
}

// midName reports whether a capital at a place is that of a name: not at the beginning of a sentence.
func midName(text string, at int) bool {
	before := strings.TrimRight(text[:at], " \"“(")
	return before != "" && !strings.ContainsAny(before[len(before)-1:], ".?!:\n")
}

func isWordByte(b byte) bool {
	return b|0x20 >= 'a' && b|0x20 <= 'z' || b == '\'' || b == '-' || b >= 0x80
}

func inWord(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '-' || r == '’'
}

func phraseEnds(rest string) bool { return !isWordByte(rest[0]) && !isDigit(rest[0]) }

// synonyms are words and phrases with others that mean the same in nearly every sentence; the way back is listed
// where that holds too. Words of several meanings are left out: no list tells the film in a camera from the film on
// a screen.
var synonyms, longestPhrase = func() (map[string][]string, int) {
	m := map[string][]string{}
	longest := 1
	for line := range strings.Lines(`
located in>situated in; situated in>located in; approximately>roughly|about; roughly>approximately; movie>film; movies>films; purchase>buy; purchased>bought
purchases>buys; begin>start; begins>starts; began>started; commence>begin; commenced>began; assist>help; assisted>helped; assists>helps
for example>for instance; for instance>for example; in order to>to; although>though; though>although; however>nevertheless; therefore>thus; thus>therefore
large>big; big>large; larger>bigger; bigger>larger; largest>biggest; biggest>largest; rapidly>quickly
automobile>car; automobiles>cars; physician>doctor; physicians>doctors; attorney>lawyer; attorneys>lawyers; children>kids; kids>children; infant>baby; infants>babies
passed away>died; received>got; receives>gets; obtain>get; obtained>got; require>need; requires>needs; required>needed; attempt>try; attempted>tried; attempts>tries
select>choose; reside>live; resides>lives; resided>lived; depart>leave; departs>leaves; utilize>use; utilizes>uses; utilized>used
numerous>many; entire>whole; nearly>almost; almost>nearly; frequently>often; often>frequently; currently>at present|now; presently>currently; previously>earlier|before
initially>at first; finally>in the end; subsequently>afterwards; afterwards>later on; prior to>before; subsequent to>after; due to>because of; because of>due to; owing to>because of
in addition>besides; moreover>furthermore; furthermore>moreover; regarding>about; concerning>about; with regard to>regarding; in total>altogether; altogether>in total
each day>every day; every day>each day; each week>every week; every week>each week; each year>every year; every year>each year; each month>every month; every month>each month
per day>a day; per week>a week; per year>a year; per hour>an hour; per month>a month
how many>what number of; is called>is named; was called>was named; is named>is called; was named>was called; is known as>is called; is made of>consists of
author of>writer of; capital of>capital city of; capital city of>capital of; inhabitants of>people living in; population of>number of inhabitants of; 
do not>don't; does not>doesn't; did not>didn't; is not>isn't; are not>aren't; was not>wasn't; were not>weren't; can not>cannot; cannot>can't; will not>won't; has not>hasn't; have not>haven't; would not>wouldn't
don't>do not; doesn't>does not; didn't>did not; isn't>is not; aren't>are not; wasn't>was not; weren't>were not; can't>cannot; won't>will not; hasn't>has not; haven't>have not; wouldn't>would not
it's>it is; what's>what is; who's>who is; that's>that is; there's>there is; i'm>I am; they're>they are; we're>we are; you're>you are
a lot of>plenty of; lots of>plenty of; plenty of>a lot of; a number of>several; in the course of>during; at the moment>right now; at the same time>simultaneously; as soon as>once
take place>happen; takes place>happens; took place>happened; happened>took place; occurred>happened; occurs>happens; consists of>is made up of; comprises>consists of; contains>holds
famous>well-known; well-known>famous; wealthy>rich; difficult>hard; simple>easy; error>mistake; errors>mistakes; answer to>reply to; photograph>photo; photographs>photos; telephone>phone; television>TV
vacation>holiday; garbage>rubbish; sidewalk>pavement; airplane>aeroplane; airplanes>aeroplanes; 
brought up>raised; grew up in>was raised in; wed>married; finished>completed; completed>finished; built>constructed; constructed>built; founded>established; established>founded
manufactured>made; manufactures>makes; produced by>made by; reveals>discloses; announced>made known; stated>said; declared>stated
persons>people; firm>company; firms>companies; enterprise>company; salary>pay; earnings>income; cost of>price of; price of>cost of
permit>allow; permits>allows; permitted>allowed; allow>permit; allows>permits; allowed>permitted; forbidden>prohibited; prohibited>forbidden; donate>give away; donated>gave away; return to>go back to; returned to>went back to
remaining>left over; in the middle of>in the centre of; next to>beside; beside>next to; close to>near; toward>towards; towards>toward; upon>on; whilst>while; amongst>among; till>until
`) {
		for e := range strings.SplitSeq(strings.TrimSpace(line), ";") {
			from, to, ok := strings.Cut(strings.TrimSpace(e), ">")
			if !ok {
				continue
			}
			m[from] = strings.Split(to, "|")
			longest = max(longest, len(strings.Fields(from)))
		}
	}
	return m, longest
}()
