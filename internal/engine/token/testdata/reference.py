"""Writes the reference tokenizers and ids beside this file: python reference.py (tokenizers 0.23.3).

The vocabularies are learned here from the few lines below. Each tokenizer has the layout of a family: gpt2, qwen2, llama3,
smollm and deepseek are byte-level; llama2 (Prepend and Replace), mistral (Metaspace first), tinyllama (Metaspace
always, split), never (Metaspace never, unknown characters fused) and nfkc are SentencePiece's BPE.
"""
import json, pathlib, random, tokenizers
from tokenizers import Regex, Tokenizer, AddedToken, models, normalizers, pre_tokenizers, processors, decoders, trainers

here = pathlib.Path(__file__).parent
corpus = ["The quick brown fox jumps over the lazy dog. The capital of France is Paris, isn't it?",
          "In 1987 they'd moved to Zürich; 東京 is the capital of 日本. مرحبا بالعالم", "def f(x):\n    return x  # comment\n\n\n  y = 3.14159",
          "the theory of the other thing then thinned; hello hello hello world 12345 2024 2023"] * 3
texts = ["", " ", "Hello world", "The capital of France is Paris.", "isn't they'd WE'LL I'M", "def f(x):\n\treturn x**2\n\n\n", "   three  spaces   ",
         "東京 is 日本", "مرحبا", "naïve café e\u0301 Å", "emoji 👩‍👩‍👧‍👦 🇨🇭!", "1234567890 3.14", "<|end|>the<|end|> <|pad|> x", "<tool>call</tool>",
         "Hello<s>world</s> x", "▁▁a ▁b", "<0x41>", "  <|end|>  <|pad|>  </tool>  x", "e" + "\u0301\u0323" * 20 + "a", "ﬁne ①② ｆｕｌｌ Å", "한국어 각",
         "\U0001d54f\U00020000 ⴰ \u0915\u094d\u0937\u093f \u0e01\u0e33", "a\u200db\ufeffc\u200f", "\t\ttabs\t", "x" + " " * 33 + "y", "\n" * 9, "the<s>", " <s> the", "ab the ab",
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
    return rows(name, t)

def learn(pre):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre
    t.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=230, special_tokens=[], show_progress=False))
    m = json.loads(t.to_str())["model"]
    return list(m["vocab"]), [tuple(p) for p in m["merges"]]

def piece(name):
    """A tokenizer over characters."""
    words, merges = learn(pre_tokenizers.Metaspace(prepend_scheme="always"))
    fallback = name in ("llama2", "mistral", "nfkc")
    base = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)] * fallback
    vocab = {w: i for i, w in enumerate(base + words)}
    t = Tokenizer(models.BPE(vocab=vocab, merges=merges, unk_token="<unk>", fuse_unk=name != "tinyllama", byte_fallback=fallback, ignore_merges=name == "mistral"))
    decode = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    if name in ("llama2", "nfkc"):
        t.normalizer = normalizers.Sequence([normalizers.NFKC()] * (name == "nfkc") + [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        t.decoder = decoders.Sequence(decode)
    elif name == "mistral":
        t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
        t.decoder = decoders.Sequence(decode)
    else:
        scheme = "always" if name == "tinyllama" else "never"
        t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=name == "tinyllama")
        t.decoder = decoders.Metaspace(prepend_scheme=scheme)
    t.add_special_tokens([AddedToken(x, special=True, normalized=name == "llama2") for x in ("<unk>", "<s>", "</s>")])
    t.add_tokens([AddedToken("<tool>"), AddedToken("</tool>", rstrip=True), AddedToken("<|end|>", special=True), AddedToken("<|pad|>", special=True, lstrip=True)])
    t.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    return rows(name, t)

def level(name):
    """A byte-level tokenizer that splits in several steps."""
    last = pre_tokenizers.ByteLevel(add_prefix_space=name == "smollm", use_regex=name == "smollm")
    steps = [pre_tokenizers.Digits(individual_digits=True), last]
    if name == "deepseek":
        steps = [pre_tokenizers.Split(Regex(r), "isolated") for r in (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+")] + [pre_tokenizers.Digits(individual_digits=False), last]
    t = Tokenizer(models.BPE())
    t.pre_tokenizer, t.decoder = pre_tokenizers.Sequence(steps), decoders.ByteLevel()
    t.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=330, special_tokens=["<|end|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    return rows(name, t)

def rows(name, t):
    data = json.loads(t.to_str())
    if name == "tinyllama":  # merges as older files have them
        data["model"]["merges"] = [" ".join(p) for p in data["model"]["merges"]]
        data["pre_tokenizer"] = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}
    (here / f"{name}.json").write_text(json.dumps(data, ensure_ascii=False, indent=1 if name in ("gpt2", "qwen2", "llama3") else None))
    t = Tokenizer.from_file(str(here / f"{name}.json"))
    out = [{"text": s, "ids": t.encode(s, add_special_tokens=False).ids, "with": t.encode(s).ids} for s in texts]
    draw = random.Random(name)
    size = t.get_vocab_size()
    out += [{"ids": [draw.randrange(size) for _ in range(9)]} for _ in range(12)] + [{"ids": r["ids"][i:]} for r in out for i in (1, 2) if len(r["ids"]) > i][:24]
    special = {i for i, a in t.get_added_tokens_decoder().items() if a.special}
    for r in out:  # skip_special_tokens would keep special tokens that are normalized
        r["decoded"] = t.decode([i for i in r["ids"] if i not in special], skip_special_tokens=False)
    return out

out = {"origin": f"tokenizers {tokenizers.__version__}", "tests": {n: make(n) for n in ("gpt2", "qwen2", "llama3")}
       | {n: piece(n) for n in ("llama2", "mistral", "tinyllama", "never", "nfkc")} | {n: level(n) for n in ("smollm", "deepseek")}}
(here / "reference.json").write_text(json.dumps(out, ensure_ascii=True, separators=(",", ":")).replace("},{", "},\n{"))
