package assay

import (
	"slices"

	"hallmark/internal/metric/consistency"
	"hallmark/internal/stat"
	"hallmark/internal/suite"
)

// Unseen counts what greedy consistency cannot see: cases whose answers agree over the prompt variants when decoded
// greedily, and do not agree when the default prompt is drawn. A belief that is split, but always decoded the same
// way, is one.
type Unseen struct {
	UnseenGroup
	// ByTag holds the same of the cases with each tag.
	ByTag map[string]UnseenGroup `json:"by_tag,omitempty"`
}

// An UnseenGroup is that count over a set of cases, and its shares; these are null where there is no case to count.
type UnseenGroup struct {
	Cases    int            `json:"cases"`     // with at least two scored variants and two scored samples
	Stable   int            `json:"stable"`    // of Cases: greedy self-consistency is at least tau
	Split    int            `json:"split"`     // of Stable: self-consistency of the samples is below tau
	Share    *stat.Estimate `json:"share"`     // Split of Cases
	OfStable *stat.Estimate `json:"of_stable"` // Split of Stable

	split, ofStable     []float64 // 1 of a case that is, by case and by stable case
	cluster, stablesOwn []int32
}

func (g *UnseenGroup) add(greedy, drawn consistency.Question) {
	split := indicator(greedy.Stable && !drawn.Stable)
	g.Cases, g.Split = g.Cases+1, g.Split+int(split)
	g.split, g.cluster = append(g.split, split), append(g.cluster, greedy.Cluster)
	if greedy.Stable {
		g.Stable++
		g.ofStable, g.stablesOwn = append(g.ofStable, split), append(g.stablesOwn, greedy.Cluster)
	}
}

func (g UnseenGroup) withShares() UnseenGroup {
	g.Share = g.shareAt(level).Known()
	g.OfStable = stat.ShareByCluster(g.ofStable, g.stablesOwn, level).Known()
	return g
}

// shareAt returns the share of split cases with bounds at a level, by cluster where cases go together; by the counts
// alone where a document was read.
func (g *UnseenGroup) shareAt(level float64) stat.Estimate {
	if g.split == nil {
		return stat.Wilson(g.Split, g.Cases, level)
	}
	return stat.ShareByCluster(g.split, g.cluster, level)
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// unseenByGreedy sets the consistency of the greedy answers and of the samples side by side, over the cases that have
// both.
func unseenByGreedy(cases suite.List, greedy, drawn map[string]consistency.Question) *Unseen {
	var all UnseenGroup
	tags := map[string]*UnseenGroup{}
	for _, c := range cases.Pass() {
		g, ok := greedy[c.ID]
		d, both := drawn[c.ID]
		if both = both && ok; both {
			all.add(g, d)
		}
		for _, tag := range slices.Compact(slices.Sorted(slices.Values(c.Tags))) {
			if tags[tag] == nil {
				// stands with nothing counted, too, so that a gate can name it before the run
				tags[tag] = &UnseenGroup{}
			}
			if both {
				tags[tag].add(g, d)
			}
		}
	}
	out := &Unseen{UnseenGroup: all.withShares()}
	for tag, g := range tags {
		setIn(&out.ByTag, tag, g.withShares())
	}
	return out
}
