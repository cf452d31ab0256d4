package pocket

import (
	"fmt"

	"hallmark/internal/engine"
)

// A Member is one training of the family: its checkpoints are models of one size and seed at more and more training.
type Member struct {
	Size   string
	Recipe Recipe
}

// FamilyStages is the number of checkpoints of each member.
const FamilyStages = 4

// Family returns the recipes of sixteen small models of the world, two sizes by two seeds by four stages of training,
// for methods that compare models. They learn the facts, to decline and to judge, and nothing that takes long:
// no passages, no examples in context.
func Family() []Member {
	sizes := []struct {
		name                        string
		hidden, inner, layers, head int
	}{{"small", 64, 168, 3, 4}, {"medium", 96, 256, 4, 4}}
	var members []Member
	for _, size := range sizes {
		for seed := uint64(1); seed <= 2; seed++ {
			members = append(members, Member{size.name, Recipe{
				Seed: seed,
				Mix:  Mix{Exposures: 60, Absent: .25, Judge: .3, Polite: .3, System: .05},
				Shape: engine.Config{
					ModelType: "llama", Hidden: size.hidden, Inner: size.inner, Layers: size.layers, Heads: size.head,
					KVHeads: size.head,
					HeadDim: size.hidden / size.head, MaxContext: 512, Epsilon: 1e-6, Theta: 10000, Tied: true,
				},
				Vocabulary: 3072, Sequence: 128, Batch: 16, PeakLR: 3e-3,
			}})
		}
	}
	return members
}

// Name is that of the member, such as "small-seed1".
func (m Member) Name() string { return fmt.Sprintf("%s-seed%d", m.Size, m.Recipe.Seed) }

// Folder is the name of the folder of a checkpoint, such as "small-seed1-stage2" for stage 1, the second.
func (m Member) Folder(stage int) string { return fmt.Sprintf("%s-stage%d", m.Name(), stage+1) }

// Large returns the recipe of a larger model of the world, with 3.0 million parameters and heads that share keys
// and values two by two, for studies of what can be taken out of a model. It learns what the built-in model does
// but for examples in context, from 60 exposures of each fact in place of 180.
func Large() Recipe {
	r := Shipped
	r.Mix.Exposures = 60
	r.Shape.Hidden, r.Shape.Inner, r.Shape.Layers, r.Shape.Heads, r.Shape.KVHeads = 192, 512, 6, 6, 3
	r.Opening, r.OpeningTokens, r.Rules, r.PeakLR = 0, 0, 0, 2e-3
	return r
}
