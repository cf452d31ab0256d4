package spec

import (
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

// HelpColumns is how wide help is written: terminals have 80 at least.
const HelpColumns = 80

// slop is by how much pflag goes over a width where only a short word is left.
const slop = 5

// manyFields is from how many fields of a run on the flags of a command are listed by what they are about.
const manyFields = 20

// Wrapped lists flags in lines of HelpColumns at most. A list without spaces is broken at its commas.
func Wrapped(flags *pflag.FlagSet) string {
	var b strings.Builder
	for line := range strings.Lines(flags.FlagUsagesWrapped(HelpColumns - slop)) {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if name, _, ok := strings.Cut(line[len(indent):], "   "); ok { // pflag counts the bytes of a name
			at := len(indent) + len(name)
			line = line[:at] + strings.Repeat(" ", len(name)-utf8.RuneCountInString(name)) + line[at:]
		}
		for utf8.RuneCountInString(line) > HelpColumns+1 {
			at := strings.LastIndex(line[:HelpColumns], ",") + 1
			if at <= len(indent) {
				break
			}
			b.WriteString(line[:at] + "\n")
			line = indent + line[at:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// groups are all of them, in the order in which help lists them.
var groups = []Group{
	Measured, Prompts, Variants, Comparing, Judging, Searching, Posterior, Guarding, Sweeping, Reaching, Limits, Output,
}

// Usage lists the flags that are not hidden. Where many are fields of a run, those come first that most runs say, then
// group by group the others, at last the flags that are no fields. Each group has a heading.
func Usage(flags *pflag.FlagSet) string {
	fields := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if lookup(f.Name) != nil && !f.Hidden {
			fields++
		}
	})
	if fields < manyFields {
		return "Flags:\n" + Wrapped(flags)
	}
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
			b.WriteString(heading + ":\n" + Wrapped(set) + "\n")
		}
	}
	list("What most runs say", func(f *Field) bool { return f.Often })
	for _, g := range groups {
		list(strings.ToUpper(string(g[:1]))+string(g[1:]), func(f *Field) bool { return f.Group == g && !f.Often })
	}
	list("Other flags", nil)
	return strings.TrimSuffix(b.String(), "\n")
}
