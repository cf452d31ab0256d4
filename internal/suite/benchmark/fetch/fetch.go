// Package fetch downloads the original files of published benchmarks from where they are published, over https, and
// checks them against the hashes that are known.
package fetch

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"hallmark/internal/base/inputfile"
	"hallmark/internal/base/within"
	"hallmark/internal/suite/benchmark"
)

// maxBytes bounds a file that is fetched.
const maxBytes = 256 << 20

// Find returns a benchmark that can be fetched; its error lists those.
func Find(name string) (*benchmark.Publication, error) {
	var known []string
	for i := range benchmark.Publications() {
		p := &benchmark.Publications()[i]
		if p.Name == name && len(p.Files) == 0 {
			return nil, fmt.Errorf("%s cannot be fetched: %s; then name it with --suite %s", name, p.Note, p.Suite)
		}
		if p.Name == name {
			return p, nil
		}
		if len(p.Files) > 0 {
			known = append(known, p.Name)
		}
	}
	return nil, fmt.Errorf("no benchmark %q to fetch; there are %s", name, strings.Join(known, ", "))
}

// A File is what became of one: the JSON of `hallmark data fetch --json`.
type File struct {
	Path    string `json:"path"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
	Pinned  bool   `json:"pinned"`  // its content was known and is that
	Fetched bool   `json:"fetched"` // false: it was there already
	From    string `json:"from"`
}

// Fetched is a benchmark whose files are there.
type Fetched struct {
	Name    string `json:"name"`
	Licence string `json:"licence"`
	Suite   string `json:"suite"` // what --suite takes
	Files   []File `json:"files"`
}

// A Fetcher gets files over https.
type Fetcher struct {
	client *http.Client
	most   int64
}

// New returns a fetcher of files of up to 256 MiB: what a suite may be, and no more.
func New() *Fetcher {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = 30 * time.Second
	return &Fetcher{client: &http.Client{Transport: t}, most: maxBytes}
}

// All brings the files of a benchmark into the folder, which is made where it is not, and writes a line for each.
// It sets kept once there is something that a later call goes on from.
func (f *Fetcher) All(ctx context.Context, p *benchmark.Publication, dir string, kept *bool,
	lines io.Writer) (*Fetched, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	out := &Fetched{Name: p.Name, Licence: p.Licence, Suite: strings.ReplaceAll(p.Suite, "DIR", filepath.ToSlash(dir))}
	for i := range p.Files {
		got, err := f.Get(ctx, &p.Files[i], dir)
		part, _ := os.Stat(got.Path + ".part")
		*kept = *kept || err == nil || part != nil && part.Size() > 0
		if err != nil {
			return nil, err
		}
		state := "fetched"
		if !got.Fetched {
			state = "already there"
		}
		if !got.Pinned {
			state += ", its content not pinned"
		}
		fmt.Fprintf(lines, "%s: %d bytes, %s\n", got.Path, got.Bytes, state)
		out.Files = append(out.Files, got)
	}
	return out, nil
}

// Get brings a file into the folder. What is fetched lies beside its place as NAME.part until it is whole and its
// content is what it should be; a later call goes on from there. A file that is there already is not fetched, and
// is an error if its content is another.
func (f *Fetcher) Get(ctx context.Context, p *benchmark.PublishedFile, dir string) (File, error) {
	out := File{Path: filepath.Join(dir, p.Name), From: p.URL, Pinned: p.SHA256 != "" || p.Blob != ""}
	for _, path := range []string{out.Path, out.Path + ".part"} {
		if in, err := within.Folder(dir, path); err != nil || !in {
			return out, fmt.Errorf("%s is a link that leads out of its folder; remove it", path)
		}
	}
	if err := f.lies(p, &out); !errors.Is(err, fs.ErrNotExist) {
		return out, err
	}
	if info, err := os.Lstat(out.Path + ".part"); err == nil && !info.Mode().IsRegular() {
		return out, fmt.Errorf("%s.part is %s, where a file belongs; remove it", out.Path, within.Kind(info.Mode()))
	}
	part, err := os.OpenFile(out.Path+".part", os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return out, err
	}
	defer part.Close()
	if err := f.complete(ctx, p, part, &out); err != nil {
		return out, err
	}
	out.Fetched = true
	if err := errors.Join(part.Sync(), part.Close()); err != nil {
		return out, err
	}
	return out, os.Rename(part.Name(), out.Path)
}

// lies checks a file that is in its place already; one that is not is an fs.ErrNotExist.
func (f *Fetcher) lies(p *benchmark.PublishedFile, out *File) error {
	file, err := inputfile.Open(out.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	if file.Size() > f.most {
		return fmt.Errorf("%s is there, and with more than %d MiB it is no published file; move it away",
			out.Path, f.most>>20)
	}
	ok := false
	if out.Bytes, out.SHA256, ok, err = check(file, file.Size(), p); err == nil && !ok {
		err = fmt.Errorf("%s is there and is not the published file (its sha256 is %s); move it away", out.Path,
			out.SHA256)
	}
	return err
}

// complete makes the part the published file. One that was of another file is fetched once more, from its beginning.
func (f *Fetcher) complete(ctx context.Context, p *benchmark.PublishedFile, part *os.File, out *File) error {
	for again := false; ; again = true {
		resumed, err := f.download(ctx, p.URL, part)
		if err != nil {
			return fmt.Errorf("%w; run the command again to go on, or put the file at %s by hand", err, out.Path)
		}
		size, err := part.Seek(0, io.SeekEnd)
		if err != nil {
			return err
		}
		ok := false
		out.Bytes, out.SHA256, ok, err = check(io.NewSectionReader(part, 0, size), size, p)
		if err != nil || ok {
			return err
		}
		if err := part.Truncate(0); err != nil { // nothing of it is kept
			return err
		}
		if !resumed || again {
			os.Remove(part.Name())
			return fmt.Errorf("%s serves another file than the published one: its sha256 is %s; nothing of it was kept",
				p.URL, out.SHA256)
		}
	}
}

// check reads a file of so many bytes and says whether its content is the published one, which it is where none is
// known.
func check(file io.Reader, size int64, p *benchmark.PublishedFile) (bytes int64, sum string, ok bool, err error) {
	h, blob := sha256.New(), sha1.New()
	fmt.Fprintf(blob, "blob %d\x00", size)
	if _, err = io.Copy(io.MultiWriter(h, blob), io.LimitReader(file, size)); err != nil {
		return 0, "", false, err
	}
	digits := func(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
	sum = digits(h)
	return size, sum, (p.SHA256 == "" || p.SHA256 == sum) && (p.Blob == "" || p.Blob == digits(blob)), nil
}

// follows returns an error where a redirect is not followed.
func follows(to *http.Request, via []*http.Request) error {
	if to.URL.Scheme != "https" || len(via) > 5 {
		return errors.New("it leads elsewhere, without https or in a circle")
	}
	return nil
}

// download appends what the part lacks, or begins anew where the server does not go on from there.
func (f *Fetcher) download(ctx context.Context, url string, part *os.File) (resumed bool, err error) {
	have, err := part.Seek(0, io.SeekEnd)
	if err != nil {
		return false, err
	}
	if !strings.HasPrefix(url, "https://") {
		return false, fmt.Errorf("%s: only https is fetched", url)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false, err
	}
	req.Header.Set("Accept-Encoding", "identity") // so that a part is a part of the file
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	client := *f.client
	client.CheckRedirect = follows
	resp, err := client.Do(req)
	if err != nil {
		return false, fmt.Errorf("%s cannot be reached: %v", url, errors.Unwrap(err))
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusPartialContent &&
		strings.HasPrefix(resp.Header.Get("Content-Range"), "bytes "+strconv.FormatInt(have, 10)+"-"):
		resumed = true
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable && have > 0:
		return true, nil // all of it is there, or too much: the check tells
	case resp.StatusCode == http.StatusOK:
		have = 0
		if err := part.Truncate(0); err != nil {
			return false, err
		}
		if _, err := part.Seek(0, io.SeekStart); err != nil {
			return false, err
		}
	default:
		return false, fmt.Errorf("%s answers %s", url, resp.Status)
	}
	n, err := io.Copy(part, io.LimitReader(resp.Body, f.most-have+1))
	switch {
	case have+n > f.most:
		return false, errors.Join(fmt.Errorf("%s is larger than %d MiB", url, f.most>>20), part.Truncate(0))
	case err != nil:
		return false, fmt.Errorf("%s: the connection was lost after %d bytes: %v", url, have+n, err)
	}
	return resumed, nil
}
