#!/usr/bin/env bash
# Proves every function of firmware/core/interlock.c, its pieces, and crc.c, and the theorems over time in trace.c. Ends non-zero unless
# every goal is proved. Arguments: further options of frama-c, e.g. -wp-fct judge. The provers' answers are kept in
# ~/.cache/tendril-prove under the text of their question; WP_CACHE=none asks them all again.
set -uo pipefail
cd "$(dirname "$0")" || exit 1

for tool in frama-c why3 z3 cvc4; do
  command -v "$tool" >/dev/null || { echo "SKIPPED: the proof of the interlock, $tool is not installed"; exit 0; }
done
[ -s "${WHY3CONFIG:-$HOME/.why3.conf}" ] || why3 config detect >/dev/null 2>&1
export FRAMAC_WP_CACHEDIR=${FRAMAC_WP_CACHEDIR:-$HOME/.cache/tendril-prove}
mkdir -p "$FRAMAC_WP_CACHEDIR" || exit 2

log=$(mktemp)
trap 'rm -f "$log"' EXIT
begun=$(date +%s)
core=${CORE:-../core}
frama-c -cpp-extra-args="-I$core" -wp -wp-rte -wp-prover cvc4,z3 -wp-timeout "${WP_TIMEOUT:-60}" -wp-par "${WP_PAR:-2}" \
  -wp-cache "${WP_CACHE:-update}" "$@" "${TRACE:-trace.c}" "$core/crc.c" >"$log" 2>&1
status=$?
sed -nE 's/^\[wp\] \[Failed\] Goal (.*)/not proved: \1/p' "$log"
read -r proved total <<<"$(sed -nE 's/^\[wp\] Proved goals: *([0-9]+) \/ ([0-9]+).*/\1 \2/p' "$log")"
if [ "$status" != 0 ] || [ -z "${total:-}" ] || [ "$total" = 0 ]; then
  tail -n 20 "$log"
  echo "not ok: the proof did not run"
  exit 2
fi
verdict="not ok" code=1
[ "$proved" = "$total" ] && verdict=ok code=0
echo "$verdict: $proved of $total goals proved in $(($(date +%s) - begun)) s"
exit "$code"
