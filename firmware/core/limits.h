/*
 * What the interlock enforces, all times in milliseconds. docs/interlock-proof.md says what is proved of them together;
 * a build may replace this file by another (-DINTERLOCK_LIMITS='"limits-short.h"') for tests, never for a device.
 */
#ifndef TENDRIL_LIMITS_H
#define TENDRIL_LIMITS_H

/* Longest gap between two steps that is believed; a longer one latches a fault. The hardware watchdog bites at 250 ms. */
#define MAX_GAP_MS 1000u

/* Contract: the pump never runs longer than 30 s. The cut lies one gap and some milliseconds before that. */
#define PUMP_CUT_MS 28900u
#define PUMP_REST_MS 10000u

/* Contract: light at most 120 min; the cut lies above, so that a lawful 120 min does not end in a fault, and below 121 min. */
#define LIGHT_CUT_MS 7258000u
#define LIGHT_REST_MS 600000u

/* Age of the last heartbeat at which the output goes off. Of a pump that is a fault; a light is just switched off. */
#define PUMP_HEARTBEAT_MS 2000u
#define LIGHT_HEARTBEAT_MS 30000u

/* How long the pump's node may be live while the interlock's contact should be open. */
#define FEEDBACK_MS 100u

/* Pump time in any 24 h. Kept as charges in slots of an hour. */
#define BUDGET_MS 600000u
#define SLOT_MS 3600000u

#endif
