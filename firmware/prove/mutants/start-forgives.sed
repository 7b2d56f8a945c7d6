# copy_saved start.h: a start forgets what one slot was charged
s/^    saved->slot\[i\] = from->slot\[i\];/    saved->slot[i] = (i == 3u) ? 0u : from->slot[i];/
