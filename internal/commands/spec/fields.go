package spec

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"hallmark/internal/ask/guard"
	"hallmark/internal/ask/prompt"
	"hallmark/internal/assay"
	"hallmark/internal/metric/posterior"
	"hallmark/internal/suite"
)

// A Group is what a field is about.
type Group string

// The groups, in the order in which a user meets them.
const (
	Measured    Group = "what is measured"
	Variants    Group = "variants and consistency"
	Prompts     Group = "prompts"
	Judging     Group = "judges"
	Comparing   Group = "answers compared for semantic equivalence"
	Posterior   Group = "posterior rate"
	Searching   Group = "passages that are searched"
	Sweeping    Group = "models along an axis"
	Guarding    Group = "guard"
	Reaching    Group = "how models are reached"
	Limits      Group = "limits"
	Output      Group = "result"
	guardPrefix       = "guard-"
	// posteriorPrefix begins the help of a field where there are those of other methods beside it.
	posteriorPrefix = "posterior: "
)

// A Field is one thing that a run is told: a flag, a key of a plan file.
type Field struct {
	Name, Short string
	Group       Group
	Often       bool // most runs say it
	// Keyed says that it decides what is asked, or what an answer counts as: with another value it is another run.
	// What is not keyed may change from one invocation of a run to the next.
	Keyed  bool
	Commas bool // a list may stand in one value, with commas
	Help   string
	// Value is where the run has it: a pointer, whose type says how a value is written.
	Value func(*Run) any
	// Check says what is wrong with a number, for those of which any file or model would have to be read to say more.
	Check func(*Run) error
}

// maxConcurrency bounds the calls in flight: a program runs once for each, and a plan may say how many these are.
const maxConcurrency = 512

// number checks a whole number; most 0 is no bound.
func number(name string, least, most int, of func(*Run) int) func(*Run) error {
	return func(r *Run) error {
		switch n := of(r); {
		case n < least:
			return fmt.Errorf("--%s %d: want a number of 0 or more", name, n)
		case most > 0 && n > most:
			return fmt.Errorf("--%s %d: want a number of at most %d", name, n, most)
		}
		return nil
	}
}

// Fields lists them all.
var Fields = []Field{
	{Name: "config", Short: "c", Group: Measured, Help: "plan `FILE` in YAML: flags as keys, and suites: " +
		"with settings of its own for each (docs/suites.md)",
		Value: func(r *Run) any { return &r.Config }},
	{Name: "suite", Often: true, Group: Measured, Keyed: true,
		Help:  "built-in suite or `FILE` (repeatable); default pocket",
		Value: func(r *Run) any { return &r.Suites }},
	{Name: "model", Often: true, Group: Measured, Keyed: true, Help: "model `REF`, or NAME=REF to call it so " +
		"(repeatable); default pocket",
		Value: func(r *Run) any { return &r.Models }},
	{Name: "method", Group: Measured, Keyed: true, Commas: true,
		Help: "methods to apply: " + strings.Join(assay.Methods(), ", ") +
			"; default " + strings.Join(assay.Defaults().Methods, ",") +
			", and all of them for the built-in model alone",
		Value: func(r *Run) any { return &r.Methods }},
	{Name: "limit", Often: true, Group: Measured, Keyed: true,
		Help:  "ask only the first `N` cases of each suite; 0 for all",
		Value: func(r *Run) any { return &r.Limit }, Check: number("limit", 0, 0, func(r *Run) int { return r.Limit })},

	{Name: "variants", Often: true, Group: Variants, Keyed: true,
		Help: "kinds of variants, as `KIND=N,…`: " + kindNames() +
			"; default: the phrasings written in the suite",
		Value: func(r *Run) any { return &r.Variants }},
	{Name: "templates", Group: Variants, Keyed: true,
		Help:  "`FILE` of templates (YAML or JSON) for --variants templates=N, in place of the generated ones",
		Value: func(r *Run) any { return &r.Templates }},
	{Name: "paraphraser", Group: Variants, Keyed: true, Help: "what makes --variants paraphrases=N: rules, " +
		"file:FILE (JSON Lines of id or prompt, and paraphrases) or a model `REF`",
		Value: func(r *Run) any { return &r.Paraphrase.By }},
	{Name: "paraphrase-prompt", Group: Variants, Keyed: true,
		Help:  "`TEXT` that a paraphrasing model is asked, with {text} and {n} in it; default: docs/paraphrases.md",
		Value: func(r *Run) any { return &r.Paraphrase.Ask }},
	{Name: "paraphrase-draws", Group: Variants, Keyed: true,
		Help:  "times a paraphrasing model is asked for each prompt: 1 is greedy, more are at temperature 1",
		Value: func(r *Run) any { return &r.Paraphrase.Draws }},
	{Name: "paraphrase-filter", Group: Variants, Keyed: true,
		Help:  "what a paraphrase must keep: facts (names, numbers, units, negation, quantifiers) or none",
		Value: func(r *Run) any { return &r.Paraphrase.Filter }},
	{Name: "paraphrase-judge", Group: Variants, Keyed: true, Help: "model `REF` that is asked of each paraphrase " +
		"whether it follows from the prompt, and the prompt from it",
		Value: func(r *Run) any { return &r.Paraphrase.Judge }},
	{Name: "tau", Group: Variants, Keyed: true, Help: "self-consistency from which a case counts as prompt-agnostic",
		Value: func(r *Run) any { return &r.Tau }},
	{Name: "equal", Group: Variants, Keyed: true,
		Help: "equality of answers: reader (the same value as the grader reads them), " +
			"exact, normalized, numeric, choice or meaning",
		Value: func(r *Run) any { return &r.Equal }},
	{Name: "sampled", Group: Variants, Keyed: true,
		Help:  "samples of each case at temperature 1; default 10 for the built-in model, 0 for others",
		Value: func(r *Run) any { return &r.Sampled },
		Check: number("sampled", -1, assay.MaxRepeats, func(r *Run) int { return r.Sampled })},
	{Name: "sc", Group: Variants, Keyed: true, Help: "self-consistency: without-replacement or with-replacement",
		Value: func(r *Run) any { return &r.SC }},
	{Name: "exclude-default", Group: Variants, Keyed: true,
		Help:  "leave the default prompt out of the variants that are compared",
		Value: func(r *Run) any { return &r.ExcludeDefault }},
	{Name: "common-r", Group: Variants, Keyed: true,
		Help:  "number of variants at which ambiguity is also given; 0: the fewest of any question",
		Value: func(r *Run) any { return &r.CommonR }},
	{Name: "repeats", Group: Variants, Keyed: true,
		Help:  "times the identical prompt is asked, on a sample of cases, to measure test–retest agreement; 1 for none",
		Value: func(r *Run) any { return &r.Repeats },
		Check: number("repeats", 0, assay.MaxRepeats, func(r *Run) int { return r.Repeats })},

	{Name: "entailment", Group: Comparing, Keyed: true, Help: "model `REF` that compares answers for semantic " +
		"equivalence, for --equal meaning and for prose; default: that of --judge (docs/equality.md)",
		Value: func(r *Run) any { return &r.Equivalence.Entailment }},
	{Name: "entailment-reply", Group: Comparing, Keyed: true, Help: "its reply: text that is read, or score by the " +
		"log-probability of yes and no; default: score in process, else text",
		Value: func(r *Run) any { return &r.Equivalence.Reply }},
	{Name: "equal-most", Group: Comparing, Keyed: true,
		Help:  "answers of a case, the commonest, that are compared with all others for semantic equivalence",
		Value: func(r *Run) any { return &r.Equivalence.Most }},
	{Name: "equal-check", Group: Comparing, Keyed: true,
		Help:  "pairs in `FILE` that are known to say the same or not, to measure how often the comparison errs",
		Value: func(r *Run) any { return &r.Equivalence.Check }},

	{Name: "choices", Group: Prompts, Keyed: true,
		Help:  "multiple choice without letters: score the options, or generate with letters shown",
		Value: func(r *Run) any { return &r.Choices }},
	{Name: "option-score", Group: Prompts, Keyed: true,
		Help: "option that wins: perplexity (lowest per token), sum (highest), " +
			"characters (highest sum per character) or letters (shown, and their perplexity)",
		Value: func(r *Run) any { return &r.OptionScore }},
	{Name: "form", Group: Prompts, Keyed: true,
		Help:  "layout of prompts: " + formNames() + "; default: each case's own",
		Value: func(r *Run) any { return &r.Form }},
	{Name: "max-tokens", Group: Prompts, Keyed: true, Help: "longest answer, in tokens",
		Value: func(r *Run) any { return &r.MaxTokens }},
	{Name: "as-of", Group: Prompts, Keyed: true, Help: "the run's today, as 2026-11-20; default: the suite's",
		Value: func(r *Run) any { return &r.AsOf }},

	{Name: "retrieve", Group: Searching, Keyed: true, Commas: true,
		Help: "`FILE` of passages (JSON lines, .gz) that are searched " +
			"for every question, the best put before it (repeatable)",
		Value: func(r *Run) any { return &r.Retrieve.Files }},
	{Name: "retrieve-k", Group: Searching, Keyed: true,
		Help:  "passages found for each question; the best is shown, all count in documents.ambiguity_at_k",
		Value: func(r *Run) any { return &r.Retrieve.K }},
	{Name: "retrieve-form", Group: Searching, Keyed: true,
		Help: "layout of the passage: ralm (title and text, as published) or " +
			"passage ([id] text, as a case's own)",
		Value: func(r *Run) any { return &r.Retrieve.Form }},
	{Name: "retrieve-forbid", Group: Searching, Keyed: true,
		Help:  "`TITLE` or id of passages that must not be found (repeatable)",
		Value: func(r *Run) any { return &r.Retrieve.Forbid }},

	{Name: "judge", Often: true, Group: Judging, Keyed: true,
		Help: "model `REF` that is asked about the stored answers that no rule decides, " +
			"and decides the cases of oracle judge; repeat it for a panel, whose majority decides (docs/judges.md)",
		Value: func(r *Run) any { return &r.Judges }},
	{Name: "judge-all", Group: Judging, Keyed: true, Help: "have the judges decide every answer",
		Value: func(r *Run) any { return &r.JudgeAll }},
	{Name: "answer-contract", Group: Judging, Keyed: true,
		Help: "ask for a last line ANSWER: …, or CANNOT ANSWER: reason, and read " +
			"what was answered by it, where it is there; of answers that are stored already, read them so " +
			"(docs/grading.md)",
		Value: func(r *Run) any { return &r.Contract }},
	{Name: "grader-check", Group: Measured, Keyed: true,
		Help: "correct the outcomes by what the grader made of other labelled " +
			"answers: `FILE` of hallmark grade check --json (docs/grading.md)",
		Value: func(r *Run) any { return &r.GraderCheck }},

	{Name: "eps", Group: Posterior, Keyed: true,
		Help: posteriorPrefix +
			"what is below this quantile of the log-probability is unlikely; .75 follows the error rate",
		Value: func(r *Run) any { return &r.Posterior.Eps }},
	{Name: "also-eps", Group: Posterior, Keyed: true,
		Help:  posteriorPrefix + "other eps that the same answers are read at, with commas",
		Value: func(r *Run) any { return &r.Posterior.AlsoEps }},
	{Name: "extend", Group: Posterior, Keyed: true,
		Help:  posteriorPrefix + "pairs that the model makes up for each extension, N - n",
		Value: func(r *Run) any { return &r.Posterior.Extend }},
	{Name: "m", Group: Posterior, Keyed: true, Help: posteriorPrefix + "extensions",
		Value: func(r *Run) any { return &r.Posterior.M }},
	{Name: "estimator", Group: Posterior, Keyed: true,
		Help:  posteriorPrefix + "sum: exact sums over the next answer; published: samples, as the source has it",
		Value: func(r *Run) any { return &r.Posterior.Estimator }},
	{Name: "k", Group: Posterior, Keyed: true,
		Help:  posteriorPrefix + "answers sampled for the quantile, and again for the rate, by --estimator published",
		Value: func(r *Run) any { return &r.Posterior.K }},
	{Name: "answer-tokens", Group: Posterior, Keyed: true,
		Help:  posteriorPrefix + "longest sampled answer; 1: a label by its first token, more: a line of text",
		Value: func(r *Run) any { return &r.Posterior.AnswerTokens }},
	{Name: "answer-total", Group: Posterior, Keyed: true,
		Help:  posteriorPrefix + "compare sampled answers by their whole log-probability, not by its mean per token",
		Value: func(r *Run) any { return &r.Posterior.Total }},
	{Name: "top-p", Group: Posterior, Keyed: true,
		Help:  posteriorPrefix + "of the pairs that are made up; the source's .9 is no sample from the model, 1 is",
		Value: func(r *Run) any { return &r.Posterior.TopP }},
	{Name: "abstain", Group: Posterior, Keyed: true,
		Help: posteriorPrefix + "the rate from which a query is better not answered; 0: " +
			strconv.FormatFloat(posterior.DefaultAbstain, 'g', -1, 64),
		Value: func(r *Run) any { return &r.Posterior.Abstain }},
	{Name: "at", Group: Posterior, Keyed: true,
		Help: posteriorPrefix + "shorter extensions after which the labels are asked too, " +
			"as `2,3`, for a table over lengths",
		Value: func(r *Run) any { return &r.Posterior.At }},

	{Name: "sweep", Group: Sweeping, Keyed: true,
		Help: "set models beside each other by sparsity or size, those of `DIR|FILE`: the " +
			"stages that model compress wrote into a folder, beside the dense --model, or the list of a YAML file " +
			"(docs/sweep.md)",
		Value: func(r *Run) any { return &r.Sweep.From }},
	{Name: "probe", Group: Sweeping, Keyed: true,
		Help: "sweep: measure the cases with one of these tags by themselves, as " +
			"`NAME=TAG+TAG`; TAG* is any tag that begins so (repeatable); default each suite, and for pocket facts " +
			"and arithmetic",
		Value: func(r *Run) any { return &r.Sweep.Probes }},
	{Name: "corpus", Group: Sweeping, Keyed: true,
		Help: "sweep: give each model's perplexity on the texts of `FILE`, " +
			"{\"text\": …} a line, or of pocket, texts of the built-in model's kind that its trainings have not read " +
			"(docs/sweep.md)",
		Value: func(r *Run) any { return &r.Sweep.Corpus }},

	{Name: "guard", Group: Guarding, Keyed: true, Help: "put the constraint layer around every model (docs/guard.md)",
		Value: func(r *Run) any { return &r.Guard.On }},
	{Name: guardPrefix + "index", Group: Guarding, Keyed: true,
		Help:  "index `FILE` of what the deployment knows to exist: entities, identifiers, passages",
		Value: func(r *Run) any { return &r.Guard.Index }},
	{Name: guardPrefix + "memory", Group: Guarding, Keyed: true,
		Help:  "memory `FILE` of answers adjudicated before, as hallmark guard remember writes it",
		Value: func(r *Run) any { return &r.Guard.Memory }},
	{Name: guardPrefix + "coverage", Group: Guarding, Keyed: true,
		Help:  "use a part of the index only, in percent, drawn by entity; for ablations",
		Value: func(r *Run) any { return &r.Guard.Coverage }},
	{Name: guardPrefix + "off", Group: Guarding, Keyed: true, Commas: true,
		Help:  "switch off `PART,…`: " + strings.Join(guard.Switches, ", "),
		Value: func(r *Run) any { return &r.Guard.Off }},
	{Name: guardPrefix + "candidates", Group: Guarding, Keyed: true,
		Help:  "answers adjudicated, the model's own included",
		Value: func(r *Run) any { return &r.Guard.Candidates }},
	{Name: guardPrefix + "phrasings", Group: Guarding, Keyed: true,
		Help:  "other prompt variants with which each question is asked again",
		Value: func(r *Run) any { return &r.Guard.Phrasings }},
	{Name: guardPrefix + "agreement", Group: Guarding, Keyed: true,
		Help:  "least share of the prompt variants whose answers must agree",
		Value: func(r *Run) any { return &r.Guard.Agreement }},
	{Name: guardPrefix + "repairs", Group: Guarding, Keyed: true,
		Help:  "times that reasons are given back to the model",
		Value: func(r *Run) any { return &r.Guard.Repairs }},

	{Name: "key-env", Group: Reaching,
		Help:  "environment variable `NAME` that holds the API key; an http(s):// model is sent none without it",
		Value: func(r *Run) any { return &r.KeyEnv }},
	{Name: "key-cmd", Group: Reaching, Help: "`COMMAND` whose output is the API key, in place of --key-env, such as " +
		"'pass show api'; only typed",
		Value: func(r *Run) any { return &r.KeyCmd }},
	{Name: "api", Group: Reaching, Keyed: true, Help: "protocol of an http(s):// model: chat or completions",
		Value: func(r *Run) any { return &r.API }},
	{Name: "pass-env", Group: Reaching, Commas: true,
		Help:  "environment variables `NAME,…` that exec: programs get besides PATH, HOME, TMPDIR and LANG; only typed",
		Value: func(r *Run) any { return &r.PassEnv }},
	{Name: "price", Group: Reaching,
		Help:  "price of a model in USD per million tokens, as `IN,OUT`; for --budget in usd and the spend shown",
		Value: func(r *Run) any { return &r.Price }},

	{Name: "concurrency", Short: "j", Group: Limits,
		Help:  "calls in flight; 0: 16 to a server, one per core in process",
		Value: func(r *Run) any { return &r.Concurrency },
		Check: number("concurrency", 0, maxConcurrency, func(r *Run) int { return r.Concurrency })},
	{Name: "budget", Group: Limits,
		Help: "cap on what the run costs, as `5usd,1000000tok,500calls`: every request counts, also " +
			"one that fails, and is sent only if its worst case fits (docs/budget.md)",
		Value: func(r *Run) any { return &r.Budget }},
	{Name: "rpm", Group: Limits, Help: "requests a minute to each model; 0 for no limit",
		Value: func(r *Run) any { return &r.RPM }, Check: number("rpm", 0, 0, func(r *Run) int { return r.RPM })},
	{Name: "tpm", Group: Limits, Help: "tokens a minute to each model; 0 for no limit",
		Value: func(r *Run) any { return &r.TPM }, Check: number("tpm", 0, 0, func(r *Run) int { return r.TPM })},
	{Name: "in-flight", Group: Limits,
		Help: "calls in flight to each model, beside --concurrency; 0 for no limit. With --store postgres://… this, " +
			"--rpm, --tpm and --budget are limits of all processes together (docs/budget.md)",
		Value: func(r *Run) any { return &r.InFlight },
		Check: number("in-flight", 0, 0, func(r *Run) int { return r.InFlight })},
	{Name: "max-retries", Group: Limits, Help: "tries after the first where a failure may pass",
		Value: func(r *Run) any { return &r.MaxRetries },
		Check: number("max-retries", 0, 0, func(r *Run) int { return r.MaxRetries })},
	{Name: "timeout", Group: Limits, Help: "longest wait for one answer",
		Value: func(r *Run) any { return &r.Timeout }, Check: func(r *Run) error { return CheckTimeout(r.Timeout) }},
	{Name: "retry-errors", Group: Limits, Help: "ask again for answers whose stored outcome is a failure",
		Value: func(r *Run) any { return &r.RetryErrors }},
	{Name: "offline", Group: Limits, Help: "use stored answers only",
		Value: func(r *Run) any { return &r.Offline }},
	{Name: "detach", Group: Limits, Help: "plan the run, put it on the queue of the store for any number of " +
		"`hallmark worker` and return; needs --store postgres://… (docs/workers.md)",
		Value: func(r *Run) any { return &r.Detach }},

	{Name: "allow-unscored", Group: Output, Help: "exit 3 if more answers or verdicts than this are missing",
		Value: func(r *Run) any { return &r.AllowUnscored },
		Check: number("allow-unscored", 0, 0, func(r *Run) int { return r.AllowUnscored })},
	{Name: "fail-on", Often: true, Group: Output, Help: "gate: exit 100 if `EXPR` holds for any model, such as " +
		"'rubric.outcomes.incorrect.hi > 0.05' (repeatable)",
		Value: func(r *Run) any { return &r.FailOn }},
	{Name: "accept", Group: Output,
		Help: "declare a threshold by `EXPR`, such as 'incorrect <= 5%' (repeatable): the report says first whether " +
			"it is met, not met or cannot be said with so many cases, and how many would do; only typed",
		Value: func(r *Run) any { return &r.Accept }},
	{Name: "name", Group: Output,
		Help:  "call the run `NAME`, by which show, compare and other commands find it; only typed",
		Value: func(r *Run) any { return &r.Name }, Check: func(r *Run) error { return checkName(r.Name) }},
	{Name: "no-report", Group: Output, Help: "write no HTML report",
		Value: func(r *Run) any { return &r.NoReport }},
	{Name: "output", Short: "o", Group: Output, Help: "write the reports of every format into `DIR`",
		Value: func(r *Run) any { return &r.Output }},
	{Name: "verbose", Short: "v", Group: Output, Help: "print every figure, and not the verdict alone",
		Value: func(r *Run) any { return &r.Verbose }},
}

// CheckTimeout says what is wrong with the longest wait for an answer.
func CheckTimeout(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("--timeout %v: want a time of 0 (no limit) or more, such as 90s", d)
	}
	return nil
}

func formNames() string {
	var names []string
	for _, f := range suite.Forms {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

func kindNames() string {
	var names []string
	for _, k := range prompt.Kinds {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}
