#!/bin/sh
# Makes the logs of OpenAI Evals, DeepEval and RAGAS that `hallmark import` is tested on, by these tools, each of which
# has `hallmark model serve` asked. The metrics are those that take no judge: the built-in model is none. What the tools
# printed lies beside the logs in internal/suite/logs/testdata. Needs a network and Python: the tools are fetched into a folder
# that is thrown away, unless EVALS and OTHERS name environments where they are (they do not go into one).
#
#	bench/logs/evals.sh [OUTPUT]	# internal/suite/logs/testdata
set -eu
evals=3.0.1.post1 openai=3.57.0 deepeval=4.3.1 ragas=0.4.3
cd "$(dirname "$0")/../.."
out=$(realpath -m "${1:-internal/suite/logs/testdata}")
dir=$(mktemp -d)
server=
trap 'kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
EVALS=${EVALS:-$dir/evals} OTHERS=${OTHERS:-$dir/others}
if [ ! -d "$EVALS" ]; then
	python3 -m venv "$EVALS"
	"$EVALS/bin/pip" install -q "evals==$evals" "openai==$openai"
fi
if [ ! -d "$OTHERS" ]; then # later releases of langchain-community lack what this one of RAGAS imports
	python3 -m venv "$OTHERS"
	"$OTHERS/bin/pip" install -q "deepeval==$deepeval" "ragas==$ragas" langchain-community==0.3.31 rapidfuzz==3.14.6
fi
go build -o "$dir/hallmark" ./cmd/hallmark
"$dir/hallmark" model serve pocket --addr 127.0.0.1:8393 >"$dir/server" 2>&1 & server=$!
export POCKET=http://127.0.0.1:8393/v1 OPENAI_API_KEY=none NO_COLOR=1 COLUMNS=120
until curl -fs "$POCKET/models" >/dev/null; do sleep 0.2; done
cp bench/logs/questions.jsonl bench/logs/tasks/*_pocket.py "$dir"
cd "$dir"
mkdir -p "$out/openai-evals" "$out/deepeval" "$out/ragas"

echo "OpenAI Evals $evals"
mkdir -p registry/evals registry/completion_fns registry/data/capitals
"$EVALS/bin/python" evals_pocket.py >registry/data/capitals/samples.jsonl
cat >registry/completion_fns/pocket.yaml <<END
pocket:
  class: evals_pocket:Served
  args: {model: pocket, api_base: "$POCKET", api_key: none, extra_options: {max_tokens: 16}}
END
cat >registry/evals/capitals.yaml <<'END'
capitals: {id: capitals.dev.v0, metrics: [accuracy]}
capitals.dev.v0: {class: "evals.elsuite.basic.match:Match", args: {samples_jsonl: capitals/samples.jsonl}}
END
PYTHONPATH=. EVALS_SEQUENTIAL=1 "$EVALS/bin/oaieval" pocket capitals --registry_path registry \
	--record_path capitals.jsonl >evals.txt 2>&1 || { tail -5 evals.txt >&2; exit 1; }
sed "s|$EVALS/bin/||" capitals.jsonl >"$out/openai-evals/capitals.jsonl" # it has the command line
sed -n 's/^\[.*\] \(accuracy: \)/\1/p' evals.txt >"$out/openai-evals/capitals.txt"

echo "DeepEval $deepeval"
export DEEPEVAL_TELEMETRY_OPT_OUT=YES DEEPEVAL_DISABLE_DOTENV=1 DEEPEVAL_RESULTS_FOLDER=results RAGAS_DO_NOT_TRACK=true
"$OTHERS/bin/python" deepeval_pocket.py >deepeval.txt 2>&1 || { tail -5 deepeval.txt >&2; exit 1; }
cp results/test_run_*.json "$out/deepeval/capitals.json"
sed -n '/Aggregate Metrics/,$s/^│ *\(.* Match .*%.*[0-9]\) *│$/\1/p; s/^ *» \(Pass Rate: .*\)/\1/p' deepeval.txt \
	>"$out/deepeval/capitals.txt"

echo "RAGAS $ragas"
"$OTHERS/bin/python" -W ignore ragas_pocket.py >ragas.txt 2>ragas.log || { tail -5 ragas.log >&2; exit 1; }
cp capitals.csv "$out/ragas/capitals.csv"
cp ragas.jsonl "$out/ragas/capitals.jsonl"
cp ragas.txt "$out/ragas/capitals.txt"
