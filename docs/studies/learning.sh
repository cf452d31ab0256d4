#!/bin/sh
# The study of docs/studies/learning.md: learning curves over rounds of adjudication on held-out cases, and the control without it.
# SEED draws other cases. A few answers are cut off at the token limit and unscored. Run it in an empty folder with hallmark on the PATH; it takes some minutes.
set -e
export HALLMARK_STORE=sqlite:$PWD/study.db
hallmark generate --world pocket --n 1500 --seed "${SEED:-5}" --name pocket -o all.yaml 2>/dev/null
hallmark guard index -o index.yaml
# one case in five to each of three rounds, two in five held out
awk '/^- id/ { part = n++ % 5; part = part < 3 ? part + 1 : 0 }
  !n { head = head $0 "\n"; next }
  { body[part] = body[part] $0 "\n" }
  END { for (p = 0; p < 4; p++) { h = head; name = p ? "round-" p : "held-out"; sub(/name: pocket/, "name: " name, h); printf "%s%s", h, body[p] > (name ".yaml") } }' all.yaml
run="hallmark run --quiet --json --no-report --method rubric,consistency --sampled 0 --repeats 0 --variants phrasings=2 --allow-unscored 60"
id() { grep -o '"id": *"[0-9a-f]*"' "$1" | head -1 | grep -o '[0-9a-f]\{16\}'; }
$run --suite held-out.yaml > held-0.json
for arm in adjudicated as-is; do
  model=pocket memory=
  for r in 1 2 3; do
    case $arm in
      adjudicated) guard="--guard --guard-index index.yaml${memory:+ --guard-memory $memory}" how= ;;
      as-is) guard= how=--as-is ;;
    esac
    $run --suite round-$r.yaml --model $model $guard > $arm-$r.json
    hallmark guard remember $how $(id $arm-$r.json) ${memory:+--memory $memory} -o $arm-$r.yaml --chat $arm-$r.jsonl
    memory=$arm-$r.yaml
    awk -F '"role":"assistant"' 'length($2) <= 200' $arm-$r.jsonl > $arm-$r-short.jsonl # without answers that run on and on, which fit no context
    hallmark model tune --quiet pocket $arm-$r-short.jsonl -o $arm-model-$r
    model=hf:$arm-model-$r
    $run --suite held-out.yaml --model $model > held-$arm-$r.json
  done
  hallmark compare --allow-unscored 60 --series $(id held-0.json) $(id held-$arm-1.json) $(id held-$arm-2.json) $(id held-$arm-3.json)
done
hallmark compare --allow-unscored 60 --no-report $(id held-as-is-3.json) $(id held-adjudicated-3.json)
