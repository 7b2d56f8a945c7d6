#!/bin/sh
# customise.sh ROOT DISK MEGABYTES: makes a disk of a Debian that mmdebstrap has put into ROOT, with the bench's own units, which
# do as the folder of each boot says (see run-folder.ts). Run by mmdebstrap, in whose eyes all files have the right owners.
set -eu
root=$1 disk=$2 megabytes=$3

rm -rf "$root"/var/cache/apt/*.bin "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/tmp/*
echo bench >"$root/etc/hostname"
echo "127.0.0.1 localhost bench" >"$root/etc/hosts"
: >"$root/etc/fstab"
rm -f "$root/etc/resolv.conf"
# not the first boot of a new machine, on which systemd would settle all units anew
echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"

# what keeps services from starting while mmdebstrap works, and which it takes away later
rm -f "$root/usr/sbin/policy-rc.d"
mv -f "$root/usr/sbin/start-stop-daemon.REAL" "$root/usr/sbin/start-stop-daemon"

units=$root/etc/systemd/system
# no terminal to log in at, and nothing that Debian does by the clock
rm -rf "$units/getty.target.wants"
for timer in apt-daily apt-daily-upgrade dpkg-db-backup fstrim systemd-tmpfiles-clean; do ln -sf /dev/null "$units/$timer.timer"; done

# What a Pi has from the beginning: its buses, and what is wired to them.
cat >"$units/bench.service" <<'EOF'
[Unit]
DefaultDependencies=no
RequiresMountsFor=/run /tmp /sys/kernel/config
After=systemd-remount-fs.service tmp.mount
Before=systemd-udev-trigger.service systemd-modules-load.service sysinit.target
# a boot without a test is to end
FailureAction=reboot-force
[Service]
StandardError=journal+console
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/bench
EOF
cat >"$root/usr/local/sbin/bench" <<'EOF'
#!/bin/sh
set -eu
mkdir -p /run/bench
mount -t hostfs -o "hostfs=$(sed 's/.*bench=\([^ ]*\).*/\1/' /proc/cmdline)" none /run/bench
exec sh /run/bench/board.sh
EOF
chmod 755 "$root/usr/local/sbin/bench"
cat >"$units/bench-chip.service" <<'EOF'
[Unit]
Requires=bench.service
After=bench.service
Before=tendril.service
[Service]
ExecStart=/bin/sh /run/bench/chip.sh
EOF
cat >"$units/bench-test.service" <<'EOF'
[Unit]
Requires=bench.service
After=bench.service dbus.service
Wants=bench-chip.service
FailureAction=reboot-force
[Service]
ExecStart=/bin/sh /run/bench/test.sh
StandardOutput=tty
StandardError=tty
TTYPath=/dev/console
EOF
mkdir -p "$units/multi-user.target.wants" "$units/sysinit.target.wants"
ln -s ../bench.service "$units/sysinit.target.wants/"
for unit in bench-chip bench-test; do ln -s "../$unit.service" "$units/multi-user.target.wants/"; done
# else the first boot would bring caches up to date
touch "$root/etc/.updated" "$root/var/.updated"

truncate -s "${megabytes}M" "$disk"
# the root once more, without what is mounted below it
bare=$(dirname "$disk")/root
mkdir "$bare"
export root bare disk
unshare --mount sh -eu -c 'mount --bind "$root" "$bare" && mkfs.ext4 -q -F -L root -d "$bare" "$disk"'
