#!/bin/sh
# The first process inside the kernel where systemd is to follow: the machine's own system, read-only, with all that is
# written in memory; nothing in /var, no units of the machine's owner. Then systemd, with the test as a unit of its own.
# boot.ts copies it beside the kernel, with the module and `settings`.
set -u
here=$(dirname "$0")
# Sets NODE, PROJECT, TEST and STUB_CHIPS.
# shellcheck source=/dev/null
. "$here/settings"
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
root=/mnt/root

mount -t tmpfs -o mode=755 tmpfs /mnt
mkdir /mnt/upper /mnt/work $root
mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work overlay $root
[ -c /dev/console ] || mount -t devtmpfs devtmpfs /dev
mount --move /dev $root/dev
# Else systemd would reset the kernel on a machine that is too busy to let it run for 14 s.
rm -f $root/dev/watchdog*
mount -t proc proc $root/proc
mount -t sysfs sysfs $root/sys
for folder in run var tmp; do mount -t tmpfs -o mode=755 tmpfs $root/$folder; done
chmod 1777 $root/tmp
busybox ifconfig lo up
busybox insmod "$here/i2c-stub.ko" "chip_addr=$STUB_CHIPS"

# Accounts: systemd-sysusers makes the rest. The machine's own files may not be readable for whoever runs the kernel.
for file in .pwd.lock passwd group shadow gshadow subuid subgid machine-id fstab; do rm -f $root/etc/$file; done
echo root:x:0:0:root:/root:/bin/sh >$root/etc/passwd
printf '%s\n' root:x:0: tty:x:5: dialout:x:20: utmp:x:43: video:x:44: >$root/etc/group
: >$root/etc/shadow
: >$root/etc/gshadow
: >$root/etc/machine-id
# A container's mark keeps some of systemd away.
rm -rf $root/.dockerenv $root/etc/systemd/system
mkdir $root/etc/systemd/system

# Where the service expects Tendril and Node.
mkdir -p $root/usr/lib/tendril
mount --bind "$PROJECT" $root/usr/lib/tendril
TEST=/usr/lib/tendril/${TEST#"$PROJECT"}
[ "$NODE" = /usr/bin/node ] || { rm -f $root/usr/bin/node && cp "$NODE" $root/usr/bin/node; }

cat >$root/etc/systemd/system/bench.target <<EOF
[Unit]
Requires=basic.target bench.service
After=basic.target
EOF
cat >$root/etc/systemd/system/bench.service <<EOF
[Unit]
After=basic.target
[Service]
Type=oneshot
TimeoutStartSec=infinity
Environment=HOME=/tmp TZ=Asia/Kathmandu LANG=C.UTF-8 NO_COLOR=1 TAP_TIMEOUT=400
WorkingDirectory=/usr/lib/tendril
ExecStart=/bin/sh -c '{ echo tendril-kernel begin; /usr/bin/node --enable-source-maps "$TEST"; echo tendril-kernel end \$?; } | cat >/dev/ttyS0'
ExecStopPost=/usr/bin/busybox poweroff -f
StandardOutput=tty
StandardError=tty
TTYPath=/dev/console
EOF

cd $root || echo "cannot enter $root"
stty -F dev/ttyS0 raw -echo
mkdir run/before
pivot_root . run/before
exec chroot . /bin/sh -c 'umount -l /run/before
exec /lib/systemd/systemd --unit=bench.target --show-status=0 --log-target=journal-or-kmsg' </dev/console >/dev/console 2>&1
