# judge faults.h: any gap is believed
s/(uint8_t)(gap > MAX_GAP_MS)/(uint8_t)(gap > UINT32_MAX - 1u)/
