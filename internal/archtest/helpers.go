package archtest

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"testing"
)

// Tests are short and the heap of each is small: the collector runs a quarter as often, unless GOGC says how often.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// Long says that HALLMARK_LONG asks for the long tests too.
func Long() bool { return os.Getenv("HALLMARK_LONG") != "" }

// Full says that HALLMARK_LONG=full asks for what stands on the pages too, which takes hours.
func Full() bool { return os.Getenv("HALLMARK_LONG") == "full" }

// Draws returns how many draws a simulation makes: in every test, with HALLMARK_LONG=1, and with HALLMARK_LONG=full.
func Draws(short, long, full int) int {
	switch {
	case Full():
		return full
	case Long():
		return long
	}
	return short
}

// Least returns the share of so many draws that has to hold where p of all do, less three standard errors: by chance
// one share in 740 is smaller. What holds in less than p by 4.3 standard errors is found in nine of ten.
func Least(p float64, draws int) float64 { return p - 3*math.Sqrt(p*(1-p)/float64(draws)) }

// Near reports whether two numbers differ by at most within; NaN is near to nothing.
func Near(got, want, within float64) bool { return math.Abs(got-want) <= within }

// IsNear is Near, and an error of the test where it does not hold.
func IsNear(t testing.TB, what string, got, want, within float64) {
	t.Helper()
	if !Near(got, want, within) {
		t.Errorf("%s: %v, want %v within %v", what, got, want, within)
	}
}

// Checks has rapid make n checks in this test in the place of its 100, but with HALLMARK_LONG, or where -rapid.checks
// says how many. The test must not run beside others.
func Checks(t testing.TB, n int) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if checks == nil || Long() || checks.Value.String() != checks.DefValue {
		return
	}
	set := func(value string) {
		if err := flag.Set("rapid.checks", value); err != nil {
			t.Fatal(err)
		}
	}
	set(strconv.Itoa(n))
	t.Cleanup(func() { set(checks.DefValue) })
}

// OneGoroutine skips a test under the race detector, as what it tests runs on one goroutine.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("on one goroutine")
	}
}

// Published returns the path of a published file or folder, which lies in shared/data beside the repository, and skips
// the test where it is not there. The name has slashes.
func Published(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
	path := filepath.Join(filepath.Dir(dir), "shared", "data", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the published %s is not here: %v", name, err)
	}
	return path
}

// ReadJSON reads a JSON file of a test into a value.
func ReadJSON(t testing.TB, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// Golden compares what a test made with a file of its package, and writes the file first where update says so.
func Golden(t testing.TB, path string, got []byte, update bool) {
	t.Helper()
	if update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(got) {
		t.Errorf("%s differs; look at it with -update and git diff. Got:\n%s", path, got)
	}
}
