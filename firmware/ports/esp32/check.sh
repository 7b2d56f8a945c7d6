#!/bin/sh
# Checks the ESP32's port against stubs/, or against what IDF_STUBS names: its types with the machine's own gcc, for both
# chips; and where clang and lld are installed, the C3's machine code (rv32imc) and that it links with what an ESP-IDF offers.
# That is clang's code, not Espressif's. Here it is not run; test/firmware/esp32.test.ts runs it in an emulator.
set -eu
cd "$(dirname "$0")"
headers=${IDF_STUBS:-stubs}
for target in ESP32C3 ESP32; do
  for file in main/*.c ../controller.c ../../core/*.c; do
    gcc -std=gnu17 -fsyntax-only -Wall -Wextra -Werror -Wconversion "-DCONFIG_IDF_TARGET_$target=1" \
      -I"$headers" -Imain -I../../core "$file"
  done
  echo "ESP-IDF port, types, against $headers: $target passes"
done

if ! command -v clang >/dev/null || ! command -v ld.lld >/dev/null; then
  echo "ESP-IDF port, machine code of the ESP32-C3: not tried, clang or lld is not installed"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
for file in main/*.c ../controller.c ../../core/*.c; do
  clang --target=riscv32 -march=rv32imc -std=gnu17 -ffreestanding -Os -Wall -Wextra -Werror -Wconversion \
    -DCONFIG_IDF_TARGET_ESP32C3=1 -I"$headers" -Imain -I../../core -c "$file" -o "$work/$(basename "$file" .c).o"
done
# Each function that the stubs declare, and what a compiler takes for granted: anything else stays undefined, and fails
offered=$(grep -hoE '\b[A-Za-z_0-9]+\(' "$headers"/*.h "$headers"/*/*.h | tr -d '(' | sort -u)
for name in $offered memcpy memset __divdi3; do echo "--defsym=$name=0"; done >"$work/offered"
ld.lld --entry=app_main "@$work/offered" "$work"/*.o -o "$work/port.elf"
echo "ESP-IDF port, machine code of the ESP32-C3 by clang: links with what $headers declare"
