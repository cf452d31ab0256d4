#!/bin/sh
# The same work by promptfoo, for comparison: calls to the stub at the same latency and concurrency, without its cache.
# Needs npx and a network to fetch promptfoo and the Node.js it wants (several hundred megabytes); nothing else here does.
#
#	bench/promptfoo/run.sh [CALLS] [IN_FLIGHT] [LATENCY]	# 2000 128 50ms
#
# Prints calls, seconds of the evaluation, calls a second and the largest resident set. Time to fetch promptfoo, which
# the first command below takes, is not counted; the start of the program is told apart.
set -eu
calls=${1:-2000} inflight=${2:-128} latency=${3:-50ms}
version=0.123.1
command -v npx >/dev/null || { echo "promptfoo needs Node.js and npx: https://nodejs.org" >&2; exit 1; }
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'kill "$stub" 2>/dev/null || true; rm -rf "$dir"' EXIT
stub=
go build -o "$dir/" ./bench/stub
"$dir/stub" -latency "$latency" >"$dir/url" & stub=$!
until [ -s "$dir/url" ]; do sleep 0.1; done
{
	echo "prompts: ['Question {{i}}: what is the capital of country {{i}}?']"
	echo "providers: [{id: 'openai:chat:stub', config: {apiBaseUrl: '$(cat "$dir/url")', apiKey: none, max_tokens: 64}}]"
	echo "tests: $dir/tests.csv"
} >"$dir/promptfooconfig.yaml"
awk -v n="$calls" 'BEGIN { print "i"; for (i = 0; i < n; i++) print i }' >"$dir/tests.csv"
awk 'NR < 3' "$dir/tests.csv" >"$dir/one.csv"
sed "s/tests.csv/one.csv/" "$dir/promptfooconfig.yaml" >"$dir/one.yaml"
export PROMPTFOO_CONFIG_DIR="$dir/state" PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 PROMPTFOO_DISABLE_REMOTE_GENERATION=1
eval_() { npx -y -p node@22.22 -p "promptfoo@$version" promptfoo eval -c "$1" -j "$inflight" --no-cache --no-progress-bar --no-table -o "$2"; }
seconds() { # of the evaluation of $1 into $2, in $took
	start=$(date +%s.%N)
	eval_ "$1" "$2" >"$dir/log" 2>&1 || { cat "$dir/log" >&2; exit 1; }
	took=$(echo "$(date +%s.%N) $start" | awk '{ print $1 - $2 }')
}
seconds "$dir/one.yaml" "$dir/one.json" # fetches promptfoo
seconds "$dir/one.yaml" "$dir/one.json"
base=$took
# The largest of all processes below this shell: the shell reads it from /proc while the evaluation runs.
(
	most=0
	while sleep 0.2; do
		for p in $(pgrep -f "promptfoo.*$dir/promptfooconfig.yaml"); do
			kb=$(awk '/VmHWM/ { print $2 }' "/proc/$p/status" 2>/dev/null || true)
			[ "${kb:-0}" -gt "$most" ] && most=$kb && echo "$most" >"$dir/rss"
		done
	done
) & watch=$!
trap 'kill "$stub" "$watch" 2>/dev/null || true; rm -rf "$dir"' EXIT
seconds "$dir/promptfooconfig.yaml" "$dir/out.json"
echo "$calls $took $base $(cat "$dir/rss")" | awk -v v="$version" '{
	printf "promptfoo %s: %d calls in %.1f s, of which %.1f s for its start: %.0f calls/s; max RSS %.0f MB\n", v, $1, $2, $3, $1 / ($2 - $3), $4 / 1024 }'
