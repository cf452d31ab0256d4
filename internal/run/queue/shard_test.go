package queue

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"hallmark/internal/model"
	"hallmark/internal/run"
)

func call(text string, repeat int) run.Call {
	seed := int64(1)<<52 + int64(repeat)
	return run.Call{Model: "m", Repeat: repeat, Request: model.Request{Prompt: text, MaxTokens: 5, Temperature: .1,
		Seed:    &seed,
		Options: []string{" <&>\u2028", ""}, Messages: []model.Message{{Role: "user", Text: text}}}}
}

// A shard gives back the calls that were put into it, by their keys, and one that is not whole says so.
func TestShardsKeepTheirCalls(t *testing.T) {
	p, err := newPacker()
	if err != nil {
		t.Fatal(err)
	}
	var want []run.Key
	for i := range 40 {
		c := call(strings.Repeat(fmt.Sprintf("question %d é \x00 ", i), 20), i)
		want = append(want, c.Key())
		if err := p.add(c, c.Key()); err != nil {
			t.Fatal(err)
		}
	}
	s, err := p.take(1, "variants")
	if err != nil {
		t.Fatal(err)
	}
	if p.calls != 0 {
		t.Error("the next shard does not begin empty")
	}
	calls, err := unpack(s.body, s.digest)
	if err != nil || len(calls) != 40 || s.calls != 40 {
		t.Fatal(len(calls), s.calls, err)
	}
	for i := range calls {
		if calls[i].Key() != want[i] {
			t.Errorf("call %d is another one", i)
		}
	}
	if len(s.body) > 40*100 {
		t.Errorf("40 calls that are alike take %d bytes", len(s.body))
	}
	broken := bytes.Clone(s.body)
	broken[len(broken)/2] ^= 1
	if _, err := unpack(broken, s.digest); err == nil {
		t.Error("a changed body reads")
	}
	if _, err := unpack(s.body, make([]byte, 32)); err == nil ||
		!strings.Contains(err.Error(), "not those that were planned") {
		t.Error(err)
	}
}
