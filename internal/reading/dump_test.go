package reading

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"hallmark/internal/evidence"
)

func TestDump(t *testing.T) {
	dir := os.Getenv("DUMP")
	if dir == "" {
		t.Skip()
	}
	f, _ := os.Open(dir + "/suite.csv")
	rows, _ := csv.NewReader(f).ReadAll()
	q := map[string][]string{}
	for _, r := range rows {
		q[r[0]] = r[1:]
	}
	g, _ := os.Open(dir + "/answers.jsonl")
	sc := bufio.NewScanner(g)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var r struct {
			ID       string `json:"case_id"`
			Response string
			Outcome  string
		}
		json.Unmarshal(sc.Bytes(), &r)
		t := evidence.Read(r.Response)
		fmt.Printf("%s [%s] Q %s G %s\n  > %s\n", r.ID, r.Outcome, q[r.ID][0], q[r.ID][1], evidence.Excerpt(r.Response, 400))
		for _, c := range Claims(t, NewQuestion(q[r.ID][0])) {
			fmt.Printf("      %d/%d “%s”\n", c.Role, c.Stance, t.Slice(c.Words))
		}
	}
}
