"""Makes small random model folders of every family: python folders.py DIR (transformers 5, tokenizers, torch).

No real model's files are needed: weights are random, wide enough apart that answers differ; tokenizers are the small ones
of internal/engine/token/testdata, chat templates those of internal/model/local/jinja/testdata. compare.py then sets
hallmark beside transformers on each folder. `python folders.py DIR 0.6B` makes one folder of the shape of Qwen3-0.6B, with
a vocabulary of its size, in shards of BF16: 1.2 GB, to measure loading.
"""
import json, pathlib, random, shutil, sys
import torch
from tokenizers import Tokenizer
from transformers import (LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM, Qwen2Config, Qwen2ForCausalLM,
                          Qwen3Config, Qwen3ForCausalLM)

root = pathlib.Path(__file__).resolve().parents[2]
tokenizers = root / "internal/engine/token/testdata"
templates = root / "internal/model/local/jinja/testdata"
small = dict(vocab_size=600, hidden_size=64, intermediate_size=120, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2,
             max_position_embeddings=512, rms_norm_eps=1e-5, bos_token_id=None, pad_token_id=None)
theta = {"rope_theta": 10000.0}
llama3 = theta | {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}
yarn = theta | {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}

# name: class, configuration, fields, stored form, bytes of a shard, tokenizer, chat template
folders = {
    "llama-tied": (LlamaForCausalLM, LlamaConfig, dict(tie_word_embeddings=True), torch.float32, None, "llama3", "llama3"),
    "llama-heads": (LlamaForCausalLM, LlamaConfig, dict(num_key_value_heads=4), torch.float16, None, "llama2", "llama2"),
    "llama3-rope": (LlamaForCausalLM, LlamaConfig, dict(rope_parameters=llama3, num_key_value_heads=1), torch.bfloat16, "100KB", "llama3", "llama32"),
    "tinyllama": (LlamaForCausalLM, LlamaConfig, dict(), torch.float32, "100KB", "tinyllama", "zephyr"),
    "mistral": (MistralForCausalLM, MistralConfig, dict(sliding_window=None, head_dim=24), torch.bfloat16, None, "mistral", "mistral"),
    "smollm": (LlamaForCausalLM, LlamaConfig, dict(tie_word_embeddings=True), torch.bfloat16, None, "smollm", "chatml"),
    "deepseek": (LlamaForCausalLM, LlamaConfig, dict(), torch.float16, "100KB", "deepseek", "deepseek"),
    "qwen2": (Qwen2ForCausalLM, Qwen2Config, dict(tie_word_embeddings=True), torch.float32, None, "qwen2", "qwen2"),
    "qwen2-yarn": (Qwen2ForCausalLM, Qwen2Config, dict(rope_parameters=yarn), torch.bfloat16, "100KB", "qwen2", "qwen2"),
    "qwen3": (Qwen3ForCausalLM, Qwen3Config, dict(head_dim=32, tie_word_embeddings=True), torch.float32, "100KB", "qwen2", "qwen3"),
    "qwen3-half": (Qwen3ForCausalLM, Qwen3Config, dict(head_dim=8), torch.float16, None, "qwen2", "qwen3"),
}


def make(folder, model, config, fields, dtype, shard, tokenizer, template, spread=.15):
    end = Tokenizer.from_file(str(tokenizers / f"{tokenizer}.json")).token_to_id("<|end|>")
    net = model(config(**small | dict(eos_token_id=end) | fields))
    with torch.no_grad():
        for p in net.parameters():
            p.add_(torch.randn_like(p) * spread)
    net.to(dtype).save_pretrained(folder, **{"max_shard_size": shard} if shard else {})
    shutil.copy(tokenizers / f"{tokenizer}.json", folder / "tokenizer.json")
    shutil.copy(templates / f"{template}.jinja", folder / "chat_template.jinja")
    words = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|end|>", "clean_up_tokenization_spaces": False}
    if "<s>" in (tokenizers / f"{tokenizer}.json").read_text():
        words["bos_token"] = "<s>"
    elif tokenizer == "llama3":
        words["bos_token"] = "<|end|>"
    (folder / "tokenizer_config.json").write_text(json.dumps(words))


def large(folder):
    """Qwen3-0.6B's shape, and a byte-level vocabulary of its size: made-up words of two to four known tokens each."""
    data = json.loads((tokenizers / "qwen2.json").read_text())
    vocab, merges = data["model"]["vocab"], data["model"]["merges"]
    draw, names = random.Random(1), list(data["model"]["vocab"])
    while len(vocab) < 151_600:
        a, b = draw.choice(names), draw.choice(names)
        if a + b not in vocab and len(a + b) < 24:
            vocab[a + b] = len(vocab) + len(data["added_tokens"])
            merges.append([a, b])
            names.append(a + b)
    for i, t in enumerate(data["added_tokens"]):
        vocab.pop(t["content"], None)
    kept = {name: i for i, name in enumerate(n for n in vocab)}
    data["model"]["vocab"] = kept
    for i, t in enumerate(data["added_tokens"]):
        t["id"] = len(kept) + i
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(data, ensure_ascii=False))
    torch.set_default_dtype(torch.bfloat16)
    net = Qwen3ForCausalLM(Qwen3Config(
        vocab_size=151936, hidden_size=1024, intermediate_size=3072, num_hidden_layers=28, num_attention_heads=16, num_key_value_heads=8, head_dim=128,
        max_position_embeddings=40960, rope_parameters={"rope_type": "default", "rope_theta": 1e6}, tie_word_embeddings=True, bos_token_id=None,
        eos_token_id=data["added_tokens"][0]["id"]))
    net.save_pretrained(folder, max_shard_size="400MB")
    shutil.copy(templates / "qwen3.jinja", folder / "chat_template.jinja")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": data["added_tokens"][0]["content"]}))


if __name__ == "__main__":
    out = pathlib.Path(sys.argv[1])
    torch.manual_seed(1)
    if sys.argv[2:] == ["0.6B"]:
        large(out)
    else:
        for name, x in folders.items():
            make(out / name, *x)
            print(out / name)
