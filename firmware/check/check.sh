#!/usr/bin/env bash
# Warnings, MISRA, Eva and the fuzzer on the link, the search, the lives of many devices, and that the committed artefacts are what the sources give.
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

warnings() { # compiler, further options, part
  "$1" ${2:+"$2"} -std=c99 -Wall -Wextra -Werror -Wconversion -O2 -c core/"$3".c -o "$work/$3.o"
}

# Under short limits, so that many days of the account go by. 300 lives take 6 s.
lives() {
  gcc -std=c99 -O2 -Wall -Wextra -Werror '-DINTERLOCK_LIMITS="limits-short.h"' host/life.c core/interlock.c core/crc.c -o "$work/life" &&
    "$work/life" 300
}

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

# No alarm, and nearly every statement reached: an analysis that reaches nothing finds nothing.
eva() {
  frama-c -eva -eva-precision 4 -eva-no-print check/eva-link.c >"$work/eva" 2>&1
  local reached
  reached=$(sed -nE 's/.* statements reached .*: ([0-9]+)% coverage.*/\1/p' "$work/eva")
  tail -n 20 "$work/eva"
  grep -q '^  0 alarms generated' "$work/eva" && [ "${reached:-0}" -ge 95 ]
}

for part in crc interlock link; do
  check gcc "gcc's warnings: $part.c" warnings gcc "" "$part"
  check avr-gcc "avr-gcc's warnings: $part.c" warnings avr-gcc -mmcu=atmega328p "$part"
done
check gcc "the ESP32 port against stubs: types, and the C3's code by clang" sh ports/esp32/check.sh
check cppcheck "MISRA" misra
check clang "the fuzzer, ${FUZZ_SECONDS:-20} s" fuzz
check frama-c "Eva on the link" eva
check gcc "the search" sh search/search.sh
check gcc "the lives of many devices" lives
if command -v clang >/dev/null && command -v avr-gcc >/dev/null && command -v wasm-ld >/dev/null; then
  check sh "the artefacts of firmware/build" sh build.sh --check
else
  echo "SKIPPED: the artefacts of firmware/build, clang, wasm-ld or avr-gcc is not installed"
fi
echo "firmware:check: $passed passed, $failed failed"
[ "$failed" = 0 ]
