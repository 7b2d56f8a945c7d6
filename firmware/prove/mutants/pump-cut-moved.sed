# longest limits.h: the pump's cut at 30 s: a gap later is too late
s/^#define PUMP_CUT_MS .*/#define PUMP_CUT_MS 29900u/
