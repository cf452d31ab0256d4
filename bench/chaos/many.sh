#!/bin/sh
# Many calls by many workers, and what they take: bench/chaos/many.sh [CALLS [WORKERS [SECONDS]]], 100000 by 4 where
# nothing is said. With SECONDS one worker is killed every so many. HALLMARK_MANY_J (16) and HALLMARK_MANY_MS (50) say
# how many calls each has in flight and how long the stub takes. Needs what run.sh needs.
set -eu
cd "$(dirname "$0")/../.."
echo "commit $(git rev-parse --short HEAD), $(date -u +%F), $(nproc) cores, $(uptime | sed 's/.*load/load/')"
HALLMARK_MANY="${1:-100000}" HALLMARK_MANY_WORKERS="${2:-4}" HALLMARK_MANY_KILL="${3:-0}" \
	go test -count=1 -timeout 6h -v -run TestMany ./bench/chaos | grep -E '^ *many_test.go|^ *--- FAIL|^ok|^FAIL'
