/* Limits and a clock of two bits, so small that every state can be visited. Never for a device. */
#ifndef TENDRIL_LIMITS_H
#define TENDRIL_LIMITS_H

#define CLOCK_MAX 3u
#define MAX_GAP_MS 2u
#define PUMP_CUT_MS 4u
#define PUMP_REST_MS 2u
#define LIGHT_CUT_MS 5u
#define LIGHT_REST_MS 2u
#define PUMP_HEARTBEAT_MS 2u
#define LIGHT_HEARTBEAT_MS 4u
#define FEEDBACK_MS 1u
#define BUDGET_MS 5u
#define SLOT_MS 4u
#define BUDGET_SLOTS 3u

#endif
