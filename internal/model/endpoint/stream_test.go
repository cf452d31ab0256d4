package endpoint

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// events reads a stream up to [DONE].
func events(t testing.TB, body []byte) []completionAnswer {
	t.Helper()
	var all []completionAnswer
	lines := strings.Split(strings.TrimSpace(string(body)), "\n\n")
	for i, line := range lines {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			t.Fatalf("line %q is no event", line)
		}
		if data == "[DONE]" {
			if i != len(lines)-1 {
				t.Fatal("events after [DONE]")
			}
			return all
		}
		var a completionAnswer
		if err := json.Unmarshal([]byte(data), &a); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		all = append(all, a)
	}
	t.Fatalf("no [DONE] in %s", body)
	return nil
}

// A stream's parts, joined by choice, are the answer that is not streamed: text, log-probabilities, offsets, usage.
func TestStreamIsTheAnswer(t *testing.T) {
	_, base := serve(t, tiny(), Options{})
	for _, echo := range []bool{false, true} {
		for _, temperature := range []float64{0, 1, 2} {
			body := object{"model": "tiny", "prompt": []string{"Q: What is the capital é?\nA:", "the"}, "n": 3, "seed": 5,
				"temperature": temperature,
				"max_tokens":  30, "logprobs": 2, "echo": echo, "stop": []string{"zz", "\n\n"}}
			var whole completionAnswer
			answered(t, base+"/completions", body, &whole)
			body["stream"], body["stream_options"] = true, object{"include_usage": true}
			_, header, b := post(t, base+"/completions", body)
			if got := header.Get("Content-Type"); got != "text/event-stream" || header.Get(seedHeader) != "5" {
				t.Errorf("content type %q, seed %q", got, header.Get(seedHeader))
			}
			joined := make([]completionChoice, len(whole.Choices))
			var counted *usage
			for _, e := range events(t, b) {
				counted = e.Usage
				for _, c := range e.Choices {
					to := &joined[c.Index]
					to.Index, to.Finish = c.Index, c.Finish
					to.Text += c.Text
					if to.LogProbs == nil {
						to.LogProbs = &logProbs{}
					}
					if l := c.LogProbs; l != nil {
						to.LogProbs.Tokens, to.LogProbs.LogProbs = append(to.LogProbs.Tokens, l.Tokens...),
							append(to.LogProbs.LogProbs, l.LogProbs...)
						to.LogProbs.Top, to.LogProbs.Offsets = append(to.LogProbs.Top, l.Top...),
							append(to.LogProbs.Offsets, l.Offsets...)
					}
				}
			}
			if !reflect.DeepEqual(joined, whole.Choices) || !reflect.DeepEqual(counted, whole.Usage) {
				t.Errorf("echo %v, temperature %v: stream %+v %+v\nwhole %+v %+v", echo, temperature, joined, counted,
					whole.Choices, whole.Usage)
			}
		}
	}
}

func TestChatStream(t *testing.T) {
	_, base := serve(t, tiny(), Options{})
	body := object{"model": "tiny", "messages": []object{{"role": "user", "content": "What is the land?"}}, "n": 2,
		"seed": 3, "max_completion_tokens": 25, "logprobs": true, "top_logprobs": 1}
	var whole chatAnswer
	answered(t, base+"/chat/completions", body, &whole)
	body["stream"] = true
	_, _, b := post(t, base+"/chat/completions", body)
	texts, tokens := make([]string, 2), make([][]chatToken, 2)
	for _, line := range strings.Split(string(b), "\n\n") {
		data := strings.TrimPrefix(line, "data: ")
		if data == "" || data == "[DONE]" {
			continue
		}
		var e chatAnswer
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatal(err)
		}
		if e.Object != "chat.completion.chunk" || e.Usage != nil {
			t.Errorf("event %s", data)
		}
		for _, c := range e.Choices {
			if c.Delta.Content != nil {
				texts[c.Index] += *c.Delta.Content
			}
			if c.LogProbs != nil {
				tokens[c.Index] = append(tokens[c.Index], c.LogProbs.Content...)
			}
		}
	}
	for i, c := range whole.Choices {
		if c.Message.Content != texts[i] || !reflect.DeepEqual(c.LogProbs.Content, tokens[i]) {
			t.Errorf("choice %d: stream %q %v, whole %q %v", i, texts[i], tokens[i], c.Message.Content, c.LogProbs)
		}
	}
}

// The seed alone decides the draw: the first choice is that of n = 1, a prompt's choices do not depend on its place,
// and without a seed the answer says which one it took.
func TestSeeds(t *testing.T) {
	_, base := serve(t, tiny(), Options{})
	ask := func(prompt any, n int, seed any) ([]string, string) {
		var a completionAnswer
		_, header, b := post(t, base+"/completions", object{"model": "tiny", "prompt": prompt, "n": n, "seed": seed,
			"max_tokens": 8})
		if err := json.Unmarshal(b, &a); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, c := range a.Choices {
			texts = append(texts, c.Text)
		}
		return texts, header.Get(seedHeader)
	}
	one, _ := ask("the land", 1, 11)
	three, told := ask("the land", 3, 11)
	two, _ := ask([]string{"a city", "the land"}, 3, 11)
	if one[0] != three[0] || !slices.Equal(two[3:], three) || told != "11" {
		t.Errorf("n = 1: %q, n = 3: %q, second of two prompts: %q; seed %s", one, three, two, told)
	}
	if three[0] == three[1] || three[1] == three[2] {
		t.Errorf("three choices %q are no draws", three)
	}
	free, drawn := ask("the land", 2, nil)
	again, _ := ask("the land", 2, json.RawMessage(drawn))
	if !slices.Equal(free, again) {
		t.Errorf("without a seed %q; again with the seed it told, %s: %q", free, drawn, again)
	}
	if other, _ := ask("the land", 2, nil); slices.Equal(free, other) {
		t.Errorf("two requests without a seed have the same draws %q", free)
	}
}
