#!/bin/sh
# Measures `hallmark analyze consistency` on 1,000,000 rows, beside the same figures in plain Python where there is one.
#
#	bench/analyze/run.sh [IDS] [VARIANTS]	# 20000 50
#
# Anything else that keeps the machine busy is measured too: the load average is printed beside the figures.
set -eu
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/" ./bench/analyze ./cmd/hallmark
"$dir/analyze" -ids "${1:-20000}" -variants "${2:-50}" >"$dir/rows.jsonl"
echo "$(wc -l <"$dir/rows.jsonl") rows, $(du -m "$dir/rows.jsonl" | cut -f1) MB, $(getconf _NPROCESSORS_ONLN) cores, $(uptime | sed 's/.*load/load/')"
measure() { # name, command…
	name=$1
	shift
	start=$(date +%s.%N)
	"$@" >"$dir/out" & pid=$!
	most=0
	while kill -0 $pid 2>/dev/null; do
		kb=$(awk '/VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null || true)
		[ "${kb:-0}" -gt "$most" ] && most=$kb
		sleep 0.05
	done
	wait $pid
	echo "$name $(date +%s.%N) $start $most" | awk '{ printf "%-10s %6.2f s %6.0f MB\n", $1, $2 - $3, $4 / 1024 }'
}
for _ in 1 2 3; do
	measure hallmark "$dir/hallmark" analyze consistency "$dir/rows.jsonl"
	cp "$dir/out" "$dir/ours"
	if command -v python3 >/dev/null; then measure python python3 bench/analyze/peer.py "$dir/rows.jsonl"; fi
done
if command -v python3 >/dev/null; then
	cat "$dir/out"
	python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); print({"semantic_stability": d["semantic_stability"]["estimate"], "self_consistency": d["self_consistency"]["mean"], "accuracy": d["accuracy"]["mean"], **d["taxonomy"]})' "$dir/ours"
fi
