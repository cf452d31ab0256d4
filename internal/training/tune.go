package training

import (
	"context"
	"errors"
	"fmt"
	"os"

	"hallmark/internal/atomicfile"
	"hallmark/internal/exit"
	"hallmark/internal/model/tune"
	"hallmark/internal/pocket"
	"hallmark/internal/suite"
)

// Tuned is what a tuning made, as JSON and, by String, as a text.
type Tuned struct {
	Answers       int      `json:"answers"`
	Conversations int      `json:"conversations"`
	Files         []string `json:"files"`
	Folder        string   `json:"folder"`
	Steps         int      `json:"steps"`
	Tokens        int      `json:"tokens"`
}

func (t *Tuned) String() string {
	return fmt.Sprintf("%s: tuned on %d answers in %d steps; `--model hf:%s` uses it", t.Folder, t.Answers, t.Steps, t.Folder)
}

// Tune goes on training a checkpoint, a folder or pocket, on the conversations of the files, into a new folder.
func Tune(ctx context.Context, from string, files []string, recipe tune.Recipe, dir string, o Options) (*Tuned, error) {
	if dir == "" {
		return nil, exit.Usagef("name the folder to write with -o DIR")
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, exit.Usagef("%s is not empty; name a new folder with -o", dir)
	}
	folder, err := pocket.Checkpoint(from)
	if err != nil {
		return nil, exit.Usage(err)
	}
	var all []tune.Conversation
	for _, file := range files {
		data, err := suite.ReadLines(file, "conversations, one JSON object a line")
		if err != nil {
			return nil, exit.Usage(err)
		}
		conversations, err := tune.Parse(file, data)
		if err != nil {
			return nil, exit.Usage(err)
		}
		all = append(all, conversations...)
	}
	recipe.Seed = o.Seed
	if recipe.Workers, err = Cores(o.Workers); err != nil {
		return nil, err
	}
	t, err := tune.Prepare(folder, all, recipe)
	if errors.Is(err, tune.ErrUnusable) {
		return nil, exit.Usagef("model tune: %w", err)
	}
	if err != nil {
		return nil, err
	}
	tuned, err := t.Run(ctx, o.progress(""))
	if err != nil {
		return nil, err
	}
	names, err := atomicfile.WriteFolder(dir, tuned)
	return &Tuned{Answers: t.Answers(), Conversations: len(all), Files: names, Folder: dir, Steps: t.Steps(), Tokens: t.Tokens}, err
}
