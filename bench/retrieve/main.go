// Command retrieve makes passages and measures how fast they are indexed and searched:
//
//	retrieve -make 1000000 >passages.jsonl
//	retrieve passages.jsonl
//	retrieve -check 200 passages.jsonl	# words and hits as JSON lines, for a peer to compare
//	retrieve -recall questions.jsonl passages.jsonl	# how often the passage is found that a question is about
//
// Questions are lines of {"question": …, "id": …}.
//
// Words are drawn from a vocabulary of a million, a hundred to a passage: by Zipf's law down to rank 6,000 and more
// steeply behind it, as in English, the commonest being English. A third of them repeat a word that the passage
// has.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"sort"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/base/seed"
	"hallmark/internal/text/retrieve"
)

const (
	vocabulary = 1_000_000
	knee       = 6000 // the rank from which words get rarer faster
)

var common = strings.Fields("the of and in a to is was it for as on that by with he at from be his are an not or " +
	"this which had has were but they their will into if there no then such")

func main() {
	count := flag.Int("make", 0, "make so many passages, on standard output")
	check := flag.Int("check", 0, "print the words of every passage and the hits of so many queries")
	recall := flag.String("recall", "", "print how often the passage of each question in this file is found")
	queries := flag.Int("queries", 400, "queries of each length")
	flag.Parse()
	if err := run(*count, *check, *queries, *recall, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "retrieve:", err)
		os.Exit(1)
	}
}

func run(count, check, queries int, recall string, files []string) error {
	switch {
	case count > 0:
		return passages(count)
	case len(files) == 0:
		return fmt.Errorf("name a file of passages, or make some with -make N")
	}
	start, cpu := time.Now(), processor()
	x, err := retrieve.Build(retrieve.Paths(files...), retrieve.Options{})
	if err != nil {
		return err
	}
	switch {
	case check > 0:
		return compare(x, check)
	case recall != "":
		return found(x, recall)
	}
	wall, used := time.Since(start).Seconds(), processor()-cpu
	n := float64(x.Len())
	fmt.Printf("%d passages on %d cores: read and indexed in %.2f s, %.0f a second (%.2f s of processor time, "+
		"%.0f a second)\n",
		x.Len(), runtime.GOMAXPROCS(0), wall, n/wall, used, n/used)
	fmt.Printf("peak memory %.0f MB\n", peak())
	for _, words := range []int{9, 32} {
		asked, err := questions(x, queries, words)
		if err != nil {
			return err
		}
		var took, used []float64
		runtime.LockOSThread()
		for _, q := range asked {
			start, cpu := time.Now(), thread()
			x.Search(q, 16)
			took, used = append(took, time.Since(start).Seconds()*1e3), append(used, (thread()-cpu)*1e3)
		}
		runtime.UnlockOSThread()
		sort.Float64s(took)
		sort.Float64s(used)
		fmt.Printf(
			"queries of %d words, 16 best: median %.2f ms, 95 %% within %.2f ms (processor time: %.2f, %.2f ms)\n",
			words, took[len(took)/2], took[len(took)*95/100], used[len(used)/2], used[len(used)*95/100])
	}
	fmt.Printf("peak memory %.0f MB\n", peak())
	return nil
}

// passages writes made passages.
func passages(count int) error {
	shares := make([]float64, vocabulary) // cumulative, by rank
	total := 0.
	for i := range shares {
		rank := float64(i+1) + 2.7
		total += min(1/rank, math.Pow(knee/rank, 1.8)/knee)
		shares[i] = total
	}
	r := seed.Stream(1, "retrieve", "passages")
	w := bufio.NewWriterSize(os.Stdout, 1<<20)
	var text []string
	for i := range count {
		text = text[:0]
		for len(text) < 100 {
			if len(text) > 20 && r.IntN(3) == 0 {
				text = append(text, text[r.IntN(len(text))])
				continue
			}
			text = append(text, word(sort.SearchFloat64s(shares, r.Float64()*total)))
		}
		fmt.Fprintf(w, "{\"id\": \"%d\", \"title\": \"%s %s\", \"text\": \"%s.\"}\n", i, text[0], text[1],
			strings.Join(text, " "))
	}
	return w.Flush()
}

// word returns the word of a rank: pronounceable, and longer the rarer it is.
func word(rank int) string {
	if rank < len(common) {
		return common[rank]
	}
	const consonants, vowels = "bdfgklmnprtv", "aeiou"
	var b []byte
	for n := rank; n > 0; n /= len(consonants) * len(vowels) {
		b = append(b, consonants[n%len(consonants)], vowels[n/len(consonants)%len(vowels)])
	}
	return string(append(b, 'k'))
}

// questions draws queries, each from the words of one passage.
func questions(x *retrieve.Index, n, words int) ([]string, error) {
	r := seed.Stream(1, "retrieve", fmt.Sprint("queries", words))
	var from []int
	for range n {
		from = append(from, r.IntN(x.Len()))
	}
	texts, err := x.Passages(from)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range from {
		out = append(out, drawn(r, texts[p], words))
	}
	return out, nil
}

func drawn(r *rand.Rand, p retrieve.TitledPassage, words int) string {
	text := strings.Fields(p.Text)
	var q []string
	for range words {
		q = append(q, text[r.IntN(len(text))])
	}
	return strings.Join(q, " ")
}

// compare prints what a peer needs to score the same words.
func compare(x *retrieve.Index, n int) error {
	out := json.NewEncoder(os.Stdout)
	var all []int
	for i := range x.Len() {
		all = append(all, i)
	}
	texts, err := x.Passages(all)
	if err != nil {
		return err
	}
	for i := range all {
		p := texts[i]
		if err := out.Encode(map[string]any{"passage": retrieve.Words(p.Title + "\n" + p.Text)}); err != nil {
			return err
		}
	}
	asked, err := questions(x, n, 9)
	if err != nil {
		return err
	}
	for _, q := range asked {
		var hits [][2]float64
		for _, h := range x.Search(q, 16) {
			hits = append(hits, [2]float64{float64(h.Passage), h.Score})
		}
		if err := out.Encode(map[string]any{"query": retrieve.Words(q), "hits": hits}); err != nil {
			return err
		}
	}
	return nil
}

// found prints at which places the passages of questions are found.
func found(x *retrieve.Index, questions string) error {
	file, err := os.Open(questions)
	if err != nil {
		return err
	}
	defer file.Close() // only read
	type row struct{ Question, ID string }
	n, at := 0, map[int]int{}
	err = jsonl.Each(questions, file, func(_ int, r row) error {
		n++
		for i, h := range x.Search(r.Question, 16) {
			if x.ID(h.Passage) == r.ID {
				for _, k := range []int{1, 5, 16} {
					if i < k {
						at[k]++
					}
				}
			}
		}
		return nil
	}, nil)
	fmt.Printf("%d questions on %d passages: their own is first %d times (%.1f %%), among 5 %d (%.1f %%), among "+
		"16 %d (%.1f %%)\n",
		n, x.Len(), at[1], percent(at[1], n), at[5], percent(at[5], n), at[16], percent(at[16], n))
	return err
}

func percent(k, n int) float64 { return 100 * float64(k) / float64(n) }

// processor is the time that this process has used on all cores, in seconds; NaN where it is not known.
func processor() float64 {
	var user, system float64
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return math.NaN()
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		return math.NaN()
	}
	return (user + system) / 100
}

// thread is the processor time of this thread, in seconds; NaN where it is not known.
func thread() float64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return math.NaN()
	}
	return float64(t.Nano()) / 1e9
}

// peak is the most memory that the process held, in MB; NaN where it is not known.
func peak() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return math.NaN()
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kb float64
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		return math.NaN()
	}
	return kb / 1024
}
