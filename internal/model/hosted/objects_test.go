package hosted

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hallmark/internal/model"
)

// A response of a few megabytes that would take gigabytes once decoded is refused before that.
func TestManyObjects(t *testing.T) {
	body := []byte(`{"choices": [{"message": {"content": "Paris"}}` + strings.Repeat(",{}", maxObjects) + `]}`)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
	defer s.Close()
	m, err := New(Options{BaseURL: s.URL, Name: "m", API: Chat})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Generate(context.Background(), model.Request{Prompt: "?"})
	if err == nil || !strings.Contains(err.Error(), "objects and lists") {
		t.Errorf("err = %v", err)
	}
}
