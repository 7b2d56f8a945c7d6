# pump_faults faults.h: a silent Pi is no fault
s/ && (heartbeat_ms >= PUMP_HEARTBEAT_MS)));/ \&\& (heartbeat_ms > UINT32_MAX - 1u)));/
