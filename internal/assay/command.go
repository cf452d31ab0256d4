package assay

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/base/lists"
	"hallmark/internal/metric/scored"
	"hallmark/internal/suite"
)

// command returns the arguments that name this plan again on the command line. Suites stand by their names; one that
// was read from a file is given there by its file.
func (p *Plan) command() []string {
	args := []string{"hallmark", "run"}
	if p.Imported != nil {
		args = append([]string{"hallmark", "import"}, p.Imported.Files...)
	}
	for _, x := range p.Parameters() {
		switch {
		case x.marks&unused != 0 || x.Flag == "" || x.Asked() && p.Imported != nil:
		case x.says != nil:
			args = append(args, x.says...)
		case !reflect.DeepEqual(x.value(), x.Normal):
			args = append(args, x.said()...)
		}
	}
	return args
}

// said is the flag with its value: one that is on stands alone, of a list it stands before each value.
func (x *Parameter) said() (args []string) {
	switch v := x.value().(type) {
	case bool:
		return []string{"--" + x.Flag}
	case []string:
		return each(x.Flag, v)
	case []float64:
		for _, f := range v {
			args = append(args, "--"+x.Flag, fmt.Sprint(f))
		}
		return args
	case []int:
		return says(x.Flag, joined(v), true)
	default:
		return says(x.Flag, fmt.Sprint(v), true)
	}
}

// joined writes numbers with commas.
func joined(n []int) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(n), " ", ","), "[]") }

// says is a flag with its value, where so said.
func says(flag, value string, when bool) []string {
	if !when {
		return []string{}
	}
	return []string{"--" + flag, value}
}

// each is a flag with each of its values.
func each(flag string, values []string) []string {
	args := []string{}
	for _, v := range values {
		args = append(args, "--"+flag, v)
	}
	return args
}

func (p *Plan) saysModels() []string {
	if p.Sweep != nil { // which names them
		return []string{}
	}
	return each("model", lists.Map(p.Models, func(m UnderTest) string {
		if run, _, named := strings.Cut(m.Ref, " "); named && strings.HasPrefix(run, "replay:") {
			return run // without the model's own reference
		}
		return m.Ref
	}))
}

func (p *Plan) saysSuites() []string {
	if p.from().Asked { // they came with the answers
		return []string{}
	}
	return each("suite", lists.Map(p.Suites, func(s *suite.Suite) string { return part(s).Name }))
}

// saysGuard are the flags of the guard, one for all models.
func (p *Plan) saysGuard() []string {
	if at := slices.IndexFunc(p.Models, func(m UnderTest) bool { return m.Guard != nil }); at >= 0 {
		return p.Models[at].Guard
	}
	return []string{}
}

func (p *Plan) saysMethods() []string {
	methods := slices.DeleteFunc(slices.Clone(p.Methods), func(m string) bool { return m == scored.Name })
	return says("method", strings.Join(methods, ","), !slices.Equal(methods, defaultMethods()))
}

func (p *Plan) saysVariants() []string {
	kinds := lists.Map(p.Variants, func(v prompt.Spec) string { return fmt.Sprintf("%s=%d", v.Kind, v.N) })
	return says("variants", strings.Join(kinds, ","), len(kinds) > 0)
}

// says is how a command says what makes the paraphrases; by default rules do.
func (x *Paraphrasing) says() []string {
	switch x.By {
	case ByModel:
		return says("paraphraser", part(x.Model).Ref, true)
	case ByFile:
		return says("paraphraser", "file:"+x.From, true)
	}
	return []string{}
}
