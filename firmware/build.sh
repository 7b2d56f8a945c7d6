#!/bin/sh
# Builds what is committed in firmware/build: the interlock as WebAssembly and for the ATmega328P. The same compilers
# give the same bytes (Debian 12: clang and lld 14, gcc-avr 5.4, avr-libc 2.0); --check compares and writes nothing.
set -eu
cd "$(dirname "$0")"
into=build
[ "${1:-}" = --check ] && into=$(mktemp -d) && trap 'rm -r "$into"' EXIT

CFLAGS="-std=c99 -Wall -Wextra -Werror -Wconversion -Os"

wasm() { # name, further options
  name=$1
  shift
  # shellcheck disable=SC2086
  clang --target=wasm32 -nostdlib -ffreestanding $CFLAGS -fvisibility=hidden "$@" \
    -Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=4096 \
    -o "$into/$name.wasm" core/crc.c core/interlock.c core/link.c ports/wasm/interlock-wasm.c
}

wasm interlock
wasm interlock-short '-DINTERLOCK_LIMITS="limits-short.h"'
make -s -C ports/avr clean
make -s -C ports/avr INTO="$(cd "$into" && pwd)"

if [ "$into" != build ]; then
  for file in "$into"/*; do cmp "$file" "build/$(basename "$file")"; done
  echo "firmware/build is what these sources give"
fi
