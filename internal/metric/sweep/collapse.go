package sweep

import (
	"cmp"
	"maps"
	"slices"
	"unicode/utf8"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
)

// Collapsed are the cases that a stage answers more steadily than the dense model, and wrong by most of its answers.
type Collapsed struct {
	Cases int `json:"cases"`
	N     int `json:"n"` // cases with gold in both
	// Share is Cases of N.
	Share *stat.Estimate `json:"share"`
	// Lost counts those of Cases that the dense model answers right by most of its answers.
	Lost int `json:"lost"`
	// Declined counts those of Cases that the stage declines by most of its answers: these are wrong, and assert
	// nothing.
	Declined int `json:"declined"`
	// those that were lost first, of these those that assert something, then by how much steadier they are
	Listed []Collapse `json:"listed"`
}

// A Collapse is one such case with the answers of both.
type Collapse struct {
	ID     string `json:"id"`
	Prompt string `json:"prompt,omitempty"` // filled in by whoever knows it
	Gold   string `json:"gold,omitempty"`   // likewise
	Dense  Votes  `json:"dense"`
	Stage  Votes  `json:"stage"`
}

// Votes are the answers of one model to the variants of one case.
type Votes struct {
	PC      float64             `json:"pc"`
	Right   bool                `json:"mode_right"`
	Decline bool                `json:"mode_declined,omitempty"`
	Answers []consistency.Count `json:"answers"`          // commonest first, ten at most, each cut at 200 characters
	Others  int                 `json:"others,omitempty"` // further answers
}

// Bounds on what a list of collapsed cases holds.
const (
	maxVotes  = 10
	maxAnswer = 200
)

// collapsed finds the cases whose PC is above that of the dense model and whose mode is wrong. It is nil without
// gold in both. Source: arXiv:2601.07058, section 8 ("What is the largest planet?").
func collapsed(dense, row *Row, most int, level float64) *Collapsed {
	out := &Collapsed{Listed: []Collapse{}}
	var share []float64
	var cluster []int32
	for _, id := range slices.Sorted(maps.Keys(dense.questions)) {
		d := dense.questions[id]
		s, ok := row.questions[id]
		if !ok || d.Correct == nil || s.Correct == nil {
			continue
		}
		out.N++
		share, cluster = append(share, 0), append(cluster, s.Cluster)
		// Compared in whole numbers: a/b > c/d.
		if *s.Correct || s.Answers[0].Count*d.R <= d.Answers[0].Count*s.R {
			continue
		}
		out.Cases++
		share[len(share)-1] = 1
		if *d.Correct {
			out.Lost++
		}
		if s.Declined {
			out.Declined++
		}
		out.Listed = append(out.Listed, Collapse{ID: id, Dense: votes(d), Stage: votes(s)})
	}
	if out.N == 0 {
		return nil
	}
	out.Share = stat.ShareByCluster(share, cluster, level).Known()
	slices.SortStableFunc(out.Listed, func(a, b Collapse) int {
		return cmp.Or(
			-cmp.Compare(stat.Bit(a.Dense.Right), stat.Bit(b.Dense.Right)),
			cmp.Compare(stat.Bit(a.Stage.Decline), stat.Bit(b.Stage.Decline)),
			-cmp.Compare(a.Stage.PC-a.Dense.PC, b.Stage.PC-b.Dense.PC),
			-cmp.Compare(a.Stage.PC, b.Stage.PC),
		)
	})
	out.Listed = out.Listed[:min(most, len(out.Listed))]
	return out
}

func votes(q consistency.Question) Votes {
	v := Votes{PC: q.PC, Right: *q.Correct, Decline: q.Declined, Others: max(0, len(q.Answers)-maxVotes)}
	for _, a := range q.Answers[:len(q.Answers)-v.Others] {
		if utf8.RuneCountInString(a.Answer) > maxAnswer {
			a.Answer = string([]rune(a.Answer)[:maxAnswer]) + "…"
		}
		v.Answers = append(v.Answers, a)
	}
	return v
}
