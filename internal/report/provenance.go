package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hallmark/internal/stat/figure"
)

// provenance says where the figures come from and how to have them again.
func provenance(v *view) []term {
	run := &v.Doc.Run
	out := []term{{"run", calledRun(run), true}}
	add := func(label, text string) { out = append(out, term{label, text, false}) }
	for _, s := range run.Suites {
		version := ""
		if s.Version != "" {
			version = " version " + oneLine(s.Version)
		}
		add("suite", fmt.Sprintf("%s%s, %s, %s", oneLine(s.Name), version, count(s.Cases, "case"), oneLine(s.Hash)))
	}
	if r := run.Retrieval; r != nil {
		line := fmt.Sprintf("%s, %s, %s; %s, %d best for the last %d words of a question, layout %s; %s searched",
			oneLine(strings.Join(r.Files, ", ")), count(r.Passages, "passage"),
			oneLine(r.Hash), oneLine(r.Method), r.K, r.Words, oneLine(string(r.Form)), count(r.Queries, "question"))
		if r.Empty > 0 {
			line += fmt.Sprintf(", %s of them in vain", grouped(r.Empty))
		}
		if len(r.Forbidden) > 0 {
			line += "; never found: " + clip(oneLine(strings.Join(r.Forbidden, ", ")), 400)
		}
		add("retrieval", line)
	}
	for _, m := range v.Doc.Models {
		line := fmt.Sprintf("%s, identity %s; %s prompt and %s completion tokens", oneLine(m.Model),
			clip(oneLine(m.Identity), 400), grouped(m.Tokens.Prompt), grouped(m.Tokens.Completion))
		if m.USD > 0 {
			line += ", $" + figure.Fixed(m.USD, 4)
		}
		if m.Name != "" {
			line = oneLine(m.Name) + " is " + line
		}
		add("model", line)
	}
	settings := "methods " + strings.Join(run.Methods, ", ") + "; tau " + exact(run.Tau)
	for _, kind := range slices.Sorted(maps.Keys(run.Variants)) {
		settings += fmt.Sprintf("; %s %d", kind, run.Variants[kind])
	}
	settings += fmt.Sprintf("; samples %d", run.Sampled)
	if run.Equal != "" {
		settings += "; equality " + run.Equal
	}
	if run.Choices != "" {
		settings += "; choices " + run.Choices
	}
	add("settings", oneLine(settings))
	add("seed", strconv.FormatUint(run.Seed, 10))
	if run.AsOf != "" {
		add("as of", oneLine(run.AsOf))
	}
	add("instrument", "hallmark "+oneLine(run.Version))
	return append(out, term{"reproduce", command(v), true},
		term{"render again", "hallmark report " + oneLine(run.ID), true})
}

// command returns the command line that measures the same again.
func command(v *view) string {
	args := slices.Clone(v.Doc.Run.Command)
	suites := v.Doc.Run.Suites
	for i := range args {
		if i > 0 && args[i-1] == "--suite" && len(suites) > 0 && args[i] == suites[0].Name {
			args[i], suites = cmp.Or(suites[0].File, args[i]), suites[1:]
		}
		args[i] = oneLine(args[i])
	}
	return CommandLine(args...)
}

// quoted returns an argument as a POSIX shell reads it back.
func quoted(s string) string {
	const plain = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_./:=,@%+"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// clustered reports whether intervals of a result are by cluster.
func clustered(v *view) bool {
	for _, m := range v.Doc.Models {
		for _, s := range v.Doc.Run.Suites {
			r := m.On(s.Name)
			if r != nil && (r.Rubric != nil && r.Rubric.Clusters > 0 ||
				r.Consistency != nil && r.Consistency.Clusters > 0) {
				return true
			}
		}
	}
	return false
}

// how explains the figures in a few lines.
func how(v *view) []string {
	unit := "case"
	if clustered(v) {
		unit = "cluster"
	}
	fill := strings.NewReplacer("{unit}", called("units", unit), "{tau}", exact(v.Doc.Run.Tau))
	return each(said.How["report"], fill.Replace)
}
