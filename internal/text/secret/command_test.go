package secret_test

import (
	"fmt"
	"testing"

	"hallmark/internal/text/secret"
)

func TestInCommand(t *testing.T) {
	for command, want := range map[string]string{
		"OPENAI_API_KEY=sk-abc123def456 python bot.py":        "[sk-abc123def456]",
		"env AZURE_KEY='0123456789abcdef' ./bot":              "[0123456789abcdef]",
		"GITHUB_TOKEN=ghp_0123456789abcdef ./bot":             "[ghp_0123456789abcdef]",
		"./bot --api-key 0123456789abcdef":                    "[0123456789abcdef]",
		"./bot --api-key=0123456789abcdef":                    "[0123456789abcdef]",
		"./bot -token A1b2C3d4E5":                             "[A1b2C3d4E5]",
		"./bot --pw hunter2hunter2X9":                         "[hunter2hunter2X9]",
		"./bot --pass 2 --pwd /tmp/dir1":                      "[]",
		"MY_TOKEN='pq;7xR9zL4tV8' ./bot --api-key 'Zk; 7xR9'": "[Zk; 7xR9 pq;7xR9zL4tV8]",
		"MY_TOKEN=hunter2 ./bot --api-key hunter":             "[hunter hunter2]",
		"./bot --password letmein":                            "[letmein]",
		"DB_PASSWORD=letmein ./bot":                           "[letmein]",
		`curl -H "Authorization: Bearer A1b2C3d4E5" x`:        "[A1b2C3d4E5]",
		`curl -H 'x-api-key: A1b2C3d4E5' x`:                   "[A1b2C3d4E5]",
		"curl -u me:letmein x":                                "[letmein]",
		"curl https://me:letmein@host/x":                      "[letmein]",
		"curl 'https://host/x?api_key=A1b2C3d4E5'":            "[A1b2C3d4E5]",
		"./bot hf_AbCdEfGhIjKl":                               "[hf_AbCdEfGhIjKl]",
		"./bot eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc":      "[eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc]",
		"python bot.py":                                       "[]",
		"OPENAI_API_KEY=$KEY python bot.py":                   "[]",
		`./bot --api-key "$OPENAI_API_KEY"`:                   "[]",
		"./bot --key-env OPENAI_API_KEY --max-tokens 100":     "[]",
		"./bot --sort-key name --keys data/keys1.json":        "[]",
		"./bot --token-file /run/secrets/token1":              "[]",
		"./bot --key /etc/keys/key1.pem":                      "[]",
		"MAX_TOKENS=4096 ./sk-learn-pipeline --seed 1":        "[]",
		"./bot --pad-token '<|im_end|>' --basic principle":    "[]",
		"sh -c 'echo bearer of news'":                         "[]",
		"while read -r l; do echo '{\"text\": \"4\"}'; done":  "[]",
	} {
		if got := fmt.Sprint(secret.InCommand(command)); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
	if got := secret.Shown("KEY=A1b2C3d4E5 ./bot --api-key A1b2C3d4E5 x"); got != "KEY=[key] ./bot --api-key [key] x" {
		t.Error(got)
	}
}
