/* The EEPROM of a device that has never pumped: one sound copy, nothing charged, no start counted. */
#include <avr/eeprom.h>

#include "../../core/interlock.h"

/* Over 29 words of zero. The tests start a device on this image. */
#define CRC_OF_NOTHING 0x04BFu

const struct interlock_saved fresh EEMEM __attribute__((used)) = {0u, 0u, {0u}, 0u, CRC_OF_NOTHING};
