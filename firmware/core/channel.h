/* One output: how it begins, ages, ends, and whether its node is live when it should not be. */
#ifndef TENDRIL_CHANNEL_H
#define TENDRIL_CHANNEL_H

#include "elapsed.h"

/* A node that is live at one step may be a spark; live at two and all the time between counts. */
/*@ assigns \nothing;
    ensures \result == {c \with .stray = \result.stray, .stray_ms = \result.stray_ms};
    ensures c.on == 0 && live != 0 ==> \result.stray == 1;
    ensures c.on == 0 && live != 0 && c.stray != 0 ==> \result.stray_ms == least(c.stray_ms + gap, FEEDBACK_MS + 1); */
static struct channel channel_strayed(struct channel c, uint32_t gap, uint8_t live) {
  struct channel after = c;
  if ((c.on != 0u) || (live == 0u)) {
    after.stray = 0;
    after.stray_ms = 0;
    return after;
  }
  after.stray = 1;
  after.stray_ms = (c.stray != 0u) ? add_capped(c.stray_ms, gap, FEEDBACK_MS + 1u) : 0u;
  return after;
}

/* `gap` has passed; a rest gets only as much of it as is believed. */
/*@ assigns \nothing;
    ensures \result.on == c.on && \result.asked_ms == c.asked_ms && \result.held == c.held;
    ensures \result.on_ms == (c.on != 0 ? least(c.on_ms + gap, UINT32_MAX) : c.on_ms);
    ensures \result.rest_ms == (c.on != 0 ? c.rest_ms : least(c.rest_ms + believed, full_rest_ms));
    ensures c.on == 0 && live != 0 ==> \result.stray == 1;
    ensures c.on == 0 && live != 0 && c.stray != 0 ==> \result.stray_ms == least(c.stray_ms + gap, FEEDBACK_MS + 1); */
static struct channel channel_aged(struct channel c, uint32_t gap, uint32_t believed, uint8_t live, uint32_t full_rest_ms) {
  struct channel after = channel_strayed(c, gap, live);
  if (c.on != 0u) {
    after.on_ms = add_capped(c.on_ms, gap, UINT32_MAX);
  } else {
    after.rest_ms = add_capped(c.rest_ms, believed, full_rest_ms);
  }
  if (live != 0u) {
    after.live_ms = add_capped(c.live_ms, gap, UINT32_MAX);
  }
  return after;
}

/*@ assigns \nothing;
    ensures \result == {c \with .on = (uint32_t)1, .on_ms = (uint32_t)0, .live_ms = (uint32_t)0, .asked_ms = asked_ms}; */
static struct channel channel_begun(struct channel c, uint32_t asked_ms) {
  struct channel after = c;
  after.on = 1;
  after.on_ms = 0;
  after.live_ms = 0;
  after.asked_ms = asked_ms;
  return after;
}

/* Its time is over, or it was told to end. */
/*@ assigns \nothing;
    ensures \result == (off != 0 || c.on_ms >= c.asked_ms ?
      {c \with .on = (uint32_t)0, .rest_ms = c.on != 0 ? (uint32_t)0 : c.rest_ms} : c); */
static struct channel channel_ended(struct channel c, uint8_t off) {
  struct channel after = c;
  if ((off != 0u) || (c.on_ms >= c.asked_ms)) {
    after.on = 0;
    after.rest_ms = (c.on != 0u) ? 0u : c.rest_ms;
  }
  return after;
}

/* Why this output may not begin, but for its budget. */
/*@ assigns \nothing;
    ensures \result == REFUSED_NOTHING <==>
      0 < asked_ms < cut_ms && c.on == 0 && c.held == 0 && c.rest_ms >= full_rest_ms; */
static uint8_t channel_refusal(struct channel c, uint32_t asked_ms, uint32_t cut_ms, uint32_t full_rest_ms) {
  if ((asked_ms == 0u) || (asked_ms >= cut_ms)) {
    return REFUSED_TOO_LONG;
  }
  if ((c.on != 0u) || (c.held != 0u)) {
    return REFUSED_BUSY;
  }
  return (c.rest_ms < full_rest_ms) ? REFUSED_REST : REFUSED_NOTHING;
}

#endif
