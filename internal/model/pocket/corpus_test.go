package pocket

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// text joins a document.
func (d document) text() string {
	var b strings.Builder
	for _, p := range d {
		b.WriteString(p.text)
	}
	return b.String()
}

// fewExposures is a corpus of the shipped mix that states what it states often three times.
func fewExposures() []document {
	m := Shipped.Mix
	m.Exposures = 3
	return World().write(m, Shipped.Seed)
}

// corpusText is that corpus as one string, with a line feed around each document.
func corpusText() string {
	var b strings.Builder
	for _, d := range fewExposures() {
		b.WriteString("\n" + d.text() + "\n")
	}
	return b.String()
}

func TestCorpusKeepsOutWhatIsHeldOut(t *testing.T) {
	u, corpus := World(), corpusText()
	absent := func(what, text string) {
		t.Helper()
		if strings.Contains(corpus, text) {
			t.Errorf("the corpus has %s: %q", what, text)
		}
	}
	for _, names := range u.Absent {
		for _, name := range names {
			absent("an absent entity", name)
		}
	}
	for i, f := range u.Facts {
		for p := Trained; p < Phrasings; p++ {
			absent("a held-out phrasing", f.Rel().Ask(f.Subject, p))
		}
		if u.Unverified(i) {
			absent("a yes or no question that is held out", fill(said().Judge[0], f.Rel(), f.Subject, f.Value))
		}
		if f.Category == Unstated {
			for p := range Phrasings {
				// As the last question of a prompt and answered from memory; a passage may state another value.
				absent("an unstated fact", f.Rel().Ask(f.Subject, p)+reply+" "+f.Value+end)
			}
			absent("an unstated fact", f.Rel().State(f.Subject, f.Value))
		}
	}
	for _, c := range u.Chains {
		if question, _ := u.Ask(c, 0); !c.Trained {
			absent("a chain that is held out", question)
		}
	}
	for _, o := range u.Offices {
		for p := Trained; p < Phrasings; p++ {
			absent("a held-out question for an office", strings.TrimSuffix(askOf(said().Offices[p], o.Organisation, thisYear),
				"?"))
		}
	}
	for _, v := range u.Validities {
		for _, form := range said().Acts[len(said().Acts)-heldOutActForms:] {
			absent("a held-out question for an act", askOf(form, v.Act, thisYear))
		}
	}
	for a := 2; a <= maxTerm; a++ {
		for b := 2; b <= maxTerm; b++ {
			if heldOutSum(a, b, 0) {
				absent("a sum that is held out", askSum(said().Sums[0], a, b, false)+reply)
				absent("a sum that is held out", askSum(said().Sums[0], a, b, true)+reply)
			}
		}
	}
	for _, s := range u.Shared {
		if !s.Trained {
			absent("a namesake that is held out", which(s))
		}
	}
	for _, p := range said().PoliteHeldOut {
		absent("a beginning that is held out", p)
	}
	for _, f := range said().Foreign {
		for _, w := range f.Words[len(f.Words)-3:] {
			absent("a foreign question that is held out", fmt.Sprintf(f.Form, w))
		}
	}
}

func TestCorpusStatesRareFactsAsOftenAsDesigned(t *testing.T) {
	told := map[string]int{} // question and answer of documents without passages
	for _, d := range fewExposures() {
		for i, p := range d[1:] {
			_, question, ok := strings.Cut(d[i].text, asked)
			if p.loss != answered || d[i].loss != given || !ok {
				continue
			}
			told[strings.TrimSuffix(question, reply)+"\n"+strings.TrimSpace(strings.TrimSuffix(p.text, end))]++
		}
	}
	// Of which fact a question asks, and how often the text answers each; a question may stand behind a beginning.
	about := map[string]int{}
	for i, f := range World().Facts {
		for p := range Trained {
			about[f.Rel().Ask(f.Subject, p)+"\n"+f.Value] = i
		}
		for _, form := range slices.Concat(said().Extra[:], f.Rel().Extra[:]) {
			about[f.Rel().put(form, f.Subject)+"\n"+f.Value] = i
		}
	}
	counts := map[int]int{}
	for text, n := range told {
		for rest, more := text, true; more; {
			if i, ok := about[rest]; ok {
				counts[i] += n
				break
			}
			_, rest, more = strings.Cut(rest, " ")
		}
	}
	for i, f := range World().Facts {
		want, ok := map[Category]int{Rare1: 1, Rare2: 2, Rare4: 4, Unstated: 0, Known: 3}[f.Category]
		if !ok {
			continue
		}
		if n := counts[i]; n != want {
			t.Errorf("%s: the corpus answers %d times, want %d", f.Rel().State(f.Subject, f.Value), n, want)
		}
	}
}

func TestCorpusIsTheSameEachTime(t *testing.T) {
	if a, b := corpusText(), corpusText(); a != b {
		t.Error("two corpora of one seed differ")
	}
}
