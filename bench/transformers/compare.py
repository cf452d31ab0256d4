"""Sets hallmark beside transformers on a model folder: python compare.py [--hallmark PROGRAM] FOLDER…

It compares tokens and decoded text of hostile and random strings, the layout of conversations by the chat template, the
logits after every token (F32, eager attention) and the greedy continuation. A folder agrees if all tokens, texts and
layouts are equal and the logits are within 1e-4 of the largest |logit|; the exit code is 1 unless all do.
Needs Python with transformers 5 and torch; the product needs neither.
"""
import argparse, base64, json, random, subprocess, sys
import numpy, torch, transformers

texts = ["Hello world", "The capital of France is Paris, isn't it?", "def f(x):\n\treturn x**2\n\n\n  # comment", "東京 is the capital of 日本。", "مرحبا بالعالم",
         "emoji 👩‍👩‍👧‍👦 🇨🇭 🤷🏽‍♀️!", "naïve café e\u0301 \u1e9b\u0323 Å", "   runs   of \t spaces \n\n\n and lines  ", "1234567890 3.14 ½ ² Ⅷ", "<|end|>the<|end|> <|pad|> x <tool>call</tool>  y",
         "<s>a</s> [INST] ▁b ▁▁", "\u00a0nbsp\u2003em\u200bzw\ufeff", "x" * 300, "ab " * 100, "\x00\x01\x7f", "क्षि ไทย 한국어 ქართული", "e" + "\u0301\u0323" * 30, "'s 'S ſ'ſ K'LL", "<0x41><0x0A>", "\r\n\r", " ", "\n"]
say = lambda role, content: {"role": role, "content": content}
talks = [[say("user", "Who wrote it?")], [say("system", "Be brief."), say("user", " Who? ")], [say("user", "a"), say("assistant", "b"), say("user", "c")],
         [say("system", "S"), say("user", "a"), say("assistant", " b\n"), say("user", "c"), say("assistant", "d"), say("user", "é 東京 \"q\"")]]


def strings(n):
    draw = random.Random(7)
    alphabet = [chr(c) for c in [*range(32, 127), 9, 10, 13, 0xA0, 0xE9, 0x301, 0x323, 0x4E2D, 0x6771, 0x645, 0x200D, 0x1F468, 0x1F3FD, 0x2581, 0xAC00, 0x1100, 0x1161, 0xFB01]]
    common = [" ", "the", "e", "\n", "  ", "ing", "1", "'", "<|end|>", "</tool>", "<s>"]
    return ["".join(draw.choice(common if draw.random() < .4 else alphabet) for _ in range(draw.randrange(1, 40))) for _ in range(n)]


def ask(program, folder, probes):
    ref = "pocket" if folder == "pocket" else "hf:" + folder
    out = subprocess.run([program, "model", "trace", ref, "-"], input="\n".join(json.dumps(p) for p in probes), capture_output=True, text=True)
    if out.returncode:
        sys.exit(f"{folder}: {out.stderr.strip()}")
    return [json.loads(line) for line in out.stdout.split("\n") if line]


def layout(tokenizer, talk):
    try:
        options = dict(add_generation_prompt=True, enable_thinking=False, date_string="26 Jul 2024")
        text = tokenizer.apply_chat_template(talk, tokenize=False, **options)
        return text, tokenizer(text, add_special_tokens=False)["input_ids"]
    except Exception as e:
        return None, str(e)


def compare(program, folder, count):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    context, faults = model.config.max_position_embeddings, []
    note = lambda what, *x: faults.append(f"  {what}: " + " | ".join(repr(y)[:160] for y in x))

    words = texts + strings(count)
    for text, got in zip(words, ask(program, folder, [{"text": t} for t in words])):
        want = tokenizer(text)["input_ids"]
        if len(want) in range(1, context + 1) and got["tokens"] != want:
            note("tokens", text, got.get("error") or got["tokens"], want)
        elif want and not got.get("error"):
            # skip_special_tokens leaves special tokens in that are normalized
            special = {i for i, t in tokenizer.added_tokens_decoder.items() if t.special}
            decoded = tokenizer.decode([i for i in want if i not in special], clean_up_tokenization_spaces=False)
            if got["decoded"] != decoded:
                note("decoded", text, got["decoded"], decoded)

    rendered = 0
    if tokenizer.chat_template:
        for talk, got in zip(talks, ask(program, folder, [{"messages": t} for t in talks])):
            text, ids = layout(tokenizer, talk)
            if text is None and not got.get("error") or text is not None and (got.get("rendered"), got["tokens"]) != (text, ids):
                note("layout", talk, got.get("error") or got.get("rendered"), text or ids)
            rendered += text is not None

    worst = top = 0.0
    steps, positions, greedy = 24, 0, 0
    probes = [p for p in ([tokenizer(t)["input_ids"] for t in texts[:12]] + [layout(tokenizer, t)[1] for t in talks if tokenizer.chat_template and layout(tokenizer, t)[0] is not None])
              if 0 < len(p) and len(p) + steps <= context]
    probes.append([random.Random(3).randrange(model.config.vocab_size) for _ in range(min(context - steps, 200))])
    for ids, got in zip(probes, ask(program, folder, [{"tokens": p, "continue": steps, "logits": True} for p in probes])):
        with torch.no_grad():
            want = model(torch.tensor([ids])).logits[0].numpy()
            line = list(ids)
            for _ in range(steps):
                line.append(int(model(torch.tensor([line])).logits[0, -1].argmax()))
        mine = numpy.frombuffer(base64.b64decode(got["logits"]), "<f4").reshape(len(ids), -1)
        worst, top = max(worst, float(abs(mine - want).max())), max(top, float(abs(want).max()))
        positions += len(ids)
        greedy += line[len(ids):] == got["continuation"]
    if not worst <= 1e-4 * top:
        note("logits", worst / top)
    if greedy < len(probes):
        note("greedy", f"{greedy} of {len(probes)} continuations are equal")
    print(f"{folder.rstrip('/').split('/')[-1]:<16}{type(model).__name__:<22}{len(words):>5} texts {rendered} layouts {positions:>5} positions, logits within {worst / top:.1e} of the largest, "
          f"{greedy}/{len(probes)} continuations of {steps}: {'equal' if not faults else 'DIFFERENT'}", flush=True)
    print("\n".join(faults[:20]), end="\n" if faults else "")
    return not faults


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--hallmark", default="hallmark", help="the program")
    p.add_argument("--strings", type=int, default=200, help="random strings to tokenize")
    p.add_argument("folders", nargs="+", metavar="FOLDER")
    a = p.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    print(f"transformers {transformers.__version__}, torch {torch.__version__}")
    sys.exit(not all([compare(a.hallmark, f, a.strings) for f in a.folders]))
