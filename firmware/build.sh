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

# The ESP32-C3's port for the emulator of test/firmware/esp32: clang's code with stubs in place of ESP-IDF, never for a device.
# Each function of ESP-IDF, and what a compiler takes for granted, gets an address at which the emulator stands in for it.
esp32c3() { # name, further options
  name=$1
  shift
  objects=$(mktemp -d)
  for file in ports/esp32/main/*.c ports/controller.c core/*.c; do
    # shellcheck disable=SC2086
    clang --target=riscv32 -march=rv32imc -ffreestanding $CFLAGS -DCONFIG_IDF_TARGET_ESP32C3=1 -Iports/esp32/stubs \
      -Iports/esp32/main -Icore "$@" -c "$file" -o "$objects/$(basename "$file" .c).o"
  done
  address=256
  for call in $(cat ports/esp32/stubs/*.h ports/esp32/stubs/*/*.h | grep -oE '\b[A-Za-z_0-9]+\(' | tr -d '(' | LC_ALL=C sort -u) \
    memcpy memset __divdi3; do
    echo "--defsym=$call=$address"
    address=$((address + 4))
  done >"$objects/calls"
  ld.lld --entry=app_main --strip-debug "@$objects/calls" "$objects"/*.o -o "$into/$name.elf"
  rm -r "$objects"
}

wasm interlock
esp32c3 interlock-esp32c3-short '-DINTERLOCK_LIMITS="limits-short.h"'
wasm interlock-short '-DINTERLOCK_LIMITS="limits-short.h"'
make -s -C ports/avr clean
make -s -C ports/avr INTO="$(cd "$into" && pwd)"

if [ "$into" != build ]; then
  for file in "$into"/*; do cmp "$file" "build/$(basename "$file")"; done
  echo "firmware/build is what these sources give"
fi
