package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"hallmark/internal/assay"
	"hallmark/internal/model"
	"hallmark/internal/paraphrase"
	"hallmark/internal/prompt"
)

// byRules names the rules as a paraphraser.
const byRules = "rules"

// maxParaphraseBytes bounds a file of paraphrases.
const maxParaphraseBytes = 256 << 20

// paraphraseFlags say what makes paraphrases and what admits them.
type paraphraseFlags struct {
	by, ask, filter, judge string
	draws                  int
}

func (f *paraphraseFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.by, "paraphraser", byRules, "what makes --variants paraphrases=N: rules, file:FILE (JSON Lines of id or prompt, and paraphrases) or a model `REF`")
	fs.StringVar(&f.ask, "paraphrase-prompt", "", "`TEXT` that a paraphrasing model is asked, with {text} and {n} in it; default: docs/paraphrases.md")
	fs.IntVar(&f.draws, "paraphrase-draws", 1, "times a paraphrasing model is asked for each prompt: 1 is greedy, more are at temperature 1")
	fs.StringVar(&f.filter, "paraphrase-filter", "facts", "what a paraphrase must keep: facts (names, numbers, units, negation, quantifiers) or none")
	fs.StringVar(&f.judge, "paraphrase-judge", "", "model `REF` that is asked of each paraphrase whether it follows from the prompt, and the prompt from it")
}

// resolve enters what the flags say into the plan, and reads the file of paraphrases.
func (f *paraphraseFlags) resolve(plan *assay.Plan) error {
	if !slices.ContainsFunc(plan.Variants, func(s prompt.Spec) bool { return s.Kind == prompt.Paraphrases }) {
		if f.by != byRules || f.judge != "" {
			return fmt.Errorf("--paraphraser %s: no variants use it; add --variants paraphrases=N", f.by)
		}
		return nil
	}
	x := &assay.Paraphrasing{By: paraphrase.Version, Filter: paraphrase.Version}
	switch f.filter {
	case "facts":
	case assay.NoFilter:
		x.Filter = assay.NoFilter
	default:
		return fmt.Errorf("--paraphrase-filter %q: use facts or none", f.filter)
	}
	if f.draws < 1 || f.draws > 1000 {
		return fmt.Errorf("--paraphrase-draws %d: a number from 1 to 1000", f.draws)
	}
	file, isFile := strings.CutPrefix(f.by, "file:")
	switch {
	case isFile:
		data, err := readInput(file, maxParaphraseBytes)
		if err != nil {
			return err
		}
		if len(data) > maxParaphraseBytes {
			return fmt.Errorf("%s:1: the file is longer than %d MiB", file, maxParaphraseBytes>>20)
		}
		x.By, x.From = assay.ByFile, filepath.Base(file)
		if x.Texts, err = paraphrase.ReadFile(file, bytes.NewReader(data)); err != nil {
			return err
		}
	case f.by != byRules:
		if _, err := model.ParseRef(f.by); err != nil {
			return fmt.Errorf("--paraphraser: %w; or rules, or file:FILE", err)
		}
		x.By, x.Ask, x.Draws = assay.ByModel, paraphrase.Ask, f.draws
		if f.ask != "" {
			x.Ask = f.ask
		}
		if err := paraphrase.CheckAsk(x.Ask); err != nil {
			return fmt.Errorf("--paraphrase-prompt: %w", err)
		}
	}
	if x.By != assay.ByModel && (f.ask != "" || f.draws > 1) {
		return fmt.Errorf("--paraphrase-prompt and --paraphrase-draws are for a model: name it with --paraphraser")
	}
	plan.Paraphrasing = x
	return nil
}
