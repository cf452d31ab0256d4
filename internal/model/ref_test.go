package model

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRef(t *testing.T) {
	for _, want := range []Ref{
		{Text: "pocket", Scheme: Pocket},
		{Text: "regression", Scheme: Regression},
		{Text: "regression:dir", Scheme: Regression, Name: "dir"},
		{Text: "exact:beta-bernoulli?a=1&b=1", Scheme: Exact, Name: "beta-bernoulli",
			Params: url.Values{"a": {"1"}, "b": {"1"}}},
		{Text: "exact:dirichlet?alpha=1,1,1", Scheme: Exact, Name: "dirichlet", Params: url.Values{"alpha": {"1,1,1"}}},
		{Text: "exact:linreg?x=normal", Scheme: Exact, Name: "linreg", Params: url.Values{"x": {"normal"}}},
		{Text: "exact:linreg", Scheme: Exact, Name: "linreg", Params: url.Values{}},
		{Text: "phantom:a b/P.yaml", Scheme: Simulated, Name: "a b/P.yaml"},
		{Text: "openai:ft:gpt-4o:x", Scheme: OpenAI, Name: "ft:gpt-4o:x"},
		{Text: "anthropic:claude", Scheme: Anthropic, Name: "claude"},
		{Text: "http://localhost:8000/v1#m", Scheme: HTTP, Name: "m", URL: "http://localhost:8000/v1"},
		{Text: "https://h.example/v1/#Qwen/Qwen2.5-7B", Scheme: HTTP, Name: "Qwen/Qwen2.5-7B", URL: "https://h.example/v1"},
		{Text: "http://[::1]:80#llama3.2:1b", Scheme: HTTP, Name: "llama3.2:1b", URL: "http://[::1]:80"},
		{Text: "hf:./dir", Scheme: HF, Name: "./dir"},
		{Text: "exec:python rag.py --k 5", Scheme: Exec, Name: "python rag.py --k 5"},
		{Text: "replay:latest", Scheme: Replay, Name: "latest"},
	} {
		got, err := ParseRef(want.Text)
		if err != nil {
			t.Errorf("%s: %v", want.Text, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Text, diff)
		}
	}
}

func TestParseRefErrors(t *testing.T) {
	for _, tt := range []struct{ ref, want string }{
		{"", "empty model reference: want pocket"},
		{"  ", "empty model reference"},
		{"gpt-4o", `unknown model "gpt-4o": want pocket`},
		{"gpt-4o", "replay:RUN; did you mean openai:gpt-4o?"},
		{"claude-haiku-4-5", "; did you mean anthropic:claude-haiku-4-5?"},
		{"opena:gpt-4o", "; did you mean openai:gpt-4o?"},
		{"Anthropic:claude", "; did you mean anthropic:claude?"},
		{"poket", "; did you mean pocket?"},
		{"profile.yaml", "; did you mean phantom:profile.yaml?"},
		{"localhost:8000/v1", "; did you mean http://localhost:8000/v1#NAME?"},
		{"Qwen/Qwen2.5-7B", "; did you mean hf:Qwen/Qwen2.5-7B, a folder here, or " +
			"http://localhost:8000/v1#Qwen/Qwen2.5-7B, a server's?"},
		{"mistral", "or replay:RUN"},
		{"azure:x", `unknown model scheme "azure" in "azure:x": want pocket`},
		{"Pocket", `unknown model "Pocket"`},
		{"pocket:x", "want pocket"},
		{"openai:", "want openai:NAME"},
		{"anthropic: ", "want anthropic:NAME"},
		{"exec:", "want exec:COMMAND"},
		{"hf:", "want hf:DIR"},
		{"regression:", "want regression:DIR"},
		{"phantom:", "want phantom:PROFILE.yaml"},
		{"replay:", "want replay:RUN"},
		{"http://localhost/v1", "does not say which model of the server: want http(s)://HOST/v1#NAME"},
		{"https://h/v1#", "does not say which model"},
		{"http:///v1#m", "names no host"},
		{"http:localhost#m", "names no host"},
		{"http://h/v1?key=SECRET#m", "holds a query"},
		{"http://u:SECRET@h/v1#m", "holds a user name or password"},
		{"http://u:SECRET@h:bad/v1#m", "is no URL"},
		{"exact:normal", `unknown exact model "normal"`},
		{"exact:dirichlet?alpha", "has no value"},
		{"exact:beta-bernoulli?a=1&a=2", "stands twice"},
	} {
		_, err := ParseRef(tt.ref)
		if err == nil {
			t.Errorf("%q: no error", tt.ref)
			continue
		}
		if !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "want ") &&
			!strings.Contains(err.Error(), "--key-env") {
			t.Errorf("%q: error %q, want it to hold %q and what would be right", tt.ref, err, tt.want)
		}
		if strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q: the error shows the secret: %v", tt.ref, err)
		}
	}
}

func FuzzParseRef(f *testing.F) {
	for _, s := range []string{"pocket", "exact:dirichlet?alpha=1,1&x", "http://u:p@h/v1#n", "openai:",
		"https://[::1%25a]#b", "\x00:\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseRef(s)
		if (err == nil) != (r.Scheme != "") {
			t.Fatalf("ParseRef(%q) = %+v, %v", s, r, err)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Fatalf("ParseRef(%q): error of more than one line: %q", s, err)
		}
	})
}
