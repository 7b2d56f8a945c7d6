/* What outlives a power cut: two entries in NVS, written in turn. */
#ifndef TENDRIL_ESP32_MEMORY_H
#define TENDRIL_ESP32_MEMORY_H

#include <stdint.h>

#include "interlock.h"

/* 1 and the newer sound copy, or 0 when there is none. */
uint8_t memory_load(struct interlock_saved *saved);

/* 0 when it could not be kept. */
uint8_t memory_save(const struct interlock_saved *saved);

#endif
