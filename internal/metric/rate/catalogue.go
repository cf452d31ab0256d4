package rate

import (
	_ "embed" // the catalogues
	"slices"
	"sync"

	"hallmark/internal/stat/figure"
)

var (
	//go:embed figures.txt
	figures string
	//go:embed compared.txt
	compared string
)

// Figures is the catalogue of what Result has of the answers to the default prompt, with those of its groups under Any.
var Figures = sync.OnceValue(func() []figure.Entry {
	out := figure.Read(figures)
	own := slices.DeleteFunc(slices.Clone(out), func(e figure.Entry) bool { return e.Path[0] == "slices" })
	for _, by := range []string{"by_class", "by_domain", "by_tag"} {
		out = append(out, figure.Under(by+"/"+figure.Any, own)...)
	}
	return out
})

// Compared is the catalogue of what Reduction has.
var Compared = sync.OnceValue(func() []figure.Entry {
	out := figure.Read(compared)
	for _, e := range Figures() {
		e.Tone, e.Note, e.Cases = "", "", ""
		for _, side := range []string{"base", "other", "difference"} {
			out = append(out, figure.Under(side, []figure.Entry{e})...)
		}
		if e.Path[0] == "outcomes" {
			e.Path = e.Path[1:]
			for _, side := range []string{"base", "other", "difference", "reduction"} {
				out = append(out, figure.Under("outcomes/"+side, []figure.Entry{e})...)
			}
		}
	}
	return out
})
