/* Limits for tests, so that long waits become short ones. Never for a device. */
#ifndef TENDRIL_LIMITS_H
#define TENDRIL_LIMITS_H

#define MAX_GAP_MS 1000u

#define PUMP_CUT_MS 5000u
#define PUMP_REST_MS 1000u

#define LIGHT_CUT_MS 20000u
#define LIGHT_REST_MS 2000u

/* As in the real limits: the host's beat has to fit them. */
#define PUMP_HEARTBEAT_MS 2000u
#define LIGHT_HEARTBEAT_MS 5000u

#define FEEDBACK_MS 100u

#define BUDGET_MS 8000u
#define SLOT_MS 1000u

#endif
