/* What the host asks for: why it is refused, and what is done when it is not. */
#ifndef TENDRIL_COMMANDS_H
#define TENDRIL_COMMANDS_H

#include "passage.h"
#include "slots.h"

/* `known` are the faults that the host can have meant. */
/*@ requires \valid_read(in);
    assigns \nothing;
    ensures \result == REFUSED_NOTHING ==> c.pump.on == 0 && c.light.on == 0 && in->stop_pressed == 0 &&
      in->pump_live == 0 && in->light_live == 0 && c.clear_held == 0 && c.heartbeat_ms < PUMP_HEARTBEAT_MS &&
      c.faults == known && (c.faults & FAULT_MEMORY) == 0; */
static uint8_t clear_refusal(struct counters c, uint32_t known, const struct interlock_inputs *in) {
  if ((c.pump.on != 0u) || (c.light.on != 0u) || (in->stop_pressed != 0u) || (in->pump_live != 0u) ||
      (in->light_live != 0u) || (c.clear_held != 0u)) {
    return REFUSED_NOT_IDLE;
  }
  if (c.heartbeat_ms >= PUMP_HEARTBEAT_MS) {
    return REFUSED_HEARTBEAT;
  }
  return ((c.faults != known) || ((c.faults & FAULT_MEMORY) != 0u)) ? REFUSED_FAULT : REFUSED_NOTHING;
}

/* Nothing begins under a fault, or without an earlier heartbeat: the request's own line is not enough. */
/*@ assigns \nothing;
    ensures \result == REFUSED_NOTHING <==> c.faults == 0 && c.heartbeat_ms < PUMP_HEARTBEAT_MS; */
static uint8_t general_refusal(struct counters c) {
  if (c.faults != 0u) {
    return REFUSED_FAULT;
  }
  return (c.heartbeat_ms >= PUMP_HEARTBEAT_MS) ? REFUSED_HEARTBEAT : REFUSED_NOTHING;
}

/*@ requires \valid_read(saved) && saved->current < BUDGET_SLOTS && asked_ms < PUMP_CUT_MS;
    assigns \nothing;
    ensures \result == REFUSED_NOTHING ==> recent(*saved, BUDGET_SLOTS) + asked_ms + MAX_GAP_MS <= BUDGET_MS;
    ensures \result == REFUSED_NOTHING ==> saved->slot[saved->current] <= BUDGET_MS; */
static uint8_t budget_refusal(const struct interlock_saved *saved, uint32_t asked_ms) {
  uint32_t total = charged(saved);
  return ((total > BUDGET_MS) || (charge_of(asked_ms) > (BUDGET_MS - total))) ? REFUSED_BUDGET : REFUSED_NOTHING;
}

/*@ requires \valid_read(saved) && saved->current < BUDGET_SLOTS;
    assigns \nothing;
    ensures \result == REFUSED_NOTHING ==> c.faults == 0 && c.heartbeat_ms < PUMP_HEARTBEAT_MS &&
      0 < asked_ms < PUMP_CUT_MS && c.pump.on == 0 && c.pump.held == 0 && c.pump.rest_ms >= PUMP_REST_MS &&
      recent(*saved, BUDGET_SLOTS) + asked_ms + MAX_GAP_MS <= BUDGET_MS &&
      saved->slot[saved->current] <= BUDGET_MS; */
static uint8_t pump_refusal(const struct interlock_saved *saved, struct counters c, uint32_t asked_ms) {
  uint8_t refused = general_refusal(c);
  if (refused == (uint8_t)REFUSED_NOTHING) {
    refused = channel_refusal(c.pump, asked_ms, PUMP_CUT_MS, PUMP_REST_MS);
  }
  return (refused == (uint8_t)REFUSED_NOTHING) ? budget_refusal(saved, asked_ms) : refused;
}

/*@ assigns \nothing;
    ensures \result == REFUSED_NOTHING <==> c.faults == 0 && c.heartbeat_ms < PUMP_HEARTBEAT_MS &&
      0 < asked_ms < LIGHT_CUT_MS && c.light.on == 0 && c.light.held == 0 && c.light.rest_ms >= LIGHT_REST_MS; */
static uint8_t light_refusal(struct counters c, uint32_t asked_ms) {
  uint8_t refused = general_refusal(c);
  return (refused == (uint8_t)REFUSED_NOTHING) ? channel_refusal(c.light, asked_ms, LIGHT_CUT_MS, LIGHT_REST_MS) : refused;
}

/* At most one command a step, off before all. */
enum verb { VERB_NONE, VERB_CLEAR, VERB_PUMP, VERB_LIGHT };

/*@ requires \valid_read(in);
    assigns \nothing;
    ensures \result == VERB_CLEAR ==> in->clear != 0;
    ensures \result == VERB_PUMP ==> in->pump_request != 0 && in->pump_off == 0;
    ensures \result == VERB_LIGHT ==> in->light_request != 0 && in->light_off == 0; */
static uint8_t verb_of(const struct interlock_inputs *in) {
  if ((in->pump_off != 0u) || (in->light_off != 0u)) {
    return VERB_NONE;
  }
  if (in->clear != 0u) {
    return VERB_CLEAR;
  }
  if (in->pump_request != 0u) {
    return VERB_PUMP;
  }
  return (in->light_request != 0u) ? VERB_LIGHT : VERB_NONE;
}

/*@ predicate cleared(struct counters c, integer known) = c.pump.on == 0 && c.light.on == 0 && c.clear_held == 0 &&
      c.heartbeat_ms < PUMP_HEARTBEAT_MS && c.faults == known && (c.faults & FAULT_MEMORY) == 0;
    predicate pump_taken(struct interlock_saved d, struct counters c, integer asked) =
      c.faults == 0 && c.heartbeat_ms < PUMP_HEARTBEAT_MS && 0 < asked < PUMP_CUT_MS && c.pump.on == 0 &&
      c.pump.held == 0 && c.pump.rest_ms >= PUMP_REST_MS &&
      recent(d, BUDGET_SLOTS) + asked + MAX_GAP_MS <= BUDGET_MS && d.slot[d.current] <= BUDGET_MS;
    predicate light_taken(struct counters c, integer asked) =
      c.faults == 0 && c.heartbeat_ms < PUMP_HEARTBEAT_MS && 0 < asked < LIGHT_CUT_MS && c.light.on == 0 &&
      c.light.held == 0 && c.light.rest_ms >= LIGHT_REST_MS; */

/*@ requires \valid_read(saved) && \valid_read(in) && saved->current < BUDGET_SLOTS;
    assigns \nothing;
    ensures \result == REFUSED_NOTHING && verb == VERB_CLEAR ==> cleared(c, known) &&
      in->stop_pressed == 0 && in->pump_live == 0 && in->light_live == 0;
    ensures \result == REFUSED_NOTHING && verb == VERB_PUMP ==> pump_taken(*saved, c, in->pump_ms);
    ensures \result == REFUSED_NOTHING && verb == VERB_LIGHT ==> light_taken(c, in->light_ms); */
static uint8_t refusal(const struct interlock_saved *saved, struct counters c, uint32_t known, uint8_t verb,
                       const struct interlock_inputs *in) {
  if (verb == (uint8_t)VERB_CLEAR) {
    return clear_refusal(c, known, in);
  }
  if (verb == (uint8_t)VERB_PUMP) {
    return pump_refusal(saved, c, in->pump_ms);
  }
  return (verb == (uint8_t)VERB_LIGHT) ? light_refusal(c, in->light_ms) : (uint8_t)REFUSED_NOTHING;
}

/*@ requires \valid_read(in);
    assigns \nothing;
    ensures verb == VERB_CLEAR ==> \result == {c \with .faults = (uint32_t)0};
    ensures verb == VERB_PUMP ==> \result == {c \with .unsaved = (uint32_t)1, .pump = \result.pump} &&
      \result.pump == {c.pump \with .on = (uint32_t)1, .on_ms = (uint32_t)0, .live_ms = (uint32_t)0, .asked_ms = in->pump_ms};
    ensures verb == VERB_LIGHT ==> \result == {c \with .light = \result.light} &&
      \result.light == {c.light \with .on = (uint32_t)1, .on_ms = (uint32_t)0, .live_ms = (uint32_t)0, .asked_ms = in->light_ms};
    ensures verb != VERB_CLEAR && verb != VERB_PUMP && verb != VERB_LIGHT ==> \result == c; */
static struct counters obeyed(struct counters c, uint8_t verb, const struct interlock_inputs *in) {
  struct counters after = c;
  if (verb == (uint8_t)VERB_CLEAR) {
    after.faults = 0;
  } else if (verb == (uint8_t)VERB_PUMP) {
    after.pump = channel_begun(c.pump, in->pump_ms);
    after.unsaved = 1;
  } else if (verb == (uint8_t)VERB_LIGHT) {
    after.light = channel_begun(c.light, in->light_ms);
  } else {
    /* Off was obeyed when the time passed. */
  }
  return after;
}

/*@ requires \valid_read(in);
    assigns \nothing;
    ensures \result == {c \with .pump = \result.pump, .light = \result.light, .clear_held = \result.clear_held,
      .heartbeat_ms = \result.heartbeat_ms};
    ensures \result.pump == {c.pump \with .held = \result.pump.held} &&
      \result.light == {c.light \with .held = \result.light.held};
    ensures \result.pump.held == (in->pump_request != 0 ? 1 : 0);
    ensures \result.light.held == (in->light_request != 0 ? 1 : 0);
    ensures \result.clear_held == (in->clear != 0 ? 1 : 0);
    ensures \result.heartbeat_ms == (in->heartbeat != 0 ? 0 : c.heartbeat_ms); */
static struct counters remembered(struct counters c, const struct interlock_inputs *in) {
  struct counters after = c;
  after.pump.held = (in->pump_request != 0u) ? 1u : 0u;
  after.light.held = (in->light_request != 0u) ? 1u : 0u;
  after.clear_held = (in->clear != 0u) ? 1u : 0u;
  if (in->heartbeat != 0u) {
    after.heartbeat_ms = 0;
  }
  return after;
}

#endif
