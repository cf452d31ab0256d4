// Package spec is what a run is told: one list of fields, from which come its flags, the keys of a plan file, their
// checks and docs/cli.md, and the plan that they resolve to.
package spec

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"hallmark/internal/ask/prompt"
	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/commands/stages"
	"hallmark/internal/model/hosted"
)

// A Run is what `hallmark run` was told, a field for each flag. Plans that are no runs, such as an ablation, fill it
// themselves, from Default.
type Run struct {
	Config  string
	Suites  []string
	Models  []string
	Methods []string
	Limit   int

	Variants       string
	Templates      string
	Paraphrase     Paraphrase
	Tau            float64
	Equal          string
	Equivalence    Equivalence
	Sampled        int
	SC             string
	ExcludeDefault bool
	CommonR        int
	Repeats        int

	Choices     string
	OptionScore string
	Form        string
	MaxTokens   int
	AsOf        string
	Retrieve    Retrieve

	Judges      []string
	JudgeAll    bool
	Contract    bool // a last line with the answer is asked for
	GraderCheck string
	Posterior   assay.PosteriorOptions
	Sweep       stages.Wanted
	Guard       Guard

	Reach
	Budget      string
	RPM, TPM    int
	InFlight    int
	MaxRetries  int
	RetryErrors bool
	Offline     bool
	Detach      bool // the calls are asked by workers

	AllowUnscored int
	FailOn        []string
	NoReport      bool
	Output        string
	Verbose       bool

	Name   string   // what the user calls the run
	Accept []string // thresholds that the user declares

	Thresholds []gate.Threshold // the same, parsed by CheckAccept

	Named     map[string]string // what the user calls models, by their references
	Published *assay.Published  // quoted by the plan file
	Imported  *Imported         // whose answers stand in the place of models'; nil for a run that asks

	Study   []*Run            // the runs of a plan with suites:, which are made in place of this one
	Part    *Part             // of a run that is one of a study; else nil
	Changed func(string) bool // says that a flag was given, or stands in the plan file

	unnamed bool // no model was named, and the built-in one stands in
}

// A Reach says how models from outside are reached.
type Reach struct {
	KeyEnv  string
	KeyCmd  string
	API     string
	Price   string
	PassEnv []string // variables that programs get besides those that each needs

	Concurrency int // calls in flight; 0: as many as suit the model
	Timeout     time.Duration
}

// Default is what a run is told where nothing is said.
func Default() Run {
	d := assay.Defaults()
	return Run{
		Paraphrase: Paraphrase{By: byRules, Draws: 1, Filter: "facts"},
		Tau:        d.Tau, Equal: assay.EqualReader, Equivalence: Equivalence{Most: 10}, Sampled: -1, SC: d.SC,
		Repeats: d.Repeats,
		Choices: d.Choices, OptionScore: string(d.OptionScore), MaxTokens: d.MaxTokens,
		Retrieve:  Retrieve{K: assay.DefaultRetrieveK, Form: string(prompt.RALM)},
		Posterior: assay.DefaultPosterior(), Guard: DefaultGuard(),
		Reach:      Reach{API: string(hosted.Chat), Timeout: 2 * time.Minute},
		MaxRetries: 6,
	}
}

// Add defines all flags of a run, and sets it to their defaults.
func (r *Run) Add(flags *pflag.FlagSet) {
	*r = Default()
	r.Changed = flags.Changed
	r.Sweep.Given = func() bool { return flags.Changed("sweep") }
	for i := range Fields {
		Fields[i].add(flags, r, Fields[i].Name, Fields[i].Help)
	}
}

// AddGroup defines the flags of one group, with the values that the run has as their defaults.
func (r *Run) AddGroup(flags *pflag.FlagSet, g Group) {
	for i := range Fields {
		if f := &Fields[i]; f.Group == g {
			f.add(flags, r, f.Name, f.Help)
		}
	}
}

// AddNamed defines the flags of these names, with the values that the run has as their defaults.
func (r *Run) AddNamed(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		f := field(name)
		f.add(flags, r, f.Name, f.Help)
	}
}

// AddGuard defines the flags of the guard under names of their own, for a command that is about a guard alone.
func (r *Run) AddGuard(flags *pflag.FlagSet) {
	for i := range Fields {
		if f := &Fields[i]; f.Group == Guarding && f.Name != "guard" {
			f.add(flags, r, strings.TrimPrefix(f.Name, guardPrefix), f.Help)
		}
	}
}

// AddPosterior defines the flags of the posterior rate, for a command that is about it alone and has one length.
func (r *Run) AddPosterior(flags *pflag.FlagSet) {
	for i := range Fields {
		if f := &Fields[i]; f.Group == Posterior && f.Name != "at" {
			f.add(flags, r, f.Name, strings.TrimPrefix(f.Help, posteriorPrefix))
		}
	}
}

// field returns the field of a name, which is known to be one.
func field(name string) *Field {
	if f := lookup(name); f != nil {
		return f
	}
	panic("spec: no field " + name)
}

// lookup returns the field of a name, nil where there is none.
func lookup(name string) *Field {
	for i := range Fields {
		if Fields[i].Name == name {
			return &Fields[i]
		}
	}
	return nil
}

// add defines the flag of a field.
func (f *Field) add(flags *pflag.FlagSet, r *Run, name, help string) {
	switch v := f.Value(r).(type) {
	case *string:
		flags.StringVarP(v, name, f.Short, *v, help)
	case *bool:
		flags.BoolVarP(v, name, f.Short, *v, help)
	case *int:
		flags.IntVarP(v, name, f.Short, *v, help)
	case *float64:
		flags.Float64VarP(v, name, f.Short, *v, help)
	case *time.Duration:
		flags.DurationVarP(v, name, f.Short, *v, help)
	case *[]int:
		flags.IntSliceVarP(v, name, f.Short, *v, help)
	case *[]float64:
		flags.Float64SliceVarP(v, name, f.Short, *v, help)
	case *[]string:
		if f.Commas {
			flags.StringSliceVarP(v, name, f.Short, *v, help)
		} else {
			flags.StringArrayVarP(v, name, f.Short, *v, help)
		}
	default:
		panic(fmt.Sprintf("spec: %s: no flag holds a %T", f.Name, v))
	}
}
