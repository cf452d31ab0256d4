package hosted

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"hallmark/internal/model"
)

// TestProtocol holds that requests go over HTTP/1.1 also where a server offers HTTP/2, over which net/http would send
// some again by itself.
func TestProtocol(t *testing.T) {
	var spoken string
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		spoken = r.Proto
		w.Write([]byte(`{"choices": [{"message": {"content": "Paris"}}]}`))
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	m, err := New(Options{BaseURL: s.URL + "/v1", Name: "m"})
	if err != nil {
		t.Fatal(err)
	}
	m.c.http.Transport.(*http.Transport).TLSClientConfig = s.Client().Transport.(*http.Transport).TLSClientConfig
	if _, err := m.Generate(t.Context(), model.Request{Prompt: "p", MaxTokens: 5}); err != nil {
		t.Fatal(err)
	}
	if spoken != "HTTP/1.1" {
		t.Errorf("%s was spoken", spoken)
	}
}
