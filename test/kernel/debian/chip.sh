#!/bin/sh
# The ADS1115 on the bus, fed by GPIO 12, in soil that is rather dry; and a witness of the relays' pins, who is there before the
# service. It preempts whoever else runs, and has one thread: live-chip-process.ts says why.
# shellcheck source=/dev/null
. /run/bench/settings
exec chrt --fifo 1 node --single-threaded "$PROJECT/dist/test/kernel/inside/live-chip.js" "$((0x48))" 12 2.4 17 25
