"""lm-evaluation-harness's local-completions against a served model: a task of options and one of free answers, on the
files beside this program. Needs lm_eval[api] and transformers, and the model's folder for its tokenizer.

	lm_eval_client.py BASE_URL MODEL IN_PROCESS.db FOLDER
"""
import importlib.metadata
import math
import pathlib
import sys

import lm_eval
import transformers
from lm_eval.tasks import TaskManager

import answers

base, name, store, folder = sys.argv[1:]
here = pathlib.Path(__file__).resolve().parent
begin = transformers.AutoTokenizer.from_pretrained(folder).bos_token or ""  # tokens are sent, so it must be among them
common = {"dataset_path": "json", "test_split": "test", "doc_to_text": begin + "Q: {{question}}\nA:", "metadata": {"version": 1}}
tasks = [
    {**common, "task": "options", "output_type": "multiple_choice", "dataset_kwargs": {"data_files": {"test": str(here / "choices.jsonl")}},
     "doc_to_choice": "options", "doc_to_target": "{{options.index(answer)}}", "metric_list": [{"metric": "acc"}]},
    {**common, "task": "free", "output_type": "generate_until", "dataset_kwargs": {"data_files": {"test": str(here / "questions.jsonl")}},
     "doc_to_target": "answer", "generation_kwargs": {"until": ["\n\n", "\nQ:"], "max_gen_toks": 64, "temperature": 0}, "metric_list": [{"metric": "exact_match"}]},
]
for backend, concurrent, batch in [("huggingface", 1, 1), ("huggingface", 4, 3), ("remote", 4, 3)]:
    out = lm_eval.simple_evaluate(
        model="local-completions", tasks=tasks, batch_size=batch, log_samples=True, bootstrap_iters=0, task_manager=TaskManager(include_defaults=False),
        model_args={"model": name, "base_url": base + "/completions", "tokenizer_backend": backend, "max_length": 256, "num_concurrent": concurrent,
                    **({"tokenizer": folder} if backend == "huggingface" else {})})
    scores, texts, off, n = answers.scores(store), answers.texts(store), 0.0, 0
    for s in out["samples"]["options"]:
        for arg, resp in zip(s["arguments"], s["filtered_resps"]):
            want = scores[arg[0].removeprefix(begin), arg[1]]
            off, n = max(off, abs(resp[0] - want)), n + 1
            assert math.isclose(resp[0], want, rel_tol=1e-12), f"{arg}: {resp}, in process {want}"
    for s in out["samples"]["free"]:
        got, want = s["resps"][0][0], texts[s["arguments"][0][0].removeprefix(begin)]
        assert got == want, f"{s['arguments'][0][0]!r}: {got!r}, in process {want!r}"
    print(f"lm_eval {importlib.metadata.version('lm_eval')}, {backend} tokenizer, batch {batch}, {concurrent} at a time: {n} options scored as in process (largest difference {off:g}),"
          f" {len(out['samples']['free'])} answers equal")
