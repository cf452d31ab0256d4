"""Writes small random models made by Hugging Face's transformers, and their logits, beside this file.

python reference.py        makes the folders and reference.json (transformers 5, torch 2; the file names the versions); `scaled` in it has
                           the weights of llama with other rotary angles, and with a window of 24 tokens
python reference.py DIR    prints the largest difference between transformers' logits for a folder made here and the
                           logits in DIR/logits.json: {"tokens": [...], "logits": [[...], ...]}
"""
import json, pathlib, sys, torch, transformers
from transformers import LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM, Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM

here = pathlib.Path(__file__).parent
torch.manual_seed(0)
base = dict(vocab_size=40, hidden_size=16, intermediate_size=28, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
            max_position_embeddings=64, rms_norm_eps=1e-5, bos_token_id=None, eos_token_id=3, pad_token_id=None)

def make(name, model):
    torch.manual_seed(1)
    with torch.no_grad():
        for p in model.parameters():
            p.add_(torch.randn_like(p) * 0.15)
    model.eval().save_pretrained(here / name)
    return run(model)

def run(model):
    tokens = [(i * 7 + 3) % 40 for i in range(45)]
    with torch.no_grad():
        out = model(torch.tensor([tokens]), output_hidden_states=True)
    return {"tokens": tokens, "rows": [{"at": i, "logits": out.logits[0, i].tolist(), "hidden": out.hidden_states[-1][0, i].tolist()} for i in (0, 1, 20, 44)]}

def rope(cls=LlamaForCausalLM, config=LlamaConfig, **fields):
    """The weights of llama under another configuration."""
    model = cls(config(**base | fields))
    model.load_state_dict(LlamaForCausalLM.from_pretrained(here / "llama").state_dict())
    return run(model.eval()) | {"config": json.loads(model.config.to_json_string(use_diff=False))}

if len(sys.argv) > 1:
    want = json.loads((pathlib.Path(sys.argv[1]) / "logits.json").read_text())
    model = transformers.AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32).eval()
    with torch.no_grad():
        got = model(torch.tensor([want["tokens"]])).logits[0]
    print(type(model).__name__, (got - torch.tensor(want["logits"])).abs().max().item())
else:
    out = {"origin": f"transformers {transformers.__version__}, torch {torch.__version__}", "tests": {
        "llama": make("llama", LlamaForCausalLM(LlamaConfig(**base))),
        "qwen2": make("qwen2", Qwen2ForCausalLM(Qwen2Config(**base, tie_word_embeddings=True))),
        "qwen3": make("qwen3", Qwen3ForCausalLM(Qwen3Config(**base, head_dim=6, rope_theta=1e6))),
    }}
    theta = {"rope_theta": 10000.0}
    out["scaled"] = {
        "llama3": rope(rope_parameters=theta | {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 24}),
        "linear": rope(rope_parameters=theta | {"rope_type": "linear", "factor": 4.0}),
        "yarn": rope(rope_parameters=theta | {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}),
        "yarn exact": rope(rope_parameters=theta | {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 16, "beta_fast": 4.0, "beta_slow": .5, "attention_factor": 1.25, "truncate": False}),
        "yarn mscale": rope(rope_parameters=theta | {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "mscale": 2.0, "mscale_all_dim": 1.0}),
        "dynamic": rope(rope_parameters=theta | {"rope_type": "dynamic", "factor": 4.0}),
        "theta": rope(rope_parameters={"rope_type": "default", "rope_theta": 500.0}),
        "mistral": rope(MistralForCausalLM, MistralConfig, sliding_window=24, rope_parameters=theta),
    }
    (here / "reference.json").write_text(json.dumps(out))
