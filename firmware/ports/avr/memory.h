/* What outlives a power cut: two copies in the EEPROM, written in turn, so that a cut in mid-write leaves the other one. */
#ifndef TENDRIL_AVR_MEMORY_H
#define TENDRIL_AVR_MEMORY_H

#include <stdint.h>

#include "../../core/interlock.h"

/* 1 and the newer sound copy, or 0 when there is none. */
uint8_t memory_load(struct interlock_saved *saved);

/*
 * Overwrites the older copy, and reads it back: 0 when it does not hold. 3.4 ms a byte (datasheet, table 8-2), and only the
 * bytes that differ are written: a dozen where both copies are sound, 120 on a device that is new.
 */
uint8_t memory_save(const struct interlock_saved *saved);

#endif
