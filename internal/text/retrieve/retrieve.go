// Package retrieve finds passages for questions: an index of passages in memory,
// searched by BM25. Passages are read from files of one JSON object a line;
// results are the same for the same passages in the same order, whatever the
// number of cores. It knows nothing of models, suites or prompts.
package retrieve

import (
	"errors"
	"fmt"
	"math"
)

// Method names the analysis of words and the scoring; it changes when either does, so that stored results are not
// taken for others.
const Method = "bm25/1"

// The parameters of BM25, Pyserini's: k1 bounds what a repeated word adds, b is the part of a passage's length that
// counts.
const (
	K1 = .9
	B  = .4
)

// Bounds on what is read.
const (
	MaxLine   = 1 << 20 // bytes of a line
	MaxID     = 512     // bytes of an id
	MaxHits   = 1000    // hits of one search
	maxNumber = math.MaxInt32
)

// A TitledPassage is a piece of text that can be found. Title and text are searched alike; the id is not. It is an
// evidence.Passage with a title, which suites and indexes of a guard refuse in theirs.
type TitledPassage struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text"`
}

// A Hit is a passage that was found.
type Hit struct {
	Passage int     // its number, from 0 in the order of the files
	Score   float64 // BM25; above 0
}

// IDF returns the weight of a word that df of n passages hold,
//
//	ln(1 + (n - df + ½)/(df + ½))
//
// in nats, above 0 for 0 <= df <= n. Source: Lucene's BM25Similarity, which keeps Robertson's weight from being
// negative.
func IDF(df, n int) float64 {
	return math.Log(1 + (float64(n-df)+.5)/(float64(df)+.5))
}

// Saturation returns what a word adds that a passage holds tf times, before its weight,
//
//	tf / (tf + k1 (1 - b + b length/mean))
//
// in [0, 1); length counts the words of the passage that are indexed, mean is over all passages, above 0. Source:
// Robertson and Zaragoza 2009, without the constant factor k1 + 1, as in Lucene since version 8; Lucene also rounds
// lengths above 40, which this does not.
func Saturation(tf, length int, mean float64) float64 {
	return float64(tf) / (float64(tf) + norm(length, mean))
}

func norm(length int, mean float64) float64 {
	if mean == 0 {
		return K1
	}
	return float64(K1 * (1 - B + float64(B*float64(length)/mean))) // rounded, so that no machine fuses it with a sum
}

var errTooMany = fmt.Errorf("more than %d passages; take fewer", maxNumber)

var errLong = fmt.Errorf("the line is longer than %d MiB; cut passages into pieces of some hundred words", MaxLine>>20)

var errNoPassage = errors.New(`no passages: write one object a line, such as {"id": "d1", "title": "France", "text": ` +
	`"Paris is its capital."}`)
