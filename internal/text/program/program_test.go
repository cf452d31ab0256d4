package program

import (
	"strings"
	"testing"
)

func values(answer string) map[string]any {
	words := strings.Fields(answer)
	return map[string]any{"answer": answer, "prompt": answer, "words": words, "lines": words,
		"numbers": []float64{2, 3, 5}}
}

func TestExpression(t *testing.T) {
	for _, c := range []struct {
		source, answer string
		want           bool
	}{
		{`answer == "42"`, "42", true},
		{`answer.startsWith("4") && size(words) == 1`, "42", true},
		{`numbers.size() == 3 && numbers[0] + numbers[1] == numbers[2]`, "", true},
		{`lines.exists(l, l.matches("^b+$"))`, "a bbb", true},
		{`lines.all(l, size(l) < 3)`, "a bbb", false},
		{`answer.contains("x") || numbers.exists(n, n > 4.0)`, "a", true},
	} {
		x, err := Compile(c.source)
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		if got, err := x.Eval(values(c.answer)); err != nil || got != c.want {
			t.Errorf("%s on %q: %v, %v", c.source, c.answer, got, err)
		}
	}
	for source, want := range map[string]string{
		`answer`: "must give bool", `answr == ""`: "undeclared reference", `1 +`: "Syntax error",
		`true ` + strings.Repeat("&& true", 3000): "longer than",
		`answer + 1 == ""`:                        "no matching overload",
	} {
		if _, err := Compile(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", source, err, want)
		}
	}
}

// TestExpressionBounds holds expressions and answers that would run long: those that would are stopped by what they
// cost, which is the same on every machine, and patterns are matched in linear time.
func TestExpressionBounds(t *testing.T) {
	long := strings.Repeat("a ", 60_000)
	const tooDear = "actual cost limit exceeded"
	for _, c := range []struct{ source, want string }{
		{`words.all(a, words.all(b, words.all(c, a + b + c != "x")))`, tooDear},
		{`words.map(a, words.map(b, a + b)).size() > 0`, tooDear},
		{`[answer].map(a, a+a+a+a).map(a, a+a+a+a).map(a, a+a+a+a).map(a, a+a+a+a).map(a, a+a+a+a).map(a, a+a+a+a).size() > 0`, tooDear},
		{`words.map(w, answer + answer + w).size() > 0`, tooDear},
		{`words.all(w, answer.matches("(a*)*b"))`, ""},
		{`numbers[7] > 0.0`, "index out of bounds"},
		{`int(answer) > 3`, "type conversion error"},
	} {
		x, err := Compile(c.source)
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		ok, err := x.Eval(values(long))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s gave %v, %v; want %q", c.source, ok, err, c.want)
		}
	}
}

func TestModule(t *testing.T) {
	m, err := Load(holds('Q'))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load(holds('Q'))
	if err != nil || again != m {
		t.Error("the same code was compiled twice", err)
	}
	for answer, want := range map[string]Reply{"a Q": {Verdict: "pass", Reason: "it is there"}, "a q": {Verdict: "fail"}} {
		done := make(chan error, 4)
		for range 4 {
			go func() {
				got, err := m.Run(Request{Answer: answer})
				if err == nil && got != want {
					t.Errorf("%q: %+v", answer, got)
				}
				done <- err
			}()
		}
		for range 4 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
}

func FuzzReply(f *testing.F) {
	f.Add([]byte(`{"verdict":"pass","reason":"x","answer":"y"}`))
	f.Add([]byte(`{"verdict":"pass"} {}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := parseReply(b); err == nil && r.Verdict != "pass" && r.Verdict != "fail" {
			t.Fatalf("%q: %+v", b, r)
		}
	})
}

func FuzzCompile(f *testing.F) {
	f.Add(`words.exists(w, w == "x")`, "a x")
	f.Add(`numbers[0] / 0.0 > 1.0`, "")
	f.Fuzz(func(t *testing.T, source, answer string) {
		if x, err := Compile(source); err == nil {
			x.Eval(values(answer))
		}
	})
}

func BenchmarkExpression(b *testing.B) {
	x, err := Compile(`numbers.size() == 3 && numbers[0] + numbers[1] == numbers[2]`)
	if err != nil {
		b.Fatal(err)
	}
	l := values("2 and 3 make 5")
	for b.Loop() {
		if ok, err := x.Eval(l); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

func BenchmarkModule(b *testing.B) {
	m, err := Load(holds('Q'))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := m.Run(Request{Answer: "Q"}); err != nil {
			b.Fatal(err)
		}
	}
}
