package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hallmark/internal/commands/setting"
	"hallmark/internal/commands/stages"
)

// TestHugeStage: a stage that has more bytes than its dense model can have led to, which cost nobody anything to write,
// is refused unread.
func TestHugeStage(t *testing.T) {
	dir := t.TempDir()
	stage := filepath.Join(dir, "R1")
	err := os.Mkdir(stage, 0o700)
	for name, text := range map[string]string{
		"compression.json": `{"stage": "R1", "sparsity": 0.5, "files": {"config.json": "0", "model.safetensors": "0"}}`,
		"config.json":      "{}", "model.safetensors": "x",
	} {
		if err == nil {
			err = os.WriteFile(filepath.Join(stage, name), []byte(text), 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	refused := func(want string) {
		t.Helper()
		wanted := stages.Wanted{From: dir}
		if _, err := wanted.Read(&[]string{"pocket"}, setting.Trust{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	refused("config.json is not as it was")
	if err := os.Truncate(filepath.Join(stage, "model.safetensors"), 1<<40); err != nil {
		t.Skipf("no file with holes here: %v", err)
	}
	refused("R1: its files have 1048576 MiB, more than a stage of pocket can have")
}
