"""The official OpenAI client for Python against a served model. Needs the package openai.

	openai_client.py BASE_URL MODEL IN_PROCESS.db
"""
import array
import sys

import openai

import answers

base, name, store = sys.argv[1:]
client = openai.OpenAI(base_url=base, api_key="none")
checks = 0


def check(ok, what):
    global checks
    assert ok, what
    checks += 1


model = client.models.list().data[0]
check(model.id == name and client.models.retrieve(name).id == name, "models")

# Plain completions are what the model gives in process.
for prompt, text in answers.texts(store).items():
    out = client.completions.create(model=name, prompt=prompt, temperature=0, max_tokens=64, stop=["\n\n", "\nQ:"])
    check(out.choices[0].text == text, f"{prompt!r}: {out.choices[0].text!r}, in process {text!r}")
    parts = list(client.completions.create(model=name, prompt=prompt, temperature=0, max_tokens=64, stop=["\n\n", "\nQ:"], stream=True))
    check("".join(p.choices[0].text for p in parts) == text, f"{prompt!r} streamed")

# The echoed prompt: the scores of options are sums over their tokens.
for (prompt, option), want in answers.scores(store).items():
    out = client.completions.create(model=name, prompt=prompt + option, max_tokens=0, echo=True, logprobs=2)
    l = out.choices[0].logprobs
    check(out.choices[0].text == prompt + option and l.token_logprobs[0] is None, "echo")
    first = next(i for i, at in enumerate(l.text_offset) if at >= len(prompt))
    check(sum(l.token_logprobs[first:]) == want, f"{option!r}: {sum(l.token_logprobs[first:])}, in process {want}")

# Chat: log-probabilities, choices, seeds, streams with usage.
ask = dict(model=name, messages=[{"role": "system", "content": "Answer."}, {"role": "user", "content": [{"type": "text", "text": "What is the capital of France?"}]}])
one = client.chat.completions.create(**ask, seed=7, max_completion_tokens=20, logprobs=True, top_logprobs=3)
check(one.choices[0].message.content and len(one.choices[0].logprobs.content) <= one.usage.completion_tokens, "chat")
check(all(len(t.top_logprobs) == 3 and bytes(t.bytes).decode() == t.token for t in one.choices[0].logprobs.content), "top_logprobs")
three = client.chat.completions.create(**ask, seed=7, max_completion_tokens=20, n=3)
check(three.choices[0].message.content == one.choices[0].message.content and len(three.choices) == 3, "the first of three choices")
parts = list(client.chat.completions.create(**ask, seed=7, max_completion_tokens=20, stream=True, stream_options={"include_usage": True}))
check("".join(p.choices[0].delta.content or "" for p in parts if p.choices) == one.choices[0].message.content, "chat streamed")
check(parts[-1].usage.total_tokens == one.usage.total_tokens, "usage of the stream")

# Embeddings: the client asks for base64 by itself.
packed = client.embeddings.create(model=name, input=["a town", "a river"])
plain = client.embeddings.create(model=name, input="a river", encoding_format="float")
check(len(packed.data) == 2 and array.array("f", packed.data[1].embedding) == array.array("f", plain.data[0].embedding), "embeddings")

# Errors, as the client tells them apart.
for kind, code, call in [
    (openai.NotFoundError, "model_not_found", lambda: client.completions.create(model="other", prompt="a")),
    (openai.BadRequestError, "context_length_exceeded", lambda: client.completions.create(model=name, prompt="word " * 5000)),
    (openai.BadRequestError, "unsupported_parameter", lambda: client.chat.completions.create(**ask, frequency_penalty=1)),
]:
    try:
        call()
        check(False, code)
    except kind as e:
        check(e.code == code, f"{e.code}, want {code}")
print(f"openai {openai.__version__} for Python: {checks} checks")
