package pocket

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hallmark/internal/model/local"
	"hallmark/internal/transformer/train"
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
	start := time.Now()
	files, err := r.Train(context.Background(), 2, func(p train.Progress, steps int) {
		if p.Step%200 == 199 {
			fmt.Printf("%s: step %d of %d, loss %.3f, norm %.2f, %d tokens, %.0f tokens/s\n", filepath.Base(dir), p.Step+1, steps, p.Loss, p.GradientNorm, p.Tokens, float64(p.Tokens)/time.Since(start).Seconds())
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("trained in", time.Since(start))
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := local.Open(os.DirFS(dir), "trial")
	if err != nil {
		t.Fatal(err)
	}
	start = time.Now()
	measures, err := Evaluate(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("measured in", time.Since(start))
	for _, x := range measures {
		fmt.Println(x)
	}
}
