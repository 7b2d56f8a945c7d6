#!/usr/bin/env bash
# The official MCP conformance suite against Tendril's server, over HTTP. Needs `npm run build` before, and the npm
# registry once: suite and Node 22 (the suite does not start on 20) go into a folder of their own under TMPDIR.
set -euo pipefail
cd "$(dirname "$0")/../.."

suite=0.2.0-alpha.12 # the newest of npm; 0.1.16, its "latest", knows no 2026-07-28
node22=22.23.3
kept="${TMPDIR:-/tmp}/tendril-conformance-$suite-$node22"
package="$kept/node_modules/@modelcontextprotocol/conformance"

if [ ! -d "$package" ]; then
  npm install --prefix "$kept" --no-save --no-audit --no-fund --loglevel error \
    "@modelcontextprotocol/conformance@$suite" "node-linux-$(node -p process.arch)@$node22"
fi

work=$(mktemp -d)
node dist/test/conformance/fixture-server.js "$work" >"$work/url" 2>"$work/log" &
server=$!
trap 'kill "$server"; wait "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 100); do
  [ -s "$work/url" ] && break
  sleep 0.1
done
url=$(cat "$work/url")
if [ -z "$url" ]; then
  cat "$work/log"
  exit 1
fi

status=0
for revision in 2026-07-28 2025-11-25; do
  # Its exit status counts every failure; verdict.js knows which are expected.
  "$kept/node_modules/.bin/node" "$package/dist/index.js" server --url "$url" --requirements "$revision" \
    --output-dir "$work/$revision" >"$work/$revision.txt" 2>&1 || true
  if ! node dist/test/conformance/verdict.js "$revision" "$work/$revision" "$package/requirements/$revision.yaml"; then
    status=1
    sed -n '/=== SUMMARY/,$p' "$work/$revision.txt"
  fi
done
exit "$status"
