# judge faults.h: faults last one step
s/latch(c.faults, FAULT_GAP/latch(0u, FAULT_GAP/
