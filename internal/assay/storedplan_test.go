package assay

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"hallmark/internal/run"
	"hallmark/internal/run/store/inmemory"
)

// counting counts the texts that are put.
type counting struct {
	run.Store
	puts int
}

func (c *counting) PutText(ctx context.Context, name string, text []byte) error {
	c.puts++
	return c.Store.PutText(ctx, name, text)
}

// A store keeps a suite once, however many runs are on it, and reads the same plan from it as from one piece, as earlier
// releases and bundles have it.
func TestSuitesAreKeptOnce(t *testing.T) {
	ctx, store := context.Background(), &counting{Store: inmemory.New()}
	p := plan(read(t, "tiny.yaml", tiny), read(t, "chosen.yaml", chosen))
	p.Suites[0].Warnings = []string{"a warning"}
	whole, err := p.Stored()
	if err != nil {
		t.Fatal(err)
	}
	var kept []byte
	for _, seed := range []uint64{p.Seed + 1, p.Seed} {
		p.Seed = seed
		if kept, err = p.Keep(ctx, store); err != nil {
			t.Fatal(err)
		}
	}
	if store.puts != 2 {
		t.Errorf("%d texts were put for two runs on two suites", store.puts)
	}
	if bytes.Contains(kept, []byte(`"cases"`)) || !bytes.Contains(whole, []byte(`"cases"`)) {
		t.Errorf("the plan is stored with its cases: %s", kept)
	}
	for form, data := range map[string][]byte{"in one piece": whole, "with suites beside it": kept} {
		got, err := LoadPlan(ctx, store, data)
		if err != nil {
			t.Fatalf("%s: %v", form, err)
		}
		again, err := got.Stored()
		if err != nil || string(again) != string(whole) || got.ID() != p.ID() {
			t.Errorf("%s: %v\ngot  %s\nwant %s", form, err, again, whole)
		}
		l, err := ListingOf(data)
		if err != nil || strings.Join(l.Suites, " ") != "tiny chosen" || len(l.Models) != len(p.Models) {
			t.Errorf("%s: listed as %+v, %v", form, l, err)
		}
		if n := Length(data); n < int64(len(whole))*3/4 || n > int64(len(whole))+400 {
			t.Errorf("%s: %d bytes, in one piece %d", form, n, len(whole))
		}
		if lacks, err := Lacks(ctx, store, data); lacks || err != nil {
			t.Errorf("%s: suites are missing, %v", form, err)
		}
	}
}

// A suite that is missing, or another than the plan names, ends in an error that says what to do.
func TestSuiteLost(t *testing.T) {
	ctx := context.Background()
	p := plan(read(t, "tiny.yaml", tiny))
	good := inmemory.New()
	kept, err := p.Keep(ctx, good)
	if err != nil {
		t.Fatal(err)
	}
	var s stored
	if err := json.Unmarshal(kept, &s); err != nil {
		t.Fatal(err)
	}
	name := s.Kept[0].text()
	packed, err := good.Text(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	other := plan(read(t, "chosen.yaml", chosen))
	_, another, err := packedSuite(other.Suites[0])
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string][]byte{"missing": nil, "empty": {}, "cut": packed[:len(packed)-3],
		"of another suite": another, "no text that was packed": []byte("{}")} {
		store := inmemory.New()
		if text != nil {
			if err := store.PutText(ctx, name, text); err != nil {
				t.Fatal(err)
			}
		}
		_, err := LoadPlan(ctx, store, kept)
		if err == nil || !strings.Contains(err.Error(), `its suite "tiny"`) || !strings.Contains(err.Error(), "run it again") {
			t.Errorf("%s: %v", what, err)
		}
	}
	lacks, err := Lacks(ctx, inmemory.New(), kept)
	if err != nil || !lacks {
		t.Errorf("a store without the suite lacks it: %v, %v", lacks, err)
	}
	for what, hostile := range map[string]string{
		"a size below zero": `{"kept_suites": [{"name": "a", "sha256": "` + s.Kept[0].SHA256 + `", "bytes": -1}]}`,
		"a size of a flood": `{"kept_suites": [{"name": "a", "sha256": "` + s.Kept[0].SHA256 + `", "bytes": 9e18}]}`,
	} {
		if _, err := LoadPlan(ctx, good, []byte(strings.ReplaceAll(hostile, "9e18", "9000000000000000000"))); err == nil {
			t.Errorf("%s was read", what)
		}
	}
}
