"""For OpenAI Evals: its completion function for a served model, which no registry of release 3.0.1 can name as it takes
no registry itself. Run, it prints the samples."""
import json

from evals.completion_fns.openai import OpenAIChatCompletionFn


class Served(OpenAIChatCompletionFn):
    def __init__(self, registry=None, **kwargs):
        super().__init__(**kwargs)


if __name__ == "__main__":
    for line in open("questions.jsonl"):
        row = json.loads(line)
        chat = [{"role": "system", "content": "Name the city alone."}, {"role": "user", "content": row["question"]}]
        print(json.dumps({"input": chat, "ideal": row["answer"]}))
