package annotate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"hallmark/internal/grade"
	"hallmark/internal/metric/grading"
	"hallmark/internal/run"
	"hallmark/internal/stat/correct"
)

// VariantID is ItemID of the answer to a variant of a case as one of those to all its variants: what people say of
// it corrects the rates over these. The answer to the default prompt has this name too.
func VariantID(run, model, suite, caseID string, variant int) string {
	sum := sha256.Sum256([]byte(ItemID(run, model, suite, caseID) + " variant " + strconv.Itoa(variant)))
	return hex.EncodeToString(sum[:8])
}

// A family is the answers of one model to the variants of one case, and the unit of its default prompt; nil where
// that has none.
type family struct {
	model, suite string
	answers      []*rated
	asked        *rated
}

// families joins answers to variants with the items of the default prompts and what was said of each, in the order
// of the answers.
func families(items, answers []Item, labels verdicts) (out []*family) {
	type place struct{ model, suite, id string }
	at := map[place]*family{}
	for i := range answers {
		u := &answers[i]
		where := place{u.Model, u.Suite, u.CaseID}
		f := at[where]
		if f == nil {
			f = &family{model: u.Model, suite: u.Suite}
			at[where], out = f, append(out, f)
		}
		f.answers = append(f.answers, labels.of(u))
	}
	for i := range items {
		if f := at[place{items[i].Model, items[i].Suite, items[i].CaseID}]; f != nil {
			f.asked = labels.of(&items[i])
		}
	}
	return out
}

// laidOut returns the answers as correct.Of takes them: strata are how they were read, and kinds what people say.
// One that was drawn stands for all answers of its case that were read so.
func (f *family) laidOut() []correct.Answer {
	read := map[grade.Outcome]int{}
	for _, u := range f.answers {
		read[u.Grade.Outcome()]++
	}
	out := make([]correct.Answer, len(f.answers))
	for i, u := range f.answers {
		o := u.Grade.Outcome()
		said := u.settled()
		if said == "" && u.Variant == 0 && f.asked != nil {
			said = f.asked.settled()
		}
		out[i] = correct.Answer{Stratum: slices.Index(grade.Outcomes, o), Value: u.Value,
			Kind: slices.Index(grading.Truths, said)}
		if u.drawn() && u.settled() != "" {
			out[i].Weight = float64(read[o])
		}
	}
	return out
}

// laidOut returns families as correct.OfClusters takes cases.
func laidOut(all []*family) (cases [][]correct.Answer, cluster []int32) {
	for _, f := range all {
		cases, cluster = append(cases, f.laidOut()), append(cluster, f.answers[0].Cluster)
	}
	return cases, cluster
}

// NextVariants draws n further answers of each model on each suite (0: as many as check the oracles) among those to
// all variants of their cases: by how they were read, cases first, and in each one answer at random, where a label
// lowers the variance of the share of incorrect answers most. items are the answers to the default prompts; labels
// of these count for the answers of their case that have the same value.
func NextVariants(items, answers []Item, annotations []run.Annotation, n int, seedValue uint64) (out []Item,
	err error) {
	labels, err := counted(annotations)
	if err != nil {
		return nil, err
	}
	all := families(items, answers, labels)
	for len(all) > 0 {
		of := 1
		for of < len(all) && all[of].model == all[0].model && all[of].suite == all[0].suite {
			of++
		}
		cases, cluster := laidOut(all[:of])
		take := correct.OfClusters(cases, cluster, len(grade.Outcomes),
			len(grading.Truths)).Next(slices.Index(grading.Truths, grade.Incorrect), cmp.Or(n, control))
		for _, p := range correct.Draw(cases, take, seedValue) {
			u := *all[p.Case].answers[p.Answer].Item
			u.Others = all[p.Case].others(p.Answer)
			out = append(out, u)
		}
		all = all[of:]
	}
	return out, nil
}

// mostOthers is how many other answers a sheet shows.
const mostOthers = 5

// others returns the texts of other answers of the case that have the value of one, each once.
func (f *family) others(i int) []string {
	var texts []string
	for _, u := range f.answers {
		if u.Value == f.answers[i].Value {
			texts = append(texts, u.Answer)
		}
	}
	return otherTexts(f.answers[i].Item, texts)
}

// saysAs tells apart the answers that a label of one counts for: those of a model to a case that have one value.
func (u *Item) saysAs() [4]string { return [4]string{u.Model, u.Suite, u.CaseID, u.Value} }

// otherTexts returns those of the texts of one value that a sheet shows beside an answer, each once.
func otherTexts(u *Item, of []string) (texts []string) {
	for _, text := range of {
		if u.Value != "" && text != u.Answer && !slices.Contains(texts, text) && len(texts) < mostOthers {
			texts = append(texts, text)
		}
	}
	return texts
}

// SaysOfVariants returns what people say of answers to variants and of those to the default prompts, by their ids:
// of an answer of whose value they said something in its case, that.
func SaysOfVariants(items, answers []Item, annotations []run.Annotation) (map[string]grade.Outcome, error) {
	labels, err := counted(annotations)
	if err != nil {
		return nil, err
	}
	said := map[string]grade.Outcome{}
	for _, f := range families(items, answers, labels) {
		known := map[string]grade.Outcome{}
		laid := f.laidOut()
		for i, a := range laid {
			if _, there := known[a.Value]; a.Kind >= 0 && !there && a.Value != "" {
				known[a.Value] = grading.Truths[laid[i].Kind]
			}
		}
		for i, u := range f.answers {
			o := known[u.Value]
			if laid[i].Kind >= 0 {
				o = grading.Truths[laid[i].Kind]
			}
			if o == "" {
				continue
			}
			said[u.ID] = o
			if u.Variant == 0 && f.asked != nil {
				said[f.asked.ID] = o
			}
		}
	}
	return said, nil
}

// overVariants corrects the outcomes over all variants: as rates, with the case, or the cluster of cases, as the item
// of inference (correct.OfClusters). nil where no answer was drawn for it.
func overVariants(items, answers []Item, labels verdicts, seedValue uint64, level float64) *Rates {
	cases, cluster := laidOut(families(items, answers, labels))
	cells := make([]ReadAs, len(grade.Outcomes))
	for i, o := range grade.Outcomes {
		cells[i].Read = o
	}
	r := counting(cells, cases)
	if r.Drawn == 0 {
		return nil
	}
	r.correct(correct.OfClusters(cases, cluster, len(grade.Outcomes), len(grading.Truths)), seedValue, level)
	return r
}
