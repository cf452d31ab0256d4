package fetch

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hallmark/internal/suite/benchmark"
)

const fetchText = "statement,label\nIron rusts.,1\nGold rusts.,0\n"

// fetchServer serves one file over https, with what a test wants of it, and counts the bytes that were asked for.
func fetchServer(t *testing.T, handle http.HandlerFunc) (*Fetcher, *benchmark.PublishedFile) {
	t.Helper()
	s := httptest.NewTLSServer(handle)
	t.Cleanup(s.Close)
	sum := sha256.Sum256([]byte(fetchText))
	return &Fetcher{client: s.Client(), most: 1 << 20}, &benchmark.PublishedFile{Name: "f.csv", URL: s.URL + "/f.csv",
		SHA256: hex.EncodeToString(sum[:])}
}

func serveText(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "f.csv", time.Time{}, strings.NewReader(fetchText))
}

func TestFetch(t *testing.T) {
	asked := 0
	f, p := fetchServer(t, func(w http.ResponseWriter, r *http.Request) { asked++; serveText(w, r) })
	dir := t.TempDir()
	got, err := f.Get(context.Background(), p, dir)
	if err != nil || !got.Fetched || !got.Pinned || got.Bytes != int64(len(fetchText)) || got.SHA256 != p.SHA256 {
		t.Fatalf("%+v, %v", got, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "f.csv")); err != nil || string(data) != fetchText {
		t.Errorf("%q, %v", data, err)
	}
	if got, err = f.Get(context.Background(), p, dir); err != nil || got.Fetched || asked != 1 {
		t.Errorf("again: %+v, %v, asked %d times", got, err, asked)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	blob := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(fetchText), fetchText))
	byBlob := &benchmark.PublishedFile{Name: "g.csv", URL: p.URL, Blob: hex.EncodeToString(blob[:])}
	if got, err = f.Get(context.Background(), byBlob, dir); err != nil || !got.Pinned {
		t.Errorf("by git's id: %+v, %v", got, err)
	}
	byBlob.Name, byBlob.Blob = "h.csv", strings.Repeat("0", 40)
	if _, err = f.Get(context.Background(), byBlob, dir); err == nil {
		t.Error("another git id passes")
	}
	// A file of the user's is never overwritten.
	if err := os.WriteFile(filepath.Join(dir, "f.csv"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Get(context.Background(), p, dir); err == nil ||
		!strings.Contains(err.Error(), "is not the published file") || asked != 3 {
		t.Errorf("another file: %v", err)
	}
}

// A part that was cut off is gone on with; where the server cannot, or the part was of another file, it is fetched
// anew.
func TestFetchGoesOn(t *testing.T) {
	for name, tt := range map[string]struct {
		part   string
		handle http.HandlerFunc
		asks   []string // the ranges
	}{
		"from the middle": {fetchText[:20], serveText, []string{"bytes=20-"}},
		"no ranges": {fetchText[:20], func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, fetchText)
		}, []string{"bytes=20-"}},
		"all is there":        {fetchText, serveText, []string{fmt.Sprintf("bytes=%d-", len(fetchText))}},
		"of another file":     {"something else here!", serveText, []string{"bytes=20-", ""}},
		"longer than it is":   {fetchText + "x", serveText, []string{fmt.Sprintf("bytes=%d-", len(fetchText)+1), ""}},
		"a range that lies":   {fetchText[:20], lyingRange, []string{"bytes=20-"}},
		"nothing but its end": {"", serveText, []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			var asks []string
			f, p := fetchServer(t, func(w http.ResponseWriter, r *http.Request) {
				asks = append(asks, r.Header.Get("Range"))
				tt.handle(w, r)
			})
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "f.csv.part"), []byte(tt.part), 0o644); err != nil {
				t.Fatal(err)
			}
			got, err := f.Get(context.Background(), p, dir)
			if name == "a range that lies" {
				if err == nil || !strings.Contains(err.Error(), "206") {
					t.Errorf("%+v, %v", got, err)
				}
			} else if data, _ := os.ReadFile(filepath.Join(dir, "f.csv")); err != nil || string(data) != fetchText {
				t.Errorf("%q, %v", data, err)
			}
			if strings.Join(asks, "|") != strings.Join(tt.asks, "|") {
				t.Errorf("asked for %q, want %q", asks, tt.asks)
			}
		})
	}
}

func lyingRange(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Range", "bytes 5-40/43")
	w.WriteHeader(http.StatusPartialContent)
}

// TestFetchInTheWay holds that what a stranger's folder has in the places of a published file is neither waited for nor
// read beyond its bound, and that no link is followed out of the folder.
func TestFetchInTheWay(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		lay  func(path string) error
		want string
	}{
		"a link out": {func(path string) error {
			return os.Symlink(outside, path)
		}, "f.csv is a link that leads out of its folder; remove it"},
		"a device": {func(path string) error {
			return os.Symlink(os.DevNull, path)
		}, "f.csv is a link that leads out of its folder; remove it"},
		"a link as part": {func(path string) error {
			return os.Symlink(outside, path+".part")
		}, "f.csv.part is a link that leads out of its folder; remove it"},
		"a folder as part": {func(path string) error {
			return os.Mkdir(path+".part", 0o700)
		}, "f.csv.part is a folder, where a file belongs; remove it"},
		"a sparse file": {func(path string) error {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				return err
			}
			return os.Truncate(path, 300<<30)
		}, "with more than 1 MiB it is no published file; move it away"},
	} {
		f, p := fetchServer(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, fetchText) })
		dir := t.TempDir()
		if err := tt.lay(filepath.Join(dir, "f.csv")); err != nil {
			t.Skip(err)
		}
		_, err := f.Get(context.Background(), p, dir)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "sha256") {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func TestFetchFaults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		handle http.HandlerFunc
		want   string
		kept   int // bytes of the part
	}{
		{"another file", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "<html>not found</html>")
		}, "serves another file than the published one", -1},
		{"gone", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "no", http.StatusNotFound)
		}, "answers 404 Not Found; run the command again to go on, or put the file at", 0},
		{"too large", func(w http.ResponseWriter, _ *http.Request) {
			w.Write(make([]byte, 1<<20+1))
		}, "is larger than 1 MiB", 0},
		{"cut off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "43")
			fmt.Fprint(w, fetchText[:20])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "the connection was lost after 20 bytes", 20},
		{"without https", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/f.csv", http.StatusFound)
		}, "it leads elsewhere", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, p := fetchServer(t, tt.handle)
			dir := t.TempDir()
			_, err := f.Get(context.Background(), p, dir)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if _, err := os.Stat(filepath.Join(dir, "f.csv")); err == nil {
				t.Error("the file is there")
			}
			info, err := os.Stat(filepath.Join(dir, "f.csv.part"))
			if tt.kept < 0 && err == nil || tt.kept >= 0 && (err != nil || info.Size() != int64(tt.kept)) {
				t.Errorf("the part is %v, %v", info, err)
			}
		})
	}
	s := httptest.NewTLSServer(http.HandlerFunc(serveText))
	client := s.Client()
	s.Close() // as without a network
	f := &Fetcher{client: client, most: 1 << 20}
	if _, err := f.Get(context.Background(), &benchmark.PublishedFile{Name: "f.csv", URL: s.URL + "/f.csv"},
		t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "cannot be reached") || !strings.Contains(err.Error(), "by hand") {
		t.Errorf("offline: %v", err)
	}
	if _, err := f.Get(context.Background(), &benchmark.PublishedFile{Name: "f.csv", URL: "http://x/f.csv"},
		t.TempDir()); err == nil || !strings.Contains(err.Error(), "only https") {
		t.Errorf("http: %v", err)
	}
}
