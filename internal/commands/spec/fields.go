package spec

import (
	"fmt"
	"slices"
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
	Value any
	// Fault is what is wrong with the value, where no file and no model has to be read to say so.
	Fault error
}

// maxConcurrency bounds the calls in flight: a program runs once for each, and a plan may say how many these are.
const maxConcurrency = 512

// number checks a whole number; most 0 is no bound.
func number(name string, n, least, most int) error {
	switch {
	case n < least:
		return fmt.Errorf("--%s %d: want a number of 0 or more", name, n)
	case most > 0 && n > most:
		return fmt.Errorf("--%s %d: want a number of at most %d", name, n, most)
	}
	return nil
}

// A part is the fields of one group. Those of a keyed one are in a run's id, as its answers or figures depend on them.
type part struct {
	group  Group
	keyed  bool
	fields []Field
}

// Fields lists them all, with where a run has their values.
func (r *Run) Fields() (all []Field) {
	for _, part := range slices.Concat(r.asked(), r.compared(), r.guarded(), r.reached()) {
		for _, f := range part.fields {
			f.Group, f.Keyed = part.group, part.keyed && f.Name != "config" || f.Name == "api"
			if f.Group == Posterior {
				f.Help = posteriorPrefix + f.Help
			}
			all = append(all, f)
		}
	}
	return all
}

// asked are the fields of what is asked: suites, models, prompts and their variants.
func (r *Run) asked() []part {
	return []part{
		{Measured, true, []Field{
			{Name: "config", Short: "c", Value: &r.Config, Help: "plan `FILE` in YAML: flags as keys, and suites: " +
				"with settings of its own for each (docs/suites.md)"},
			{Name: "suite", Often: true, Value: &r.Suites,
				Help: "built-in suite or `FILE` (repeatable); default pocket"},
			{Name: "model", Often: true, Value: &r.Models,
				Help: "model `REF`, or NAME=REF to call it so (repeatable); default pocket"},
			{Name: "method", Commas: true, Value: &r.Methods, Help: "methods to apply: " +
				strings.Join(assay.Methods(), ", ") + "; default " + strings.Join(assay.Defaults().Methods, ",") +
				", and all of them for the built-in model alone"},
			{Name: "limit", Often: true, Value: &r.Limit, Fault: number("limit", r.Limit, 0, 0),
				Help: "ask only the first `N` cases of each suite; 0 for all"},
			{Name: "grader-check", Value: &r.GraderCheck, Help: "correct the outcomes by what the grader made of " +
				"other labelled answers: `FILE` of hallmark grade check --json (docs/grading.md)"},
		}},
		{Prompts, true, []Field{
			{Name: "choices", Value: &r.Choices,
				Help: "multiple choice without letters: score the options, or generate with letters shown"},
			{Name: "option-score", Value: &r.OptionScore, Help: "option that wins: perplexity (lowest per token), " +
				"sum (highest), characters (highest sum per character) or letters (shown, and their perplexity)"},
			{Name: "form", Value: &r.Form,
				Help: "layout of prompts: " + prompt.Joined(suite.Forms) + "; default: each case's own"},
			{Name: "max-tokens", Value: &r.MaxTokens, Help: "longest answer, in tokens"},
			{Name: "as-of", Value: &r.AsOf, Help: "the run's today, as 2026-11-20; default: the suite's"},
		}},
		{Variants, true, []Field{
			{Name: "variants", Often: true, Value: &r.Variants, Help: "kinds of variants, as `KIND=N,…`: " +
				prompt.Joined(prompt.Kinds) + "; default: the phrasings written in the suite"},
			{Name: "templates", Value: &r.Templates,
				Help: "`FILE` of templates (YAML or JSON) for --variants templates=N, in place of the generated ones"},
			{Name: "paraphraser", Value: &r.Paraphrase.By, Help: "what makes --variants paraphrases=N: rules, " +
				"file:FILE (JSON Lines of id or prompt, and paraphrases) or a model `REF`"},
			{Name: "paraphrase-prompt", Value: &r.Paraphrase.Ask, Help: "`TEXT` that a paraphrasing model is asked, " +
				"with {text} and {n} in it; default: docs/paraphrases.md"},
			{Name: "paraphrase-draws", Value: &r.Paraphrase.Draws,
				Help: "times a paraphrasing model is asked for each prompt: 1 is greedy, more are at temperature 1"},
			{Name: "paraphrase-filter", Value: &r.Paraphrase.Filter,
				Help: "what a paraphrase must keep: facts (names, numbers, units, negation, quantifiers) or none"},
			{Name: "paraphrase-judge", Value: &r.Paraphrase.Judge, Help: "model `REF` that is asked of each " +
				"paraphrase whether it follows from the prompt, and the prompt from it"},
			{Name: "tau", Value: &r.Tau, Help: "self-consistency from which a case counts as prompt-agnostic"},
			{Name: "equal", Value: &r.Equal, Help: "equality of answers: reader (the same value as the grader reads " +
				"them), exact, normalized, numeric, choice or meaning"},
			{Name: "sampled", Value: &r.Sampled, Fault: number("sampled", r.Sampled, -1, assay.MaxRepeats),
				Help: "samples of each case at temperature 1; default 10 for the built-in model, 0 for others"},
			{Name: "sc", Value: &r.SC, Help: "self-consistency: without-replacement or with-replacement"},
			{Name: "exclude-default", Value: &r.ExcludeDefault,
				Help: "leave the default prompt out of the variants that are compared"},
			{Name: "common-r", Value: &r.CommonR,
				Help: "number of variants at which ambiguity is also given; 0: the fewest of any question"},
			{Name: "repeats", Value: &r.Repeats, Fault: number("repeats", r.Repeats, 0, assay.MaxRepeats),
				Help: "times the identical prompt is asked, on a sample of cases, to measure test–retest agreement; 1 " +
					"for none"},
		}},
	}
}

// compared are the fields of what is made of answers, and what is asked for that.
func (r *Run) compared() []part {
	return []part{
		{Comparing, true, []Field{
			{Name: "entailment", Value: &r.Equivalence.Entailment, Help: "model `REF` that compares answers for " +
				"semantic equivalence, for --equal meaning and for prose; default: that of --judge (docs/equality.md)"},
			{Name: "entailment-reply", Value: &r.Equivalence.Reply, Help: "its reply: text that is read, or score by " +
				"the log-probability of yes and no; default: score in process, else text"},
			{Name: "equal-most", Value: &r.Equivalence.Most,
				Help: "answers of a case, the commonest, that are compared with all others for semantic equivalence"},
			{Name: "equal-check", Value: &r.Equivalence.Check, Help: "pairs in `FILE` that are known to say the same " +
				"or not, to measure how often the comparison errs"},
		}},
		{Judging, true, []Field{
			{Name: "judge", Often: true, Value: &r.Judges, Help: "model `REF` that is asked about the stored answers " +
				"that no rule decides, and decides the cases of oracle judge; repeat it for a panel, whose majority " +
				"decides (docs/judges.md)"},
			{Name: "judge-all", Value: &r.JudgeAll, Help: "have the judges decide every answer"},
			{Name: "answer-contract", Value: &r.Contract, Help: "ask for a last line ANSWER: …, or CANNOT ANSWER: " +
				"reason, and read what was answered by it, where it is there; of answers that are stored already, " +
				"read them so (docs/grading.md)"},
		}},
		{Searching, true, []Field{
			{Name: "retrieve", Commas: true, Value: &r.Retrieve.Files, Help: "`FILE` of passages (JSON lines, .gz) " +
				"that are searched for every question, the best put before it (repeatable)"},
			{Name: "retrieve-k", Value: &r.Retrieve.K,
				Help: "passages found for each question; the best is shown, all count in documents.ambiguity_at_k"},
			{Name: "retrieve-form", Value: &r.Retrieve.Form, Help: "layout of the passage: ralm (title and text, as " +
				"published) or passage ([id] text, as a case's own)"},
			{Name: "retrieve-forbid", Value: &r.Retrieve.Forbid,
				Help: "`TITLE` or id of passages that must not be found (repeatable)"},
		}},
		{Posterior, true, []Field{
			{Name: "eps", Value: &r.Posterior.Eps,
				Help: "what is below this quantile of the log-probability is unlikely; .75 follows the error rate"},
			{Name: "also-eps", Value: &r.Posterior.AlsoEps,
				Help: "other eps that the same answers are read at, with commas"},
			{Name: "extend", Value: &r.Posterior.Extend,
				Help: "pairs that the model makes up for each extension, N - n"},
			{Name: "m", Value: &r.Posterior.M, Help: "extensions"},
			{Name: "estimator", Value: &r.Posterior.Estimator,
				Help: "sum: exact sums over the next answer; published: samples, as the source has it"},
			{Name: "k", Value: &r.Posterior.K,
				Help: "answers sampled for the quantile, and again for the rate, by --estimator published"},
			{Name: "answer-tokens", Value: &r.Posterior.AnswerTokens,
				Help: "longest sampled answer; 1: a label by its first token, more: a line of text"},
			{Name: "answer-total", Value: &r.Posterior.Total,
				Help: "compare sampled answers by their whole log-probability, not by its mean per token"},
			{Name: "top-p", Value: &r.Posterior.TopP,
				Help: "of the pairs that are made up; the source's .9 is no sample from the model, 1 is"},
			{Name: "abstain", Value: &r.Posterior.Abstain, Help: "the rate from which a query is better not " +
				"answered; 0: " + strconv.FormatFloat(posterior.DefaultAbstain, 'g', -1, 64)},
			{Name: "at", Value: &r.Posterior.At,
				Help: "shorter extensions after which the labels are asked too, as `2,3`, for a table over lengths"},
		}},
	}
}

// guarded are the fields of what stands around a model, and models beside each other.
func (r *Run) guarded() []part {
	return []part{
		{Guarding, true, []Field{
			{Name: "guard", Value: &r.Guard.On, Help: "put the constraint layer around every model (docs/guard.md)"},
			{Name: guardPrefix + "index", Value: &r.Guard.Index,
				Help: "index `FILE` of what the deployment knows to exist: entities, identifiers, passages"},
			{Name: guardPrefix + "memory", Value: &r.Guard.Memory,
				Help: "memory `FILE` of answers adjudicated before, as hallmark guard remember writes it"},
			{Name: guardPrefix + "coverage", Value: &r.Guard.Coverage,
				Help: "use a part of the index only, in percent, drawn by entity; for ablations"},
			{Name: guardPrefix + "off", Commas: true, Value: &r.Guard.Off,
				Help: "switch off `PART,…`: " + strings.Join(guard.Switches, ", ")},
			{Name: guardPrefix + "candidates", Value: &r.Guard.Candidates,
				Help: "answers adjudicated, the model's own included"},
			{Name: guardPrefix + "phrasings", Value: &r.Guard.Phrasings,
				Help: "other prompt variants with which each question is asked again"},
			{Name: guardPrefix + "agreement", Value: &r.Guard.Agreement,
				Help: "least share of the prompt variants whose answers must agree"},
			{Name: guardPrefix + "repairs", Value: &r.Guard.Repairs,
				Help: "times that reasons are given back to the model"},
		}},
		{Sweeping, true, []Field{
			{Name: "sweep", Value: &r.Sweep.From, Help: "set models beside each other by sparsity or size, those of " +
				"`DIR|FILE`: the stages that model compress wrote into a folder, beside the dense --model, or the " +
				"list of a YAML file (docs/sweep.md)"},
			{Name: "probe", Value: &r.Sweep.Probes, Help: "sweep: measure the cases with one of these tags by " +
				"themselves, as `NAME=TAG+TAG`; TAG* is any tag that begins so (repeatable); default each suite, and " +
				"for pocket facts and arithmetic"},
			{Name: "corpus", Value: &r.Sweep.Corpus, Help: "sweep: give each model's perplexity on the texts of " +
				"`FILE`, {\"text\": …} a line, or of pocket, texts of the built-in model's kind that its trainings " +
				"have not read (docs/sweep.md)"},
		}},
	}
}

// reached are the fields of what changes no result: how models are reached, limits and output.
func (r *Run) reached() []part {
	return []part{
		{Reaching, false, []Field{
			{Name: "key-env", Value: &r.KeyEnv, Help: "environment variable `NAME` that holds the API key; an " +
				"http(s):// model is sent none without it"},
			{Name: "key-cmd", Value: &r.KeyCmd, Help: "`COMMAND` whose output is the API key, in place of --key-env, " +
				"such as 'pass show api'; only typed"},
			{Name: "api", Value: &r.API, Help: "protocol of an http(s):// model: chat or completions"},
			{Name: "pass-env", Commas: true, Value: &r.PassEnv, Help: "environment variables `NAME,…` that exec: " +
				"programs get besides PATH, HOME, TMPDIR and LANG; only typed"},
			{Name: "price", Value: &r.Price, Help: "price of a model in USD per million tokens, as `IN,OUT`; for " +
				"--budget in usd and the spend shown"},
		}},
		{Limits, false, []Field{
			{Name: "concurrency", Short: "j", Value: &r.Concurrency,
				Fault: number("concurrency", r.Concurrency, 0, maxConcurrency),
				Help:  "calls in flight; 0: 16 to a server, one per core in process"},
			{Name: "budget", Value: &r.Budget, Help: "cap on what the run costs, as `5usd,1000000tok,500calls`: " +
				"every request counts, also one that fails, and is sent only if its worst case fits (docs/budget.md)"},
			{Name: "rpm", Value: &r.RPM, Fault: number("rpm", r.RPM, 0, 0),
				Help: "requests a minute to each model; 0 for no limit"},
			{Name: "tpm", Value: &r.TPM, Fault: number("tpm", r.TPM, 0, 0),
				Help: "tokens a minute to each model; 0 for no limit"},
			{Name: "in-flight", Value: &r.InFlight, Fault: number("in-flight", r.InFlight, 0, 0), Help: "calls in " +
				"flight to each model, beside --concurrency; 0 for no limit. With --store postgres://… this, --rpm, " +
				"--tpm and --budget are limits of all processes together (docs/budget.md)"},
			{Name: "max-retries", Value: &r.MaxRetries, Fault: number("max-retries", r.MaxRetries, 0, 0),
				Help: "tries after the first where a failure may pass"},
			{Name: "timeout", Value: &r.Timeout, Fault: CheckTimeout(r.Timeout), Help: "longest wait for one answer"},
			{Name: "retry-errors", Value: &r.RetryErrors,
				Help: "ask again for answers whose stored outcome is a failure"},
			{Name: "offline", Value: &r.Offline, Help: "use stored answers only"},
			{Name: "detach", Value: &r.Detach, Help: "plan the run, put it on the queue of the store for any number " +
				"of `hallmark worker` and return; needs --store postgres://… (docs/workers.md)"},
		}},
		{Output, false, []Field{
			{Name: "allow-unscored", Value: &r.AllowUnscored, Fault: number("allow-unscored", r.AllowUnscored, 0, 0),
				Help: "exit 3 if more answers or verdicts than this are missing"},
			{Name: "fail-on", Often: true, Value: &r.FailOn, Help: "gate: exit 100 if `EXPR` holds for any model, " +
				"such as 'rubric.outcomes.incorrect.hi > 0.05' (repeatable)"},
			{Name: "accept", Value: &r.Accept, Help: "declare a threshold by `EXPR`, such as 'incorrect <= 5%' " +
				"(repeatable): the report says first whether it is met, not met or cannot be said with so many " +
				"cases, and how many would do; only typed"},
			{Name: "name", Value: &r.Name, Fault: checkName(r.Name),
				Help: "call the run `NAME`, by which show, compare and other commands find it; only typed"},
			{Name: "no-report", Value: &r.NoReport, Help: "write no HTML report"},
			{Name: "output", Short: "o", Value: &r.Output, Help: "write the reports of every format into `DIR`"},
			{Name: "verbose", Short: "v", Value: &r.Verbose, Help: "print every figure, and not the verdict alone"},
		}},
	}
}

// CheckTimeout says what is wrong with the longest wait for an answer.
func CheckTimeout(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("--timeout %v: want a time of 0 (no limit) or more, such as 90s", d)
	}
	return nil
}
