#!/bin/sh
# What a Pi has before anything of the system's runs, and what is wired to it: the bus, a red button and a leak sensor that are
# open. Run by bench.service, from the folder of this boot, which run-folder.ts fills.
set -u
# Sets PROJECT, MODULES, STORY, TEST and STUB_CHIPS.
# shellcheck source=/dev/null
. /run/bench/settings
# Where the machine outside has them: the tests, what they import, and what they are given.
for folder in "$PROJECT" "$MODULES" "$STORY"; do
  mkdir -p "$folder"
  mount -t hostfs -o "hostfs=$folder" none "$folder"
done
insmod /run/bench/i2c-stub.ko "chip_addr=$STUB_CHIPS"
for pin in 9 10; do
  for pull in /sys/devices/platform/gpio-sim/gpiochip*/sim_gpio$pin/pull; do echo pull-up >"$pull"; done
done
