/* What the time that passed makes of the counters: what is over, what is a fault. */
#ifndef TENDRIL_PASSAGE_H
#define TENDRIL_PASSAGE_H

#include "channel.h"
#include "faults.h"

/*@ requires \valid_read(in);
    assigns \nothing;
    ensures \result.faults == c.faults && \result.clear_held == c.clear_held && \result.unsaved == c.unsaved;
    ensures \result.pump.on == c.pump.on && \result.pump.asked_ms == c.pump.asked_ms && \result.pump.held == c.pump.held;
    ensures \result.light.on == c.light.on && \result.light.asked_ms == c.light.asked_ms &&
      \result.light.held == c.light.held;
    ensures c.pump.on != 0 ==> \result.pump.on_ms == least(c.pump.on_ms + gap, UINT32_MAX);
    ensures c.light.on != 0 ==> \result.light.on_ms == least(c.light.on_ms + gap, UINT32_MAX);
    ensures c.pump.on == 0 ==> \result.pump.rest_ms <= c.pump.rest_ms + gap;
    ensures c.light.on == 0 ==> \result.light.rest_ms <= c.light.rest_ms + gap;
    ensures \result.heartbeat_ms == least(c.heartbeat_ms + gap, LIGHT_HEARTBEAT_MS);
    ensures \result.slot_ms <= c.slot_ms + gap;
    ensures c.pump.on == 0 && in->pump_live != 0 && c.pump.stray != 0 ==>
      \result.pump.stray_ms == least(c.pump.stray_ms + gap, FEEDBACK_MS + 1);
    ensures c.light.on == 0 && in->light_live != 0 && c.light.stray != 0 ==>
      \result.light.stray_ms == least(c.light.stray_ms + gap, FEEDBACK_MS + 1); */
static struct counters aged(struct counters c, uint32_t gap, const struct interlock_inputs *in) {
  struct counters after = c;
  uint32_t believed = (gap <= MAX_GAP_MS) ? gap : 0u;
  after.pump = channel_aged(c.pump, gap, believed, in->pump_live, PUMP_REST_MS);
  after.light = channel_aged(c.light, gap, believed, in->light_live, LIGHT_REST_MS);
  after.heartbeat_ms = add_capped(c.heartbeat_ms, gap, LIGHT_HEARTBEAT_MS);
  after.slot_ms = add_capped(c.slot_ms, believed, SLOT_MS);
  return after;
}

/* Without heartbeats the light goes off, and that is no fault: a Pi that restarts is lawful. */
/*@ assigns \nothing;
    ensures \result <==> off != 0 || c.faults != 0 || c.heartbeat_ms >= LIGHT_HEARTBEAT_MS; */
static uint8_t light_off(struct counters c, uint8_t off) {
  return (uint8_t)((off != 0u) || (c.faults != 0u) || (c.heartbeat_ms >= LIGHT_HEARTBEAT_MS));
}

/*@ predicate quiet(struct counters c) = c.faults != 0 ==> c.pump.on == 0 && c.light.on == 0;

    // What a step makes of a running output, with `gap` since the step before.
    predicate runs(struct channel before, struct channel after, integer gap, integer cut) =
      after.on == before.on && after.on_ms == before.on_ms + gap && after.asked_ms == before.asked_ms &&
      after.on_ms < after.asked_ms && after.on_ms < cut;
*/

/*@ requires \valid_read(in) && c.now_ms <= CLOCK_MAX && now_ms <= CLOCK_MAX;
    assigns \nothing;
    ensures \result.now_ms == now_ms && \result.clear_held == c.clear_held && \result.unsaved == c.unsaved;
    ensures \result.pump.held == c.pump.held && \result.light.held == c.light.held;
    ensures c.faults != 0 || passed(c.now_ms, now_ms) > MAX_GAP_MS || in->stop_pressed != 0 ==> \result.faults != 0;
    ensures c.pump.on != 0 && c.heartbeat_ms + passed(c.now_ms, now_ms) >= PUMP_HEARTBEAT_MS ==> \result.faults != 0;
    ensures c.pump.on == 0 && in->pump_live != 0 && c.pump.stray != 0 &&
      c.pump.stray_ms + passed(c.now_ms, now_ms) > FEEDBACK_MS ==> \result.faults != 0;
    ensures c.light.on == 0 && in->light_live != 0 && c.light.stray != 0 &&
      c.light.stray_ms + passed(c.now_ms, now_ms) > FEEDBACK_MS ==> \result.faults != 0;
    ensures quiet(\result);
    ensures \result.heartbeat_ms == least(c.heartbeat_ms + passed(c.now_ms, now_ms), LIGHT_HEARTBEAT_MS);
    ensures \result.slot_ms <= c.slot_ms + passed(c.now_ms, now_ms);
    ensures \result.pump.on != 0 ==> runs(c.pump, \result.pump, passed(c.now_ms, now_ms), PUMP_CUT_MS) &&
      \result.heartbeat_ms < PUMP_HEARTBEAT_MS && in->pump_off == 0;
    ensures \result.light.on != 0 ==> runs(c.light, \result.light, passed(c.now_ms, now_ms), LIGHT_CUT_MS) &&
      \result.heartbeat_ms < LIGHT_HEARTBEAT_MS && in->light_off == 0;
    ensures c.pump.on != 0 ==> \result.pump.asked_ms == c.pump.asked_ms &&
      \result.pump.on_ms == least(c.pump.on_ms + passed(c.now_ms, now_ms), UINT32_MAX);
    ensures c.pump.on != 0 && \result.pump.on == 0 ==> \result.pump.rest_ms == 0;
    ensures c.light.on != 0 && \result.light.on == 0 ==> \result.light.rest_ms == 0;
    ensures c.pump.on == 0 ==> \result.pump.on == 0 && \result.pump.rest_ms <= c.pump.rest_ms + passed(c.now_ms, now_ms);
    ensures c.light.on == 0 ==> \result.light.on == 0 &&
      \result.light.rest_ms <= c.light.rest_ms + passed(c.now_ms, now_ms); */
static struct counters advanced(struct counters c, uint32_t now_ms, const struct interlock_inputs *in) {
  uint32_t gap = elapsed(c.now_ms, now_ms);
  struct counters after = aged(c, gap, in);
  after.now_ms = now_ms;
  after.faults = judge(after, gap, in->stop_pressed);
  after.pump = channel_ended(after.pump, (uint8_t)((in->pump_off != 0u) || (after.faults != 0u)));
  after.light = channel_ended(after.light, light_off(after, in->light_off));
  return after;
}

/* A new slot begins when the last is old enough and nothing runs: so an activation lies within one slot. */
/*@ assigns \nothing;
    ensures \result != 0 <==> c.pump.on == 0 && c.slot_ms >= SLOT_MS; */
static uint8_t slot_over(struct counters c) {
  return (uint8_t)((c.pump.on == 0u) && (c.slot_ms >= SLOT_MS));
}

#endif
