# any_day interlock.h: the slots that are kept do not cover a day
s/^#define BUDGET_SLOTS .*/#define BUDGET_SLOTS 24u/
