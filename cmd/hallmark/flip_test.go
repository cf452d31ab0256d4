package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// flipSuite is a suite of a few cases, one of which the program below never answers.
const flipSuite = `suite: {name: small, version: "1", as_of: 2026-11-20}
cases:
  - {id: a, prompt: "Capital of Japan?", gold: [Tokyo], phrasings: ["Which city is the capital of Japan?"]}
  - {id: b, prompt: "Capital of France?", gold: [Paris], phrasings: ["Which city is the capital of France?"]}
  - {id: c, prompt: "Capital of Kenya?", gold: [Nairobi], phrasings: ["Which city is the capital of Kenya?"]}
  - {id: d, prompt: "Capital of Atlantis?", gold: [none], phrasings: ["Which city is the capital of Atlantis?"]}
`

// flipBot answers the suite's questions, and fails otherwise each time it is asked for Atlantis.
const flipBot = `while read -r request; do
case "$request" in
*Japan*) echo '{"text": "Tokyo"}' ;;
*France*) echo '{"text": "It is Lyon, I believe."}' ;;
*Kenya*) echo '{"text": "Nairobi"}' ;;
*) echo x >> tries; echo "{\"error\": \"the map is torn, try $(wc -l < tries)\"}" ;;
esac
done
`

// said runs a command in this process and returns what it wrote and its exit code.
func said(args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = hallmark(args, strings.NewReader(""), &out, &errs)
	return out.String(), errs.String(), code
}

// flipStore makes a store with two finished runs of one suite, failures that were asked for again, and what a person
// said of the answers. It returns the file and the id of the first run.
func flipStore(t *testing.T) (path, id string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"s.yaml": flipSuite, "bot.sh": flipBot} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path = filepath.Join(t.TempDir(), "a.db")
	do := func(args ...string) string {
		t.Helper()
		out, errs, code := said(append(args, "--store", "sqlite:"+path)...)
		if code != 0 {
			t.Fatalf("%q: exit %d: %s", args, code, errs)
		}
		return out
	}
	first := []string{"run", "--suite", "s.yaml", "--model", "exec:sh bot.sh", "--json", "--no-report", "--allow-unscored",
		"9", "--max-retries", "0"}
	do(first...)
	do(append(first, "--seed", "2", "--method", "rubric")...)
	var doc struct {
		Run struct{ ID string }
	}
	if err := json.Unmarshal([]byte(do(append(first, "--retry-errors")...)), &doc); err != nil {
		t.Fatal(err)
	}
	sheet := do("annotate", "export", doc.Run.ID, "--rater", "ann")
	for _, axis := range []string{"truth", "decidability", "reciprocity"} {
		sheet = strings.ReplaceAll(sheet, `"`+axis+`":""`, `"`+axis+`":"fail"`)
	}
	if err := os.WriteFile("ann.jsonl", []byte(sheet), 0o600); err != nil {
		t.Fatal(err)
	}
	do("annotate", "import", doc.Run.ID, "ann.jsonl", "--json")
	return path, doc.Run.ID
}

// damage returns a copy of data with one bit flipped or, every tenth time, with some bytes written over or the end cut
// off.
func damage(r *rand.Rand, data []byte, n int) []byte {
	b := bytes.Clone(data)
	at := r.IntN(len(b))
	switch {
	case n%20 == 10:
		for i := at; i < min(at+1+r.IntN(64), len(b)); i++ {
			b[i] = byte(r.Uint32())
		}
	case n%20 == 0:
		return b[:at]
	default:
		b[at] ^= 1 << r.IntN(8)
	}
	return b
}

// rounds is how often a file is damaged: HALLMARK_LONG=full for the figure that docs/store.md gives.
func rounds() int {
	switch os.Getenv("HALLMARK_LONG") {
	case "full":
		return 2400
	case "":
		return 60
	default:
		return 300
	}
}

// A store with a bit flipped, bytes written over or its end cut off shows the same document, or says that it does not.
func TestFlippedStore(t *testing.T) {
	path, id := flipStore(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(t.TempDir(), "b.db")
	show := func() (string, string, int) { return said("show", id, "--json", "--store", "sqlite:"+at) }
	write := func(b []byte) {
		t.Helper()
		os.Remove(at + "-wal")
		os.Remove(at + "-shm")
		if err := os.WriteFile(at, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(data)
	want, errs, code := show()
	if code != 0 || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	outcomes := map[string]int{}
	r := rand.New(rand.NewPCG(18, 3))
	for n := range rounds() {
		write(damage(r, data, n))
		out, errs, code := show()
		switch {
		case code == 0 && errs == "" && out != want:
			t.Errorf("round %d: another document without a word", n)
		case code == 0 && errs == "":
			outcomes["same"]++
		case code == 0 && out == want:
			outcomes["same, with a warning"]++
		case code == 0:
			outcomes["other, with a warning"]++
		default:
			outcomes[map[int]string{1: "error", 2: "error of input", 3: "loss"}[code]]++
		}
	}
	t.Logf("%d bytes: %v", len(data), outcomes)
	// One round in twenty loses records, one in eleven fails.
	if outcomes["same"] == 0 || outcomes["error"] == 0 || outcomes["loss"] == 0 {
		t.Errorf("the test reaches too little: %v", outcomes)
	}
}

// A bundle with a bit flipped, bytes written over or its end cut off is refused, whatever reads it.
func TestFlippedBundle(t *testing.T) {
	path, id := flipStore(t)
	at := filepath.Join(t.TempDir(), "run.zip")
	if _, errs, code := said("report", id, "--format", "evidence", "-o", at, "--store", "sqlite:"+path); code != 0 {
		t.Fatal(errs)
	}
	data, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	commands := [][]string{{"verify", at}, {"check", at}, {"show", at, "--json"}}
	for _, c := range commands {
		if _, errs, code := said(c...); code != 0 {
			t.Fatalf("%q: exit %d: %s", c, code, errs)
		}
	}
	r := rand.New(rand.NewPCG(18, 4))
	for n := range rounds() {
		b := damage(r, data, n)
		if bytes.Equal(b, data) {
			continue
		}
		if err := os.WriteFile(at, b, 0o600); err != nil {
			t.Fatal(err)
		}
		c := commands[n%len(commands)]
		if _, errs, code := said(c...); code == 0 || errs == "" {
			t.Errorf("round %d: %q: exit %d, %q", n, c, code, errs)
		}
	}
}
