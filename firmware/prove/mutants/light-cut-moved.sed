# longest limits.h: the light's cut at 121 min
s/^#define LIGHT_CUT_MS .*/#define LIGHT_CUT_MS 7260000u/
