package pocket

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"hallmark/internal/engine/train"
	"hallmark/internal/model/local"
)

// TestTrial trains by a recipe of one's own and measures the result: HALLMARK_TRIAL names a folder to write the model
// to; in it recipe.json, if it is there, holds the fields of the recipe that differ from the shipped one.
func TestTrial(t *testing.T) {
	dir := os.Getenv("HALLMARK_TRIAL")
	if dir == "" {
		t.Skip("HALLMARK_TRIAL names no folder")
	}
	r := Shipped
	if b, err := os.ReadFile(filepath.Join(dir, "recipe.json")); err == nil {
		if err := json.Unmarshal(b, &r); err != nil {
			t.Fatal(err)
		}
	}
	start, loss := time.Now(), 0.0
	var since time.Time // the last 200 steps began, and had seen so many tokens
	var seen int64
	const stages = 10
	err := r.TrainFrom(context.Background(), runtime.GOMAXPROCS(0), nil, nil, stages,
		func(stage int, files map[string][]byte) error {
			fmt.Printf("stage %d of %d after %v\n", stage+1, stages, time.Since(start))
			for name, b := range files {
				if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
					return err
				}
			}
			fmt.Println("weights", hash(files["model.safetensors"]))
			if stage < stages-1 && stage != stages/2 {
				return nil
			}
			return report(os.DirFS(dir))
		}, func(p train.Progress, steps int) {
			if loss += p.Loss / 200; p.Step%200 == 199 {
				fmt.Printf("%s: step %d of %d, mean loss %.3f, norm %.2f, %d tokens, %.0f tokens/s\n", filepath.Base(dir), p.Step+1,
					steps, loss, p.GradientNorm, p.Tokens, float64(p.Tokens-seen)/time.Since(since).Seconds())
				loss = 0
			}
			if p.Step%200 == 199 || p.Step == 0 {
				since, seen = time.Now(), p.Tokens
			}
		})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCard prints the table of designs of docs/pocket.md over several trainings, as the TestCard of package incontext
// prints that of rules: HALLMARK_CARD names their folders, separated as in PATH. A row is the cases of all trainings
// together, then the share of each that behaves as designed, where the design says how.
func TestCard(t *testing.T) {
	list := os.Getenv("HALLMARK_CARD")
	if list == "" {
		t.Skip("HALLMARK_CARD names no folders")
	}
	var all []Measure
	var each [][]Measure
	for _, dir := range filepath.SplitList(list) {
		m, err := local.Open(os.DirFS(dir), "trial")
		if err != nil {
			t.Fatal(err)
		}
		measures, err := Evaluate(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		each = append(each, measures)
		for i, x := range measures {
			if i == len(all) {
				all = append(all, Measure{Design: x.Design})
			}
			all[i].join(x)
		}
	}
	for i, x := range all {
		line := x.String()
		for _, g := range gates {
			if g.design == x.Design {
				for _, seed := range each {
					line += fmt.Sprintf(" %.1f", 100*float64(g.share(seed[i]))/float64(seed[i].Cases))
				}
			}
		}
		fmt.Println(line)
	}
}

// join adds the cases of another measure of the same design.
func (m *Measure) join(x Measure) {
	m.Cases, m.Factual, m.Wrong, m.Random, m.Declined = m.Cases+x.Cases, m.Factual+x.Factual, m.Wrong+x.Wrong,
		m.Random+x.Random, m.Declined+x.Declined
	m.Right, m.Asked, m.RightHeldOut, m.HeldOut, m.Refused = m.Right+x.Right, m.Asked+x.Asked,
		m.RightHeldOut+x.RightHeldOut, m.HeldOut+x.HeldOut, m.Refused+x.Refused
}

// report prints the measures of the model in a folder.
func report(folder fs.FS) error {
	m, err := local.Open(folder, "trial")
	if err != nil {
		return err
	}
	measures, err := Evaluate(context.Background(), m)
	if err != nil {
		return err
	}
	for _, x := range measures {
		fmt.Println(x)
	}
	return nil
}
