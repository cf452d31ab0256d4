package assay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"hallmark/internal/base/jsonl"
	"hallmark/internal/run"
	"hallmark/internal/suite"
)

// stored is a plan as it is kept with its run: beside the plan, what its suites leave out of their own JSON because
// it is no content of theirs, but which calls and reports are made from.
type stored struct {
	*Plan
	Pools    map[string]map[string][]suite.Demonstration `json:"pools,omitempty"`          // rows by suite and pool
	Warnings map[string][]string                         `json:"suite_warnings,omitempty"` // of the readers, by suite
	Kept     []keptSuite                                 `json:"kept_suites,omitempty"`    // in the place of suites
}

// A keptSuite names a suite whose JSON is a text of the store, packed, under the name of its hash: several runs share
// it (docs/decisions/0060).
type keptSuite struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// mostPacked is how many times as long as it is packed a suite is at most.
const mostPacked = 2000

// text is the name of the suite among the texts of a store.
func (k keptSuite) text() string { return "suite " + k.SHA256 }

// beside returns the plan as it is stored, but for its suites.
func (p *Plan) beside() stored {
	bare := *p
	bare.Suites = nil
	s := stored{Plan: &bare}
	for _, u := range p.Suites {
		for _, c := range u.Cases.Pass() {
			if pools := s.Pools[u.Name]; c.Pool != "" && pools[c.Pool] == nil {
				setIn(&pools, c.Pool, c.Rows)
				setIn(&s.Pools, u.Name, pools)
			}
		}
		if len(u.Warnings) > 0 {
			setIn(&s.Warnings, u.Name, u.Warnings)
		}
	}
	return s
}

// Stored returns the plan in one piece, as bundles hold it, so that the run can be shown again without the files it
// came from: with the rows of its pools and with what the readers of its suites said. ParsePlan reads it.
func (p *Plan) Stored() ([]byte, error) {
	b, err := json.Marshal(p.beside())
	if err != nil || len(p.Suites) == 0 {
		return b, err
	}
	length := len(b) + len(p.Suites) + bytes.MinRead
	for _, u := range p.Suites {
		length += u.Length()
	}
	// as json.Marshal has it, which holds what is long several times
	var out bytes.Buffer
	head, tail, _ := bytes.Cut(b, []byte(`"suites":null`))
	out.Grow(length)
	out.Write(head)
	out.WriteString(`"suites":`)
	for i, u := range p.Suites {
		out.WriteByte("[,"[min(i, 1)])
		if u == nil {
			out.WriteString("null")
		} else if err := u.WriteJSON(&out); err != nil {
			return nil, err
		} else {
			out.Truncate(out.Len() - 1) // of the line
		}
	}
	out.WriteByte(']')
	out.Write(tail)
	return out.Bytes(), nil
}

// Keep has a store keep the suites of the plan, each once for all runs, and returns the plan as it is stored with its
// run, which names them. LoadPlan reads it.
func (p *Plan) Keep(ctx context.Context, store run.TextStore) ([]byte, error) {
	s := p.beside()
	for _, u := range p.Suites {
		of, packed, err := packedSuite(u)
		if err != nil {
			return nil, err
		}
		there, err := store.Text(ctx, of.text())
		if err == nil && there == nil {
			err = store.PutText(ctx, of.text(), packed)
		}
		if err != nil {
			return nil, err
		}
		s.Kept = append(s.Kept, of)
	}
	return json.Marshal(s)
}

// packedSuite returns the JSON of a suite, packed, and what names it.
func packedSuite(u *suite.Suite) (of keptSuite, packed []byte, err error) {
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return of, nil, err
	}
	sum := sha256.New()
	length := new(counter)
	if err = u.WriteJSON(io.MultiWriter(z, sum, length)); err == nil {
		err = z.Close()
	}
	return keptSuite{u.Name, hex.EncodeToString(sum.Sum(nil)), int64(*length)}, out.Bytes(), err
}

// A counter counts the bytes that are written to it.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// LoadPlan reads a plan that a store keeps with a run, with its suites; of earlier releases it holds them itself.
func LoadPlan(ctx context.Context, store run.TextStore, data []byte) (*Plan, error) {
	s, err := parseStored(data)
	if err != nil {
		return nil, err
	}
	for _, of := range s.Kept {
		u, err := of.load(ctx, store)
		if err != nil {
			return nil, err
		}
		s.Suites = append(s.Suites, u)
	}
	return s.plan()
}

// load reads a suite that a store keeps.
func (k keptSuite) load(ctx context.Context, store run.TextStore) (*suite.Suite, error) {
	packed, err := store.Text(ctx, k.text())
	if err != nil {
		return nil, err
	}
	lost := fmt.Errorf("its suite %.80q is missing in the store, or damaged there: run it again from the suite's "+
		"file, which stores the suite anew and asks nothing twice", k.Name)
	if packed == nil || k.Bytes < 0 {
		return nil, lost
	}
	z, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var text bytes.Buffer
	most := min(k.Bytes, mostPacked*int64(len(packed))) // what it says of itself may not be so
	text.Grow(int(min(most, 64*int64(len(packed)))) + bytes.MinRead)
	if n, err := io.Copy(&text, io.LimitReader(z, most)); err != nil || n < k.Bytes ||
		fmt.Sprintf("%x", sha256.Sum256(text.Bytes())) != k.SHA256 {
		return nil, lost
	}
	u := &suite.Suite{}
	if err := json.Unmarshal(text.Bytes(), u); err != nil {
		return nil, fmt.Errorf("the stored suite %.80q does not read: %w", k.Name, jsonl.Plain(err))
	}
	return u, nil
}

// Length returns the bytes that a stored plan takes, with the suites that it names.
func Length(data []byte) int64 {
	var s struct {
		Kept []keptSuite `json:"kept_suites"`
	}
	n := int64(len(data))
	if json.Unmarshal(data, &s) == nil {
		for _, of := range s.Kept {
			n += max(of.Bytes, 0)
		}
	}
	return n
}

// Lacks reports whether a store lacks a suite that a stored plan names.
func Lacks(ctx context.Context, store run.TextStore, data []byte) (bool, error) {
	s, err := parseStored(data)
	if err != nil {
		return false, err
	}
	for _, of := range s.Kept {
		if text, err := store.Text(ctx, of.text()); err != nil || text == nil {
			return err == nil, err
		}
	}
	return false, nil
}

// ListingOf returns what a list of runs shows of a stored plan, without its suites.
func ListingOf(data []byte) (Listing, error) {
	s, err := parseStored(data)
	if err != nil {
		return Listing{}, err
	}
	l := s.Listing()
	for _, of := range s.Kept {
		l.Suites = append(l.Suites, of.Name)
	}
	return l, nil
}

// ParsePlan reads a plan that Stored returned.
func ParsePlan(data []byte) (*Plan, error) {
	s, err := parseStored(data)
	if err != nil {
		return nil, err
	}
	return s.plan()
}

func parseStored(data []byte) (stored, error) {
	s := stored{Plan: &Plan{}}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("the stored plan does not read: %w", jsonl.Plain(err))
	}
	return s, nil
}

// plan returns the plan, whose suites are there, with what they leave out of their own JSON.
func (s *stored) plan() (*Plan, error) {
	for i, u := range s.Suites {
		if u == nil {
			return nil, fmt.Errorf("the stored plan does not read: suite %d is null", i+1)
		}
		u.Warnings = s.Warnings[u.Name]
		for _, c := range u.Cases.Pass() {
			if c.Pool != "" { // so that it is held whole
				c.Rows = s.Pools[u.Name][c.Pool]
			}
		}
	}
	return s.Plan, nil
}
