# budget_refusal commands.h: a spent budget refuses nothing
s/? REFUSED_BUDGET : REFUSED_NOTHING/? REFUSED_NOTHING : REFUSED_NOTHING/
