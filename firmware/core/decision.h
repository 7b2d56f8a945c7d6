/* What a step decides, and which steps need slots that can be believed. */
#ifndef TENDRIL_DECISION_H
#define TENDRIL_DECISION_H

#include "copies.h"
#include "promises.h"

/*@ // A step that may rely on the slots, change them, or sign them anew.
    predicate relies(struct counters c, integer gap, struct interlock_inputs in) =
      in.pump_request != 0 || c.pump.on != 0 || c.unsaved != 0 || c.slot_ms + gap >= SLOT_MS; */

/*@ requires \valid_read(in) && c.now_ms <= CLOCK_MAX && now_ms <= CLOCK_MAX;
    assigns \nothing;
    ensures \result != 0 <==> relies(c, passed(c.now_ms, now_ms), *in); */
static uint8_t needs_slots(struct counters c, uint32_t now_ms, const struct interlock_inputs *in) {
  uint32_t gap = elapsed(c.now_ms, now_ms);
  return (uint8_t)((in->pump_request != 0u) || (c.pump.on != 0u) || (c.unsaved != 0u) ||
                   (add_capped(c.slot_ms, gap, SLOT_MS) >= SLOT_MS));
}

/* The slots' CRC takes too long for every step: it is checked in those that need them, so that damage is never signed. */
/*@ requires \valid_read(s) && \valid_read(in) && s->counters.now_ms <= CLOCK_MAX && now_ms <= CLOCK_MAX;
    assigns \nothing;
    ensures \result != 0 ==> all_copied(s->counters, s->complements) && s->saved.current < BUDGET_SLOTS;
    ensures \result != 0 && relies(s->counters, passed(clock_of(s->counters), now_ms), *in) ==> sound_saved(s->saved); */
static uint8_t sound(const struct interlock *s, uint32_t now_ms, const struct interlock_inputs *in) {
  if ((mirrored(s->counters, s->complements) == 0u) || (s->saved.current >= BUDGET_SLOTS)) {
    return 0;
  }
  return ((needs_slots(s->counters, now_ms, in) == 0u) || (saved_sound(&s->saved) != 0u)) ? 1u : 0u;
}

/* What a step decides. */
struct decision {
  struct counters now;   /* when the time has passed */
  struct counters after; /* when the command was obeyed too */
  uint8_t turns;         /* a new slot begins between the two */
  uint8_t refused;
};

/*@ requires \valid_read(saved) && \valid_read(in) && saved->current < BUDGET_SLOTS;
    requires c.now_ms <= CLOCK_MAX && now_ms <= CLOCK_MAX;
    assigns \nothing;
    ensures quiet(\result.after);
    ensures trip_safe(c, \result.after, passed(c.now_ms, now_ms), *in);
    ensures latch_safe(c, \result.after, *in);
    ensures runs_on(c.pump, \result.after.pump, passed(c.now_ms, now_ms), PUMP_CUT_MS);
    ensures begins(c.pump, \result.after.pump, passed(c.now_ms, now_ms), PUMP_CUT_MS, PUMP_REST_MS);
    ensures rests(c.pump, \result.after.pump, passed(c.now_ms, now_ms));
    ensures pump_told(c, \result.after, passed(c.now_ms, now_ms), *in);
    ensures runs_on(c.light, \result.after.light, passed(c.now_ms, now_ms), LIGHT_CUT_MS);
    ensures begins(c.light, \result.after.light, passed(c.now_ms, now_ms), LIGHT_CUT_MS, LIGHT_REST_MS);
    ensures rests(c.light, \result.after.light, passed(c.now_ms, now_ms));
    ensures light_told(c, \result.after, passed(c.now_ms, now_ms), *in);
    ensures remembers(c, \result.after, now_ms, passed(c.now_ms, now_ms), *in);
    ensures slot_safe(c, \result.after, passed(c.now_ms, now_ms), \result.turns);
    ensures \result.after.unsaved == 0 <==> c.unsaved == 0 && \result.turns == 0 &&
      !(\result.after.pump.on != 0 && \result.now.pump.on == 0);
    ensures books(*saved, c.pump, \result.now.pump, \result.after.pump, passed(c.now_ms, now_ms), \result.turns); */
static struct decision decided(const struct interlock_saved *saved, struct counters c, uint32_t now_ms,
                               const struct interlock_inputs *in) {
  struct decision d;
  d.now = advanced(c, now_ms, in);
  d.turns = slot_over(d.now);
  if (d.turns != 0u) {
    d.now.slot_ms = 0;
    d.now.unsaved = 1;
  }
  /* What was latched only now cannot have been meant by a clear; a gap that came again looks as if it had been there. */
  uint32_t known = (elapsed(c.now_ms, now_ms) <= MAX_GAP_MS) ? c.faults : 0u;
  uint8_t verb = verb_of(in);
  d.refused = refusal(saved, d.now, known, verb, in);
  d.after = (d.refused == (uint8_t)REFUSED_NOTHING) ? obeyed(d.now, verb, in) : d.now;
  d.after = remembered(d.after, in);
  return d;
}

#endif
