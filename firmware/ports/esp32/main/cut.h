/*
 * The second cut: a hardware timer for each contact, armed before it closes, whose interrupt opens both of them. It knows
 * nothing of requests and heartbeats, and needs neither the main loop nor the scheduler.
 */
#ifndef TENDRIL_ESP32_CUT_H
#define TENDRIL_ESP32_CUT_H

#include <stdint.h>

enum cut { CUT_PUMP = 0, CUT_LIGHT = 1 };

void cut_start(void);
void cut_arm(enum cut which);
void cut_disarm(enum cut which);
/* 1 once it had to act: the main loop was not what it should be, and closes nothing any more. */
uint8_t cut_acted(void);

#endif
