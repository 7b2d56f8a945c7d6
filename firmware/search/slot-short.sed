# slot_over passage.h: a slot lasts a millisecond: the slots that are kept cover no day
s/(c.slot_ms >= SLOT_MS)/(c.slot_ms >= 1u)/
