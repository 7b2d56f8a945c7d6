#!/usr/bin/env bash
# Makes the disk of the test bench: a Debian trixie as a person's Raspberry Pi would have it before Tendril (systemd, udev, apt,
# Node of Debian's own), once: it is kept under ${XDG_CACHE_HOME:-~/.cache}/tendril-kernel, by this script's hash and the month,
# so that what Debian mends gets in. Nothing is mounted; with mmdebstrap's user namespaces it needs no root either.
#   debian.sh          prints the path of the image; or, with status 3, why it cannot be made here
#   debian.sh --needs  prints the Debian packages it needs if anything is missing, else nothing
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

programs=(mmdebstrap mkfs.ext4 flock)
debian=(mmdebstrap e2fsprogs util-linux debian-archive-keyring)
# What the package depends on, and what the tests use (iproute2). --variant=minbase is what apt calls required, and apt.
packages=systemd,systemd-sysv,udev,dbus,kmod,iproute2,nodejs,adduser,ca-certificates,openssl
# Megabytes: 260 of the system, the package twice, the journal. A sparse file.
size=1024

missing=()
for program in "${programs[@]}"; do
  command -v "$program" >/dev/null || [ -x "/usr/sbin/$program" ] || missing+=("$program")
done
if [ "${1:-}" = --needs ]; then
  [ "${#missing[@]}" = 0 ] || echo "${debian[*]}"
  exit
fi
cannot() {
  echo "$*"
  exit 3
}
[ "$(uname -sm)" = "Linux x86_64" ] || cannot "it needs Linux on x86_64, this is $(uname -sm)"
[ "${#missing[@]}" = 0 ] || cannot "missing: ${missing[*]} (on Debian: apt-get install ${debian[*]})"

hash=$( (date -u +%Y-%m && cat "$here/debian.sh") | sha256sum | cut -c1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tendril-kernel
mkdir -p "$cache"
exec 9>"$cache/debian.lock"
flock 9
image=$cache/debian-$hash.ext4
if [ -f "$image" ]; then
  echo "$image"
  exit
fi

# Images of other months, and what an interrupted run left behind: nobody else works while the lock is held.
rm -rf "$cache"/debian-*.ext4 "$cache"/fetching.*
work=$(mktemp -d "$cache/fetching.XXXXXX")
trap 'rm -rf "$work"' EXIT
log=$work/log
echo "tendril-kernel: fetching a Debian trixie, a minute or two ..." >&2

# Runs inside mmdebstrap, with the new root as $1, in whose eyes all files have the right owners.
cat >"$work/customise" <<'EOF'
set -eu
root=$1 disk=$2 megabytes=$3
rm -rf "$root"/var/cache/apt/*.bin "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/tmp/*
echo bench >"$root/etc/hostname"
echo "127.0.0.1 localhost bench" >"$root/etc/hosts"
: >"$root/etc/fstab"
rm -f "$root/etc/resolv.conf"
# not the first boot of a new machine, on which systemd would settle all units anew
echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
# no terminal to log in at
rm -f "$root"/etc/systemd/system/getty.target.wants/*
truncate -s "${megabytes}M" "$disk"
# the root once more, without what is mounted below it
bare=$(dirname "$disk")/root
mkdir "$bare"
export PATH="$PATH:/usr/sbin" root bare disk
unshare --mount sh -eu -c 'mount --bind "$root" "$bare" && mkfs.ext4 -q -F -L root -d "$bare" "$disk"'
EOF
hook="sh '$work/customise' \"\$1\" '$work/disk' $size"
if ! mmdebstrap --quiet --variant=minbase --include="$packages" --format=null \
  --aptopt='Acquire::Languages "none"' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --customize-hook="$hook" trixie 9>&- >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  cannot "a Debian trixie could not be fetched: $(grep -m1 '^E:' "$log")"
fi
mv "$work/disk" "$image"
echo "$image"
