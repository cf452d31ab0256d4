package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hallmark/internal/archtest"
	"hallmark/internal/commands/setting"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestPlanKeys: a plan sets each flag of run under the name that the flag has, but those that are only typed, and under
// no other spelling, which is told the right one.
func TestPlanKeys(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "plan.yaml")
	set := func(key, value string) (*cobra.Command, error) {
		t.Helper()
		if err := os.WriteFile(plan, fmt.Appendf(nil, "%q: %s\n", key, value), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd, _, err := (&app{}).root().Find([]string{"run"})
		if err != nil {
			t.Fatal(err)
		}
		cmd.LocalFlags() // with the flags of root
		return cmd, setting.FromFile(cmd.Flags(), plan, setting.Trust{}, nil)
	}
	run, _ := set("model", "pocket")
	seen := 0
	run.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		seen++
		if got, err := set(f.Name, `{}`); err != nil && strings.Contains(err.Error(), "unknown key") || f.Name != "config" &&
			got.Flags().Lookup(f.Name) == nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if _, err := set(f.Name, "true"); slices.Contains(setting.TypedOnly, f.Name) != (err != nil &&
			strings.Contains(err.Error(), "typed only; take it out, and type")) {
			t.Errorf("%s: %v", f.Name, err)
		}
		title := strings.ToUpper(f.Name[:1]) + f.Name[1:]
		all := []string{strings.ToUpper(f.Name), title, "--" + f.Name, f.Name + " ", " " + f.Name,
			strings.ReplaceAll(f.Name, "-", "_"), setting.Variable(f.Name)}
		if !archtest.Long() { // one of them for each flag
			all = all[seen%len(all):][:1]
		}
		for _, spelt := range all {
			if spelt == f.Name {
				continue
			}
			got, err := set(spelt, "1")
			if err == nil || !strings.Contains(err.Error(), "plan.yaml:1: unknown key") {
				t.Errorf("%q: %v", spelt, err)
			}
			if want := fmt.Sprintf("did you mean %q?", f.Name); err != nil && !strings.HasPrefix(spelt, "HALLMARK") &&
				!strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
			got.Flags().Visit(func(set *pflag.Flag) { t.Errorf("%q sets --%s", spelt, set.Name) })
		}
	})
	if seen < 40 {
		t.Errorf("%d flags", seen)
	}
	for key, want := range map[string]string{"rpm": "7", "allow-unscored": "3", "paraphrase-draws": "5"} {
		if got, err := set(key, want); err != nil || got.Flags().Lookup(key).Value.String() != want {
			t.Errorf("%s: %v", key, err)
		}
	}
}
