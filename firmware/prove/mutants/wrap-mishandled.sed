# elapsed elapsed.h: one ms lost at the wrap
s/ + to_ms + 1u;/ + to_ms;/
