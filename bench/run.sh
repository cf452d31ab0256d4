#!/bin/sh
# Runs every benchmark whose result stands in docs/benchmarks.md. Peers run where they are installed or can be fetched;
# TRUTHFULQA names TruthfulQA's mc_task.json, NODE_LLAMA and PYTHON are those of bench/decode/run.sh and bench/score/run.sh.
set -eu
cd "$(dirname "$0")/.."
echo "commit $(git rev-parse --short HEAD), $(date -u +%F), $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo 2>/dev/null || uname -m)"
echo; echo "== analyze consistency"; bench/analyze/run.sh
echo; echo "== passages indexed and searched"; bench/retrieve/run.sh
echo; echo "== the runner against a stub at 50 ms, 128 in flight"; bench/runner/runner.sh
if command -v npx >/dev/null; then echo; echo "== promptfoo on the same stub"; bench/promptfoo/run.sh || true; fi
echo; echo "== logs of others"; bench/logs/import.sh
echo; echo "== greedy decoding"; bench/decode/run.sh
echo; echo "== a smaller model"; bench/sparse/run.sh
if [ -n "${TRUTHFULQA:-}" ]; then echo; echo "== TruthfulQA in 50 orders of its demonstrations"; bench/score/run.sh "$TRUTHFULQA"; fi
echo; echo "== the engine, the graders, the store"
bench/engine/run.sh
go test -run '^$' -bench . -benchtime 2s ./internal/engine/... ./internal/grade/rubric ./internal/run
