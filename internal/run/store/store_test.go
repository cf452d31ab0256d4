package store_test

import (
	"path/filepath"
	"strings"
	"testing"

	"hallmark/internal/run/store"
)

func TestOpen(t *testing.T) {
	s, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "new", "a:b.db"), true)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{
		"":                                "want sqlite:FILE",
		"runs.db":                         `store "runs.db": want sqlite:FILE`,
		"mysql://host/db":                 `store "mysql://host/db": want sqlite:FILE`,
		"mysql://user:secret@host/db":     `store "mysql://…": want sqlite:FILE`,
		"sqlite:":                         "want sqlite:FILE",
		"postgres://user:secret@host/db":  "holds a password, which others could read: keep it in PGPASSWORD",
		"postgresql://user:secret@host/d": "holds a password, which others could read: keep it in PGPASSWORD",
	} {
		s, err := store.Open(t.Context(), ref, true)
		if err == nil || s != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v, want %q", ref, s, err, want)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error tells the password: %v", ref, err)
		}
	}
}
