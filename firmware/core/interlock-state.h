/*
 * The state of interlock.c, here only so that a port can reserve the memory. Nobody but interlock.c and its pieces looks into it.
 * Counters count what has passed, never when something ends: a deadline would go wrong at the wrap of the clock.
 */
#ifndef TENDRIL_INTERLOCK_STATE_H
#define TENDRIL_INTERLOCK_STATE_H

#include "interlock.h"

/* One output. */
struct channel {
  uint32_t on;       /* 1 while its contact is closed, else 0 */
  uint32_t on_ms;    /* of the running or the last activation */
  uint32_t asked_ms; /* how long the running activation may last */
  uint32_t live_ms;  /* how long the node was live since the last activation began, the contact's own delay included */
  uint32_t rest_ms;  /* since it went off, up to the rest it needs */
  uint32_t stray;    /* 1 when the node was live at the last step although the contact was open */
  uint32_t stray_ms; /* for how long that has been so */
  uint32_t held;     /* 1 when the last step carried a request: only an edge is one */
};

struct counters {
  uint32_t now_ms; /* of the last step */
  uint32_t faults;
  uint32_t heartbeat_ms; /* age of the last heartbeat, up to LIGHT_HEARTBEAT_MS */
  uint32_t slot_ms;      /* age of the slot that is being charged, up to SLOT_MS */
  uint32_t clear_held;
  uint32_t unsaved; /* 1 when `saved` must reach the non-volatile memory */
  struct channel pump;
  struct channel light;
};

struct interlock {
  struct counters counters;
  struct counters complements; /* UINT32_MAX minus each counter, written at the end of a step and checked at the next */
  struct interlock_saved saved;
};

#endif
