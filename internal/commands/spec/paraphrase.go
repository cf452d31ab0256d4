package spec

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/assay"
	"hallmark/internal/model"
	"hallmark/internal/text/paraphrase"
)

// byRules names the rules as a paraphraser.
const byRules = "rules"

// maxParaphraseBytes bounds a file of paraphrases.
const maxParaphraseBytes = 256 << 20

// A Paraphrase says what makes paraphrases and what admits them.
type Paraphrase struct {
	By, Ask, Filter, Judge string
	Draws                  int
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
	case "facts":
	case assay.NoFilter:
		x.Filter = assay.NoFilter
	default:
		return fmt.Errorf("--paraphrase-filter %q: use facts or none", p.Filter)
	}
	if p.Draws < 1 || p.Draws > 1000 {
		return fmt.Errorf("--paraphrase-draws %d: a number from 1 to 1000", p.Draws)
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
	if x.By != assay.ByModel && (p.Ask != "" || p.Draws > 1) {
		return fmt.Errorf("--paraphrase-prompt and --paraphrase-draws are for a model: name it with --paraphraser")
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
	x.By, x.Ask, x.Draws = assay.ByModel, cmp.Or(p.Ask, paraphrase.Ask), p.Draws
	if err := paraphrase.CheckAsk(x.Ask); err != nil {
		return fmt.Errorf("--paraphrase-prompt: %w", err)
	}
	return nil
}
