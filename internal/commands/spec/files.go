package spec

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/assay"
	"hallmark/internal/base/inputfile"
	"hallmark/internal/metric/grading"
	"hallmark/internal/model"
	"hallmark/internal/text/paraphrase"
	"hallmark/internal/text/retrieve"
)

// readTemplates reads the file of --templates into the plan.
func (r *Run) readTemplates(in *Surroundings, plan *assay.Plan) error {
	if r.Templates == "" {
		return nil
	}
	if !slices.ContainsFunc(plan.Variants, func(s prompt.Spec) bool { return s.Kind == prompt.Templates }) {
		return fmt.Errorf("--templates %s: no variants use it; add --variants templates=N", r.Templates)
	}
	data, err := readInput(r.Templates, prompt.MaxTemplateBytes)
	if err != nil {
		return err
	}
	templates, warnings, err := prompt.ParseTemplates(r.Templates, data)
	plan.Templates = &assay.TemplateFile{From: filepath.Base(r.Templates), Templates: templates}
	for _, w := range warnings {
		in.Log.Warn(w)
	}
	return err
}

// maxCheck bounds the document of a check of the grader, which lists what was misread.
const maxCheck = 64 << 20

// readGraderCheck reads the check by which outcomes are corrected into the plan.
func (r *Run) readGraderCheck(plan *assay.Plan) error {
	if r.GraderCheck == "" {
		return nil
	}
	data, err := readInput(r.GraderCheck, maxCheck)
	if err != nil {
		return err
	}
	check, err := grading.ReadCheck(r.GraderCheck, data)
	plan.GraderCheck = &assay.GraderCheck{From: filepath.Base(r.GraderCheck), Check: check}
	return err
}

// readInput reads a file of at most so many bytes, and one more, which its parser refuses.
func readInput(path string, most int64) ([]byte, error) {
	file, err := inputfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %v", path, inputfile.Cause(err))
	}
	defer file.Close() // only read
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %v", path, inputfile.Cause(err))
	}
	return data, nil
}

// ReadPassages reads and indexes the passages that are searched for every question into the plan.
func (r *Run) ReadPassages(in *Surroundings, plan *assay.Plan) error {
	files, forbid := r.Retrieve.Files, r.Retrieve.Forbidden
	if len(files) == 0 {
		for _, name := range []string{"retrieve-k", "retrieve-form", "retrieve-forbid"} {
			if r.Changed != nil && r.Changed(name) {
				return fmt.Errorf("--%s: nothing is searched; name passages with --retrieve FILE", name)
			}
		}
		return nil
	}
	started := in.Now()
	x, err := retrieve.Build(retrieve.Paths(files...), retrieve.Options{Forbidden: forbid})
	if err != nil {
		return err
	}
	in.Log.Info("passages indexed", "passages", x.Len(), "seconds", in.Now().Sub(started).Seconds())
	if len(forbid) > 0 && x.Forbidden() == 0 {
		return fmt.Errorf("--retrieve-forbid: no passage has the title or id %q", strings.Join(forbid, `" or "`))
	}
	plan.Retrieval = assay.NewRetrieval(x, files, r.Retrieve.K, r.Retrieve.Form, forbid)
	return nil
}

// What makes paraphrases and what admits them by default, as flags say it.
const (
	byRules = "rules"
	byFacts = "facts"
)

// maxParaphraseBytes bounds a file of paraphrases.
const maxParaphraseBytes = 256 << 20

// A Paraphrase says what makes paraphrases and what admits them.
type Paraphrase struct {
	By, Ask, Filter, Judge string
	Told                   assay.Paraphrasing // what else of it flags say: how often a model is asked
}

// resolve enters what the flags say into the plan, and reads the file of paraphrases.
func (p *Paraphrase) resolve(plan *assay.Plan) error {
	if !slices.ContainsFunc(plan.Variants, func(s prompt.Spec) bool { return s.Kind == prompt.Paraphrases }) {
		if p.By != byRules || p.Judge != "" {
			return fmt.Errorf("--paraphraser %s: no variants use it; add --variants paraphrases=N", p.By)
		}
		return nil
	}
	x := &assay.Paraphrasing{By: paraphrase.Version, Filter: paraphrase.Version}
	switch p.Filter {
	case byFacts:
	case assay.NoFilter:
		x.Filter = assay.NoFilter
	default:
		return fmt.Errorf("--paraphrase-filter %q: use facts or none", p.Filter)
	}
	var err error
	if file, isFile := strings.CutPrefix(p.By, "file:"); isFile {
		err = p.readFile(x, file)
	} else if p.By != byRules {
		err = p.askModel(x)
	}
	if err != nil {
		return err
	}
	if x.By != assay.ByModel && (p.Ask != "" || p.Told.Draws > 1) {
		return fmt.Errorf("--paraphrase-prompt and --paraphrase-samples are for a model: name it with --paraphraser")
	}
	plan.Paraphrasing = x
	return nil
}

func (p *Paraphrase) readFile(x *assay.Paraphrasing, file string) error {
	data, err := readInput(file, maxParaphraseBytes)
	if err != nil {
		return err
	}
	if len(data) > maxParaphraseBytes {
		return fmt.Errorf("%s:1: the file is longer than %d MiB", file, maxParaphraseBytes>>20)
	}
	x.By, x.From = assay.ByFile, filepath.Base(file)
	x.Texts, err = paraphrase.ReadFile(file, bytes.NewReader(data))
	return err
}

func (p *Paraphrase) askModel(x *assay.Paraphrasing) error {
	if _, err := model.ParseRef(p.By); err != nil {
		return fmt.Errorf("--paraphraser: %w; or rules, or file:FILE", err)
	}
	x.By, x.Ask, x.Draws = assay.ByModel, cmp.Or(p.Ask, paraphrase.Ask), p.Told.Draws
	if err := paraphrase.CheckAsk(x.Ask); err != nil {
		return fmt.Errorf("--paraphrase-prompt: %w", err)
	}
	return nil
}
