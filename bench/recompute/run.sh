#!/bin/sh
# Makes the bare run and its evidence bundle, and has every figure in it computed again by a program that shares no code with
# hallmark: bench/recompute/recompute.py, written from docs/methods.md, docs/detection.md and docs/posterior.md.
#
#	bench/recompute/run.sh [BUNDLE.zip]	# of a run of one model on one suite with gold; the bare run
#
# It needs Python with numpy and scipy (PYTHON, python3 by default), and exits with 1 where a figure differs by more than 1e-9.
set -eu
python=${PYTHON:-python3}
if ! "$python" -c 'import numpy, scipy' 2>/dev/null; then
	echo "no numpy and scipy: nothing was computed again" >&2
	exit 2
fi
bundle=${1:+$(realpath "$1")}
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
if [ -z "$bundle" ]; then
	go build -o "$dir/" ./cmd/hallmark
	(cd "$dir" && ./hallmark run --quiet --no-report >/dev/null && ./hallmark report latest --format evidence -o run.zip)
	bundle=$dir/run.zip
fi
"$python" -B bench/recompute/intervals.py
"$python" -B bench/recompute/draws.py
"$python" -B bench/recompute/recompute.py "$bundle"
