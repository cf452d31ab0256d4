#!/bin/sh
# Measures the TruthfulQA multiple-choice work with its six demonstrations in 50 more orders: the trie beside one pass an
# option, and lm-evaluation-harness with its hf back end on the same folder, calls and number of threads.
#
#	bench/score/run.sh MC_TASK.json [QUESTIONS] [PEER_CALLS] [THREADS]	# 100 of the questions, 40 of the calls for the peer, 1
#
# MC_TASK.json is TruthfulQA's file of 2021. The folder is the built-in model with a context that the prompts fit in; set
# MODEL to measure another. The peer needs Python with `pip install 'lm_eval[hf]'` (PYTHON, python3 by default), and
# takes a time that grows with its calls alone, so it is given the first PEER_CALLS of the questions' calls.
set -eu
data=$(realpath "$1") questions=${2:-100} calls=${3:-40} threads=${4:-1}
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/score" ./bench/score
make="-make 1024 -model $dir/folder"
if [ -n "${MODEL:-}" ]; then make="-model $MODEL"; fi
echo "$(getconf _NPROCESSORS_ONLN) cores, $(uptime | sed 's/.*load/load/')"
# shellcheck disable=SC2086
"$dir/score" -data "$data" $make -questions "$questions" -threads "$threads" -sample 150 -export "$dir/calls.jsonl"
python=${PYTHON:-python3}
if ! "$python" -c 'from lm_eval.models.huggingface import HFLM' 2>/dev/null; then
	echo "no lm_eval[hf]: the peer is left out"
	exit 0
fi
for batch in 1 16 64; do
	OMP_NUM_THREADS=$threads "$python" bench/score/peer.py "${MODEL:-$dir/folder}" "$dir/calls.jsonl" "$threads" "$batch" "$calls" 2>"$dir/log" || { cat "$dir/log" >&2; exit 1; }
	# shellcheck disable=SC2086
	"$dir/score" -data "$data" -model "${MODEL:-$dir/folder}" -questions "$questions" -threads "$threads"
done
