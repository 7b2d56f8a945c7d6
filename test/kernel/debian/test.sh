#!/bin/sh
# One test file, with its TAP on the serial line; then the machine goes down as a person would have it, whatever came of it.
set -u
# shellcheck source=/dev/null
. /run/bench/settings
export HOME=/root TZ=Asia/Kathmandu LANG=C.UTF-8 NO_COLOR=1 TAP_TIMEOUT=400 STORY
cd "$PROJECT" || echo "cannot enter $PROJECT"
stty -F /dev/ttyS0 raw -echo
{
  echo "tendril-kernel begin"
  node --enable-source-maps "$TEST"
  echo "tendril-kernel end $?"
} | cat >/dev/ttyS0
systemctl --no-block reboot
