#!/bin/sh
# Visits every state of the interlock under tiny limits (search.c), then three spoiled interlocks, which it must find out.
# Needs gcc alone.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r ../core ../search "$work"

built() { gcc -std=c99 -O2 -DINTERLOCK_LIMITS='"../search/limits-tiny.h"' "$work/search/search.c" -o "$work/run"; }

built
"$work/run"
for mutant in slot-short.sed ../prove/mutants/rest-dropped.sed ../prove/mutants/heartbeat-unchecked.sed; do
  # Its first line names the function, the file, and what is spoilt.
  file=$(sed -n '1s/^# [^ ]* \([^ :]*\).*/\1/p' "$mutant")
  cp ../core/* "$work/core/"
  sed -f "$mutant" "../core/$file" >"$work/core/$file"
  if cmp -s "../core/$file" "$work/core/$file"; then
    echo "$mutant no longer applies"
    exit 1
  fi
  built
  if found=$("$work/run"); then
    echo "$mutant was not found out"
    exit 1
  fi
  case $found in
    *BROKEN*) echo "found out: $(basename "$mutant" .sed): $(echo "$found" | tail -n 1)" ;;
    *) exit 1 ;;
  esac
done
