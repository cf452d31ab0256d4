package benchmark

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"text/tabwriter"
)

// A Publication is a benchmark as its authors, or a public copy of theirs, offer it: what `hallmark data fetch`
// gets and `hallmark data list --json` lists.
type Publication struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Licence string `json:"licence"` // as its source states it
	// Suite is what --suite takes once its files are there, with DIR for their folder.
	Suite string `json:"suite"`
	// Note says how to get it where it cannot be fetched, and what is known of its files.
	Note  string          `json:"note,omitempty"`
	Files []PublishedFile `json:"files"`
}

// A PublishedFile is one file at an address that keeps its content, and what its content is.
type PublishedFile struct {
	Name string `json:"name"`
	Rows int    `json:"rows,omitempty"` // questions; 0 where the file holds none
	URL  string `json:"url"`
	// SHA256 is the content in hexadecimal digits; Blob is its id in git, which stands where only that is known.
	// Without either the content is not pinned, and what is fetched is taken as it comes.
	SHA256 string `json:"sha256,omitempty"`
	Blob   string `json:"git_blob,omitempty"`
}

// Publications returns the benchmarks that can be fetched, or of which is known how they are available. Addresses, rows
// and hashes of files that were seen are those of the files; wiki_factor.csv, reasoning_FCT.csv and
// reasoning_nota.csv were not seen, and their blobs are those of the repositories' trees. Rows of MMLU are in no
// one file: 14,042 questions in all of test, five in each of dev. It is the same list at every
// call; do not change it.
var Publications = sync.OnceValue(func() []Publication {
	var all []Publication
	if err := json.Unmarshal(publications, &all); err != nil {
		panic(err) // a test reads them
	}
	return all
})

//go:embed publications.json
var publications []byte

// WritePublished writes a line for each publication: its rows by file, the place it comes from and its licence.
// Notes stand below.
func WritePublished(out *strings.Builder) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nPUBLISHED\tABOUT\tROWS\tFROM\tLICENCE")
	for _, p := range Publications() {
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
	w.Flush()
	for _, p := range Publications() {
		if p.Note != "" {
			fmt.Fprintf(out, "%s: %s\n", p.Name, p.Note)
		}
	}
}
