/* What every port does alike: one interlock, its host, and the order of a turn. board.h and memory.h are the port's own. */
#ifndef TENDRIL_CONTROLLER_H
#define TENDRIL_CONTROLLER_H

#include <stdint.h>

#include "../core/link.h"

/* From the newer sound copy in memory, or with a spent budget. */
void controller_start(uint32_t now_ms, uint16_t faults);

/* Levels in, a step, outputs out, and the watchdog is fed only after that. How much of `answer` is to be sent. */
uint8_t controller_turn(uint32_t now_ms, uint8_t answer[LINK_ANSWER]);

/* 1 when a whole line has come: a turn is due before the next byte. */
uint8_t controller_receive(uint8_t byte);

/* What was begun is charged before the contact closes; what could not be kept closes nothing. */
void controller_save(void);

#endif
