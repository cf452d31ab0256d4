"""Inspect against a served model, by its provider for OpenAI-compatible servers. Needs inspect-ai and openai.

	inspect_client.py BASE_URL MODEL IN_PROCESS.db
"""
import sys
import tempfile

import inspect_ai
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate

import answers

base, name, store = sys.argv[1:]
model = get_model(f"openai-api/hallmark-served/{name}", base_url=base, api_key="none")
golds = answers.texts(store)
task = inspect_ai.Task(
    dataset=[Sample(input=prompt, target=text.strip()) for prompt, text in golds.items()],
    solver=generate(), scorer=match("exact"), config=GenerateConfig(temperature=0, max_tokens=64, logprobs=True, top_logprobs=2, seed=1),
)
log = inspect_ai.eval(task, model=model, log_dir=tempfile.mkdtemp(), display="none")[0]
assert log.status == "success", log.error
right = sum(s.score.value == "C" for s in log.samples) / len(log.samples)
for s in log.samples:
    assert s.score.value == "C", f"{s.input!r}: {s.output.completion!r}, in process {s.target!r}"
    assert s.output.choices[0].logprobs.content and s.output.usage.output_tokens > 0
print(f"inspect-ai {inspect_ai.__version__}: {len(log.samples)} samples, {right:.0%} as in process, each with log-probabilities")
