#!/bin/sh
# How long rows of 500 bytes take: to be read into the neutral form alone, to become a stored run, and to be graded too.
#
#	bench/logs/import.sh [ROWS_STORED] [ROWS_GRADED]	# 1000000 10000
#
# Prints seconds of the clock, seconds of processor time and the largest resident set. Needs GNU time.
set -eu
read=${1:-1000000} imported=${2:-10000}
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/" ./cmd/hallmark ./bench/logs/read
awk -v n="$read" -f bench/logs/rows.awk >"$dir/rows.jsonl"
head -n "$imported" "$dir/rows.jsonl" >"$dir/some.jsonl"
as="%e s, %U + %S s of processor time, %M kB"
echo "read $read rows"
/usr/bin/time -f "$as" "$dir/read" "$dir/rows.jsonl"
echo "import $read rows"
/usr/bin/time -f "$as" "$dir/hallmark" import "$dir/rows.jsonl" --no-report --quiet --store "sqlite:$dir/all.db"
echo "import and grade $imported rows"
/usr/bin/time -f "$as" "$dir/hallmark" import "$dir/some.jsonl" --evaluate --no-report --quiet --store "sqlite:$dir/store.db"
