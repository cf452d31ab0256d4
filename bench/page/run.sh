#!/bin/sh
# Looks at the pages of Hallmark in Chromium with axe-core (check.mjs): of the default run, of one that lacks answers, and
# of the pages that are named. Wants chromium, node and npm; exits 0 with a word where they are not there. SHOTS names a
# folder for pictures.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for tool in "${CHROMIUM:-chromium}" node npm; do
	command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 0; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$here/../.." && go build -o "$work/hallmark" ./cmd/hallmark)
cp "$here/check.mjs" "$work"
pages=""
for page in "$@"; do pages="$pages $(realpath "$page")"; done
cd "$work"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund axe-core@4 puppeteer-core@24 >/dev/null
CHROMIUM=$(command -v "${CHROMIUM:-chromium}")
export CHROMIUM
./hallmark run --quiet --accept 'incorrect <= 5%' --no-report
./hallmark report latest --accept 'incorrect <= 5%' -o pocket.html
./hallmark run --quiet --no-report --budget 300calls --seed 2 --limit 60 --method rubric,consistency || [ $? = 3 ]
./hallmark report latest -o incomplete.html
# shellcheck disable=SC2086
node check.mjs ${SHOTS:+--shots "$SHOTS"} pocket.html incomplete.html $pages
