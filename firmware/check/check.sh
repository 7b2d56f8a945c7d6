#!/usr/bin/env bash
# Warnings, MISRA, the fuzzer, the search, and that the committed artefacts are what the sources give.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { # needed tool, name, command...
  local tool=$1 name=$2
  shift 2
  if ! command -v "$tool" >/dev/null; then
    echo "SKIPPED: $name, $tool is not installed"
  elif "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
    echo "ok: $name"
  else
    failed=$((failed + 1))
    echo "not ok: $name"
    cat "$work/log"
  fi
}

warnings() { gcc -std=c99 -Wall -Wextra -Werror -Wconversion -O2 -c core/"$1".c -o "$work/$1.o"; }

# The deviations and their reasons are in misra-deviations.txt.
misra() {
  cppcheck --std=c99 --addon=misra --enable=style --suppressions-list=check/misra-deviations.txt \
    --inline-suppr --error-exitcode=1 --quiet -D__CPPCHECK__ core/crc.c core/interlock.c core/link.c
}

fuzz() {
  clang -std=c99 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
    check/fuzz-link.c core/link.c core/interlock.c core/crc.c -o "$work/fuzz" &&
    (cd "$work" && ./fuzz -max_total_time="${FUZZ_SECONDS:-20}" -max_len=512)
}

for part in crc interlock link; do check gcc "gcc's warnings: $part.c" warnings "$part"; done
check cppcheck "MISRA" misra
check clang "the fuzzer, ${FUZZ_SECONDS:-20} s" fuzz
check gcc "the search" sh search/search.sh
if command -v clang >/dev/null && command -v avr-gcc >/dev/null && command -v wasm-ld >/dev/null; then
  check sh "the artefacts of firmware/build" sh build.sh --check
else
  echo "SKIPPED: the artefacts of firmware/build, clang, wasm-ld or avr-gcc is not installed"
fi
echo "firmware:check: $passed passed, $failed failed"
[ "$failed" = 0 ]
