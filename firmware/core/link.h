/*
 * The host's lines (../PROTOCOL.md): bytes in one at a time, inputs of a step and answers out. No heap, no libc.
 *
 * A port's turn: link_receive byte after byte until it tells of a whole line, then link_inputs, interlock_step (and what
 * its outputs ask for), link_answer. Bytes that come before the line was answered must wait in the port's buffer.
 */
#ifndef TENDRIL_LINK_H
#define TENDRIL_LINK_H

#include <stdint.h>

#include "interlock.h"

#define FIRMWARE_VERSION 0x0001u

/* The longest line that is lawful, P or L, from its type to its CRC. Longer ones are dropped like any other length. */
#define LINK_LINE 25u
/* The longest answer, V, from ':' to '\n'. */
#define LINK_ANSWER 85u

/* Private, but for its size. */
struct link {
  uint32_t token;
  uint32_t ms;          /* of the line that waits for its step */
  uint16_t order;       /* of the same */
  uint16_t pump_order;  /* last accepted */
  uint16_t light_order;
  uint8_t waiting;      /* the type of that line; 0 when there is none */
  uint8_t stale;        /* that line's token was wrong */
  uint8_t length;       /* bytes of `line` that have come, or one of two marks */
  uint8_t returned;     /* '\r' was the last byte */
  uint8_t line[LINK_LINE];
};

/* `boots` counts starts: the first token is made of it. The first answer will be a status that nobody asked for. */
void link_start(struct link *link, uint32_t boots);

/* 1 when this byte ended a lawful line, which then waits for its step; 0 otherwise, and always while a line waits. */
uint8_t link_receive(struct link *link, uint8_t byte);

/* Sets the events of the next step, all of them; the levels are the port's. Exactly one step and one link_answer follow. */
void link_inputs(struct link *link, struct interlock_inputs *in);

/*
 * After the step with `in` that gave `out`: writes the answer, if there is one to give, and returns its length (at most
 * LINK_ANSWER; no terminating zero).
 */
uint8_t link_answer(struct link *link, const struct interlock *interlock, const struct interlock_inputs *in,
                    const struct interlock_outputs *out, uint8_t answer[LINK_ANSWER]);

#endif
