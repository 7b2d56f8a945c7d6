#!/bin/sh
# Checks the types of the ESP32's port with the machine's own gcc: against stubs/, or against what IDF_STUBS names.
# It is neither linked nor run here.
set -eu
cd "$(dirname "$0")"
for target in ESP32C3 ESP32; do
  for file in main/*.c ../controller.c ../../core/*.c; do
    gcc -std=gnu17 -fsyntax-only -Wall -Wextra -Werror -Wconversion "-DCONFIG_IDF_TARGET_$target=1" \
      -I"${IDF_STUBS:-stubs}" -Imain -I../../core "$file"
  done
  echo "ESP-IDF port, types only, against ${IDF_STUBS:-stubs}: $target passes"
done
