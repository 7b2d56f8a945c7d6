/* Pins, time, the link's UART and the watchdog of an ESP32-C3 or ESP32. Levels as in ../../avr/board.h. */
#ifndef TENDRIL_ESP32_BOARD_H
#define TENDRIL_ESP32_BOARD_H

#include <stdint.h>

#include "interlock.h"

/* Everything off: the level first, then the pin's direction. To be called before anything else. */
void board_safe(void);

/* The rest. The faults that a start has: FAULT_RESET when a watchdog or a crash caused it. */
uint16_t board_start(void);

/* Milliseconds since the start; wraps. */
uint32_t board_now(void);

void board_levels(struct interlock_inputs *in);

/* Opens what is to be open; closes nothing. */
void board_open(const struct interlock_outputs *out);
/* Both as they are to be. The second cut is armed before a contact closes. */
void board_write(const struct interlock_outputs *out);

/* From now on the watchdog bites after 500 ms without being fed. */
void board_watch(void);
void board_feed_watchdog(void);
/* Both contacts open until the watchdog has started everything anew. Does not return. */
void board_give_up(void);

/* 1 and the next byte, waiting for it for `wait_ms` at the most; else 0. */
uint8_t board_take(uint8_t *byte, uint32_t wait_ms);
/* All of it or, where there is no room, nothing: the host asks again. */
void board_send(const uint8_t *bytes, uint8_t count);

#endif
