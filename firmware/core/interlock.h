/*
 * The interlock's decisions: a pure state machine. No heap, no libc, no clock, no registers.
 * A port reads its inputs, calls interlock_step about every 10 ms, writes the outputs, and feeds the hardware watchdog
 * only after that. All times are milliseconds; now_ms wraps at 2^32.
 */
#ifndef TENDRIL_INTERLOCK_H
#define TENDRIL_INTERLOCK_H

#include <stdint.h>

#ifdef INTERLOCK_LIMITS
#include INTERLOCK_LIMITS
#else
#include "limits.h"
#endif

/* Latched: any of them keeps both outputs off until it is cleared while nothing is asked for (FAULT_MEMORY: until a reset). */
#define FAULT_PUMP_CUT 0x0001u       /* the pump met PUMP_CUT_MS: no lawful request does */
#define FAULT_LIGHT_CUT 0x0002u      /* the light met LIGHT_CUT_MS */
#define FAULT_HEARTBEAT 0x0004u      /* no heartbeat while the pump ran */
#define FAULT_PUMP_CONTACT 0x0008u   /* pump node live although its contact should be open */
#define FAULT_LIGHT_CONTACT 0x0010u  /* the same of the light */
#define FAULT_STOP 0x0020u           /* emergency stop pressed */
#define FAULT_GAP 0x0040u            /* two steps too far apart: the clock or the loop is not to be believed */
#define FAULT_MEMORY 0x0080u         /* two copies of a counter differ */
#define FAULT_RESET 0x0100u          /* the watchdog started it: told by the port (a power cut or a brown-out is no fault) */

/* Why the last request did nothing. */
enum interlock_refusal {
  REFUSED_NOTHING = 0,
  REFUSED_FAULT = 1,
  REFUSED_HEARTBEAT = 2, /* the last heartbeat is too old to begin */
  REFUSED_BUSY = 3,      /* on already */
  REFUSED_REST = 4,
  REFUSED_BUDGET = 5,
  REFUSED_TOO_LONG = 6, /* zero, or not below the cut */
  REFUSED_NOT_IDLE = 7, /* clear: something is on, or the stop is pressed */
  REFUSED_TOKEN = 8     /* told by the link: a stale or forged line */
};

/*
 * The slot that is being charged and 25 whole ones before it: at least 25 h, so that any 24 h lie within them even by a clock
 * that is 4 % fast.
 */
#ifndef BUDGET_SLOTS
#define BUDGET_SLOTS 26u
#endif

/* now_ms wraps after this value; another only for the exhaustive search. */
#ifndef CLOCK_MAX
#define CLOCK_MAX UINT32_MAX
#endif

/* What outlives a power cut. A port keeps two copies and writes them in turn: interlock_newer picks the newer sound one. */
struct interlock_saved {
  uint32_t serial;              /* counts writes */
  uint32_t boots;               /* counts starts; seeds the link's token */
  uint32_t slot[BUDGET_SLOTS];  /* charged pump time, ms */
  uint32_t current;             /* index of the slot that is being charged */
  uint32_t crc;                 /* CRC-16/CCITT-FALSE over the words before, little-endian */
};

struct interlock_inputs {
  /* Commands are events: set for one step only; held in the next step too, they are refused. At most one of request/light/off/clear is looked at, off first. */
  uint8_t heartbeat;
  uint8_t pump_request; /* with pump_ms */
  uint8_t light_request; /* with light_ms */
  uint8_t pump_off;
  uint8_t light_off;
  uint8_t clear;
  /* Levels, debounced by nobody. */
  uint8_t stop_pressed;
  uint8_t pump_live;
  uint8_t light_live;
  uint32_t pump_ms;
  uint32_t light_ms;
};

struct interlock_outputs {
  uint8_t pump;
  uint8_t light;
  /* The saved part changed (in the first step always): the port writes it to non-volatile memory before the outputs. */
  uint8_t save;
  uint8_t refused; /* of this step's command: enum interlock_refusal */
};

/* Opaque to ports, but for `saved`; its size is in interlock-state.h. */
struct interlock;

/* -1 both damaged, else 0 or 1: the copy to begin with. */
int interlock_newer(const struct interlock_saved copies[2]);

/* Begins with everything off and at rest (both rests run from here). `saved` NULL or damaged counts as a spent budget. */
void interlock_start(struct interlock *s, uint32_t now_ms, const struct interlock_saved *saved, uint16_t faults);

struct interlock_outputs interlock_step(struct interlock *s, uint32_t now_ms, const struct interlock_inputs *in);

/* For reports. */
uint16_t interlock_faults(const struct interlock *s);
uint32_t interlock_pump_rest(const struct interlock *s);   /* ms until the pump may begin, 0 when it may */
uint32_t interlock_light_rest(const struct interlock *s);
uint32_t interlock_budget_left(const struct interlock *s); /* the longest request in ms that the budget admits */
uint32_t interlock_pump_on(const struct interlock *s);     /* ms of the running or the last activation */
uint32_t interlock_pump_live(const struct interlock *s);   /* ms of it during which the pump's node was live */
uint32_t interlock_light_on(const struct interlock *s);

#endif
