package undertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/spec"
	"hallmark/internal/model"
	"hallmark/internal/model/exec"
	"hallmark/internal/model/hosted"
	"hallmark/internal/model/local"
	"hallmark/internal/model/pocket"
	"hallmark/internal/model/simulated"
	"hallmark/internal/suite"
	"hallmark/internal/text/secret"
)

// Build makes the backend of a reference.
func (b *Builder) Build(ctx context.Context, ref model.Ref, f spec.Reach, suites []*suite.Suite) (model.Model, error) {
	switch ref.Scheme {
	case model.Pocket:
		return pocket.Model()
	case model.HF:
		if info, err := os.Stat(ref.Name); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("%s is no folder; name one with config.json, tokenizer.json and model.safetensors",
				ref.Name)
		}
		return local.Open(local.Folder(ref.Name), "hf:"+filepath.Base(filepath.Clean(ref.Name)))
	case model.HTTP, model.OpenAI, model.Anthropic:
		opt := hosted.Options{Concurrency: max(f.Concurrency, 16), Timeout: f.Timeout, Now: b.Now, Secrets: b.Secrets}
		if ref.Scheme != model.Anthropic {
			switch api := hosted.API(f.API); api {
			case hosted.Chat, hosted.Completions:
				opt.API = api
			default:
				return nil, fmt.Errorf("--api %q: use chat or completions", f.API)
			}
		}
		env, key, err := b.keyed(ctx, ref, &f)
		if err != nil {
			return nil, err
		}
		return hosted.FromRef(ref, env, key, opt)
	case model.Exec:
		return exec.New(ref.Name, exec.Options{Processes: max(f.Concurrency, 1), Timeout: f.Timeout,
			PassEnv: f.PassEnv, Secrets: b.Secrets})
	case model.Regression:
		return nil, errors.New("it reads pairs of numbers and no prompts; `hallmark analyze posterior` and " +
			"`analyze regression` measure it")
	case model.Exact:
		return nil, errors.New(
			"it learns labels or a line in process and reads no prompts; `hallmark analyze posterior` measures it")
	case model.Replay:
		return nil, errors.New("answers of an earlier run are for `hallmark run`, which has all it asks for; name " +
			"the model that gave them")
	case model.Simulated:
		return simulated.Open(ref.Name, suites)
	}
	return nil, fmt.Errorf("models of scheme %s cannot be asked here; use pocket, hf:DIR, http(s)://HOST/v1#NAME, "+
		"openai:NAME, anthropic:NAME, exec:COMMAND or phantom:FILE", ref.Scheme)
}

// A pricedModel counts what its answers cost.
type pricedModel struct {
	model.Model
	cost spec.Rates
}

func (p *pricedModel) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	resp, err := p.Model.Generate(ctx, req)
	resp.Usage.USD = min((float64(resp.Usage.PromptTokens)*p.cost.In+
		float64(resp.Usage.CompletionTokens)*p.cost.Out)/1e6, model.MostUSD)
	return resp, err
}

// Price makes what an answer costs known before it is asked for.
func (p *pricedModel) Price() (in, out float64, known bool) {
	return p.cost.In / 1e6, p.cost.Out / 1e6, true
}

func (p *pricedModel) Probe(ctx context.Context) (model.Capabilities, error) {
	return model.ProbeOf(ctx, p.Model)
}

func (p *pricedModel) FirstTokens(ctx context.Context, prompt string, options []string) ([]string, error) {
	if f, ok := p.Model.(model.FirstTokener); ok {
		return f.FirstTokens(ctx, prompt, options)
	}
	return nil, errors.New("the model shows no tokens")
}

func (p *pricedModel) ProbeHidden(ctx context.Context) (bool, string, error) {
	if h, ok := p.Model.(model.HiddenProber); ok {
		return h.ProbeHidden(ctx)
	}
	return false, "", nil
}

// InProcess opens a model that runs in process, for a command, and names it as requests do.
func (b *Builder) InProcess(ctx context.Context, command, text string) (m *local.Model, id string, err error) {
	ref, err := model.ParseRef(text)
	id = string(ref.Scheme)
	switch {
	case err != nil:
	case ref.Scheme == model.HF:
		id, err = filepath.Abs(ref.Name)
	case ref.Scheme != model.Pocket:
		err = errors.New("only pocket and hf:DIR run in process")
	}
	if err == nil {
		var built model.Model
		if built, err = b.Build(ctx, ref, spec.Default().Reach, nil); err == nil {
			return built.(*local.Model), filepath.Base(id), nil
		}
	}
	return nil, "", exit.Usagef("model %s %s: %w", command, text, err)
}

// Show is a model's identity and what it can be asked for, as a document.
func (b *Builder) Show(ctx context.Context, ref model.Ref, text string, reach spec.Reach) (any, error) {
	m, err := b.Build(ctx, ref, reach, nil)
	if err != nil {
		return nil, exit.Usagef("model %s: %w", ref, err)
	}
	out := struct {
		Model        string              `json:"model"`
		Identity     string              `json:"identity"`
		Capabilities *model.Capabilities `json:"capabilities"`
	}{Model: text, Identity: m.Identity()}
	if p, ok := m.(model.Prober); ok {
		c, err := b.Abilities(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", text, err)
		}
		out.Capabilities = &c
	}
	return out, nil
}

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
