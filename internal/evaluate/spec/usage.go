package spec

import (
	"strings"

	"github.com/spf13/pflag"
)

// helpColumns is how wide help is written: terminals have 80 at least.
const helpColumns = 80

// groups are all of them, in the order in which help lists them.
var groups = []Group{
	Measured, Prompts, Variants, Comparing, Judging, Searching, Posterior, Guarding, Sweeping, Reaching, Limits, Output,
}

// Usage lists those of the flags that are fields of a run and not hidden: first what most runs say, then group by
// group, at last the flags that are no fields. Each group has a heading.
func Usage(flags *pflag.FlagSet) string {
	var b strings.Builder
	list := func(heading string, in func(*Field) bool) {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		set.SortFlags = false
		if in == nil {
			flags.VisitAll(func(f *pflag.Flag) {
				if lookup(f.Name) == nil {
					set.AddFlag(f)
				}
			})
		}
		for i := range Fields {
			if f := flags.Lookup(Fields[i].Name); in != nil && f != nil && in(&Fields[i]) {
				set.AddFlag(f)
			}
		}
		if set.HasAvailableFlags() {
			b.WriteString(heading + ":\n" + set.FlagUsagesWrapped(helpColumns) + "\n")
		}
	}
	list("What most runs say", func(f *Field) bool { return f.Often })
	for _, g := range groups {
		list(strings.ToUpper(string(g[:1]))+string(g[1:]), func(f *Field) bool { return f.Group == g && !f.Often })
	}
	list("Other flags", nil)
	return strings.TrimSuffix(b.String(), "\n")
}
