# judge faults.h: the emergency stop does nothing
s/(uint8_t)(stop_pressed != 0u)/(uint8_t)(stop_pressed > 254u)/
