"""lm-evaluation-harness with its hf back end on the questions that bench/score exported, on the same folder.

    python3 peer.py FOLDER QUESTIONS.jsonl THREADS BATCH [LIMIT]

Needs PyPI's lm_eval[hf]. It works offline: the task is made here, over the local file. The file's
"choice" is the one that hallmark took, so that the task's accuracy is the share of equal choices. Loading is not timed.
The rate is by the processor's time, as hallmark's.
"""

import os
import sys
import tempfile
import time

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", TOKENIZERS_PARALLELISM="false")

import lm_eval
import torch
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager

TASK = """
task: truthfulqa_orders
dataset_path: json
dataset_kwargs:
  data_files:
    test: {questions}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{query}}}}"
doc_to_choice: "{{{{choices}}}}"
doc_to_target: choice
target_delimiter: ""
metric_list:
  - metric: acc
"""


def main(folder, questions, threads, batch, limit=None):
    torch.set_num_threads(threads)
    model = HFLM(pretrained=folder, dtype="float32", device="cpu", batch_size=batch)
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "task.yaml"), "w") as f:
            f.write(TASK.format(questions=os.path.abspath(questions)))
        tasks = TaskManager(include_path=directory, include_defaults=False)
        asked = 0
        ask = model.loglikelihood

        def counted(requests, **options):
            nonlocal asked
            asked = len(requests)
            return ask(requests, **options)

        model.loglikelihood = counted
        start, used = time.monotonic(), time.process_time()
        out = lm_eval.simple_evaluate(model, tasks=["truthfulqa_orders"], task_manager=tasks, limit=limit, bootstrap_iters=0)
        took, used = time.monotonic() - start, time.process_time() - used
    equal = out["results"]["truthfulqa_orders"]["acc,none"]
    print(
        f"lm-eval {lm_eval.__version__}, torch {torch.__version__}, batch {batch}, {threads} threads: "
        f"{asked} options in {took:.1f} s, {used:.1f} of processor time; {asked / used:.1f} options/s; choices equal to hallmark's: {100 * equal:.2f} %"
    )


if __name__ == "__main__":
    a = sys.argv[1:]
    main(a[0], a[1], int(a[2]), int(a[3]), int(a[4]) if len(a) > 4 else None)
