// Decode measures greedy decoding of one sequence on one thread and prints one line:
//
//	hallmark: 120 tokens after 8: 18000 tokens/s by the median token, 17900 in the best of 100 rounds; begins 17 4 99 …
//
// run.sh does it in turn with llama.cpp on the same weights. Where neighbours keep the machine busy most tokens are still
// decoded without an interruption, and hardly a round: then the first figure is that of a core of one's own. llama.cpp's
// clock runs token by token too.
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

	"hallmark/internal/transformer"
	"hallmark/internal/transformer/weights"
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
	if err := f.Parse(args); err != nil {
		return err
	}
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400)
	folder, err := weights.Load(os.DirFS(*dir))
	if err != nil {
		return err
	}
	var ids []int32
	for i := range int32(*prompt) {
		ids = append(ids, 2+i)
	}
	var rates, each []float64
	var g transformer.Generation
	for range *rounds {
		var start, last time.Time // the prompt is read, and its first token chosen, outside the time
		opt := transformer.GenerateOptions{MaxTokens: *tokens + 1, StopWhen: func(t []int32) bool {
			now := time.Now()
			if len(t) == 1 {
				start = now
			} else {
				each = append(each, now.Sub(last).Seconds())
			}
			last = now
			return false
		}}
		if g, err = folder.Model.Generate(ids, opt); err != nil {
			return err
		}
		rates = append(rates, float64(*tokens)/time.Since(start).Seconds())
	}
	if len(g.Tokens) != *tokens+1 {
		return fmt.Errorf("the context ends after %d tokens", len(g.Tokens))
	}
	slices.Sort(each)
	fmt.Fprintf(out, "hallmark: %d tokens after %d: %.0f tokens/s by the median token, %.0f in the best of %d rounds; begins %s\n",
		*tokens, *prompt, 1/each[len(each)/2], slices.Max(rates), *rounds, strings.Trim(fmt.Sprint(g.Tokens[:12]), "[]"))
	return nil
}
