"""The same work by bm25s (its lucene method, in Python with numpy), for comparison: python3 peer.py passages.jsonl [QUERIES]

With --check FILE, the output of `retrieve -check`: the scores of the same words by bm25s, beside those found. Needs bm25s.
With --recall QUESTIONS PASSAGES, how often the passage of a question is found: as `retrieve -recall`.
bm25s's own analysis is a regular expression and a list of stop words, without stems, so it does less for each word.
"""
import json
import random
import resource
import sys
import time

import bm25s

if sys.argv[1] == "--check":
    passages, queries = [], []
    for line in open(sys.argv[2]):
        row = json.loads(line)
        if "passage" in row:
            passages.append(row["passage"])
        else:
            queries.append(row)
    index = bm25s.BM25(method="lucene", k1=0.9, b=0.4, dtype="float64")
    index.index(passages, show_progress=False)
    worst, places, differ = 0.0, 0, 0
    for row in queries:
        scores = index.get_scores(row["query"])
        best = sorted(range(len(passages)), key=lambda i: (-round(scores[i], 9), i))[: len(row["hits"])]
        for (passage, score), i in zip(row["hits"], best):
            worst = max(worst, abs(scores[int(passage)] - score) / score)
            places += 1
            differ += int(passage) != i
    print(f"{len(queries)} queries on {len(passages)} passages: {places} places, {differ} differ, largest relative difference of a score {worst:.2g}")
    sys.exit()

if sys.argv[1] == "--recall":
    rows = [json.loads(line) for line in open(sys.argv[3])]
    index = bm25s.BM25(method="lucene", k1=0.9, b=0.4)
    index.index(bm25s.tokenize([r["title"] + "\n" + r["text"] for r in rows], stopwords="en", show_progress=False), show_progress=False)
    questions = [json.loads(line) for line in open(sys.argv[2])]
    at = {1: 0, 5: 0, 16: 0}
    found, _ = index.retrieve(bm25s.tokenize([q["question"] for q in questions], stopwords="en", show_progress=False), k=16, show_progress=False, n_threads=1)
    for q, hits in zip(questions, found):
        ids = [rows[i]["id"] for i in hits]
        for k in at:
            at[k] += q["id"] in ids[:k]
    print(f"bm25s {bm25s.__version__}, without stems, {len(questions)} questions: " + ", ".join(f"among {k} {n} ({100 * n / len(questions):.1f} %)" for k, n in at.items()))
    sys.exit()

start, cpu = time.time(), time.process_time()
rows = [json.loads(line) for line in open(sys.argv[1])]
tokens = bm25s.tokenize([r["title"] + "\n" + r["text"] for r in rows], stopwords="en", show_progress=False)
index = bm25s.BM25(method="lucene", k1=0.9, b=0.4)
index.index(tokens, show_progress=False)
used = time.process_time() - cpu
print(f"bm25s {bm25s.__version__}: {len(rows)} passages read and indexed in {time.time() - start:.2f} s, {len(rows) / (time.time() - start):.0f} a second ({used:.2f} s of processor time, {len(rows) / used:.0f} a second)")
draw = random.Random(1)
for words in (9, 32):
    took, used = [], []
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 100):
        text = draw.choice(rows)["text"].split()
        query = " ".join(draw.choice(text) for _ in range(words))
        start, cpu = time.time(), time.process_time()
        index.retrieve(bm25s.tokenize(query, stopwords="en", show_progress=False), k=16, show_progress=False, n_threads=1)
        took.append((time.time() - start) * 1e3)
        used.append((time.process_time() - cpu) * 1e3)
    took.sort()
    used.sort()
    print(f"queries of {words} words, 16 best: median {took[len(took) // 2]:.2f} ms, 95 % within {took[len(took) * 95 // 100]:.2f} ms (processor time: {used[len(used) // 2]:.2f}, {used[len(used) * 95 // 100]:.2f} ms)")
print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
