"""Writes a promptfoo configuration that asks a served model the questions beside this program, by its chat and its plain
completions, and expects what the model answers in process. Needs Python 3 alone.

	promptfoo_config.py BASE_URL MODEL CHAT.db RAW.db >promptfooconfig.json
"""
import json
import sys

import answers

base, name, chat, raw = sys.argv[1:]
config = {"apiBaseUrl": base, "apiKey": "none", "temperature": 0, "max_tokens": 64}


def test(provider, prompt, text):
    return {"vars": {"ask": prompt}, "providers": [provider], "assert": [{"type": "equals", "value": text}]}


json.dump({
    "prompts": ["{{ask}}"],
    "providers": [{"id": f"openai:chat:{name}", "label": "chat", "config": config},
                  {"id": f"openai:completion:{name}", "label": "completion", "config": {**config, "stop": ["\n\n", "\nQ:"]}}],
    "tests": [test("chat", p, t) for p, t in answers.texts(chat).items()] + [test("completion", p, t) for p, t in answers.texts(raw).items()],
}, sys.stdout, ensure_ascii=False)
