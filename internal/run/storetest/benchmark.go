package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"hallmark/internal/model"
	"hallmark/internal/run"
)

// benchBatch is the most records that a run commits at once.
const benchBatch = 256

// Calls returns records of usual length: a request, a short answer, and a body of so many bytes.
func Calls(from, to, body int) []run.Record {
	var rs []run.Record
	for i := from; i < to; i++ {
		rs = append(rs, run.Record{
			Call: run.Call{
				Model: "http://localhost:8080/v1#some-model with an identity of usual length, " +
					"revision 0123456789abcdef",
				Request: model.Request{System: "Answer in one sentence.",
					Prompt:    fmt.Sprintf("Question %d: what is it?", i),
					MaxTokens: 64},
			},
			Response: &model.Response{Text: new(fmt.Sprintf("the answer to question %d", i)), Finish: "stop",
				Raw: bodyOf(i, body), Usage: model.Usage{PromptTokens: 30, CompletionTokens: 9}},
			Attempts: 1, At: time.Unix(1, 2),
		})
	}
	return rs
}

// Benchmark measures rows a second, written in batches as a run does, and read by their keys.
func Benchmark(b *testing.B, open func(t testing.TB) run.Store) {
	ctx := context.Background()
	b.Run("write", func(b *testing.B) {
		s := open(b)
		defer s.Close()
		n := 0
		for b.Loop() {
			b.StopTimer()
			rs := Calls(n, n+benchBatch, 700)
			b.StartTimer()
			if err := s.Add(ctx, rs); err != nil {
				b.Fatal(err)
			}
			n += benchBatch
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
	})
	for _, bare := range []bool{false, true} {
		b.Run(map[bool]string{false: "read", true: "read without bodies"}[bare], func(b *testing.B) {
			s := open(b)
			defer s.Close()
			rs := Calls(0, 20*benchBatch, 700)
			keys := make([]run.Key, len(rs))
			for i := range rs {
				keys[i] = rs[i].Call.Key()
			}
			add(b, s, rs...)
			n := 0
			for b.Loop() {
				at := n % len(keys)
				found, err := s.Lookup(run.Bare(ctx, bare), keys[at:at+benchBatch])
				if err != nil || len(found) != benchBatch {
					b.Fatal(len(found), err)
				}
				n += benchBatch
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// bodyOf returns a body that a database does not make shorter.
func bodyOf(i, length int) []byte {
	b := make([]byte, length)
	_, _ = rand.NewChaCha8([32]byte{byte(i), byte(i >> 8), byte(i >> 16)}).Read(b) // it returns no error
	return b
}
