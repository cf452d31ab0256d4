// Package spec is what a run is told: one list of fields, from which come its flags, the keys of a plan file, their
// checks and docs/cli.md, and the plan that they resolve to.
package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"hallmark/internal/assay"
	"hallmark/internal/assay/gate"
	"hallmark/internal/commands/setting"
	"hallmark/internal/commands/stages"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/model/hosted"
)

// A Run is what `hallmark run` was told, a field for each flag. Plans that are no runs, such as an ablation, fill it
// themselves, from Default.
type Run struct {
	Config  string
	Suites  []string
	Models  []string
	Methods []string

	// Plan has what flags enter into it as they say it: assay.Plan.Parameters lists that.
	Plan        assay.Plan
	Posterior   assay.PosteriorOptions
	Retrieve    assay.Retrieval
	Equivalence Equivalence
	Paraphrase  Paraphrase

	Variants    string
	Templates   string
	Judges      []string
	GraderCheck string
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

	Thresholds []gate.Threshold // the same, parsed by CheckDeclared

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
	r := Run{Guard: DefaultGuard(), Reach: Reach{API: string(hosted.Chat), Timeout: 2 * time.Minute}, MaxRetries: 6}
	r.told().SetDefaults()
	// what a run makes of its model and suites, and what plans leave out
	r.Plan.Sampled, r.Plan.Equal, r.Posterior.Estimator = -1, assay.EqualReader, posterior.Sum
	r.Paraphrase.By, r.Paraphrase.Filter = byRules, byFacts
	return r
}

// told is the plan that flags fill, with all parts that it may have.
func (r *Run) told() *assay.Plan {
	r.Paraphrase.Told.By = assay.ByModel // so that what is of a model alone counts
	p := &r.Plan
	p.Posterior, p.Retrieval, p.Equivalence, p.Paraphrasing = &r.Posterior, &r.Retrieve, &r.Equivalence.Told,
		&r.Paraphrase.Told
	return p
}

// Add defines all flags of a run, and sets it to their defaults.
func (r *Run) Add(flags *pflag.FlagSet) {
	*r = Default()
	r.Changed = flags.Changed
	r.Sweep.Given = func() bool { return flags.Changed("sweep") }
	r.add(flags, func(*Field) bool { return true })
}

// add defines the flags of fields that are wanted, which may be changed, with the values that the run has as their
// defaults.
func (r *Run) add(flags *pflag.FlagSet, wanted func(*Field) bool) {
	flags.SetNormalizeFunc(setting.Renamed)
	for _, f := range r.Fields() {
		if wanted(&f) {
			f.Define(flags)
		}
	}
}

// AddGroup defines the flags of one group.
func (r *Run) AddGroup(flags *pflag.FlagSet, g Group) {
	r.add(flags, func(f *Field) bool { return f.Group == g })
}

// AddNamed defines the flags of these names.
func (r *Run) AddNamed(flags *pflag.FlagSet, names ...string) {
	r.add(flags, func(f *Field) bool { return slices.Contains(names, f.Name) })
}

// AddGuard defines the flags of the guard under names of their own, for a command that is about a guard alone.
func (r *Run) AddGuard(flags *pflag.FlagSet) {
	r.add(flags, func(f *Field) (wanted bool) {
		f.Name, wanted = strings.CutPrefix(f.Name, guardPrefix)
		return wanted
	})
}

// AddPosterior defines the flags of the posterior rate, for a command that is about it alone and has one length.
func (r *Run) AddPosterior(flags *pflag.FlagSet) {
	r.add(flags, func(f *Field) bool {
		f.Help = strings.TrimPrefix(f.Help, "posterior: ")
		return f.Group == Posterior && f.Name != "at"
	})
}

// Define defines the flag of a field, with the value that the run has as its default.
func (f *Field) Define(flags *pflag.FlagSet) {
	switch v := f.Value.(type) {
	case *string:
		flags.StringVarP(v, f.Name, f.Short, *v, f.Help)
	case *bool:
		flags.BoolVarP(v, f.Name, f.Short, *v, f.Help)
	case *int:
		flags.IntVarP(v, f.Name, f.Short, *v, f.Help)
	case *float64:
		flags.Float64VarP(v, f.Name, f.Short, *v, f.Help)
	case *time.Duration:
		flags.DurationVarP(v, f.Name, f.Short, *v, f.Help)
	case *[]int:
		flags.IntSliceVarP(v, f.Name, f.Short, *v, f.Help)
	case *[]float64:
		flags.Float64SliceVarP(v, f.Name, f.Short, *v, f.Help)
	case *[]string:
		if f.Commas {
			flags.StringSliceVarP(v, f.Name, f.Short, *v, f.Help)
		} else {
			flags.StringArrayVarP(v, f.Name, f.Short, *v, f.Help)
		}
	default:
		panic(fmt.Sprintf("spec: %s: no flag holds a %T", f.Name, v))
	}
}

// Priced reports whether the cost of answers is known.
func (r *Reach) Priced() bool { return r.Price != "" }

// Rates are what tokens cost, in USD per million: those of prompts and those of answers.
type Rates struct{ In, Out float64 }

// Rates reads the price.
func (r *Reach) Rates() (Rates, error) {
	if r.Price == "" {
		return Rates{}, nil
	}
	in, out, ok := strings.Cut(r.Price, ",")
	a, errIn := strconv.ParseFloat(strings.TrimSpace(in), 64)
	b, errOut := strconv.ParseFloat(strings.TrimSpace(out), 64)
	if !ok || errIn != nil || errOut != nil || !(a >= 0 && b >= 0 && a < 1e9 && b < 1e9) {
		return Rates{}, fmt.Errorf("--price %q: write two prices in USD per million tokens, as 2.5,10", r.Price)
	}
	return Rates{a, b}, nil
}
