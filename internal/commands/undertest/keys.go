package undertest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"hallmark/internal/commands/spec"
	"hallmark/internal/model"
	"hallmark/internal/model/exec"
	"hallmark/internal/text/secret"
)

// KeyOf returns the key that a variable holds or a command prints, "" where neither is named. The flag is that of the
// variable; the command's ends in -cmd.
func (b *Builder) KeyOf(ctx context.Context, flag, name, command string) (key string, err error) {
	commandFlag := strings.TrimSuffix(flag, "-env") + "-cmd"
	switch {
	case name != "" && command != "":
		return "", fmt.Errorf("%s and %s both say where the key comes from; give one", flag, commandFlag)
	case command != "":
		known := false
		if key, known = b.printed[command]; known {
			return key, nil
		}
		if key, err = exec.Key(ctx, command); err != nil {
			return "", fmt.Errorf("%s: %w; try it by itself: it has to print the key as its first line", commandFlag,
				err)
		}
		b.printed[command] = key
		name = commandFlag
	case name != "":
		if key = strings.TrimSpace(os.Getenv(name)); key == "" {
			return "", fmt.Errorf("%s %s: the environment variable is empty or not set", flag, name)
		}
	default:
		return "", nil
	}
	b.LearnKey(name, key)
	return key, nil
}

// LearnKey makes a key known, and says once where it cannot be told from an answer.
func (b *Builder) LearnKey(name, key string) {
	if b.Secrets.Add(key); key != "" && secret.Plain(key) && !b.warned[name] {
		b.warned[name] = true
		b.Log.Warn("the key is short, or of words or numbers, so that it cannot be told from other text: "+
			"where a server quotes it, it is shown and stored", "key", name)
	}
}

// keyed returns the environment from which hosted.FromRef takes the key of a model, and the name under which it is
// there.
func (b *Builder) keyed(ctx context.Context, ref model.Ref, f *spec.Reach) (env func(string) string, name string,
	err error) {
	const printed = "--key-cmd"
	if f.KeyCmd == "" {
		own := map[model.Scheme]string{model.OpenAI: "OPENAI_API_KEY", model.Anthropic: "ANTHROPIC_API_KEY"}[ref.Scheme]
		if name := cmp.Or(f.KeyEnv, own); name != "" {
			b.LearnKey(name, strings.TrimSpace(os.Getenv(name)))
		}
		return os.Getenv, f.KeyEnv, nil
	}
	key, err := b.KeyOf(ctx, "--key-env", f.KeyEnv, f.KeyCmd)
	if err != nil {
		return nil, "", err
	}
	return func(name string) string {
		if name == printed {
			return key
		}
		return os.Getenv(name)
	}, printed, nil
}

// refOf is the text of a model reference as it is shown and stored: of a program whose command holds a secret, with its
// hash.
func refOf(ref model.Ref, m model.Model) string {
	if ref.Scheme == model.Exec {
		return m.Identity()
	}
	return ref.Text
}
