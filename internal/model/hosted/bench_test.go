package hosted

import (
	"net/http/httptest"
	"testing"

	"hallmark/internal/model"
	"hallmark/internal/model/stub"
)

// BenchmarkGenerate measures requests through the loopback at 256 in flight, server included.
func BenchmarkGenerate(b *testing.B) {
	b.Run("without a key", func(b *testing.B) { generate(b, "") })
	b.Run("with a key", func(b *testing.B) { generate(b, testKey) })
}

func generate(b *testing.B, key string) {
	server := httptest.NewServer(stub.New(stub.Options{}))
	defer server.Close()
	m, err := New(Options{BaseURL: server.URL + "/v1", Name: "stub", Key: key, Concurrency: 256})
	if err != nil {
		b.Fatal(err)
	}
	b.SetParallelism(128)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := m.Generate(b.Context(), model.Request{Prompt: "What is the capital of France?",
				MaxTokens: 16}); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
}
