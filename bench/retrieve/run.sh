#!/bin/sh
# Measures how fast passages are indexed and searched, beside bm25s where Python has it (PYTHON=venv/bin/python).
#
#	bench/retrieve/run.sh [PASSAGES] [OF THE PEER]	# 1000000 100000
#
# Anything else that keeps the machine busy is measured too: the load average is printed beside the figures.
set -eu
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/retrieve" ./bench/retrieve
echo "$(getconf _NPROCESSORS_ONLN) cores, $(uptime | sed 's/.*load/load/')"
"$dir/retrieve" -make "${1:-1000000}" >"$dir/all.jsonl"
"$dir/retrieve" "$dir/all.jsonl"
python=${PYTHON:-python3}
if "$python" -c 'import bm25s' 2>/dev/null; then
	head -n "${2:-100000}" "$dir/all.jsonl" >"$dir/some.jsonl"
	"$dir/retrieve" "$dir/some.jsonl"
	"$python" bench/retrieve/peer.py "$dir/some.jsonl"
	head -n 3000 "$dir/all.jsonl" >"$dir/few.jsonl"
	"$dir/retrieve" -check 200 "$dir/few.jsonl" >"$dir/check.jsonl"
	"$python" bench/retrieve/peer.py --check "$dir/check.jsonl"
fi
