#!/usr/bin/env bash
# Proves firmware/core/interlock.c and the theorems over time in trace.c. Ends non-zero unless every goal is proved.
# Arguments: further options of frama-c, e.g. -wp-fct judge.
set -uo pipefail
cd "$(dirname "$0")" || exit 1

for tool in frama-c why3 z3 cvc4; do
  command -v "$tool" >/dev/null || { echo "SKIPPED: the proof of the interlock, $tool is not installed"; exit 0; }
done
[ -s "${WHY3CONFIG:-$HOME/.why3.conf}" ] || why3 config detect >/dev/null 2>&1

log=$(mktemp)
trap 'rm -f "$log"' EXIT
begun=$(date +%s)
frama-c -cpp-extra-args="-I${CORE:-../core}" -wp -wp-rte -wp-prover cvc4,z3 -wp-timeout "${WP_TIMEOUT:-30}" -wp-par 2 \
  -wp-cache "${WP_CACHE:-none}" "$@" "${TRACE:-trace.c}" >"$log" 2>&1
status=$?
sed -nE 's/^\[wp\] \[Failed\] Goal (.*)/not proved: \1/p' "$log"
totals=$(sed -nE 's/^\[wp\] Proved goals: *([0-9]+) \/ ([0-9]+).*/\1 \2/p' "$log")
read -r proved total <<<"${totals:-0 0}"
echo "$proved of $total goals proved in $(($(date +%s) - begun)) s"
if [ "$total" = 0 ] || [ "$status" != 0 ]; then
  tail -n 20 "$log"
  exit 2
fi
[ "$proved" = "$total" ]
