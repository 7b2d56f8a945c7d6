# slot_over passage.h: a slot begins while the pump runs, so that a charge lies in another slot than the time
s/(c.pump.on == 0u) && (c.slot_ms >= SLOT_MS)/(c.slot_ms >= SLOT_MS)/
