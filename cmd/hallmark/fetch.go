package main

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

	"github.com/spf13/cobra"

	"hallmark/internal/inputfile"
	"hallmark/internal/suite/benchmark"
	"hallmark/internal/within"
)

// maxFetch bounds a file that is fetched: what a suite may be, and no more.
const maxFetch = 256 << 20

// fetchDir is where files go unless --output says another place, each benchmark in a folder of its own.
var fetchDir = filepath.Join(".hallmark", "data")

func (a *app) fetchCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "fetch NAME…",
		Short: "Download the original files of published benchmarks",
		Long: "Download the original files of published benchmarks (hallmark data list names them) from where they are published, over https. A file whose\n" +
			"content is known is checked against its hash. What was cut off is gone on with by the same command; what is there already is not fetched again.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			var wanted []*benchmark.Publication
			for _, name := range names {
				p, err := publication(name)
				if err != nil {
					return usage(err)
				}
				wanted = append(wanted, p)
			}
			if output != "" && len(wanted) > 1 {
				return usagef("--output names one folder for %d benchmarks, whose files may have the same names; fetch them one by one", len(wanted))
			}
			return a.fetchAll(cmd.Context(), wanted, output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "folder for the files; default .hallmark/data/NAME")
	return cmd
}

// publication finds a benchmark that can be fetched.
func publication(name string) (*benchmark.Publication, error) {
	var known []string
	for i := range benchmark.Publications {
		p := &benchmark.Publications[i]
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

// A fetchedFile is what `data fetch --json` says of a file.
type fetchedFile struct {
	Path    string `json:"path"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
	Pinned  bool   `json:"pinned"`  // its content was known and is that
	Fetched bool   `json:"fetched"` // false: it was there already
	From    string `json:"from"`
}

func (a *app) fetchAll(ctx context.Context, wanted []*benchmark.Publication, output string) error {
	f := newFetcher()
	type result struct {
		Name    string        `json:"name"`
		Licence string        `json:"licence"`
		Suite   string        `json:"suite"`
		Files   []fetchedFile `json:"files"`
	}
	var results []result
	for _, p := range wanted {
		dir := output
		if dir == "" {
			dir = filepath.Join(fetchDir, p.Name)
			if err := ownFolder(dir); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		r := result{Name: p.Name, Licence: p.Licence, Suite: strings.ReplaceAll(p.Suite, "DIR", filepath.ToSlash(dir))}
		for i := range p.Files {
			got, err := f.get(ctx, &p.Files[i], dir)
			part, _ := os.Stat(got.Path + ".part")
			a.keeps = a.keeps || err == nil || part != nil && part.Size() > 0
			if err != nil {
				return err
			}
			if !a.quiet {
				state := "fetched"
				if !got.Fetched {
					state = "already there"
				}
				if !got.Pinned {
					state += ", its content not pinned"
				}
				fmt.Fprintf(a.stderr, "%s: %d bytes, %s\n", got.Path, got.Bytes, state)
			}
			r.Files = append(r.Files, got)
		}
		results = append(results, r)
	}
	if a.json {
		return writeJSON(a.stdout, map[string]any{"fetched": results})
	}
	for _, r := range results {
		fmt.Fprintf(a.stdout, "%s: licence %s; --suite %s\n", r.Name, r.Licence, r.Suite)
	}
	return nil
}

// A fetcher gets files over https.
type fetcher struct {
	client *http.Client
	most   int64
}

func newFetcher() *fetcher {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = 30 * time.Second
	return &fetcher{client: &http.Client{Transport: t}, most: maxFetch}
}

// get brings a file into the folder. What is fetched lies beside its place as NAME.part until it is whole and its content is what it should be; a
// later call goes on from there. A file that is there already is not fetched, and is an error if its content is another.
func (f *fetcher) get(ctx context.Context, p *benchmark.PublishedFile, dir string) (fetchedFile, error) {
	out := fetchedFile{Path: filepath.Join(dir, p.Name), From: p.URL, Pinned: p.SHA256 != "" || p.Blob != ""}
	for _, path := range []string{out.Path, out.Path + ".part"} {
		if in, err := within.Folder(dir, path); err != nil || !in {
			return out, fmt.Errorf("%s is a link that leads out of its folder; remove it", path)
		}
	}
	switch file, err := inputfile.Open(out.Path); {
	case err == nil && file.Size() > f.most:
		file.Close()
		return out, fmt.Errorf("%s is there, and with more than %d MiB it is no published file; move it away", out.Path, f.most>>20)
	case err == nil:
		defer file.Close()
		ok := false
		if out.Bytes, out.SHA256, ok, err = check(file, file.Size(), p); err == nil && !ok {
			err = fmt.Errorf("%s is there and is not the published file (its sha256 is %s); move it away", out.Path, out.SHA256)
		}
		return out, err
	case !errors.Is(err, fs.ErrNotExist):
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
	for again := false; ; again = true {
		resumed, err := f.download(ctx, p.URL, part)
		if err != nil {
			return out, fmt.Errorf("%w; run the command again to go on, or put the file at %s by hand", err, out.Path)
		}
		size, err := part.Seek(0, io.SeekEnd)
		if err == nil {
			_, err = part.Seek(0, io.SeekStart)
		}
		var ok bool
		if err == nil {
			out.Bytes, out.SHA256, ok, err = check(part, size, p)
		}
		if err != nil {
			return out, err
		}
		if ok {
			break
		}
		if err := part.Truncate(0); err != nil { // nothing of it is kept
			return out, err
		}
		if !resumed || again {
			os.Remove(part.Name())
			return out, fmt.Errorf("%s serves another file than the published one: its sha256 is %s; nothing of it was kept", p.URL, out.SHA256)
		}
	}
	out.Fetched = true
	if err := errors.Join(part.Sync(), part.Close()); err != nil {
		return out, err
	}
	return out, os.Rename(part.Name(), out.Path)
}

// check reads a file of so many bytes and says whether its content is the published one, which it is where none is known.
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

// download appends what the part lacks, or begins anew where the server does not go on from there.
func (f *fetcher) download(ctx context.Context, url string, part *os.File) (resumed bool, err error) {
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
	client.CheckRedirect = func(to *http.Request, via []*http.Request) error {
		if to.URL.Scheme != "https" || len(via) > 5 {
			return errors.New("it leads elsewhere, without https or in a circle")
		}
		return nil
	}
	resp, err := client.Do(req)
	if err != nil {
		return false, fmt.Errorf("%s cannot be reached: %v", url, errors.Unwrap(err))
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusPartialContent && strings.HasPrefix(resp.Header.Get("Content-Range"), "bytes "+strconv.FormatInt(have, 10)+"-"):
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
