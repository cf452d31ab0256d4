package jinja

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"hallmark/internal/archtest"
)

// reference is what testdata/reference.py wrote; the file names the versions.
type reference struct {
	Variables json.RawMessage
	Tokens    map[string]string
	Extra     map[string]any
	Families  map[string][]struct {
		Conversation string
		Messages     []map[string]string
		Prompt       bool
		Want         *string
		Error        string
	}
	Snippets []struct {
		Template, Error string
		Want            *string
	}
}

func load(t testing.TB) (r reference) {
	t.Helper()
	archtest.ReadJSON(t, "testdata/reference.json", &r)
	return r
}

// ordered reads JSON with the order of keys kept, whole numbers whole, and strings as texts from outside.
func ordered(t testing.TB, d *json.Decoder) any {
	t.Helper()
	tok, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch v := tok.(type) {
	case json.Delim:
		if v == '[' {
			out := []any{}
			for d.More() {
				out = append(out, ordered(t, d))
			}
			d.Token()
			return out
		}
		out := NewDict()
		for d.More() {
			key, _ := d.Token()
			out.Set(key.(string), ordered(t, d))
		}
		d.Token()
		return out
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n)
		}
		f, _ := v.Float64()
		return f
	case string:
		return Foreign(v)
	}
	return tok
}

func variables(t testing.TB, data []byte) map[string]any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return ordered(t, d).(*Dict).values
}

func render(source string, vars map[string]any) (Text, error) {
	tpl, err := Parse(source)
	if err != nil {
		return Text{}, err
	}
	return tpl.Render(vars)
}

// TestSnippets: each construct gives Jinja's text, or an error where Jinja has one.
func TestSnippets(t *testing.T) {
	r := load(t)
	if len(r.Snippets) < 70 {
		t.Fatalf("%d snippets", len(r.Snippets))
	}
	refused := map[string]string{ // what Jinja computes and this package says no to
		"{{ 'a' ~ 1 ~ none ~ true ~ 1.0 }}|{{ 'a' 'b' \"c\" }}|{{ 'ab' * 3 }}|{{ [1] + [2] | list }}": "a list is printed",
		"{{ 1_000 + 1 }}{{ 1e3 }}{{ 1.5e-1 }}{{ 0.1 + 0.2 }}{{ 1e20 }}{{ 10 ** 20 }}":                 "too large",
	}
	for _, s := range r.Snippets {
		got, err := render(s.Template, variables(t, r.Variables))
		switch why, known := refused[s.Template]; {
		case known:
			if err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s\n got %q, %v; want a refusal: %s", s.Template, got, err, why)
			}
		case s.Want == nil && err == nil:
			t.Errorf("%s\n got %q, Jinja fails: %s", s.Template, got, s.Error)
		case s.Want != nil && err != nil:
			t.Errorf("%s\n %v, want %q", s.Template, err, *s.Want)
		case s.Want != nil && got.String() != *s.Want:
			t.Errorf("%s\n got %q\nwant %q", s.Template, got, *s.Want)
		}
		if e := new(Error); err != nil && (!errors.As(err, &e) || e.Line < 1) {
			t.Errorf("%s: no line in %q", s.Template, err)
		}
	}
}

// TestFamilies: the layouts of well-known models come out as transformers renders them, and their own refusals too.
func TestFamilies(t *testing.T) {
	r := load(t)
	if len(r.Families) < 11 {
		t.Fatalf("%d families", len(r.Families))
	}
	for name, rows := range r.Families {
		source, err := os.ReadFile("testdata/" + name + ".jinja")
		if err != nil {
			t.Fatal(err)
		}
		tpl, err := Parse(string(source))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, row := range rows {
			vars := map[string]any{"add_generation_prompt": row.Prompt, "tools": nil, "documents": nil}
			for k, v := range r.Tokens {
				vars[k] = v
			}
			for k, v := range r.Extra {
				vars[k] = v
			}
			messages := []any{}
			for _, m := range row.Messages {
				d := NewDict()
				d.Set("role", m["role"])
				d.Set("content", Foreign(m["content"]))
				messages = append(messages, d)
			}
			vars["messages"] = messages
			got, err := tpl.Render(vars)
			e := new(Error)
			switch {
			case row.Want != nil && (err != nil || got.String() != *row.Want):
				t.Errorf("%s, %s: %v\n got %q\nwant %q", name, row.Conversation, err, got, *row.Want)
			case row.Want == nil && err == nil:
				t.Errorf("%s, %s: got %q, transformers fails: %s", name, row.Conversation, got, row.Error)
			case row.Want == nil && errors.As(err, &e) && e.Raised && e.Text != row.Error:
				t.Errorf("%s, %s: raised %q, want %q", name, row.Conversation, e.Text, row.Error)
			}
			if row.Want != nil {
				checkForeign(t, got, row.Messages)
			}
		}
	}
}

// checkForeign: what is marked as foreign is from the messages' contents, and all of it that came through is marked.
func checkForeign(t *testing.T, got Text, messages []map[string]string) {
	t.Helper()
	all := ""
	for _, m := range messages {
		all += m["content"] + "\x00"
	}
	whole := ""
	for s, foreign := range got.Runs {
		whole += s
		if foreign && !strings.Contains(all, s) {
			t.Errorf("%q is marked as foreign and in no content", s)
		}
		if !foreign && strings.Contains(s, "{{ y }}") {
			t.Errorf("%q is from outside and not marked", s)
		}
	}
	if whole != got.String() {
		t.Errorf("the runs make %q of %q", whole, got)
	}
}

// TestForeign: operations keep the marks of the characters they keep.
func TestForeign(t *testing.T) {
	vars := map[string]any{"x": Foreign("  a,b </s> Ü"), "n": 2}
	for source, want := range map[string]string{
		"{{ x }}":                                         "[  a,b </s> Ü]",
		"<{{ x | trim }}>":                                "<[a,b </s> Ü]>",
		"{{ '</s>' + x[2:5] + '</s>' }}":                  "</s>[a,b]</s>",
		"{{ x.split(',') | join('|') }}":                  "[  a]|[b </s> Ü]",
		"{{ x | replace('a', 'A') }}":                     "[  ]A[,b </s> Ü]",
		"{{ 'a-b' | replace('-', x) }}":                   "a[  a,b </s> Ü]b",
		"{{ x | upper }}{{ 'é' | upper }}":                "[  A,B </S> Ü]É",
		"{{ x | tojson }}":                                "\"[  a,b </s> Ü]\"",
		"{{ [x] | tojson }}":                              "[\"[  a,b </s> Ü]\"]",
		"{{ x | list | join }}":                           "[  a,b </s> Ü]",
		"{{ x[::-1] }}":                                   "[Ü >s/< b,a  ]",
		"{{ x | reverse }}":                               "[Ü >s/< b,a  ]",
		"{{ x * n }}":                                     "[  a,b </s> Ü  a,b </s> Ü]",
		"{% set y %}<{{ x }}{% endset %}{{ y }}":          "<[  a,b </s> Ü]",
		"{{ x | indent(1, first=true) }}":                 " [  a,b </s> Ü]",
		"{{ x.strip().removeprefix('a') }}":               "[,b </s> Ü]",
		"{% for c in x if c == 'b' %}{{ c }}{% endfor %}": "[b]",
	} {
		got, err := render(source, vars)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		var b strings.Builder
		for s, foreign := range got.Runs {
			if foreign {
				s = "[" + s + "]"
			}
			b.WriteString(s)
		}
		if b.String() != want {
			t.Errorf("%s\n got %s\nwant %s", source, b.String(), want)
		}
	}
}

// TestRefuses: what is not understood is named, with its line.
func TestRefuses(t *testing.T) {
	for source, want := range map[string]string{
		"a\n{% include 'x' %}":                          "line 2: {% include %} is not understood",
		"{% extends 'x' %}":                             "{% extends %}",
		"{% import 'x' as y %}":                         "{% import %}",
		"{% block x %}{% endblock %}":                   "{% block %}",
		"{% raw %}x{% endraw %}":                        "{% raw %}",
		"{% call m() %}{% endcall %}":                   "{% call %}",
		"\n\n{{ 'x' | pprint }}":                        `line 3: the filter "pprint" is not understood`,
		"{{ 'x' is escaped }}":                          `the test "escaped"`,
		"{{ strftime_now('%Y') }}":                      "strftime_now asks for today's date",
		"{{ 'x'.encode() }}":                            "the string method encode",
		"{{ 'x'.__class__ }}{{ ''.__class__.__mro__ }}": "__class__ is undefined",
		"{{ [].append(1) }}":                            "the list method append",
		"{{ {}.update({}) }}":                           "the dict method update",
		"{{ '%s' % 1 }}":                                "formatting by % is not understood",
		"{{ [1] }}":                                     "a list is printed",
		"{% for x in y recursive %}{% endfor %}":        "a recursive loop",
		"{{ f(*x) }}":                                   "arguments from a list",
		"{% set x.y = 1 %}":                             "x is no namespace",
		"{{ {1: 2} }}":                                  "keys other than strings",
		"{{ 'a' | tojson(separators=1) }}":              "separators",
		"{{ lipsum() }}":                                "lipsum is undefined",
		"{% break %}":                                   "break outside a loop",
		"{{ x":                                          "does not end with }}",
		"{# x":                                          "a comment that does not end",
		"{% for x in y %}":                              "the template ends; want {% endfor %}",
		"{{ 1 $ 2 }}":                                   `unexpected '$'`,
		"{{ (1] }}":                                     `"]" closes nothing`,
		"{{ 99999999999999999999 }}":                    "too large",
		"{{ 9223372036854775807 + 1 }}":                 "too large",
		"{{ '\\ud800' }}":                               "is no character",
	} {
		if _, err := render(source, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
}

// hostile templates want all the time or memory there is.
// fill repeats s to about the length a template may have.
func fill(s string) string { return strings.Repeat(s, maxSource*3/4/len(s)) }

var hostile = map[string]string{
	"range": "{% for x in range(10**9) %}x{% endfor %}",
	"range of range": "{% for x in range(1000000) %}{% for y in range(1000000) %}{% for z in range(1000000) %}{% " +
		"endfor %}{% endfor %}{% endfor %}",
	"nested loops":   strings.Repeat("{% for x in range(100) %}", 20) + strings.Repeat("{% endfor %}", 20),
	"doubling":       "{% set ns = namespace(s='ab') %}{% for x in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
	"doubling lists": "{% set ns = namespace(s=[1]) %}{% for x in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
	"shared lists": "{% set ns = namespace(s=[1]) %}{% for x in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% endfor " +
		"%}{{ ns.s | tojson }}",
	"compared lists": "{% set ns = namespace(s=[1], t=[1]) %}{% for x in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% " +
		"set ns.t = [ns.t, ns.t] %}{% endfor %}{{ ns.s == ns.t }}",
	"times":         "{{ 'x' * 10**12 }}",
	"times twice":   "{{ ('x' * 10**6) * 10**6 }}",
	"replace":       "{{ ('x' * 10**6) | replace('x', 'y' * 10**6) }}",
	"join":          "{{ range(100000) | join('x' * 100000) }}",
	"indent":        "{{ ('a\\n' * 100000) | indent(100000) }}",
	"json":          "{{ [[[1]]] | tojson(indent=10**9) }}{{ ('\\n' * 10**8) | tojson }}",
	"recursion":     "{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}",
	"mutual":        "{% macro a(n) %}{{ b(n) }}{% endmacro %}{% macro b(n) %}{{ a(n) }}{% endmacro %}{{ a(1) }}",
	"branching":     "{% macro m(n) %}{% if n %}{{ m(n-1) }}{{ m(n-1) }}{% endif %}{% endmacro %}{{ m(39) }}",
	"power":         "{{ 10**10**10**10 }}",
	"deep brackets": "{{ " + strings.Repeat("(", 100000) + "1" + strings.Repeat(")", 100000) + " }}",
	"deep lists":    "{{ " + fill("["),
	"deep blocks":   fill("{% if 1 %}"),
	"many nots":     "{{ " + fill("not ") + "1 }}",
	"many minuses":  "{{ " + fill("-") + "1 }}",
	"long sum":      "{{ 1" + fill("+1") + " }}",
	"long pipe":     "{{ 1" + fill("|abs") + " }}",
	"long fields":   "{{ a" + fill(".a") + " }}",
	"long or":       "{{ 0" + fill(" or 0") + " }}",
	"long if":       "{{ 0" + fill(" if 0") + " }}",
	"long tests":    "{{ 0" + fill(" is number") + " }}",
	"long compare":  "{{ 1" + fill("==1") + " }}",
	"many elifs":    "{% if 0 %}" + fill("{% elif 0 %}") + "{% endif %}",
	"huge":          strings.Repeat("x", maxSource+1),
	"characters":    "{% set x = 'x' * 1000000 %}{% for i in range(1000) %}{% for c in x %}{% endfor %}{% endfor %}",
	"searches": "{% set x = 'x' * 1000000 %}{% for i in range(100000) %}{{ x.find('y') }}{{ 'y' in x }}{{ x[0] " +
		"}}{{ x[500000:500001] }}{% endfor %}",
	"equal": "{% set x = 'x' * 1000000 %}{% set y = 'x' * 1000000 %}{% for i in range(100000) %}{{ x == y }}{{ x < " +
		"y }}{{ x.startswith(y) }}{% endfor %}",
	"trims": "{% set x = ' ' * 1000000 %}{% for i in range(100000) %}{{ x | trim }}{{ x | int }}{{ x | length }}{% " +
		"endfor %}",
	"long keys": "{% set x = 'x' * 1000000 %}{% set d = {x: 1} %}{% for i in range(100000) %}{{ d[x] }}{{ x in d }}{% " +
		"endfor %}",
	"cases": "{% set x = 'x' * 1000000 %}{% for i in range(100000) %}{{ x.isupper() }}{{ x.isdigit() }}{{ [x, x] | " +
		"sort | length }}{% endfor %}",
	"splits":   "{% for i in range(1000) %}{{ ('a,' * 100000).split(',') | length }}{% endfor %}",
	"unique":   "{{ range(100000) | unique | length }}",
	"sort":     "{% for i in range(1000) %}{{ range(100000) | sort | first }}{% endfor %}",
	"contains": "{% set r = range(100000) %}{% for i in r %}{{ -1 in r }}{% endfor %}",
}

// TestHostile: each ends within bounded memory, by an error unless the work is small. What no step counts would run
// into the limit of go test.
func TestHostile(t *testing.T) {
	harmless := map[string]bool{"many elifs": true, "long compare": true}
	for name, source := range hostile {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := render(source, nil)
		runtime.ReadMemStats(&after)
		if err == nil && !harmless[name] {
			t.Errorf("%s: no error", name)
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
		}
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 600 {
			t.Errorf("%s allocated %d MB", name, mb)
		}
		t.Logf("%-15s %4d MB: %v", name, (after.TotalAlloc-before.TotalAlloc)>>20, err)
	}
}

// TestSharedValues: a value that holds another many times over, to 2^40 in all, is built in a few bytes. Whatever
// looks through it counts each visit, so it ends; whatever only hands it on has no reason to look.
func TestSharedValues(t *testing.T) {
	const (
		build = "{% set s = namespace(d={}, e={}, l=[1], k=[1]) %}{% for i in range(40) %}" +
			"{% set s.d = {'a': s.d, 'b': s.d} %}{% set s.e = dict(a=s.e, b=s.e) %}{% set s.l = [s.l, s.l] %}{% set s.k = [s.k, s.k] %}{% endfor %}"
		counted, refused, harmless = "more than", "not", ""
	)
	long := "{% set x = 'x' * 1000000 %}{% for i in range(900000) %}"
	for source, want := range map[string]string{
		build + "{{ s.d | tojson | length }}":                         counted,
		build + "{{ s.l | tojson(indent=2) | length }}":               counted,
		build + "{{ [s] | map(attribute='d') | list | tojson }}":      counted,
		build + "{{ [s.l] | map('tojson') | join }}":                  counted,
		build + "{{ s.d == s.e }}":                                    counted,
		build + "{{ s.l != s.k }}":                                    counted,
		build + "{{ s.l in [s.k] }}":                                  counted,
		build + "{{ s.l in [s.k, s.l] }}":                             counted,
		build + "{{ [s.l] | select('equalto', s.k) | length }}":       counted,
		build + "{{ [s.d] | rejectattr('a', 'eq', s.e.a) | length }}": counted,
		build + "{{ [s] | selectattr('l', 'in', [s.k]) | length }}":   counted,
		build + "{{ s.d }}":                                           refused,
		build + "{{ s.l ~ '' }}":                                      refused,
		build + "{{ s.l | string }}":                                  refused,
		build + "{{ s.l | join(',') }}":                               refused,
		build + "{{ ','.join(s.l) }}":                                 refused,
		build + "{{ s.l | sort }}":                                    refused,
		build + "{{ s.l | unique }}":                                  refused,
		build + "{{ s.l | max }}":                                     refused,
		build + "{{ s.l | sum }}":                                     refused,
		build + "{{ s.l < s.k }}":                                     refused,
		build + "{{ s.l | replace('a', 'b') }}":                       refused,
		build + "{{ s.d | length }}":                                  harmless,
		build + "{{ s.d | items | length }}":                          harmless,
		build + "{{ s.d.values() | length }}":                         harmless,
		build + "{{ s.d | dictsort | length }}":                       harmless,
		build + "{{ s.l | list | reverse | length }}":                 harmless,
		build + "{{ (s.l + s.k)[1:] | length }}":                      harmless,
		build + "{{ dict(a=s.d, b=namespace(c=s.l)).a|length }}":      harmless,
		build + "{% for x in s.l %}{{ x | length }}{% endfor %}":      harmless,

		"{% set n = namespace(a=[], b=[]) %}{% for i in range(3000) %}{% set n.a = [n.a] %}{% set n.b = [n.b] %}{% endfor " +
			"%}{{ n.a == n.b }}": counted,
		"{% set x = 'x' * 10000000 %}{{ ('y' * 10000000 ~ x).strip(x ~ 'y') }}":                                 counted,
		long + "{% if {'a': 1}.get(x) %}{% endif %}{% endfor %}":                                                counted,
		long + "{% if x.isupper() or x.islower() %}{% endif %}{% endfor %}":                                     counted,
		long + "{% if namespace()[x] %}{% endif %}{% endfor %}":                                                 counted,
		"{% set l = range(100000) | map('string') | list %}{% for i in l %}{{ 'x'.startswith(l) }}{% endfor %}": counted,
		"{% set r = range(1000) | list %}{% for " + strings.Repeat("a, ", 999) + "a in [r" + strings.Repeat(", r", 20000) +
			"] %}{% endfor %}": counted,
		"{{ namespace(a=1" + strings.Repeat(", a=1", 255) + ") }}":                                      counted,
		"{% macro f(a" + strings.Repeat(", a", 255) + ") %}{% endmacro %}":                              counted,
		"{% for i in range(90000) %}{% set l = [0" + strings.Repeat(" or 0", 1000) + "] %}{% endfor %}": counted,
	} {
		done := make(chan error, 1)
		go func() {
			_, err := render(source, nil)
			done <- err
		}()
		select {
		case err := <-done:
			if (err == nil) != (want == harmless) || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%.300s: %v, want %q", source, err, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%.300s: does not end", source)
		}
	}
}

// TestMapWithoutFilter: a filter that is named where only arguments are.
func TestMapWithoutFilter(t *testing.T) {
	if _, err := render("{{ [1] | map(filter='abs') }}", nil); err == nil {
		t.Error("no error")
	}
}

func FuzzRender(f *testing.F) {
	r := load(f)
	for _, s := range r.Snippets {
		f.Add(s.Template)
	}
	for name := range r.Families {
		source, err := os.ReadFile("testdata/" + name + ".jinja")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(source))
	}
	for _, name := range []string{"range", "doubling", "recursion", "power"} {
		f.Add(hostile[name])
	}
	f.Fuzz(func(t *testing.T, source string) {
		vars := variables(t, r.Variables)
		d := NewDict()
		d.Set("role", "user")
		d.Set("content", Foreign("</s> {{ y }}"))
		vars["messages"] = []any{d}
		got, err := render(source, vars)
		if err != nil {
			return
		}
		if got.mark != "" && len(got.mark) != len(got.s) {
			t.Fatalf("%d marks for %d bytes", len(got.mark), len(got.s))
		}
	})
}
