package paraphrase

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadReply(t *testing.T) {
	two := []string{"Name it.", "What's its name?"}
	for _, reply := range []string{
		"Name it.\nWhat's its name?", "1. Name it.\n2. What's its name?\n",
		"Here are two:\n\n- Name it.\n- What's its name?", "Sure:\nName it.\n\nWhat's its name?",
		`["Name it.", "What's its name?"]`, "```json\n{\"paraphrases\": [\"Name it.\", \"What's its name?\"]}\n```",
		"1) \"Name it.\"\n2) “What's its name?”",
		"<think>1. no\n2. no</think>\nParaphrase 1: Name it.\nParaphrase 2: What's its name?",
		"**Name it.**\n---\n**What's its name?**",
	} {
		if diff := cmp.Diff(two, ReadReply(reply)); diff != "" {
			t.Errorf("%q: %s", reply, diff)
		}
	}
	for reply, want := range map[string][]string{
		"": nil, " \n```\n": nil, "Is [1] true?": {"Is [1] true?"}, "\"A\" and \"B\" differ.": {"\"A\" and \"B\" differ."},
		"2. It is.": {"It is."}, "[\"\", \"x\"]": {"", "x"},
	} {
		if diff := cmp.Diff(want, ReadReply(reply)); diff != "" {
			t.Errorf("%q: %s", reply, diff)
		}
	}
}

func TestReadVerdict(t *testing.T) {
	for reply, want := range map[string][2]bool{"Yes.": {true, true}, "no": {false, true},
		"<think>no</think> **Yes**": {true, true}, "It does, so yes!": {true, true}, "Perhaps": {false, false},
		"": {false, false}} {
		if yes, ok := ReadVerdict(reply); [2]bool{yes, ok} != want {
			t.Errorf("%q: %v, %v", reply, yes, ok)
		}
	}
}

func TestReadFile(t *testing.T) {
	entries, err := ReadFile("p.jsonl", strings.NewReader("{\"id\": 7, \"paraphrases\": [\"a\", \"\"]}\n\n"+
		"{\"prompt\": \"Why?\", \"paraphrase\": \"For what reason?\"}\n"+
		"{\"case_id\": \"7\", \"paraphrase\": \"b\", \"x\": 1}\n"))
	if diff := cmp.Diff([]Entry{{ID: "7", Paraphrases: []string{"a", "", "b"}},
		{Prompt: "Why?", Paraphrases: []string{"For what reason?"}}}, entries); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	for in, want := range map[string]string{
		`{"paraphrase": "x"}`: "p.jsonl:1: neither id nor prompt",
		"{\"id\": \"a\", \"paraphrase\": \"x\"}\n{\"id\": \"a\"}": "p.jsonl:2: no paraphrases; want",
		`{"id": [1], "paraphrase": "x"}`:                          "p.jsonl:1: id is neither a text nor a number",
		`{"id": "a", "paraphrase": "x", "paraphrases": []}`:       "p.jsonl:1: paraphrase and paraphrases both",
		`{"id": "a", "paraphrases": "x"}`:                         "p.jsonl:1: ",
		"":                                                        "p.jsonl",
	} {
		if _, err := ReadFile("p.jsonl", strings.NewReader(in)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
}

func TestRequest(t *testing.T) {
	if CheckAsk(Ask) != nil || CheckAsk("paraphrase: {text}") != nil || CheckAsk("say {n}") == nil ||
		CheckAsk("{text} {text}") == nil {
		t.Error("a request with one {text} is right, and others are not")
	}
	if got := Request("paraphrase: {text} x{n}", "Why {n} of {text}?", 3); got != "paraphrase: Why {n} of {text}? x3" {
		t.Errorf("%q", got)
	}
}

func FuzzReply(f *testing.F) {
	f.Add("1. a\n2. b")
	f.Add("[\"a\"")
	f.Add("{\"id\": 1, \"paraphrase\": \"\"}")
	f.Fuzz(func(t *testing.T, s string) {
		if got := ReadReply(s); len(got) > MostReplies {
			t.Errorf("%d lines", len(got))
		}
		ReadVerdict(s)
		if entries, err := ReadFile("f", strings.NewReader(s)); err != nil && !strings.HasPrefix(err.Error(), "f") ||
			err == nil && len(entries) == 0 {
			t.Errorf("%d entries, %v", len(entries), err)
		}
	})
}
