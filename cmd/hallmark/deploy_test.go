package main

import (
	"database/sql"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v4"
)

const deployFolder = "../../deploy"

// deployed returns the documents of a YAML file below deploy/.
func deployed(t *testing.T, path string) (docs []map[string]any) {
	t.Helper()
	f, err := os.Open(filepath.Join(deployFolder, path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d := yaml.NewDecoder(f); ; {
		var doc map[string]any
		if err := d.Decode(&doc); err != nil {
			if len(docs) == 0 {
				t.Fatalf("%s: %v", path, err)
			}
			return docs
		}
		docs = append(docs, doc)
	}
}

// at returns what is at a path of keys and indices in a document.
func at(t *testing.T, v any, keys ...any) any {
	t.Helper()
	for _, k := range keys {
		switch k := k.(type) {
		case string:
			m, ok := v.(map[string]any)
			if v = m[k]; !ok || v == nil {
				t.Fatalf("no %q on the way %v", k, keys)
			}
		case int:
			l, ok := v.([]any)
			if !ok || len(l) <= k {
				t.Fatalf("no element %d on the way %v", k, keys)
			}
			v = l[k]
		}
	}
	return v
}

func texts(v any) (list []string) {
	for _, x := range v.([]any) {
		list = append(list, fmt.Sprint(x))
	}
	return list
}

// known reports whether the program has a command.
func known(name string) bool {
	cmd, _, err := new(app).root().Find([]string{name})
	return err == nil && cmd.Name() == name
}

// held fails unless the program takes the arguments.
func held(t *testing.T, where string, args []string) {
	t.Helper()
	if !known("worker") && slices.ContainsFunc(args, func(a string) bool {
		return a == "worker" || a == "--detach" || a == "--follow"
	}) {
		t.Logf("%s: %q waits for the command worker", where, args)
		return
	}
	cmd, rest, err := new(app).root().Find(args)
	if err != nil || cmd == cmd.Root() && !slices.Equal(args, []string{"--help"}) {
		t.Errorf("%s: %q: %v", where, args, err)
		return
	}
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(rest); err != nil {
		t.Errorf("%s: %q: %v", where, args, err)
		return
	}
	if cmd.Args != nil && cmd.Name() != "run" {
		if err := cmd.Args(cmd, cmd.Flags().Args()); err != nil {
			t.Errorf("%s: %q: %v", where, args, err)
		}
	}
}

// Each command line in the files of deploy/ and on their page is one that the program takes.
func TestDeployedCommands(t *testing.T) {
	compose := deployed(t, "compose.yaml")[0]
	held(t, "compose.yaml", texts(at(t, compose, "services", "worker", "command")))
	held(t, "compose.yaml", texts(at(t, compose, "services", "hallmark", "command")))
	worker := at(t, deployed(t, "kubernetes/worker.yaml")[0], "spec", "template", "spec", "containers", 0)
	held(t, "worker.yaml", texts(at(t, worker, "args")))
	unit, err := os.ReadFile(filepath.Join(deployFolder, "systemd/hallmark-worker@.service"))
	if err != nil {
		t.Fatal(err)
	}
	start := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/hallmark (.*)$`).FindSubmatch(unit)
	if start == nil {
		t.Fatal("the unit starts no hallmark")
	}
	held(t, "hallmark-worker@.service", strings.Fields(string(start[1])))
	page, err := os.ReadFile("../../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^    (?:.*\brun --rm )?hallmark ((?:run|worker|show)\b.*)$`).FindAllSubmatch(page, -1)
	if len(lines) < 5 {
		t.Errorf("docs/deploy.md has %d command lines", len(lines))
	}
	for _, l := range lines {
		held(t, "docs/deploy.md", strings.Fields(strings.ReplaceAll(string(l[1]), `"`, "")))
	}
}

// The files are whole, and say the same of what they share.
func TestDeployedFiles(t *testing.T) {
	kinds := map[string][]map[string]any{}
	err := fs.WalkDir(os.DirFS(deployFolder), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		for _, doc := range deployed(t, path) {
			kind, _ := doc["kind"].(string)
			kinds[kind] = append(kinds[kind], doc)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"", "Kustomization", "Namespace", "Deployment", "ScaledObject"} {
		if len(kinds[kind]) != 1 {
			t.Errorf("%d files of kind %q, want 1", len(kinds[kind]), kind)
		}
	}
	kustomization := kinds["Kustomization"][0]
	for _, name := range texts(at(t, kustomization, "resources")) {
		if _, err := os.Stat(filepath.Join(deployFolder, "kubernetes", name)); err != nil {
			t.Error(err)
		}
	}
	deployment, scaled := kinds["Deployment"][0], kinds["ScaledObject"][0]
	if at(t, scaled, "spec", "scaleTargetRef", "name") != at(t, deployment, "metadata", "name") {
		t.Error("what is scaled is not what is deployed")
	}
	pod := at(t, deployment, "spec", "template", "spec")
	if at(t, pod, "securityContext", "runAsNonRoot") != true || at(t, pod, "containers", 0, "securityContext",
		"readOnlyRootFilesystem") != true {
		t.Error("a worker may do more than it needs")
	}
	password := at(t, scaled, "spec", "triggers", 0, "metadata", "passwordFromEnv")
	if !slices.ContainsFunc(at(t, pod, "containers", 0, "env").([]any), func(v any) bool {
		return at(t, v, "name") == password
	}) {
		t.Errorf("the container has no %v", password)
	}
	compose := kinds[""][0]
	if file := at(t, compose, "services", "worker", "build", "dockerfile"); file != "deploy/Containerfile" {
		t.Errorf("compose builds %v", file)
	}

	file, err := os.ReadFile(filepath.Join(deployFolder, "Containerfile"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)
	user := fmt.Sprint(at(t, pod, "securityContext", "runAsUser"))
	for _, want := range []string{"golang:" + string(version[1]) + " ", "CGO_ENABLED=0 ", "\nFROM scratch\n",
		"\nUSER " + user + ":",
		`ENTRYPOINT ["/usr/local/bin/hallmark"]`} {
		if !strings.Contains(string(file), want) {
			t.Errorf("Containerfile lacks %q", want)
		}
	}
}

// What the tools of others say of the files, where they are here.
func TestDeployedByTools(t *testing.T) {
	if _, err := exec.LookPath("kubectl"); err == nil {
		out, err := exec.Command("kubectl", "kustomize", filepath.Join(deployFolder, "kubernetes")).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "kind: ScaledObject") {
			t.Errorf("kubectl kustomize: %v: %.500s", err, out)
		}
	}
	if _, err := exec.LookPath("systemd-analyze"); err == nil {
		unit, err := os.ReadFile(filepath.Join(deployFolder, "systemd/hallmark-worker@.service"))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "hallmark-worker@1.service")
		text := strings.ReplaceAll(string(unit), "/usr/local/bin/hallmark", "/bin/true")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("systemd-analyze", "verify", "--man=no", file).CombinedOutput()
		if err != nil || strings.Contains(string(out), filepath.Base(file)+":") {
			t.Errorf("systemd-analyze verify: %v: %s", err, out)
		}
	}
}

// queued runs the query by which workers are scaled in the store of $POSTGRES, and fails unless it counts N: queued N,
// or at least as many: queued N+.
func queued(ts *testscript.TestScript, _ bool, args []string) {
	want, atLeast := strings.CutSuffix(args[0], "+")
	data, err := os.ReadFile(filepath.Join(folderHere, deployFolder, "kubernetes/scale.yaml"))
	ts.Check(err)
	var doc struct {
		Spec struct {
			Triggers []struct{ Metadata struct{ Query string } }
		}
	}
	ts.Check(yaml.Unmarshal(data, &doc))
	u, err := url.Parse(ts.Getenv("POSTGRES"))
	ts.Check(err)
	query := strings.ReplaceAll(doc.Spec.Triggers[0].Metadata.Query, "hallmark.",
		fmt.Sprintf("%q.", u.Query().Get("search_path")))
	db, err := sql.Open("pgx", ts.Getenv("POSTGRES"))
	ts.Check(err)
	defer db.Close()
	var n, least int
	ts.Check(db.QueryRow(query).Scan(&n))
	_, err = fmt.Sscan(want, &least)
	ts.Check(err)
	if n < least || n > least && !atLeast {
		ts.Fatalf("%s: %d, want %s", query, n, args[0])
	}
}

// folderHere is that of this package.
var folderHere, _ = os.Getwd()
