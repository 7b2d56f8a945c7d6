# needs_slots decision.h: what is settled after a dose was not checked
s/ || (c.pump.on != 0u) || (c.unsaved != 0u)/ || (c.unsaved != 0u)/
