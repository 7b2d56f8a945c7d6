/*
 * What a port calls. Each piece that it is made of has a file of its own, with its code and its contracts side by side; they are
 * one translation unit, so that every function but these is private to it.
 */
#include "start.h"
#include "step.h"

/*@ requires \valid(s) && \valid_read(in) && \separated(s, in);
    requires s->counters.now_ms <= CLOCK_MAX && now_ms <= CLOCK_MAX;
    assigns *s;
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
    ensures slot_safe(\old(s->counters), s->counters, passed(clock_of(\old(s->counters)), now_ms),
      s->saved.current == \old(s->saved.current) ? 0 : 1);
    ensures clock_of(s->counters) == now_ms;
    ensures \old(s->saved.current) < BUDGET_SLOTS ==> s->saved.current < BUDGET_SLOTS;
    ensures booked(\old(s->saved), pump_of(\old(s->counters))) ==> booked(s->saved, pump_of(s->counters));
    ensures booked(\old(s->saved), pump_of(\old(s->counters))) && spare_after(pump_of(\old(s->counters)), passed(clock_of(\old(s->counters)), now_ms)) >= 0 &&
      s->saved.current == \old(s->saved.current) ==>
        covered(\old(s->saved), s->saved, pump_of(\old(s->counters)), pump_of(s->counters), passed(clock_of(\old(s->counters)), now_ms));
    ensures booked(\old(s->saved), pump_of(\old(s->counters))) && spare_after(pump_of(\old(s->counters)), passed(clock_of(\old(s->counters)), now_ms)) >= 0 &&
      s->saved.current != \old(s->saved.current) ==>
        covered_on(\old(s->saved), s->saved, pump_of(\old(s->counters)), pump_of(s->counters), passed(clock_of(\old(s->counters)), now_ms));
    ensures booked(\old(s->saved), pump_of(\old(s->counters))) && s->saved.current != \old(s->saved.current) ==>
      recent(s->saved, 1) - spare(pump_of(s->counters)) >= 0;
    ensures same_saved(s->saved, \old(s->saved)) || sound_saved(\old(s->saved));
    ensures \result.pump != 0 ==> sound_saved(\old(s->saved));
    ensures \result.save == 0 ==> s->saved.current == \old(s->saved.current);
    ensures booked(\old(s->saved), pump_of(\old(s->counters))) && \result.save == 0 ==> no_more(\old(s->saved), s->saved);
    ensures \result.pump != 0 || \result.light != 0 ==> all_copied(\old(s->counters), \old(s->complements));
    ensures s->saved.current != \old(s->saved.current) || \result.pump != 0 || \result.light != 0 ==>
      \old(s->saved.current) < BUDGET_SLOTS; */
struct interlock_outputs interlock_step(struct interlock *s, uint32_t now_ms, const struct interlock_inputs *in) {
  if (sound(s, now_ms, in) == 0u) {
    return fail(s, now_ms);
  }
  return stepped(s, now_ms, in);
}

/*@ requires \valid_read(s);
    assigns \nothing; */
uint16_t interlock_faults(const struct interlock *s) {
  return (uint16_t)s->counters.faults;
}

/*@ requires \valid_read(s);
    assigns \nothing; */
uint32_t interlock_pump_rest(const struct interlock *s) {
  const struct channel *pump = &s->counters.pump;
  return ((pump->on == 0u) && (pump->rest_ms < PUMP_REST_MS)) ? (PUMP_REST_MS - pump->rest_ms) : 0u;
}

/*@ requires \valid_read(s);
    assigns \nothing; */
uint32_t interlock_light_rest(const struct interlock *s) {
  const struct channel *light = &s->counters.light;
  return ((light->on == 0u) && (light->rest_ms < LIGHT_REST_MS)) ? (LIGHT_REST_MS - light->rest_ms) : 0u;
}

/*@ requires \valid_read(s);
    assigns \nothing;
    ensures \result > 0 ==> recent(s->saved, BUDGET_SLOTS) + \result + MAX_GAP_MS <= BUDGET_MS; */
uint32_t interlock_budget_left(const struct interlock *s) {
  if (saved_sound(&s->saved) == 0u) {
    return 0;
  }
  uint32_t total = charged(&s->saved);
  uint32_t left = (total < BUDGET_MS) ? (BUDGET_MS - total) : 0u;
  return (left > MAX_GAP_MS) ? (left - MAX_GAP_MS) : 0u;
}

/*@ requires \valid_read(s);
    assigns \nothing; */
uint32_t interlock_pump_on(const struct interlock *s) {
  return s->counters.pump.on_ms;
}

/*@ requires \valid_read(s);
    assigns \nothing; */
uint32_t interlock_pump_live(const struct interlock *s) {
  return s->counters.pump.live_ms;
}

/*@ requires \valid_read(s);
    assigns \nothing; */
uint32_t interlock_light_on(const struct interlock *s) {
  return s->counters.light.on_ms;
}
