package benchmark

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every address is https, every file is pinned or the note says that it is not, and every suite names a format that
// there is and files that are fetched.
func TestPublications(t *testing.T) {
	for _, p := range Publications() {
		names := map[string]bool{}
		pinned := true
		for _, f := range p.Files {
			if !strings.HasPrefix(f.URL, "https://") || !strings.HasSuffix(f.URL, "/"+f.Name) || names[f.Name] ||
				f.Name != filepath.Base(f.Name) {
				t.Errorf("%s: %+v", p.Name, f)
			}
			names[f.Name] = true
			if f.SHA256 == "" && f.Blob == "" {
				pinned = false
			}
			if f.SHA256 != "" && len(f.SHA256) != 64 || f.Blob != "" && len(f.Blob) != 40 {
				t.Errorf("%s: hash of %s", p.Name, f.Name)
			}
		}
		if len(p.Files) == 0 && p.Note == "" || pinned == strings.Contains(p.Note, "not pinned") {
			t.Errorf("%s: files %d, pinned %v, note %q", p.Name, len(p.Files), pinned, p.Note)
		}
		ref, _, err := ParseReference(p.Suite)
		if err != nil || !slices.Contains(Names(), ref.Name) || p.Licence == "" || p.About == "" {
			t.Errorf("%s: suite %q, %v", p.Name, p.Suite, err)
		}
		for _, file := range []string{ref.Path, ref.Pool, ref.Instruction} {
			if name := strings.TrimPrefix(file, "DIR/"); len(p.Files) > 0 && file != "" && !names[name] {
				t.Errorf("%s: suite %q names %s, which is not fetched", p.Name, p.Suite, name)
			}
		}
	}
}

// The hashes and rows are those of the files that are here.
func TestPublishedHashes(t *testing.T) {
	seen := 0
	at := map[string]string{
		"truthfulqa": "truthfulqa/", "truthfulqa-v0": "truthfulqa/v0/", "truthfulqa-v1": "truthfulqa/v1/",
		"news-factor": "factor/", "expert-factor": "factor/",
		"commonsenseqa": "commonsenseqa/", "fever": "fever/", "gsm8k": "gsm8k/", "simpleqa": "simpleqa/", "medqa": "medqa/",
		"mmlu": "mmlu/",
		"sst2": "sst2/", "subj": "subj/", "agnews": "agnews/", "medicalqp": "mqp/", "rte": "rte/",
	}
	for _, p := range Publications() {
		for _, f := range p.Files {
			dir := at[p.Name]
			if p.Name == "mmlu" {
				dir += path.Base(path.Dir(f.URL)) + "/"
			}
			data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "data", filepath.FromSlash(dir+f.Name)))
			if err != nil || dir == "" {
				continue
			}
			seen++
			sum, blob := sha256.Sum256(data), sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data))
			if f.SHA256 != "" && f.SHA256 != hex.EncodeToString(sum[:]) || f.Blob != "" &&
				f.Blob != hex.EncodeToString(blob[:]) {
				t.Errorf("%s of %s is another file", f.Name, p.Name)
			}
		}
	}
	if seen == 0 {
		t.Skip("no published file is here")
	}
}
