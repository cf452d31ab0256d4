// Package equivalence decides which answers to one question say the same by what a model holds of pairs of them, and
// says how far that relation errs and what its errors do to semantic stability.
//
// It asks no model: Question is what a model is to be asked, Verdict reads its reply, Union makes classes of the
// verdicts.
package equivalence

import (
	"crypto/sha256"
	_ "embed" // what a model is asked
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"hallmark/internal/model"
)

// Version names the words of Question and the rules of Verdict. Whatever changes one of them changes it: it is part
// of a run's id.
const Version = "entailment-1"

// maxShown bounds what is shown of an answer, in bytes from either end.
const maxShown = 4 << 10

//go:embed question.txt
var asked string // of the question and the answers

// Question returns what a model is asked about an ordered pair of answers to one question: whether the second must
// be right if the first is. Two answers say the same where that holds in both directions. Answers are data: the
// marks around each depend on it, so that none can close its own. One of more than 8 KiB is shown by its two ends.
func Question(question, first, second string) string {
	var answers strings.Builder
	for _, a := range []struct{ name, text string }{{"first", first}, {"second", second}} {
		text := clip(a.text)
		sum := sha256.Sum256([]byte(a.name + "\x00" + text))
		mark := a.name + "-" + hex.EncodeToString(sum[:6])
		fmt.Fprintf(&answers, "<%s>\n%s\n</%s>\n", mark, text, mark)
	}
	return fmt.Sprintf(strings.TrimSpace(asked), question, &answers)
}

func clip(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\ufffd"))
	if len(s) <= 2*maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown]+"\n[…]\n"+s[len(s)-maxShown:], "")
}

// maxReply bounds a reply that is read, in bytes.
const maxReply = 8 << 10

// Verdict reads a reply to Question. It is a verdict if its first or last word is yes or no and the other of the
// two stands nowhere in it; a part of the form <think>…</think> before it is left out. Anything else is an error,
// and no verdict: "yes, no doubt" says both. Time is linear in the reply.
func Verdict(reply string) (implied bool, err error) {
	if len(reply) > maxReply {
		return false, errors.New("a reply of more than 8 KiB")
	}
	if _, rest, thought := strings.Cut(reply, "</think>"); thought &&
		strings.HasPrefix(strings.TrimSpace(reply), "<think>") {
		reply = rest
	}
	words := strings.FieldsFunc(strings.ToLower(reply), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(words) == 0 {
		return false, errors.New("the reply is empty")
	}
	yes, no := slices.Contains(words, "yes"), slices.Contains(words, "no")
	switch first, last := words[0], words[len(words)-1]; {
	case yes && no:
		return false, errors.New("the reply says both yes and no")
	case yes && (first == "yes" || last == "yes"):
		return true, nil
	case no && (first == "no" || last == "no"):
		return false, nil
	}
	return false, errors.New("the reply neither begins nor ends with yes or no")
}

// Replies are the two replies, as continuations of Question, of a model that scores them instead of writing one.
var Replies = []string{" yes", " no"}

// Scored reads a model's scores of Replies: yes if its log-probability, summed over its tokens, is the higher one. It
// is an error, and no verdict, if the two tie, a reply has no tokens, or a log-probability is no number or positive.
func Scored(scores []model.OptionScore) (implied bool, err error) {
	if len(scores) != len(Replies) {
		return false, fmt.Errorf("%d scores for %d replies", len(scores), len(Replies))
	}
	for i, s := range scores {
		if len(s.LogProbs) == 0 {
			return false, fmt.Errorf("the reply %q has no tokens", Replies[i])
		}
		for _, lp := range s.LogProbs {
			if math.IsNaN(lp) || lp > 1e-6 {
				return false, fmt.Errorf("the reply %q has a token of log-probability %v", Replies[i], lp)
			}
		}
	}
	yes, no := scores[0].Sum(), scores[1].Sum()
	if yes == no {
		return false, errors.New("yes and no are equally likely")
	}
	return yes > no, nil
}
