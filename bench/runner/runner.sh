#!/bin/sh
# Measures hallmark's runner against the stub, which runs in a process of its own on the same machine, three times.
#
#	bench/runner/runner.sh [CALLS] [IN_FLIGHT] [LATENCY]	# 20000 128 50ms
#
# Anything else that keeps the machine busy is measured too: the load average is printed beside the figures.
set -eu
calls=${1:-20000} inflight=${2:-128} latency=${3:-50ms}
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'kill "$stub" 2>/dev/null || true; rm -rf "$dir"' EXIT
stub=
go build -o "$dir/" ./bench/stub ./bench/runner
"$dir/stub" -latency "$latency" >"$dir/url" & stub=$!
until [ -s "$dir/url" ]; do sleep 0.1; done
echo "$(getconf _NPROCESSORS_ONLN) cores, $(uptime | sed 's/.*load/load/')"
for _ in 1 2 3; do
	"$dir/runner" -url "$(cat "$dir/url")" -calls "$calls" -j "$inflight" -latency "$latency"
done
