#!/usr/bin/env bash
# Builds the kernel of the test bench (User-Mode Linux, an ordinary program) from Debian's linux-source package, once:
# it is kept under ${XDG_CACHE_HOME:-~/.cache}/tendril-kernel, by the version of that package, bench.config and this script.
#   build.sh          prints the folder that holds linux, i2c-stub.ko and dtc; or, with status 3, why it cannot be built here
#   build.sh --needs  prints the Debian packages it needs if anything is missing, else nothing
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

package=linux-source-6.12
archive=/usr/src/$package.tar.xz
programs=(gcc make flex bison bc xz tar flock strip busybox)
debian=("$package" gcc libc6-dev make flex bison bc xz-utils busybox-static)

cannot() {
  echo "$*"
  exit 3
}
missing=()
for program in "${programs[@]}"; do command -v "$program" >/dev/null || missing+=("$program"); done
[ -f "$archive" ] || missing+=("$archive")
if [ "${1:-}" = --needs ]; then
  [ "${#missing[@]}" = 0 ] || echo "${debian[*]}"
  exit
fi
[ "$(uname -sm)" = "Linux x86_64" ] || cannot "it needs Linux on x86_64, this is $(uname -sm)"
[ "${#missing[@]}" = 0 ] || cannot "missing: ${missing[*]} (on Debian: apt-get install ${debian[*]})"

version=$(dpkg-query -W -f '${Version}' "$package")
hash=$( (echo "$version" && cat "$here/bench.config" "$here/build.sh") | sha256sum | cut -c1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tendril-kernel
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
if [ -d "$cache/$hash" ]; then
  echo "$cache/$hash"
  exit
fi

# What an interrupted build left behind: nobody else builds while the lock is held.
rm -rf "$cache"/building.*
work=$(mktemp -d "$cache/building.XXXXXX")
finish() {
  status=$?
  [ "$status" = 0 ] || tail -n 20 "$work/build.log" >&2
  rm -rf "$work"
}
trap finish EXIT
echo "tendril-kernel: building $package $version, some minutes ..." >&2
exec 3>&1 >"$work/build.log" 2>&1

export ARCH=um
mkdir "$work/out" "$work/done"
tar -C "$work" -xf "$archive"
# The registers of the host that the kernel keeps for each process: 2,696 bytes hold AVX-512, and with AMX (Intel since 2023) they are
# 11,008, which the host then wants back whole. They lie in the stack, so bench.config makes that larger too. Linux 6.13 asks the host.
sed -i "s/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, 12288)/" "$work/$package/arch/x86/um/user-offsets.c"
grep -q "HOST_FP_SIZE, 12288" "$work/$package/arch/x86/um/user-offsets.c"
make -C "$work/$package" O="$work/out" KCONFIG_ALLCONFIG="$here/bench.config" allnoconfig
cd "$work/out"
# An option whose own needs are not met is dropped without a word.
while read -r option; do
  grep -qx "$option" .config || { echo "$option did not get into .config"; exit 1; }
done < <(grep '^CONFIG_' "$here/bench.config")
# The lock stays with this shell alone.
make -j"$(nproc)" linux modules 9>&-
strip -o "$work/done/linux" linux
cp drivers/i2c/i2c-stub.ko scripts/dtc/dtc "$work/done/"
mv "$work/done" "$cache/$hash"
echo "$cache/$hash" >&3
