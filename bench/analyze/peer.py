"""The same figures in plain Python, for comparison of time and memory: stability, self-consistency, taxonomy, accuracy.

No intervals, no checks of the input, and a simpler normal form than Hallmark's. Needs Python 3 alone.
"""
import collections
import json
import re
import sys

punctuation = re.compile(r"[.,;:!?]+$")


def normal(text):
    text = " ".join(text.casefold().split())
    text = punctuation.sub("", text)
    for article in ("the ", "a ", "an "):
        if text.startswith(article):
            return text[len(article):]
    return text


cases = collections.defaultdict(list)
golds = {}
with open(sys.argv[1]) as rows:
    for line in rows:
        row = json.loads(line)
        cases[row["id"]].append((row["variant"], normal(row["answer"])))
        golds[row["id"]] = normal(row["gold"])
stability = consistency = accuracy = 0.0
taxonomy = collections.Counter()
for key, answers in cases.items():
    answers.sort()
    counts = collections.Counter(a for _, a in answers)
    r = len(answers)
    mode, most = counts.most_common(1)[0]
    pairs = sum(c * (c - 1) for c in counts.values())
    stability += most / r
    consistency += pairs / (r * (r - 1))
    accuracy += counts[golds[key]] / r
    stable = 10 * pairs >= 8 * r * (r - 1)
    taxonomy["randomness" if not stable else "factual" if mode == golds[key] else "error"] += 1
n = len(cases)
print({"semantic_stability": stability / n, "self_consistency": consistency / n, "accuracy": accuracy / n,
       **{k: v / n for k, v in sorted(taxonomy.items())}})
