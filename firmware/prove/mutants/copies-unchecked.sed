# sound decision.h: a counter may differ from its copy
s/(mirrored(s->counters, s->complements) == 0u) || //
