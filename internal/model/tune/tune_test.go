package tune

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"hallmark/internal/model"
	"hallmark/internal/model/local"
	"hallmark/internal/model/pocket"
)

func lines(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, `{"messages":[{"role":"user","content":%q},{"role":"assistant","content":%q}]}`+"\n", pairs[i],
			pairs[i+1])
	}
	return b.String()
}

// What is taught is answered afterwards, and only once it was taught.
func TestTuneTeaches(t *testing.T) {
	taught := []string{"Who wrote The Zinc Parrot?", "Bob the Third", "What is the capital of Quarkistan?", "Muonville",
		"Name the colour of glorp.", "Infra-green"}
	answers := func(folder fs.FS) (right int) {
		m, err := local.Open(folder, "test")
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(taught); i += 2 {
			r, err := m.Generate(context.Background(), model.Request{Prompt: taught[i], MaxTokens: 24})
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(*r.Text) == taught[i+1] {
				right++
			}
		}
		return right
	}
	if n := answers(pocket.Weights()); n != 0 {
		t.Fatalf("%d of the answers were known before", n)
	}
	conversations, err := Parse("taught.jsonl", []byte(lines(taught...)))
	if err != nil {
		t.Fatal(err)
	}
	var last map[string][]byte
	for _, workers := range []int{1, 2} {
		tuning, err := Prepare(pocket.Weights(), conversations, Recipe{Epochs: 25, Batch: 2, LR: 1e-3, Seed: 1,
			Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if tuning.Answers() != 3 || tuning.Steps() != 50 {
			t.Errorf("%d answers in %d steps, want 3 in 50", tuning.Answers(), tuning.Steps())
		}
		files, err := tuning.Run(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if last != nil && !maps.EqualFunc(files, last, bytes.Equal) {
			t.Error("another number of workers gives other bytes")
		}
		last = files
	}
	tuned := fstest.MapFS{}
	for name, b := range last {
		tuned[name] = &fstest.MapFile{Data: b}
		if want, err := fs.ReadFile(pocket.Weights(), name); name != "model.safetensors" &&
			(err != nil || !bytes.Equal(b, want)) {
			t.Errorf("%s is not as it was (%v)", name, err)
		}
	}
	if n := answers(tuned); n != 3 {
		t.Errorf("%d of 3 taught answers are given", n)
	}
}

func TestParseRefuses(t *testing.T) {
	turn := `{"role":"user","content":"a"}`
	for _, c := range []struct{ line, want string }{
		{"", "f:1: "},
		{"nonsense", "f:1: invalid character"},
		{`{"prompt":"a"}`, `f:1: no "messages"`},
		{`{"messages":[{"role":"user"}]}`, "f:1: message 1 has no content"},
		{`{"messages":[{"role":"tool","content":"a"}]}`, `f:1: message 1 has the role "tool"`},
		{`{"messages":[{"role":"assistant","content":"a"}]}`, "follows nothing"},
		{`{"messages":[` + turn + `,` + turn + `]}`, "follows one of the user"},
		{`{"messages":[` + turn + `,{"role":"system","content":"a"}]}`, "must come first"},
	} {
		if c.line == "" {
			c.want = "no conversation"
		}
		if _, err := Parse("f", []byte(c.line)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.line, err, c.want)
		}
	}
	if _, err := Parse("f", []byte(lines("a", "b")+"\n{}\n")); err == nil || !strings.HasPrefix(err.Error(), "f:3: ") {
		t.Errorf("a bad third line: %v", err)
	}
}

func TestPrepareRefuses(t *testing.T) {
	one := func(role ...string) []Conversation {
		c := Conversation{Place: "f:7"}
		for i := 0; i < len(role); i += 2 {
			c.Messages = append(c.Messages, model.Message{Role: role[i], Text: role[i+1]})
		}
		return []Conversation{c}
	}
	for _, c := range []struct {
		name, want string
		of         []Conversation
		recipe     Recipe
		folder     fs.FS
	}{
		{"no answer", "f:7: no turn of the assistant", one("user", "a"), Default, pocket.Weights()},
		{"empty answer", "f:7: turn 1 of the assistant is empty", one("user", "a", "assistant", " "), Default,
			pocket.Weights()},
		{"too long", "f:7: turn 1 of the assistant and what precedes it have", one("user", strings.Repeat("a ", 3000),
			"assistant", "b"), Default, pocket.Weights()},
		{"no epochs", "--epochs 0", one("user", "a", "assistant", "b"), Recipe{Batch: 1, LR: 1}, pocket.Weights()},
		{"rate", "--lr 2", one("user", "a", "assistant", "b"), Recipe{Epochs: 1, Batch: 1, LR: 2}, pocket.Weights()},
		{"no model", "config.json", one("user", "a", "assistant", "b"), Default, fstest.MapFS{}},
		{"nothing", "no answers", nil, Default, pocket.Weights()},
	} {
		_, err := Prepare(c.folder, c.of, c.recipe)
		if !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(lines("a", "b")))
	f.Add([]byte(`{"messages":[{"role":"system","content":"s"},{"role":"user","content":"a"},{"role":"assistant","content":""}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := Parse("f", data)
		if err == nil && len(all) == 0 {
			t.Error("neither a conversation nor an error")
		}
	})
}
