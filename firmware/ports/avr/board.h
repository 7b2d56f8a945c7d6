/*
 * The ATmega328P at 16 MHz: pins, milliseconds, watchdog. Numbers in brackets are those of an Arduino Uno or Nano.
 *
 *   PB0 [8]  out  the pump's contact, high closes it; a pull-down of 10 k holds it open through a reset
 *   PB1 [9]  out  the light's, likewise
 *   PD2 [2]  in   emergency stop: a normally closed contact to ground. Open is pressed, and so is a broken cable
 *   PD3 [3]  in   pump node: the transistor of an optocoupler to ground. Low is live
 *   PD4 [4]  in   light node: likewise, and steady, not at the mains' rhythm
 *   PD0 [0], PD1 [1]  the link's RXD and TXD
 */
#ifndef TENDRIL_AVR_BOARD_H
#define TENDRIL_AVR_BOARD_H

#include <stdint.h>

#include "../../core/interlock.h"

/* The faults that a start has: FAULT_RESET when the watchdog caused it. */
uint16_t board_start(void);

/* Milliseconds since the start, even ones; wraps. */
uint32_t board_now(void);

void board_levels(struct interlock_inputs *in);

/* Opens what is to be open; closes nothing. */
void board_open(const struct interlock_outputs *out);
/* Both as they are to be. */
void board_write(const struct interlock_outputs *out);

/* From now on the watchdog bites after 250 ms in place of the 2 s of a start. */
void board_watch_closely(void);
void board_feed_watchdog(void);
/* Both contacts open until the watchdog has started everything anew. Does not return. */
void board_give_up(void);

/* Until the next interrupt, two milliseconds at the most. */
void board_sleep(void);

#endif
