/* A step: what was decided is booked and kept, or everything is off. */
#ifndef TENDRIL_STEP_H
#define TENDRIL_STEP_H

#include "booking.h"
#include "decision.h"

/*@ predicate is_failed(struct counters b, struct counters a, integer now) =
      a.faults != 0 && a.pump.on == 0 && a.light.on == 0 && a.now_ms == now && a.slot_ms == b.slot_ms && a.unsaved == 0 &&
      a.pump.rest_ms == 0 && a.light.rest_ms == 0; */

/* Off, and at the beginning of both rests. */
/*@ assigns \nothing;
    ensures is_failed(c, \result, now_ms); */
static struct counters failed(struct counters c, uint32_t now_ms) {
  struct counters after = c;
  after.now_ms = now_ms;
  after.faults = latch(c.faults, FAULT_MEMORY, 1);
  after.unsaved = 0;
  after.pump.on = 0;
  after.pump.rest_ms = 0;
  after.light.on = 0;
  after.light.rest_ms = 0;
  return after;
}

/*@ assigns \nothing;
    ensures shows(\result, c);
    ensures \result.refused == refused && (\result.save == 0 <==> c.unsaved == 0);
*/
static struct interlock_outputs outputs(struct counters c, uint8_t refused) {
  struct interlock_outputs out = {0, 0, 0, 0};
  out.pump = (c.pump.on != 0u) ? 1u : 0u;
  out.light = (c.light.on != 0u) ? 1u : 0u;
  out.save = (c.unsaved != 0u) ? 1u : 0u;
  out.refused = refused;
  return out;
}

/*@ requires \valid(s) && \valid_read(in) && \separated(s, in);
    requires s->counters.now_ms <= CLOCK_MAX && now_ms <= CLOCK_MAX;
    requires s->saved.current < BUDGET_SLOTS;
    assigns *s;
    ensures s->saved.current < BUDGET_SLOTS;
    ensures shows(\result, s->counters) && dark(\result, s->counters);
    ensures quiet(s->counters);
    ensures trip_safe(\old(s->counters), s->counters, passed(clock_of(\old(s->counters)), now_ms), \old(*in));
    ensures latch_safe(\old(s->counters), s->counters, \old(*in));
    ensures runs_on(pump_of(\old(s->counters)), pump_of(s->counters), passed(clock_of(\old(s->counters)), now_ms), PUMP_CUT_MS);
    ensures begins(pump_of(\old(s->counters)), pump_of(s->counters), passed(clock_of(\old(s->counters)), now_ms), PUMP_CUT_MS, PUMP_REST_MS);
    ensures rests(pump_of(\old(s->counters)), pump_of(s->counters), passed(clock_of(\old(s->counters)), now_ms));
    ensures pump_told(\old(s->counters), s->counters, passed(clock_of(\old(s->counters)), now_ms), \old(*in));
    ensures runs_on(light_of(\old(s->counters)), light_of(s->counters), passed(clock_of(\old(s->counters)), now_ms), LIGHT_CUT_MS);
    ensures begins(light_of(\old(s->counters)), light_of(s->counters), passed(clock_of(\old(s->counters)), now_ms), LIGHT_CUT_MS, LIGHT_REST_MS);
    ensures rests(light_of(\old(s->counters)), light_of(s->counters), passed(clock_of(\old(s->counters)), now_ms));
    ensures light_told(\old(s->counters), s->counters, passed(clock_of(\old(s->counters)), now_ms), \old(*in));
    ensures remembers(\old(s->counters), s->counters, now_ms, passed(clock_of(\old(s->counters)), now_ms), \old(*in));
    ensures slot_safe(\old(s->counters), s->counters, passed(clock_of(\old(s->counters)), now_ms),
      s->saved.current == \old(s->saved.current) ? 0 : 1);
    ensures booked(\old(s->saved), pump_of(\old(s->counters))) ==> booked(s->saved, pump_of(s->counters));
    ensures booked(\old(s->saved), pump_of(\old(s->counters))) && spare_after(pump_of(\old(s->counters)), passed(clock_of(\old(s->counters)), now_ms)) >= 0 &&
      s->saved.current == \old(s->saved.current) ==>
        covered(\old(s->saved), s->saved, pump_of(\old(s->counters)), pump_of(s->counters), passed(clock_of(\old(s->counters)), now_ms));
    ensures booked(\old(s->saved), pump_of(\old(s->counters))) && spare_after(pump_of(\old(s->counters)), passed(clock_of(\old(s->counters)), now_ms)) >= 0 &&
      s->saved.current != \old(s->saved.current) ==>
        covered_on(\old(s->saved), s->saved, pump_of(\old(s->counters)), pump_of(s->counters), passed(clock_of(\old(s->counters)), now_ms));
    ensures booked(\old(s->saved), pump_of(\old(s->counters))) && s->saved.current != \old(s->saved.current) ==>
      recent(s->saved, 1) - spare(pump_of(s->counters)) >= 0;
    ensures same_saved(s->saved, \old(s->saved)) || relies(\old(s->counters), passed(clock_of(\old(s->counters)), now_ms), \old(*in));
    ensures \result.save == 0 ==> s->saved.current == \old(s->saved.current);
    ensures booked(\old(s->saved), pump_of(\old(s->counters))) && \result.save == 0 ==> no_more(\old(s->saved), s->saved); */
static struct interlock_outputs stepped(struct interlock *s, uint32_t now_ms, const struct interlock_inputs *in) {
  struct counters before = s->counters;
  struct decision d = decided(&s->saved, before, now_ms, in);
  book(&s->saved, before.pump, d.now.pump, d.after.pump, d.turns);
  /*@ assert booked(\at(s->saved, Pre), pump_of(\at(s->counters, Pre))) ==> booked(\at(s->saved, Pre), before.pump); */
  /*@ assert passed(before.now_ms, now_ms) >= 0 && books(\at(s->saved, Pre), before.pump, d.now.pump, d.after.pump,
        passed(before.now_ms, now_ms), d.turns); */
  /*@ assert booked(\at(s->saved, Pre), before.pump) && d.after.unsaved == 0 ==> no_more(\at(s->saved, Pre), s->saved); */
  /*@ assert booked(\at(s->saved, Pre), before.pump) ==> recent(s->saved, BUDGET_SLOTS) <= BUDGET_MS; */
  /*@ assert booked(\at(s->saved, Pre), before.pump) && d.after.pump.on != 0 ==>
        charged_now(s->saved) >= d.after.pump.asked_ms + MAX_GAP_MS; */
  /*@ assert s->saved.current < BUDGET_SLOTS; */
  /*@ assert d.after.unsaved == 0 && before.pump.on == 0 ==> same_saved(s->saved, \at(s->saved, Pre)); */
  /*@ assert d.after.unsaved != 0 || before.pump.on != 0 ==> relies(before, passed(before.now_ms, now_ms), \at(*in, Pre)); */
  /*@ assert booked(\at(s->saved, Pre), before.pump) ==> booked(s->saved, d.after.pump); */
  /*@ assert booked(\at(s->saved, Pre), before.pump) && spare_after(before.pump, passed(before.now_ms, now_ms)) >= 0 && d.turns == 0 ==>
        covered(\at(s->saved, Pre), s->saved, before.pump, d.after.pump, passed(before.now_ms, now_ms)); */
  /*@ assert booked(\at(s->saved, Pre), before.pump) && spare_after(before.pump, passed(before.now_ms, now_ms)) >= 0 && d.turns != 0 ==>
        covered_on(\at(s->saved, Pre), s->saved, before.pump, d.after.pump, passed(before.now_ms, now_ms)); */
  keep(s, d.after);
  /*@ assert d.after.unsaved == 0 && before.pump.on == 0 ==> same_saved(s->saved, \at(s->saved, Pre)); */
  /*@ assert booked(\at(s->saved, Pre), before.pump) && d.after.unsaved == 0 ==> no_more(\at(s->saved, Pre), s->saved); */
  /*@ assert booked(\at(s->saved, Pre), before.pump) && spare_after(before.pump, passed(before.now_ms, now_ms)) >= 0 && d.turns == 0 ==>
        covered(\at(s->saved, Pre), s->saved, before.pump, d.after.pump, passed(before.now_ms, now_ms)); */
  /*@ assert booked(\at(s->saved, Pre), before.pump) && spare_after(before.pump, passed(before.now_ms, now_ms)) >= 0 && d.turns != 0 ==>
        covered_on(\at(s->saved, Pre), s->saved, before.pump, d.after.pump, passed(before.now_ms, now_ms)); */
  /*@ assert pump_of(s->counters) == d.after.pump; */
  /*@ assert booked(\at(s->saved, Pre), before.pump) ==> booked(s->saved, d.after.pump); */
  return outputs(d.after, d.refused);
}

/* Memory that contradicts itself is not reasoned with: off, and not mirrored, so that it stays so until a reset. */
/*@ requires \valid(s);
    assigns s->counters;
    ensures shows(\result, s->counters) && dark(\result, s->counters) && quiet(s->counters);
    ensures \result.save == 0 && \result.pump == 0 && \result.light == 0;
    ensures is_failed(\old(s->counters), s->counters, now_ms);
    ensures same_saved(s->saved, \old(s->saved));
    ensures booked(\old(s->saved), pump_of(\old(s->counters))) ==> booked(s->saved, pump_of(s->counters));
    ensures s->saved.current < BUDGET_SLOTS ==> no_more(\old(s->saved), s->saved);
    ensures s->saved.current < BUDGET_SLOTS ==> \forall integer gap;
      spare_after(pump_of(\old(s->counters)), gap) >= 0 ==>
        covered(\old(s->saved), s->saved, pump_of(\old(s->counters)), pump_of(s->counters), gap); */
static struct interlock_outputs fail(struct interlock *s, uint32_t now_ms) {
  struct counters off = failed(s->counters, now_ms);
  set_counters(s, off);
  /*@ assert pump_of(s->counters) == off.pump && spare(pump_of(s->counters)) == 0; */
  return outputs(off, REFUSED_FAULT);
}

#endif
