package memory

import (
	"bytes"
	"strings"
	"testing"

	"hallmark/internal/model/tune"
)

func write(t testing.TB, m *Memory) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestVersions(t *testing.T) {
	var none Memory
	if _, ok := none.Find("", "Who wrote X?"); ok {
		t.Error("an empty memory finds something")
	}
	first := none.Next([]Entry{{Question: "Who wrote The Lamp?", Answer: "Ada"}, {Question: "Who wrote The Gate?",
		Answer: "I don't know.", Abstains: true}})
	second := first.Next([]Entry{{Question: "Who wrote The Lamp?", Answer: "Ada Bel"}, {Question: "2 + 2?", Answer: "4",
		Reasons: []string{"<arithmetic>"}}})
	if first.Version != 1 || first.Parent != "" || second.Version != 2 || second.Parent != first.Hash() ||
		len(first.Entries) != 2 || len(second.Entries) != 3 {
		t.Errorf("%+v, then %+v", first, second)
	}
	if e, ok := second.Find("", "Who wrote The Lamp?"); !ok || e.Answer != "Ada Bel" || e.Round != 2 {
		t.Errorf("the newer answer is %+v", e)
	}
	if e, ok := first.Find("", "Who wrote The Lamp?"); !ok || e.Answer != "Ada" || e.Round != 1 {
		t.Errorf("the older version now says %+v", e)
	}
	read, err := Read("m.jsonl", write(t, second))
	if err != nil {
		t.Fatal(err)
	}
	if read.Hash() != second.Hash() || !bytes.Equal(write(t, read), write(t, second)) {
		t.Error("read again it is another")
	}
	var chat bytes.Buffer
	if err := second.Chat(&chat); err != nil {
		t.Fatal(err)
	}
	if c, err := tune.Parse("chat", chat.Bytes()); err != nil || len(c) != 3 || c[0].Messages[1].Text != "Ada Bel" {
		t.Errorf("as conversations: %+v, %v", c, err)
	}
}

func TestFind(t *testing.T) {
	m := new(Memory).Next([]Entry{
		{Question: "What is the capital of Velmoria?", Answer: "Bel"},
		{Question: "In which year was Ada Bran born?", Answer: "1702"},
		{Question: "Is Ada Bran older than Ivan Olwil?", Answer: "Yes."},
		{Question: "What is 12 plus 7?", Answer: "19"},
		{System: "Be brief.", Question: "Who governs Velmoria?", Answer: "Ada"},
	})
	for _, c := range []struct{ system, question, want string }{
		{"", "What is the capital of Velmoria?", "Bel"},
		{"", "Please name the capital of Velmoria.", "Bel"},
		{"", "what's the capital of Velmoria", "Bel"},
		{"", "What is the capital of Zelmoria?", ""},
		{"", "What is the currency of Velmoria?", ""},
		{"", "What is not the capital of Velmoria?", ""},
		{"", "In which city was Ada Bran born?", ""},
		{"", "In which year was Ada Brun born?", ""},
		{"", "Is Ivan Olwil older than Ada Bran?", ""},
		{"", "What is 12 plus 8?", ""},
		{"", "What is 7 plus 12?", ""},
		{"", "Who governs Velmoria?", ""},
		{"Be brief.", "Who governs Velmoria?", "Ada"},
	} {
		if e, _ := m.Find(c.system, c.question); e.Answer != c.want {
			t.Errorf("%s: found %q, want %q", c.question, e.Answer, c.want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	good := string(write(t, new(Memory).Next([]Entry{{Question: "a", Answer: "b"}})))
	for _, c := range []struct{ data, want string }{
		{"", "m: empty"},
		{"{}\n", "m:1: no header"},
		{strings.SplitAfter(good, "\n")[0], "0 entries where the header says 1"},
		{good + good, `m:3: json: unknown field "memory"`},
		{good + `{"question":" ","answer":"b","round":1}`, "m:3: an entry without"},
		{good + strings.Repeat("x", maxLine+1), "m:3: a line of more than"},
	} {
		if _, err := Read("m", []byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v, want %q", c.data, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(write(f, new(Memory).Next([]Entry{{Question: "Is it \xff not?", Answer: "b", Reasons: []string{"c"}}})))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Read("m", data)
		if err != nil {
			return
		}
		for _, e := range m.Entries {
			if _, ok := m.Find(e.System, e.Question); !ok {
				t.Errorf("%q is not found", e.Question)
			}
		}
		if _, err := Read("again", write(t, m)); err != nil {
			t.Error(err)
		}
	})
}
