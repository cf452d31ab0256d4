package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"hallmark/internal/model"
	"hallmark/internal/model/exec"
	"hallmark/internal/model/hosted"
	"hallmark/internal/model/local"
	"hallmark/internal/model/phantom"
	"hallmark/internal/pocket"
	"hallmark/internal/suite"
)

// modelFlags say how models from outside are reached.
type modelFlags struct {
	keyEnv string
	keyCmd string
	api    string
	price  string
	// passEnv names the variables that programs get besides those that each needs.
	passEnv []string
}

func (f *modelFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.keyEnv, "key-env", "", "environment variable `NAME` that holds the API key; an http(s):// model is sent none without it")
	fs.StringVar(&f.keyCmd, "key-cmd", "", "`COMMAND` whose output is the API key, in place of --key-env, such as 'pass show api'; only typed")
	fs.StringVar(&f.api, "api", string(hosted.Chat), "protocol of an http(s):// model: chat or completions")
	fs.StringSliceVar(&f.passEnv, "pass-env", nil, "environment variables `NAME,…` that exec: programs get besides PATH, HOME, TMPDIR and LANG; only typed")
	fs.StringVar(&f.price, "price", "", "price of a model in USD per million tokens, as `IN,OUT`; for --budget in usd and the spend shown")
}

// priced reports whether the cost of answers is known.
func (f *modelFlags) priced() bool { return f.price != "" }

// A price is what tokens cost, in USD per million.
type price struct{ in, out float64 }

func (f *modelFlags) parsePrice() (price, error) {
	if f.price == "" {
		return price{}, nil
	}
	in, out, ok := strings.Cut(f.price, ",")
	a, errIn := strconv.ParseFloat(strings.TrimSpace(in), 64)
	b, errOut := strconv.ParseFloat(strings.TrimSpace(out), 64)
	if !ok || errIn != nil || errOut != nil || !(a >= 0 && b >= 0 && a < 1e9 && b < 1e9) {
		return price{}, fmt.Errorf("--price %q: write two prices in USD per million tokens, as 2.5,10", f.price)
	}
	return price{a, b}, nil
}

// build makes the backend of a reference.
func (a *app) build(ctx context.Context, ref model.Ref, f *runFlags, suites []*suite.Suite) (model.Model, error) {
	switch ref.Scheme {
	case model.Pocket:
		return pocket.Model()
	case model.HF:
		if info, err := os.Stat(ref.Name); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("%s is no folder; name one with config.json, tokenizer.json and model.safetensors", ref.Name)
		}
		return local.Open(modelFolder(ref.Name), "hf:"+filepath.Base(filepath.Clean(ref.Name)))
	case model.HTTP, model.OpenAI, model.Anthropic:
		opt := hosted.Options{Concurrency: max(f.concurrency, 16), Timeout: f.timeout, Now: a.now, Secrets: a.secrets}
		if ref.Scheme != model.Anthropic {
			switch api := hosted.API(f.api); api {
			case hosted.Chat, hosted.Completions:
				opt.API = api
			default:
				return nil, fmt.Errorf("--api %q: use chat or completions", f.api)
			}
		}
		env, key, err := a.keyed(ctx, ref, &f.modelFlags)
		if err != nil {
			return nil, err
		}
		return hosted.FromRef(ref, env, key, opt)
	case model.Exec:
		return exec.New(ref.Name, exec.Options{Processes: max(f.concurrency, 1), Timeout: f.timeout, PassEnv: f.passEnv, Secrets: a.secrets})
	case model.Regression:
		return nil, errors.New("it reads pairs of numbers and no prompts; `hallmark analyze posterior` and `analyze regression` measure it")
	case model.Exact:
		return nil, errors.New("it learns labels or a line in process and reads no prompts; `hallmark analyze posterior` measures it")
	case model.Replay:
		return nil, errors.New("answers of an earlier run are for `hallmark run`, which has all it asks for; name the model that gave them")
	case model.Phantom:
		return phantom.Open(ref.Name, suites)
	}
	return nil, fmt.Errorf("models of scheme %s cannot be asked here; use pocket, hf:DIR, http(s)://HOST/v1#NAME, openai:NAME, anthropic:NAME, exec:COMMAND or phantom:FILE", ref.Scheme)
}

// A pricedModel counts what its answers cost.
type pricedModel struct {
	model.Model
	price
}

func (p *pricedModel) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	resp, err := p.Model.Generate(ctx, req)
	resp.Usage.USD = min((float64(resp.Usage.PromptTokens)*p.in+float64(resp.Usage.CompletionTokens)*p.out)/1e6, model.MostUSD)
	return resp, err
}

// Price makes what an answer costs known before it is asked for.
func (p *pricedModel) Price() (in, out float64, known bool) { return p.in / 1e6, p.out / 1e6, true }

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
