package assay

import (
	"cmp"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/grade"
	"hallmark/internal/metric/scored"
	"hallmark/internal/model"
	"hallmark/internal/run"
	"hallmark/internal/stat/figure"
	"hallmark/internal/suite/imported"
)

// Import is the scheme of models whose answers were imported: their reference is import:NAME.
const Import = "import"

// An Imported says where the answers of a plan come from, where they were not asked for. The identities of its
// models tell the answers apart.
type Imported struct {
	Files []string `json:"files"` // their names, which decide nothing
	// Of the logs of other tools: where the answers come from, and what is to be said of that.
	Sources []*imported.Source `json:"sources,omitempty"`
	Notes   []string           `json:"notes,omitempty"`
	// Asked says that the questions came with the answers, and Map what columns were for.
	Asked bool     `json:"asked,omitempty"`
	Map   []string `json:"map,omitempty"`
	// Scores are the names of the scores that came along.
	Scores []string `json:"scores,omitempty"`
}

// from is where the answers come from, with nothing in it where they were asked for.
func (p *Plan) from() Imported {
	if p.Imported == nil {
		return Imported{}
	}
	return *p.Imported
}

// Import has a plan stand for answers that are there: their models, and variants and draws as many as they have.
// Rows without a model are called name.
func (p *Plan) Import(answers *imported.Answers, name string, files []string) {
	p.Imported = &Imported{files, answers.Sources, answers.Notes, answers.Asked, answers.Map, answers.Scores()}
	if len(p.Imported.Scores) > 0 && !p.Has(scored.Name) {
		p.Methods = append(p.Methods, scored.Name)
	}
	p.Sampled, p.Repeats, p.Choices = answers.Draws(), 1, ChoicesGenerate
	if n := answers.Variants(); n > 0 {
		p.Variants = []prompt.Spec{{Kind: prompt.Imported, N: n}}
		if answers.Phrased {
			p.Variants[0].Kind = prompt.Phrasings
		}
	}
	for _, of := range answers.Models() {
		ref := Import + ":" + cmp.Or(of, name)
		p.Models = append(p.Models, UnderTest{Ref: ref, Identity: ref + "@" + answers.Hash(), Replayed: true})
	}
}

// Ungraded is the document of a run of n imported answers that are stored and not graded: it has no models, and its
// last warning says what is stored and which command grades it.
func (p *Plan) Ungraded(n int, command, version string, notes []string) *Document {
	info := runInfo(p, version, notes)
	variants := 1
	for _, v := range p.Variants {
		variants += v.N
	}
	note(&info.Warnings, "%s of %s to %s, in %s, are stored and not graded, as they are many: `%s` grades them, "+
		"and so does import with --evaluate, a gate or --accept", figure.Counted(n, "answer"),
		figure.Counted(len(p.Models), "model"), figure.Counted(p.Covered(p.Suites[0]).Len(), "case"),
		figure.Counted(variants, "wording"), command)
	return &Document{Run: info, Grading: grade.Grading{Version: grade.Version},
		Statistics: Statistics{StatisticsVersion}, Models: []ModelResult{}}
}

// EachRecord passes the imported answers to visit as the records of the plan's calls; those of which nothing came
// back are failures. name is that of Import.
func (p *Plan) EachRecord(answers *imported.Answers, name string, visit func(run.Record) error) error {
	finder, models := answers.Finder(), map[string]string{}
	for _, of := range answers.Models() {
		models[Import+":"+cmp.Or(of, name)] = of
	}
	for a := range p.inOrder(p.made()) {
		x, ok := finder.Find(models[p.Models[a.model].Ref], a.item, a.variant.Number, int(a.repeat))
		if !ok {
			continue
		}
		r := run.Record{Call: a.call, Attempts: 1}
		text, err := answers.Said(&x)
		if err != nil {
			return err
		}
		if text == nil {
			r.Failure = cmp.Or(x.Failure, "the file has no answer: null")
		} else {
			r.Response = &model.Response{Text: text, Finish: cmp.Or(x.Finish, model.FinishStop), Raw: x.Scores}
		}
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}
