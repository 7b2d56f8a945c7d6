#!/bin/sh
# One care cycle by a real model, on a bench of its own: sh test/agent-client/real-model.sh ollama:llama3.2
# Wants a build and a server that has the model, in the variables that docs/agent.md names for it; one on your own
# computer is llama.cpp's `llama-server --jinja -m MODEL.gguf`, at http://127.0.0.1:8080/v1. No test runs this: it was written
# where no model could be had, and has never met one. A small model may well end a cycle incomplete; what must hold is
# that the story at the end tells why, and that no more was poured than the runtime allows.
set -eu
model=${1:?name a model, such as ollama:llama3.2}
tendril=$(dirname "$0")/../../dist/runtime/cli/tendril.js
state=$(mktemp -d)
node "$tendril" serve --bench --state "$state" --port 0 --log-level error &
runtime=$!
trap 'kill $runtime; wait $runtime || true; rm -rf "$state"' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -f "$state/runtime.json" ] && break || sleep 1; done
outcome=0
node "$tendril" agent --state "$state" --agent-state "$state/agent" --model "$model" --once || outcome=$?
node "$tendril" log --log-dir "$state/agent/runs"
exit $outcome
