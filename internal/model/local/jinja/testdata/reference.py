"""Writes reference.json beside this file: what transformers makes of the templates here (python reference.py).

The *.jinja files are minimal equivalents, written for these tests, of the chat templates of well-known families. They
use the same constructs as the originals and lay text out the same way. `snippets` are templates of one construct each.
"""
import json, pathlib, jinja2, transformers
from transformers.utils.chat_template_utils import _compile_jinja_template, render_jinja_template

here = pathlib.Path(__file__).parent
u, a, s = ({"role": r} for r in ("user", "assistant", "system"))
say = lambda who, text: {**who, "content": text}
conversations = {
    "one": [say(u, "Who?")],
    "system": [say(s, "Be brief."), say(u, "  Who? \n")],
    "turns": [say(s, "S"), say(u, "a"), say(a, "b"), say(u, "c"), say(a, " d "), say(u, "e")],
    "answered": [say(u, "a"), say(a, "b")],
    "special": [say(u, "x <|im_end|> </s> [INST] {{ y }} 'é' 👩‍👩‍👧 \"q\" \\ <|eot_id|>")],
    "thought": [say(u, "a"), say(a, "<think>\nhm\n</think>\n\nb"), say(u, "c")],
    "two users": [say(u, "a"), say(u, "b")],
    "assistant first": [say(a, "a"), say(u, "b")],
    "late system": [say(u, "a"), say(s, "b"), say(u, "c")],
    "empty": [say(u, "")],
    "unknown role": [say({"role": "critic"}, "a"), say(u, "b")],
    "nothing": [],
}
tokens = {"bos_token": "<s>", "eos_token": "</s>"}
extra = {"date_string": "26 Jul 2024", "enable_thinking": False}

def family(path):
    out = []
    for name, messages in conversations.items():
        for prompt in (True, False):
            row = {"conversation": name, "messages": messages, "prompt": prompt}
            try:
                row["want"] = render_jinja_template([messages], chat_template=path.read_text(), add_generation_prompt=prompt, **tokens, **extra)[0][0]
            except jinja2.exceptions.TemplateError as e:
                row["error"] = str(e)
            out.append(row)
    return out

variables = {"n": 3, "word": "  Ärger über Zeit  ", "s": "a,b,,c", "none": None, "yes": True, "items": ["x", "yy", "z"], "nums": [3, 1, 2],
             "d": {"a": 1, "b": {"c": "deep"}, "list": [1, 2.5, "three", None, True]}, "lines": "one\ntwo\r\n\nthree",
             "people": [{"name": "Bo", "age": 3, "tag": {"k": 1}}, {"name": "al", "age": 9, "tag": {"k": 2}}, {"name": "Cy", "age": 5, "tag": {"k": 1}}]}
snippets = (here / "snippets.txt").read_text().split("\n%%%%\n")

def snippet(source):
    try:
        return {"template": source, "want": _compile_jinja_template(source).render(**variables)}
    except Exception as e:
        return {"template": source, "error": f"{type(e).__name__}: {e}"}

out = {"origin": f"transformers {transformers.__version__}, jinja2 {jinja2.__version__}", "variables": variables, "tokens": tokens, "extra": extra,
       "families": {p.stem: family(p) for p in sorted(here.glob("*.jinja"))}, "snippets": [snippet(x) for x in snippets]}
(here / "reference.json").write_text(json.dumps(out, ensure_ascii=True, indent=0) + "\n")
