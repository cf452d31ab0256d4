package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"hallmark/internal/assay"
	"hallmark/internal/prompt"
	"hallmark/internal/retrieve"
)

// retrieveFlags say which passages are searched for every question.
type retrieveFlags struct {
	files  []string
	k      int
	form   string
	forbid []string
}

func (f *retrieveFlags) add(fs *pflag.FlagSet) {
	fs.StringSliceVar(&f.files, "retrieve", nil, "`FILE` of passages (JSON lines, .gz) that are searched for every question, the best put before it (repeatable)")
	fs.IntVar(&f.k, "retrieve-k", assay.DefaultRetrieveK, "passages found for each question; the best is shown, all count in documents.ambiguity_at_k")
	fs.StringVar(&f.form, "retrieve-form", string(prompt.RALM), "layout of the passage: ralm (title and text, as published) or passage ([id] text, as a case's own)")
	fs.StringArrayVar(&f.forbid, "retrieve-forbid", nil, "`TITLE` or id of passages that must not be found (repeatable)")
}

// read reads and indexes the passages into the plan.
func (f *retrieveFlags) read(a *app, changed func(string) bool, plan *assay.Plan) error {
	if len(f.files) == 0 {
		for _, name := range []string{"retrieve-k", "retrieve-form", "retrieve-forbid"} {
			if changed(name) {
				return fmt.Errorf("--%s: nothing is searched; name passages with --retrieve FILE", name)
			}
		}
		return nil
	}
	form, err := prompt.ParseRetrievedForm(f.form)
	if err != nil {
		return fmt.Errorf("--retrieve-form: %w", err)
	}
	if f.k < 1 || f.k > retrieve.MaxHits {
		return fmt.Errorf("--retrieve-k %d: want a number from 1 to %d", f.k, retrieve.MaxHits)
	}
	started := a.now()
	x, err := retrieve.Build(retrieve.Paths(f.files...), retrieve.Options{Forbidden: f.forbid})
	if err != nil {
		return err
	}
	a.log.Info("passages indexed", "passages", x.Len(), "seconds", a.now().Sub(started).Seconds())
	if len(f.forbid) > 0 && x.Forbidden() == 0 {
		return fmt.Errorf("--retrieve-forbid: no passage has the title or id %q", strings.Join(f.forbid, `" or "`))
	}
	plan.Retrieval = assay.NewRetrieval(x, f.files, f.k, form, f.forbid)
	return nil
}
