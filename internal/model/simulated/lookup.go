package simulated

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"path/filepath"
	"slices"
	"strings"

	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/pattern"
	"hallmark/internal/model"
	"hallmark/internal/suite"
	"hallmark/internal/text/evidence"
)

// Open reads a profile from a file and returns its model, which answers the cases of the suites.
func Open(file string, suites []*suite.Suite) (*Model, error) {
	data, err := inputfile.Read(file, maxProfile)
	if err != nil {
		return nil, fmt.Errorf("profile cannot be read: %w", err)
	}
	p, err := ParseProfile(file, data)
	if err != nil {
		return nil, err
	}
	p.Name = filepath.Base(file) // the same profile in another folder is the same model
	var hashes []string
	for _, s := range suites {
		hashes = append(hashes, string(s.Hash()))
	}
	return New(p, FromSuites(suites), hashes...), nil
}

// FromSuites finds cases by their prompts and phrasings, as package prompt lays them out: behind passages, between
// demonstrations and options, as a turn or as a text to continue. Of cases with one prompt, the one counts whose
// options and passages the request shows. Where the case requires evidence, its right answers name the passage that
// holds them. A case's id is that of all suites: SUITE/ID.
func FromSuites(suites []*suite.Suite) Lookup {
	// Of many cases only where they stand is held, and each is unpacked when it is asked.
	var all []standing
	seed := maphash.MakeSeed()
	for i, s := range suites {
		for k, c := range s.Cases.All() {
			for _, text := range texts(c) {
				all = append(all, standing{maphash.String(seed, strings.TrimSpace(text)), int32(i), int32(k)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b standing) int { return cmp.Compare(a.hash, b.hash) })
	return func(req model.Request) (Case, bool) {
		for _, text := range questions(req.Prompt) {
			text = strings.TrimSpace(text) // the space between a text and what continues it belongs to the latter
			hash := maphash.String(seed, text)
			at, _ := slices.BinarySearchFunc(all, hash, func(x standing, h uint64) int {
				return cmp.Compare(x.hash, h)
			})
			var entries []*entry
			for ; at < len(all) && all[at].hash == hash; at++ {
				s := suites[all[at].suite]
				c := s.Cases.At(int(all[at].item))
				if slices.ContainsFunc(texts(c), says(text)) {
					entries = append(entries, &entry{c, caseOf(s.Name, c)})
				}
			}
			if len(entries) > 0 {
				return shown(entries, req).in(req), true
			}
		}
		return Case{}, false
	}
}

// texts are what a case is asked by.
func texts(c *suite.Case) []string { return append([]string{c.Prompt}, c.Phrasings...) }

// A standing says where a prompt or a phrasing of such a hash stands.
type standing struct {
	hash        uint64
	suite, item int32
}

// shown returns the entry of which the request shows the most beside the question, passages and options, and
// nothing less than all; of equal ones the first. So a question with passages is not taken for the same question
// without.
func shown(entries []*entry, req model.Request) *entry {
	best, most := entries[0], -1
	for _, e := range entries {
		if n := len(e.c.Context) + len(e.c.Options); n > most && e.shownIn(req) {
			best, most = e, n
		}
	}
	return best
}

type entry struct {
	c     *suite.Case
	known Case
}

func caseOf(suiteName string, c *suite.Case) Case {
	out := Case{ID: suiteName + "/" + c.ID, Class: c.Class, Tags: c.Tags, Gold: c.Answers(), Declines: c.Decline}
	if o := c.Oracle; o != nil {
		if len(out.Gold) == 0 {
			out.Gold = accepted(o)
		}
		out.Wrong = append(out.Wrong, o.Reject...)
		if c.Decline && len(o.Repair) > 0 {
			out.Repair = o.Repair[0]
		}
	}
	evidence := c.Requires.Evidence || c.Class == "conflict-rag" || slices.Contains(c.Tags, "conflict-rag")
	if evidence && len(c.Options) == 0 {
		out.Gold = cited(out.Gold, c.Context)
	}
	if len(c.Options) > 0 {
		out.Wrong = slices.DeleteFunc(slices.Clone(c.Options), func(o string) bool {
			return slices.ContainsFunc(out.Gold, says(o))
		})
	}
	return out
}

// cited puts before the golds the first of them that a passage holds, with the name of the passage behind it.
func cited(golds []string, passages []evidence.Passage) []string {
	for _, gold := range golds {
		for _, p := range passages {
			if strings.Contains(p.Text, gold) {
				return append([]string{gold + " [" + p.ID + "]"}, golds...)
			}
		}
	}
	return golds
}

// accepted returns what an oracle takes for right.
func accepted(o *suite.Oracle) []string {
	for p := range o.All() {
		switch {
		case len(p.Accept) > 0:
			return p.Accept
		case p.Value != "":
			return []string{strings.TrimSpace(p.Value + " " + p.Unit)}
		}
	}
	return nil
}

// shownIn reports whether the request shows all that the case shows beside its question.
func (e *entry) shownIn(req model.Request) bool {
	if n := len(req.Options); n > 0 && n != len(e.c.Options) {
		return false
	}
	all := req.Prompt + "\n" + strings.Join(req.Options, "\n")
	missing := func(text string) bool { return !strings.Contains(all, text) }
	if slices.ContainsFunc(e.c.Options, missing) ||
		slices.ContainsFunc(e.c.Context, func(p evidence.Passage) bool { return missing(p.Text) }) {
		return false
	}
	return req.System == e.c.System || req.Raw && strings.HasPrefix(req.Prompt, e.c.System)
}

var lettered = pattern.New(`^([A-Z])\. (.*)$`)

// in returns the case with the contents of the request's options, where those are letters.
func (e *entry) in(req model.Request) Case {
	c := e.known
	if len(req.Options) == 0 || len(req.Options) != len(e.c.Options) {
		return c
	}
	for i, o := range req.Options {
		if strings.TrimSpace(o) != string(rune('A'+i)) {
			return c
		}
	}
	shown := shownOptions(req.Prompt)
	if len(shown) == len(req.Options) {
		c.Options = shown
	} else if len(shown) == 0 && e.c.Options[0] == "A" { // the options are letters themselves
		c.Options = nil
	} else {
		c.Options = e.c.Options
	}
	return c
}

// shownOptions returns the contents of the lettered lines at the end of a prompt.
func shownOptions(prompt string) []string {
	_, block, _ := cutOptions(withoutCue(prompt))
	var out []string
	for line := range strings.SplitSeq(block, "\n") {
		if m := lettered.FindStringSubmatch(line); m != nil && m[1] == string(rune('A'+len(out))) {
			out = append(out, m[2])
		} else if len(out) > 0 {
			out[len(out)-1] += "\n" + line
		}
	}
	return out
}

// cutOptions parts a prompt at its last line that begins with "A. ".
func cutOptions(prompt string) (question, block string, ok bool) {
	i := strings.LastIndex(prompt, "\nA. ")
	if i < 0 {
		return prompt, "", false
	}
	return strings.TrimSuffix(prompt[:i], "\n"), prompt[i+1:], true
}

// withoutCue drops the cue at the end of a text to continue.
func withoutCue(prompt string) string {
	for _, cue := range []string{"\nA:", "\nLabel:", "\nAnswer:"} {
		if s, ok := strings.CutSuffix(prompt, cue); ok {
			return s
		}
	}
	return prompt
}

// behindText ends what in-context retrieval puts before questions and answers: see prompt.RALM.
const behindText = "\n\nBased on this text, answer these questions:\n"

// questions returns the parts of a prompt that may be its question, the likeliest first: with and without cue and
// options, whole and from each empty line on, without the mark of a question.
func questions(prompt string) []string {
	out := []string{prompt}
	if _, rest, ok := strings.Cut(prompt, behindText); ok {
		prompt = rest
	}
	bare := withoutCue(prompt)
	ends := []string{bare}
	if q, _, ok := cutOptions(bare); ok {
		ends = append(ends, q)
	}
	for _, end := range ends {
		for rest := end; ; {
			out = append(out, rest)
			for _, mark := range []string{"Q: ", "Input: ", "Claim: "} {
				if q, ok := strings.CutPrefix(rest, mark); ok {
					out = append(out, q)
				}
			}
			_, next, ok := strings.Cut(rest, "\n\n")
			if !ok {
				break
			}
			rest = next
		}
	}
	return out
}
