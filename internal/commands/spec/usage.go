package spec

import (
	"slices"
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

// Usage lists the flags that are not hidden. Where many are fields of a run, those come first that most runs say, then
// group by group the others, at last the flags that are no fields. Each group has a heading.
func Usage(flags *pflag.FlagSet) string {
	const often, other = "What most runs say", "Other flags"
	headings := []string{often}
	lists := map[string]*pflag.FlagSet{}
	list := func(heading string, f *pflag.Flag) {
		if lists[heading] == nil {
			lists[heading] = pflag.NewFlagSet("", pflag.ContinueOnError)
			lists[heading].SortFlags = false
		}
		lists[heading].AddFlag(f)
	}
	fields := map[string]bool{}
	shown := 0
	for _, field := range new(Run).Fields() {
		fields[field.Name] = true
		heading := strings.ToUpper(string(field.Group[:1])) + string(field.Group[1:])
		if !slices.Contains(headings, heading) {
			headings = append(headings, heading)
		}
		if f := flags.Lookup(field.Name); f != nil {
			if list(map[bool]string{true: often, false: heading}[field.Often], f); !f.Hidden {
				shown++
			}
		}
	}
	if shown < manyFields {
		return "Flags:\n" + Wrapped(flags)
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if !fields[f.Name] {
			list(other, f)
		}
	})
	var b strings.Builder
	for _, heading := range append(headings, other) {
		if l := lists[heading]; l != nil && l.HasAvailableFlags() {
			b.WriteString(heading + ":\n" + Wrapped(l) + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
