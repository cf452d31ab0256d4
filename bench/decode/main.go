// Decode measures greedy decoding on one thread and prints one line, which is broken here:
//
//	hallmark: 1 times 120 tokens after 8: 18000 tokens/s by the median token, 17900 in the best of 100
//	rounds; begins 17 4 99 …
//
// run.sh does it in turn with llama.cpp on the same weights. Where neighbours keep the machine busy most tokens are
// still decoded without an interruption, and hardly a round: then the first figure is that of a core of one's own.
// llama.cpp's clock runs token by token too. With -batch, so many sequences are decoded together, and it is the
// rate of all of them.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"hallmark/internal/engine"
	"hallmark/internal/engine/weights"
)

func main() {
	if err := measure(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "decode:", err)
		os.Exit(1)
	}
}

func measure(args []string, out io.Writer) error {
	f := flag.NewFlagSet("decode", flag.ContinueOnError)
	dir := f.String("model", "", "a Hugging Face folder (required)")
	prompt := f.Int("prompt", 8, "tokens of the prompt, which are numbers from 2 on")
	tokens := f.Int("tokens", 120, "tokens to decode")
	rounds := f.Int("rounds", 100, "how many times")
	batch := f.Int("batch", 1, "sequences decoded together")
	if err := f.Parse(args); err != nil {
		return err
	}
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400)
	folder, err := weights.Load(os.DirFS(*dir))
	if err != nil {
		return err
	}
	asks := make([]engine.Ask, *batch)
	for i := range asks {
		for k := range *prompt {
			asks[i].Prompt = append(asks[i].Prompt, int32(2+i+k))
		}
		asks[i].Generate.MaxTokens = *tokens + 1
	}
	var rates, each []float64
	var g engine.Generation
	for range *rounds {
		var start, last time.Time // the prompt is read, and its first token chosen, outside the time
		asks[0].Generate.StopWhen = func(t []int32) bool {
			now := time.Now()
			if len(t) == 1 {
				start = now
			} else {
				each = append(each, now.Sub(last).Seconds())
			}
			last = now
			return false
		}
		for i, s := range folder.Model.GenerateBatch(asks) {
			if s.Err != nil {
				return fmt.Errorf("prompt %d: %w", i, s.Err)
			}
			if i == 0 {
				g = s.Generation()
			}
		}
		rates = append(rates, float64(*tokens**batch)/time.Since(start).Seconds())
	}
	if len(g.Tokens) != *tokens+1 {
		return fmt.Errorf("the context ends after %d tokens", len(g.Tokens))
	}
	slices.Sort(each)
	fmt.Fprintf(out, "hallmark: %d times %d tokens after %d: %.0f tokens/s by the median token, %.0f in the best "+
		"of %d rounds; begins %s\n",
		*batch, *tokens, *prompt, float64(*batch)/each[len(each)/2], slices.Max(rates), *rounds,
		strings.Trim(fmt.Sprint(g.Tokens[:12]), "[]"))
	return nil
}
