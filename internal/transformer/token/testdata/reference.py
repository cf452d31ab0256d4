"""Writes the reference tokenizers and ids beside this file: python reference.py (tokenizers 0.23.3)."""
import json, pathlib, tokenizers
from tokenizers import Regex, Tokenizer, AddedToken, models, normalizers, pre_tokenizers, processors, decoders, trainers

here = pathlib.Path(__file__).parent
corpus = ["The quick brown fox jumps over the lazy dog. The capital of France is Paris, isn't it?",
          "In 1987 they'd moved to Zürich; 東京 is the capital of 日本. مرحبا بالعالم", "def f(x):\n    return x  # comment\n\n\n  y = 3.14159",
          "the theory of the other thing then thinned; hello hello hello world 12345 2024 2023"] * 3
texts = ["", " ", "Hello world", "The capital of France is Paris.", "isn't they'd WE'LL I'M", "def f(x):\n\treturn x**2\n\n\n", "   three  spaces   ",
         "東京 is 日本", "مرحبا", "naïve café e\u0301 Å", "emoji 👩‍👩‍👧‍👦 🇨🇭!", "1234567890 3.14", "<|end|>the<|end|> <|pad|> x", "<tool>call</tool>",
         "\r\n\r\n mixed \r\n", "\u00a0nbsp\u2003em", "a" * 70, "thethethe the", "\x00\x01\x7f", "ſ'ſ 'S K"]
qwen = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
llama = qwen.replace(r"|\p{N}|", r"|\p{N}{1,3}|")

def make(name):
    t = Tokenizer(models.BPE(ignore_merges=name == "llama3"))
    if name == "gpt2":
        t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    else:
        t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(qwen if name == "qwen2" else llama), "isolated"),
                                                   pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    if name == "qwen2":
        t.normalizer = normalizers.NFC()
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=420, special_tokens=["<|end|>"] if name == "gpt2" else [],
                          initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    t.add_special_tokens([AddedToken("<|end|>", special=True), AddedToken("<|pad|>", special=True, lstrip=True)])
    t.add_tokens([AddedToken("<tool>"), AddedToken("</tool>", rstrip=True)])
    t.post_processor = processors.ByteLevel(trim_offsets=False)
    if name == "llama3":
        t.post_processor = processors.Sequence([t.post_processor, processors.TemplateProcessing(single="<|end|> $A", pair="<|end|> $A <|end|> $B", special_tokens=[("<|end|>", t.token_to_id("<|end|>"))])])
    t.save(str(here / f"{name}.json"))
    rows = [{"text": s, "ids": t.encode(s, add_special_tokens=False).ids, "with": t.encode(s).ids} for s in texts]
    for r in rows:
        r["decoded"] = t.decode(r["ids"], skip_special_tokens=True)
    return rows

out = {"origin": f"tokenizers {tokenizers.__version__}", "tests": {n: make(n) for n in ["gpt2", "qwen2", "llama3"]}}
(here / "reference.json").write_text(json.dumps(out, ensure_ascii=True, indent=1))
