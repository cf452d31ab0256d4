package model

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"

	"hallmark/internal/base/strictyaml"
	"hallmark/internal/text/secret"
)

// A Scheme is the part of a model reference that says which backend answers.
type Scheme string

// The schemes of model references.
const (
	Pocket    Scheme = "pocket"    // the built-in model, in process
	Exact     Scheme = "exact"     // a Bayesian reference model with a known posterior
	Simulated Scheme = "phantom"   // a simulated model whose true rates are set by hand
	OpenAI    Scheme = "openai"    // the OpenAI API, or the server that OPENAI_BASE_URL names
	Anthropic Scheme = "anthropic" // the Anthropic API
	HTTP      Scheme = "http"      // any OpenAI-compatible server; http and https
	HF        Scheme = "hf"        // a Hugging Face checkpoint folder, in process
	// Regression is the built-in regression model, or a folder that `hallmark model train regression` wrote, in
	// process.
	Regression Scheme = "regression"
	Exec       Scheme = "exec"   // a program that speaks docs/exec.md
	Replay     Scheme = "replay" // the stored answers of an earlier run
)

// refForms shows one right reference of each scheme, in the order of the documentation.
const refForms = "pocket, exact:NAME?PARAMETERS, phantom:PROFILE.yaml, openai:NAME, anthropic:NAME, " +
	"http(s)://HOST/v1#NAME, hf:DIR, regression or regression:DIR, exec:COMMAND or replay:RUN"

// exactNames are the models of the exact scheme.
var exactNames = []string{"beta-bernoulli", "dirichlet", "linreg", "relu"}

// A Ref is a parsed model reference. Parsing opens no file and no connection.
type Ref struct {
	Text   string // the reference as it was written
	Scheme Scheme
	// Name is what the scheme needs: the model's name at a server, a file, a folder, a command, a run or the name of an
	// exact model; empty for what is built in.
	Name string
	// URL is the base address of an HTTP reference, without a slash at its end, as in http://localhost:8000/v1.
	URL string
	// Params are the parameters of an Exact reference, each once.
	Params url.Values
}

// String returns the reference as it was written, but for what looks like a secret in a command.
func (r Ref) String() string {
	if r.Scheme == Exec {
		return secret.Shown(r.Text)
	}
	return r.Text
}

// ParseRef reads a model reference. Its error says in one line what is wrong and what would be right.
func ParseRef(s string) (Ref, error) {
	if strings.TrimSpace(s) == "" {
		return Ref{}, fmt.Errorf("empty model reference: want %s", refForms)
	}
	r := Ref{Text: s}
	if s == string(Pocket) || s == string(Regression) {
		r.Scheme = Scheme(s)
		return r, nil
	}
	scheme, rest, found := strings.Cut(s, ":")
	if !found {
		return Ref{}, fmt.Errorf("unknown model %q: want %s%s", s, refForms, meant(s))
	}
	r.Scheme, r.Name = Scheme(scheme), rest
	switch r.Scheme {
	case "https", HTTP:
		return parseHTTP(r)
	case Exact:
		return parseExact(r)
	case Pocket:
		return Ref{}, fmt.Errorf("model %q: pocket takes nothing after it: want pocket", s)
	case Simulated, OpenAI, Anthropic, HF, Regression, Exec, Replay:
		if strings.TrimSpace(rest) == "" {
			return Ref{}, fmt.Errorf("model %q names nothing: want %s", s, map[Scheme]string{
				Simulated: "phantom:PROFILE.yaml", OpenAI: "openai:NAME", Anthropic: "anthropic:NAME",
				HF: "hf:DIR", Regression: "regression:DIR", Exec: "exec:COMMAND", Replay: "replay:RUN",
			}[r.Scheme])
		}
		return r, nil
	}
	return Ref{}, fmt.Errorf("unknown model scheme %q in %q: want %s%s", scheme, s, refForms, meant(s))
}

// families are how the names of models begin that a hosted API has.
var families = []struct {
	begins string
	scheme Scheme
}{
	{"gpt-", OpenAI}, {"gpt4", OpenAI}, {"chatgpt-", OpenAI}, {"o1", OpenAI}, {"o3", OpenAI}, {"o4", OpenAI},
	{"ft:gpt-", OpenAI}, {"claude-", Anthropic},
}

// meant ends the message about what is no reference with the reference that it most likely stands for, "" where
// nothing is like it.
func meant(s string) string {
	ref, lower := "", strings.ToLower(s)
	scheme, rest, schemed := strings.Cut(s, ":")
	near, ok := strictyaml.Nearest(scheme, []string{string(Simulated), string(OpenAI), string(Anthropic), string(HF),
		string(Exec), string(Replay), string(Exact)})
	switch {
	case strings.HasSuffix(lower, ".yaml"), strings.HasSuffix(lower, ".yml"):
		ref = "phantom:" + s
	case strings.HasPrefix(lower, "localhost:"), strings.HasPrefix(lower, "127.0.0.1:"):
		ref = "http://" + s + "#NAME"
	case schemed && rest != "" && ok && strictyaml.Typos(strings.ToLower(scheme), near) <= 2:
		ref = near + ":" + rest
	case !schemed && strictyaml.Typos(lower, string(Pocket)) <= 2:
		ref = string(Pocket)
	case strings.Contains(s, "/"):
		return "; did you mean hf:" + s + ", a folder here, or http://localhost:8000/v1#" + s + ", a server's?"
	}
	for _, f := range families {
		if ref == "" && strings.HasPrefix(lower, f.begins) {
			ref = string(f.scheme) + ":" + s
		}
	}
	if ref == "" {
		return ""
	}
	return "; did you mean " + ref + "?"
}

// Family returns the family of a model by its reference or its bare name, such as gpt of openai:gpt-4o-mini and of
// gpt-4o: the letters that the last part of its name begins with; "" where there are fewer than three, or a name says
// nothing.
func Family(ref string) string {
	name := strings.TrimPrefix(ref, "import:")
	switch scheme, rest, found := strings.Cut(ref, ":"); Scheme(scheme) {
	case Exec, Simulated, Exact, Pocket, Regression, Replay:
		return ""
	case OpenAI, Anthropic, HF, HTTP, "https":
		if found {
			name = rest
		}
	}
	name = strings.ToLower(name[strings.LastIndexAny(name, "/#")+1:])
	if end := strings.IndexFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }); end >= 0 {
		name = name[:end]
	}
	if len(name) < 3 {
		return ""
	}
	return name
}

func parseHTTP(r Ref) (Ref, error) {
	const want = "want http(s)://HOST/v1#NAME"
	u, err := url.Parse(r.Text)
	switch {
	case err != nil:
		// The error of url.Parse quotes the whole address, and so a password in it.
		return Ref{}, fmt.Errorf("model address is no URL: %s", want)
	case u.User != nil:
		return Ref{}, fmt.Errorf("model %q holds a user name or password: put the key in an environment variable "+
			"and name that with --key-env", u.Redacted())
	case u.RawQuery != "" || u.ForceQuery:
		return Ref{}, fmt.Errorf(
			"model address at %q holds a query: %s, and a key in the environment variable that --key-env names",
			u.Host, want)
	case u.Hostname() == "":
		return Ref{}, fmt.Errorf("model %q names no host: %s", r.Text, want)
	case u.Fragment == "":
		return Ref{}, fmt.Errorf("model %q does not say which model of the server: %s", r.Text, want)
	}
	r.Scheme, r.Name = HTTP, u.Fragment
	u.Fragment, u.RawFragment = "", ""
	r.URL = strings.TrimRight(u.String(), "/")
	return r, nil
}

func parseExact(r Ref) (Ref, error) {
	name, query, _ := strings.Cut(r.Name, "?")
	if !slices.Contains(exactNames, name) {
		return Ref{}, fmt.Errorf("unknown exact model %q in %q: want exact:%s", name, r.Text,
			strings.Join(exactNames, ", exact:"))
	}
	// A "+" is a plus sign and ";" a character here, so the query is not that of a web form.
	r.Name, r.Params = name, url.Values{}
	for part := range strings.SplitSeq(query, "&") {
		if part == "" {
			continue
		}
		k, v, ok := strings.Cut(part, "=")
		if !ok || k == "" {
			return Ref{}, fmt.Errorf("model %q: parameter %q has no value: want NAME=VALUE, joined by &", r.Text, part)
		}
		if r.Params.Has(k) {
			return Ref{}, fmt.Errorf("model %q: parameter %q stands twice: want it once", r.Text, k)
		}
		r.Params.Set(k, v)
	}
	return r, nil
}

// Kinds lists the kinds of references for people, as a document and as a table.
func Kinds() (document any, text string) {
	kinds := [][2]string{
		{"pocket", "the built-in calibration model about a fictional world, in process"},
		{"hf:DIR", "a Hugging Face checkpoint folder (Llama, Qwen2, Qwen3), in process"},
		{"http(s)://HOST/v1#NAME", "any OpenAI-compatible server"},
		{"openai:NAME", "the OpenAI API, or the server in OPENAI_BASE_URL; key in OPENAI_API_KEY"},
		{"anthropic:NAME", "the Anthropic API; key in ANTHROPIC_API_KEY"},
		{"regression",
			"the built-in regression model, or regression:DIR one that `model train regression` made; for analyze"},
		{"exec:COMMAND", "a program, for any pipeline: JSON lines in and out (docs/exec.md)"},
		{"phantom:PROFILE.yaml", "a simulated model whose true rates are set by hand"},
		{"replay:RUN", "the stored answers of an earlier run"},
	}
	var list []map[string]string
	var b strings.Builder // takes all
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, k := range kinds {
		list = append(list, map[string]string{"reference": k[0], "about": k[1]})
		fmt.Fprintf(w, "%s\t%s\n", k[0], k[1])
	}
	w.Flush()
	return map[string]any{"models": list}, b.String()
}
