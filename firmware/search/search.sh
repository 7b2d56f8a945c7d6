#!/bin/sh
# Visits every state of the interlock under tiny limits (search.c). Needs gcc alone.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -std=c99 -O2 -Wall -Wextra -DINTERLOCK_LIMITS='"../search/limits-tiny.h"' -I../core search.c -o "$work/search"
"$work/search"
