/* The counters are kept twice, the second time as complements: memory that changes by itself shows. */
#ifndef TENDRIL_COPIES_H
#define TENDRIL_COPIES_H

#include "words.h"

/*@
  predicate copied(struct channel c, struct channel m) =
    m.on == UINT32_MAX - c.on && m.on_ms == UINT32_MAX - c.on_ms && m.asked_ms == UINT32_MAX - c.asked_ms &&
    m.live_ms == UINT32_MAX - c.live_ms && m.rest_ms == UINT32_MAX - c.rest_ms && m.stray == UINT32_MAX - c.stray &&
    m.stray_ms == UINT32_MAX - c.stray_ms && m.held == UINT32_MAX - c.held;

  predicate all_copied(struct counters c, struct counters m) =
    m.now_ms == UINT32_MAX - c.now_ms && m.faults == UINT32_MAX - c.faults &&
    m.heartbeat_ms == UINT32_MAX - c.heartbeat_ms && m.slot_ms == UINT32_MAX - c.slot_ms &&
    m.clear_held == UINT32_MAX - c.clear_held && m.unsaved == UINT32_MAX - c.unsaved &&
    copied(c.pump, m.pump) && copied(c.light, m.light);
*/

/*@ assigns \nothing;
    ensures \result != 0 <==> copied(c, m); */
static uint8_t channel_mirrored(struct channel c, struct channel m) {
  return (uint8_t)((m.on == (UINT32_MAX - c.on)) && (m.on_ms == (UINT32_MAX - c.on_ms)) &&
                   (m.asked_ms == (UINT32_MAX - c.asked_ms)) && (m.live_ms == (UINT32_MAX - c.live_ms)) &&
                   (m.rest_ms == (UINT32_MAX - c.rest_ms)) && (m.stray == (UINT32_MAX - c.stray)) &&
                   (m.stray_ms == (UINT32_MAX - c.stray_ms)) && (m.held == (UINT32_MAX - c.held)));
}

/*@ assigns \nothing;
    ensures \result != 0 <==> all_copied(c, m); */
static uint8_t mirrored(struct counters c, struct counters m) {
  return (uint8_t)((m.now_ms == (UINT32_MAX - c.now_ms)) && (m.faults == (UINT32_MAX - c.faults)) &&
                   (m.heartbeat_ms == (UINT32_MAX - c.heartbeat_ms)) && (m.slot_ms == (UINT32_MAX - c.slot_ms)) &&
                   (m.clear_held == (UINT32_MAX - c.clear_held)) && (m.unsaved == (UINT32_MAX - c.unsaved)) &&
                   (channel_mirrored(c.pump, m.pump) != 0u) && (channel_mirrored(c.light, m.light) != 0u));
}

/*@ assigns \nothing;
    ensures copied(c, \result); */
static struct channel channel_complement(struct channel c) {
  struct channel m = {UINT32_MAX - c.on,      UINT32_MAX - c.on_ms, UINT32_MAX - c.asked_ms, UINT32_MAX - c.live_ms,
                      UINT32_MAX - c.rest_ms, UINT32_MAX - c.stray, UINT32_MAX - c.stray_ms, UINT32_MAX - c.held};
  return m;
}

/*@ assigns \nothing;
    ensures all_copied(c, \result); */
static struct counters complement(struct counters c) {
  struct counters m;
  m.now_ms = UINT32_MAX - c.now_ms;
  m.faults = UINT32_MAX - c.faults;
  m.heartbeat_ms = UINT32_MAX - c.heartbeat_ms;
  m.slot_ms = UINT32_MAX - c.slot_ms;
  m.clear_held = UINT32_MAX - c.clear_held;
  m.unsaved = UINT32_MAX - c.unsaved;
  m.pump = channel_complement(c.pump);
  m.light = channel_complement(c.light);
  return m;
}

#endif
