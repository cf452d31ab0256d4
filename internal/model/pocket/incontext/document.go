package incontext

import (
	"math/rand/v2"
	"strings"

	"hallmark/internal/base/seed"
)

// A Part is a stretch of a document's text. The parts are cut where the tokens of GPT-2's pattern are cut too, so that
// encoding them one by one gives the tokens of the whole.
type Part struct {
	Text string
	Loss float32 // weight of the loss of its tokens
}

// A Stage says what documents are like up to a part of the training.
type Stage struct {
	Until    float64 // of the training, from 0 to 1
	Min, Max int     // pairs of a document

	Assoc, Topic8x2, Topic4, Topic2 float64 // shares of the tasks; they add up to 1

	// Shares of documents in other forms: with the names of the topics as labels, with the name before each label, and
	// with the name behind it.
	Named, Before, Behind float64

	// Copy is the share of documents that are words in random order, twice. What finds an earlier place like the
	// present one and copies what followed it forms on these in a few hundred steps, and on pairs alone in some
	// thousand or never.
	Copy float64

	Label, Input, Name float32 // weights of the loss
}

// A Writer writes documents for training.
type Writer struct {
	Stages []Stage
	r      *rand.Rand
}

// NewWriter returns a writer that draws from streams of the seed.
func NewWriter(stages []Stage, s uint64) *Writer {
	return &Writer{Stages: stages, r: seed.Stream(s, "pocket", "incontext", "documents")}
}

// Document returns a document for a place in the training, from 0 to 1.
func (w *Writer) Document(progress float64) []Part {
	i := 0
	for i < len(w.Stages)-1 && progress >= w.Stages[i].Until {
		i++
	}
	st := w.Stages[i]
	if st.Copy > 0 && w.r.Float64() < st.Copy {
		return w.copied(st)
	}
	s, err := Draw(w.task(st), st.Min+w.r.IntN(st.Max-st.Min+1), w.r)
	if err != nil {
		panic(err) // the tasks of a stage are known
	}
	return s.parts(w.form(st), st)
}

// copied is a document of 8 to 32 words that come twice in the same order; the second time they are learned.
func (w *Writer) copied(st Stage) []Part {
	all := Words()
	var block strings.Builder
	for _, i := range w.r.Perm(len(all))[:8+w.r.IntN(25)] {
		block.WriteString(all[i])
	}
	return []Part{{block.String(), 0}, {block.String(), st.Label}}
}

// parts is the text of a sequence in one of the forms, with the weights of a stage.
func (s Sequence) parts(form int, st Stage) []Part {
	var parts []Part
	separator := ""
	for _, p := range s.Pairs {
		name, label := Part{" " + names[p.Topic], st.Name}, Part{" " + s.Labels[p.Label], st.Label}
		parts = append(parts, Part{separator + ask(p), st.Input})
		switch form {
		case named:
			parts = append(parts, name)
		case before:
			parts = append(parts, name, label)
		case behind:
			parts = append(parts, label, name)
		default:
			parts = append(parts, label)
		}
		separator = "\n\n"
	}
	return parts
}

// The forms of a document.
const (
	plain = iota
	named
	before
	behind
)

func (w *Writer) form(st Stage) int {
	x := w.r.Float64()
	for i, share := range []float64{st.Named, st.Before, st.Behind} {
		if x -= share; x < 0 {
			return named + i
		}
	}
	return plain
}

func (w *Writer) task(st Stage) Task {
	x := w.r.Float64()
	for _, t := range []struct {
		task  Task
		share float64
	}{{assoc, st.Assoc}, {Topic4, st.Topic4}, {Topic2, st.Topic2}} {
		if x -= t.share; x < 0 {
			return t.task
		}
	}
	return Topic8x2
}

func ask(p Pair) string { return "Input: " + p.Input() + "\nLabel:" }

// Words returns every word of the tasks with the space before it, for learning a vocabulary in which each is one token.
func Words() []string {
	var all []string
	for _, list := range append(topics[:], common, labels, names) {
		for _, w := range list {
			all = append(all, " "+w)
		}
	}
	return all
}
