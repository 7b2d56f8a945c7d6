#!/bin/sh
# The first process inside the kernel, copied by boot.ts into a folder of its own together with `settings`, the module and
# nothing else. Console: what the kernel and the test say besides; the serial line: TAP between two markers.
set -u
here=$(dirname "$0")
# Sets NODE, PROJECT, TEST and STUB_CHIPS.
# shellcheck source=/dev/null
. "$here/settings"
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp TZ=Asia/Kathmandu LANG=C.UTF-8

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t configfs configfs /sys/kernel/config
[ -c /dev/console ] || mount -t devtmpfs devtmpfs /dev
busybox ifconfig lo up
busybox insmod "$here/i2c-stub.ko" "chip_addr=$STUB_CHIPS"
cd "$PROJECT" || echo "cannot enter $PROJECT"
stty -F /dev/ttyS0 raw -echo
# Writes to /tmp go to memory; what lies there on the machine stays in sight, since the project itself may.
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work
mount -t overlay -o lowerdir=/tmp,upperdir=/mnt/upper,workdir=/mnt/work overlay /tmp

{
  echo "tendril-kernel begin"
  "$NODE" --enable-source-maps "$TEST"
  echo "tendril-kernel end $?"
} | cat >/dev/ttyS0
busybox poweroff -f
