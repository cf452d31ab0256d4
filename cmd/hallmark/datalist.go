package main

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"text/tabwriter"

	"hallmark/internal/suite/benchmark"
)

// A publishedEntry is what `data list --json` says of a benchmark that is published somewhere.
type publishedEntry struct {
	Name    string          `json:"name"`
	About   string          `json:"about"`
	Licence string          `json:"licence"`
	Suite   string          `json:"suite"` // what --suite takes, with DIR for the folder of its files
	Note    string          `json:"note,omitempty"`
	Files   []publishedFile `json:"files"`
}

// A publishedFile is one of its files.
type publishedFile struct {
	Name   string `json:"name"`
	Rows   int    `json:"rows,omitempty"`
	URL    string `json:"url"`
	SHA256 string `json:"sha256,omitempty"`
	Blob   string `json:"git_blob,omitempty"`
}

func publishedEntries() []publishedEntry {
	var all []publishedEntry
	for _, p := range benchmark.Publications {
		e := publishedEntry{Name: p.Name, About: p.About, Licence: p.Licence, Suite: p.Suite, Note: p.Note, Files: []publishedFile{}}
		for _, f := range p.Files {
			e.Files = append(e.Files, publishedFile{f.Name, f.Rows, f.URL, f.SHA256, f.Blob})
		}
		all = append(all, e)
	}
	return all
}

// listPublished writes a line for each benchmark: its rows by file, the place it comes from and its licence. Notes stand below.
func listPublished(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nPUBLISHED\tABOUT\tROWS\tFROM\tLICENCE")
	for _, p := range benchmark.Publications {
		var rows []string
		from := "by hand"
		for _, f := range p.Files {
			if f.Rows > 0 {
				rows = append(rows, fmt.Sprint(f.Rows))
			}
			if u, err := url.Parse(f.URL); err == nil {
				from = u.Host
				if parts := strings.Split(u.Path, "/"); u.Host == "raw.githubusercontent.com" {
					from = "github.com/" + parts[1] + "/" + parts[2]
				}
			}
		}
		counts := strings.Join(rows, " + ")
		if len(p.Files) > 10 {
			counts = fmt.Sprintf("in %d files", len(p.Files))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", p.Name, p.About, counts, from, p.Licence)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, p := range benchmark.Publications {
		if p.Note != "" {
			if _, err := fmt.Fprintf(out, "%s: %s\n", p.Name, p.Note); err != nil {
				return err
			}
		}
	}
	return nil
}
