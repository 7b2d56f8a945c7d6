#!/usr/bin/env bash
# Makes the disk of the test bench: a Debian trixie as a person's Raspberry Pi would have it before Tendril (systemd, udev, apt,
# Debian's own Node), once. It is kept under ${XDG_CACHE_HOME:-~/.cache}/tendril-kernel, by the hash of these two scripts and
# the month, so that what Debian mends gets in. Nothing is mounted on this machine and, where it has user namespaces, nobody
# has to be root.
#   image.sh          prints the path of the image; or, with status 3, why it cannot be made here
#   image.sh --needs  prints the Debian packages it needs if anything is missing, else nothing
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export PATH="$PATH:/usr/sbin:/sbin"

programs=(mmdebstrap mkfs.ext4 flock unshare)
debian=(mmdebstrap e2fsprogs util-linux debian-archive-keyring)
# What the package depends on, and what the tests use (iproute2), beside what apt calls required (--variant=minbase).
packages=systemd,systemd-sysv,udev,dbus,kmod,iproute2,nodejs,adduser,ca-certificates,openssl
# Megabytes: 270 of the system, the package a few times over, the journal. A sparse file.
size=1536

missing=()
for program in "${programs[@]}"; do command -v "$program" >/dev/null || missing+=("$program"); done
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

hash=$( (date -u +%Y-%m && cat "$here/image.sh" "$here/customise.sh") | sha256sum | cut -c1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tendril-kernel
mkdir -p "$cache"
exec 9>"$cache/debian.lock"
flock 9
image=$cache/debian-$hash.ext4
if [ -f "$image" ]; then
  echo "$image"
  exit
fi

# Older images, and what an interrupted run left behind: nobody else works while the lock is held.
rm -rf "$cache"/debian-*.ext4 "$cache"/fetching.*
work=$(mktemp -d "$cache/fetching.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo "tendril-kernel: fetching a Debian trixie, a minute or two ..." >&2
if ! mmdebstrap --quiet --variant=minbase --include="$packages" --format=null \
  --aptopt='Acquire::Languages "none"' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --customize-hook="sh '$here/customise.sh' \"\$1\" '$work/disk' $size" \
  trixie 9>&- >"$work/log" 2>&1; then
  tail -n 20 "$work/log" >&2
  cannot "a Debian trixie could not be fetched: $(grep -m1 '^E:' "$work/log")"
fi
mv "$work/disk" "$image"
echo "$image"
