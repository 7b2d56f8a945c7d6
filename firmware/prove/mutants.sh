#!/usr/bin/env bash
# Each file of mutants/ spoils the interlock in one way and must break the proof of a function that it names in its first
# line. A mutant that no longer applies or no longer compiles is an error.
set -uo pipefail
cd "$(dirname "$0")" || exit 1
command -v frama-c >/dev/null || { echo "SKIPPED: the mutants, frama-c is not installed"; exit 0; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
caught=0 failed=0

try() { # mutant
  local name functions file
  name=$(basename "$1" .sed)
  functions=$(sed -n '1s/^# \([^ ]*\) .*/\1/p' "$1")
  rm -rf "$work/core" "$work/prove"
  cp -r ../core "$work/core" && mkdir "$work/prove" && cp trace.c "$work/prove/"
  file=$(sed -n '1s/^# [^ ]* \([^ :]*\).*/\1/p' "$1")
  sed -i -f "$1" "$work/core/$file"
  if cmp -s "../core/$file" "$work/core/$file"; then echo "ERROR: $name no longer applies"; return 1; fi
  if ! gcc -std=c99 -c "$work/core/interlock.c" -o "$work/mutant.o"; then echo "ERROR: $name does not compile"; return 1; fi
  (cd "$work/prove" && TRACE="$work/prove/trace.c" CORE="$work/core" WP_TIMEOUT=${MUTANT_TIMEOUT:-5} \
    bash "$here/prove.sh" -wp-fct "$functions") >"$work/log" 2>&1
  case $? in
    1) echo "caught: $name ($(grep -c '^not proved' "$work/log") goals of $functions)" ;;
    0) echo "ERROR: $name was proved"; return 1 ;;
    *) echo "ERROR: $name could not be tried"; cat "$work/log"; return 1 ;;
  esac
}

here=$PWD
for mutant in mutants/*.sed; do
  if try "$mutant"; then caught=$((caught + 1)); else failed=$((failed + 1)); fi
done
echo "$caught mutants caught, $failed errors"
[ "$failed" = 0 ]
