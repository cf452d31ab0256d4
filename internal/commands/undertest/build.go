package undertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"hallmark/internal/base/exit"
	"hallmark/internal/commands/spec"
	"hallmark/internal/model"
	"hallmark/internal/model/exec"
	"hallmark/internal/model/hosted"
	"hallmark/internal/model/local"
	"hallmark/internal/model/pocket"
	"hallmark/internal/model/simulated"
	"hallmark/internal/suite"
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

// ToServe opens a model that runs in process, and names it as requests do.
func (b *Builder) ToServe(ctx context.Context, text string) (*local.Model, string, error) {
	ref, err := model.ParseRef(text)
	if err != nil {
		return nil, "", err
	}
	id := string(model.Pocket)
	switch ref.Scheme {
	case model.Pocket:
	case model.HF:
		dir, err := filepath.Abs(ref.Name)
		if err != nil {
			return nil, "", err
		}
		id = filepath.Base(dir)
	default:
		return nil, "", errors.New("only models that run in process are served: pocket or hf:DIR")
	}
	built, err := b.Build(ctx, ref, spec.Default().Reach, nil)
	if err != nil {
		return nil, "", err
	}
	return built.(*local.Model), id, nil
}

// ToTrace opens a model that runs in process.
func (b *Builder) ToTrace(ctx context.Context, text string) (*local.Model, error) {
	ref, err := model.ParseRef(text)
	if err != nil {
		return nil, exit.Usage(err)
	}
	if ref.Scheme != model.Pocket && ref.Scheme != model.HF {
		return nil, exit.Usagef("model trace %s: only pocket and hf:DIR run in process", text)
	}
	m, err := b.Build(ctx, ref, spec.Default().Reach, nil)
	if err != nil {
		return nil, exit.Usagef("model %s: %w", text, err)
	}
	return m.(*local.Model), nil
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
