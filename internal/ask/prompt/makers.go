package prompt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"hallmark/internal/suite"
)

// A maker makes the variants of a case.
type maker struct {
	c     *suite.Case
	base  Variant
	pool  pool
	from  uint64
	given Given
	out   []Variant
}

// add makes the i-th variant of a kind, which changes something of the default.
func (m *maker) add(kind Kind, name string, i int, change func(*Variant)) {
	v := m.base
	v.Number, v.Kind, v.Family, v.Name = len(m.out), kind, families[kind], name+" "+strconv.Itoa(i+1)
	change(&v)
	m.out = append(m.out, v)
}

// makers add the variants of a kind that a spec asks for, and say why there are no more.
var makers = map[Kind]func(m *maker, sp Spec, stream *rand.Rand) (why string){
	Phrasings: func(m *maker, sp Spec, _ *rand.Rand) string {
		for i, text := range m.c.Phrasings {
			if sp.N == 0 || i < sp.N {
				m.add(sp.Kind, "phrasing", i, func(v *Variant) { v.Prompt = text })
			}
		}
		return fmt.Sprintf("%d are written", len(m.c.Phrasings))
	},
	Demonstrations: func(m *maker, sp Spec, stream *rand.Rand) string {
		d := m.base.Demonstrations
		for i, order := range orders(len(d), sp.N, stream, func(i int) int { return slices.Index(d, d[i]) }) {
			m.add(sp.Kind, "demonstration order", i, func(v *Variant) { v.Demonstrations = permuted(d, order) })
		}
		return fmt.Sprintf("%d demonstrations have no more orders", len(d))
	},
	Draws: (*maker).draws, LeakyDraws: (*maker).draws,
	Options: func(m *maker, sp Spec, stream *rand.Rand) string {
		n := len(m.c.Options)
		if m.c.ShowOptions {
			for i, order := range orders(n, sp.N, stream, func(i int) int { return i }) {
				m.add(sp.Kind, "option order", i, func(v *Variant) { v.OptionOrder = order })
			}
		}
		switch {
		case n == 0:
			return "it has no options"
		case !m.c.ShowOptions:
			return "its options are not shown, so their order is not in the prompt"
		}
		return fmt.Sprintf("%d options have no more orders", n)
	},
	Templates: (*maker).layOut, Conditions: (*maker).layOut,
	Imported: func(m *maker, sp Spec, _ *rand.Rand) string {
		for i := range sp.N {
			m.add(sp.Kind, "imported", i, func(*Variant) {})
		}
		return ""
	},
	Paraphrases: func(m *maker, sp Spec, _ *rand.Rand) (why string) {
		var texts []string
		if why = "nothing makes paraphrases"; m.given.Paraphrases != nil {
			texts, why = m.given.Paraphrases(m.c.ID)
		}
		for i, text := range texts[:min(sp.N, len(texts))] {
			m.add(sp.Kind, "paraphrase", i, func(v *Variant) { v.Prompt = text })
		}
		return why
	},
}

func (m *maker) draws(sp Spec, stream *rand.Rand) string {
	for i, d := range m.pool.draws(sp.N, stream, sp.Kind == LeakyDraws) {
		m.add(sp.Kind, "draw", i, func(v *Variant) { v.Demonstrations, v.Leak = d, leaks(m.c, d) })
	}
	if len(m.c.Rows) == 0 {
		return "it has no pool to draw from"
	}
	return fmt.Sprintf("a pool of %d has no more draws of %d", m.pool.usable(sp.Kind == LeakyDraws), m.c.DrawSize())
}

func (m *maker) layOut(sp Spec, _ *rand.Rand) string {
	ts, why := m.given.layingOut(m.c, sp, m.from)
	for i := range ts {
		m.add(sp.Kind, "", i, func(v *Variant) { v.Template, v.Family, v.Name = &ts[i], ts[i].Family, ts[i].Name })
	}
	return why
}
