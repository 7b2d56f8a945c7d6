# budget_refusal interlock.c: a spent budget refuses nothing
s/? REFUSED_BUDGET : REFUSED_NOTHING/? REFUSED_NOTHING : REFUSED_NOTHING/
