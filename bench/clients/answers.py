"""The records of a Hallmark store, for the checks beside it: what a model answered in process, by prompt.

Run as a program, it compares two stores: the same calls must have the same answers, whatever model gave them, but for
what a server does not tell (usage of scored options, bodies). Needs Python 3 alone.

	answers.py IN_PROCESS.db SERVED.db
"""
import json
import sqlite3
import sys


def records(path):
    """Yields request and response of every answered call, in the order of commits."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        for request, response in db.execute("SELECT request, response FROM record WHERE response IS NOT NULL ORDER BY id"):
            yield json.loads(request), json.loads(response)


def texts(path):
    """Returns the greedy answers by prompt."""
    return {q["prompt"]: a["text"] for q, a in records(path) if "options" not in q and q["temperature"] == 0}


def scores(path):
    """Returns the log-probability of each option by prompt and option."""
    return {(q["prompt"], option): sum(score["logprobs"])
            for q, a in records(path) if "options" in q for option, score in zip(q["options"], a["options"])}


def comparable(path):
    return {json.dumps(q, sort_keys=True): (a.get("text"), a.get("options")) for q, a in records(path)}


if __name__ == "__main__":
    here, there = comparable(sys.argv[1]), comparable(sys.argv[2])
    differ = sorted(q for q in here.keys() | there.keys() if here.get(q) != there.get(q))
    assert here and not differ, f"{len(differ)} calls differ, the first of them {differ[0]}: {here.get(differ[0])}, {there.get(differ[0])}" if differ else "no calls"
    sampled = sum(json.loads(q)["temperature"] > 0 for q in here)
    scored = sum("options" in json.loads(q) for q in here)
    print(f"hallmark: {len(here)} calls over HTTP as in process, {scored} of them scored options, {sampled} samples with seeds")
