#include "interlock-state.h"

#include <stddef.h>

#include "crc.h"

/*@
  logic integer least(integer a, integer b) = a < b ? a : b;

  logic integer slot_index(integer current, integer back) =
    back <= current ? current - back : current + BUDGET_SLOTS - back;

  // What the n slots charged last hold together.
  logic integer recent(struct interlock_saved d, integer n) =
    n <= 0 ? 0 : recent(d, n - 1) + d.slot[slot_index(d.current, n - 1)];

  logic integer overcharged(integer asked, integer on) =
    on <= asked ? MAX_GAP_MS : on - asked < MAX_GAP_MS ? MAX_GAP_MS - (on - asked) : 0;

  predicate copied(struct channel c, struct channel m) =
    m.on == UINT32_MAX - c.on && m.on_ms == UINT32_MAX - c.on_ms && m.asked_ms == UINT32_MAX - c.asked_ms &&
    m.live_ms == UINT32_MAX - c.live_ms && m.rest_ms == UINT32_MAX - c.rest_ms && m.stray == UINT32_MAX - c.stray &&
    m.stray_ms == UINT32_MAX - c.stray_ms && m.held == UINT32_MAX - c.held;

  predicate all_copied{L}(struct counters *c, struct counters *m) =
    m->now_ms == UINT32_MAX - c->now_ms && m->faults == UINT32_MAX - c->faults &&
    m->heartbeat_ms == UINT32_MAX - c->heartbeat_ms && m->slot_ms == UINT32_MAX - c->slot_ms &&
    m->clear_held == UINT32_MAX - c->clear_held && copied(c->pump, m->pump) && copied(c->light, m->light);
*/
/* --- Time ----------------------------------------------------------------------------------------------------------*/

/* From one reading of the clock to the next, over its wrap; a case split, since a prover follows it better than a modulus. */
/*@ requires from_ms <= CLOCK_MAX && to_ms <= CLOCK_MAX;
    assigns \nothing;
    ensures to_ms >= from_ms ==> \result == to_ms - from_ms;
    ensures to_ms < from_ms ==> \result == to_ms - from_ms + CLOCK_MAX + 1; */
static uint32_t elapsed(uint32_t from_ms, uint32_t to_ms) {
  if (to_ms >= from_ms) {
    return to_ms - from_ms;
  }
  return (CLOCK_MAX - from_ms) + to_ms + 1u;
}

/* Counters stop at their cap: none of them may wrap. */
/*@ assigns \nothing;
    ensures \result == least(value + more, cap); */
static uint32_t add_capped(uint32_t value, uint32_t more, uint32_t cap) {
  if ((value >= cap) || (more >= (cap - value))) {
    return cap;
  }
  return value + more;
}

/* --- The budget ----------------------------------------------------------------------------------------------------*/

/* The slot that was charged `back` slots ago. */
/*@ requires current < BUDGET_SLOTS && back < BUDGET_SLOTS;
    assigns \nothing;
    ensures \result == slot_index(current, back) && \result < BUDGET_SLOTS; */
static uint32_t slot_before(uint32_t current, uint32_t back) {
  return (back <= current) ? (current - back) : ((current + BUDGET_SLOTS) - back);
}

/* What all slots hold, at most BUDGET_MS + 1: that much says that they cannot be true. */
/*@ requires \valid_read(saved) && saved->current < BUDGET_SLOTS;
    assigns \nothing;
    ensures \result <= BUDGET_MS + 1;
    ensures \result <= BUDGET_MS ==> \result == recent(*saved, BUDGET_SLOTS);
    ensures \result <= BUDGET_MS ==> saved->slot[saved->current] <= \result; */
static uint32_t charged(const struct interlock_saved *saved) {
  uint32_t total = 0;
  /*@ loop invariant 0 <= back <= BUDGET_SLOTS && total <= BUDGET_MS;
      loop invariant total == recent(*saved, back);
      loop invariant back >= 1 ==> saved->slot[saved->current] <= total;
      loop assigns back, total;
      loop variant BUDGET_SLOTS - back; */
  for (uint32_t back = 0; back < BUDGET_SLOTS; back++) {
    uint32_t slot = saved->slot[slot_before(saved->current, back)];
    if (slot > (BUDGET_MS - total)) {
      return BUDGET_MS + 1u;
    }
    total += slot;
  }
  return total;
}

/*@ assigns \nothing; */
static uint16_t crc_word(uint16_t crc, uint32_t word) {
  uint16_t sum = crc16(crc, (uint8_t)(word & 0xFFu));
  sum = crc16(sum, (uint8_t)((word >> 8) & 0xFFu));
  sum = crc16(sum, (uint8_t)((word >> 16) & 0xFFu));
  return crc16(sum, (uint8_t)((word >> 24) & 0xFFu));
}

/*@ requires \valid_read(saved);
    assigns \nothing; */
static uint32_t saved_crc(const struct interlock_saved *saved) {
  uint16_t crc = crc_word(crc_word(CRC16_BEGIN, saved->serial), saved->boots);
  /*@ loop invariant 0 <= i <= BUDGET_SLOTS;
      loop assigns i, crc;
      loop variant BUDGET_SLOTS - i; */
  for (uint32_t i = 0; i < BUDGET_SLOTS; i++) {
    crc = crc_word(crc, saved->slot[i]);
  }
  return crc_word(crc, saved->current);
}

/*@ requires \valid_read(saved);
    assigns \nothing;
    ensures \result != 0 ==> saved->current < BUDGET_SLOTS && recent(*saved, BUDGET_SLOTS) <= BUDGET_MS; */
static uint8_t saved_sound(const struct interlock_saved *saved) {
  if ((saved->crc != saved_crc(saved)) || (saved->current >= BUDGET_SLOTS)) {
    return 0;
  }
  return (charged(saved) <= BUDGET_MS) ? 1u : 0u;
}

/* What an activation may last longer than it was asked: it ends at a step, and the next step may be a gap away. */
/*@ requires asked_ms < PUMP_CUT_MS;
    assigns \nothing;
    ensures \result == asked_ms + MAX_GAP_MS; */
static uint32_t charge_of(uint32_t asked_ms) {
  return asked_ms + MAX_GAP_MS;
}

/* Charged in full before the contact closes, the possible overrun included. */
/*@ requires \valid(s) && s->saved.current < BUDGET_SLOTS && asked_ms < PUMP_CUT_MS;
    requires s->saved.slot[s->saved.current] <= BUDGET_MS;
    assigns s->saved.slot[s->saved.current], s->unsaved;
    ensures \forall integer n; 1 <= n <= BUDGET_SLOTS ==>
      recent(s->saved, n) == recent(\old(s->saved), n) + asked_ms + MAX_GAP_MS; */
static void charge(struct interlock *s, uint32_t asked_ms) {
  s->saved.slot[s->saved.current] += charge_of(asked_ms);
  /*@ ghost
    /@ loop invariant 0 <= n <= BUDGET_SLOTS;
       loop invariant \forall integer k; 1 <= k <= n ==>
         recent(s->saved, k) == recent(\at(s->saved, Pre), k) + asked_ms + MAX_GAP_MS;
       loop assigns n;
       loop variant BUDGET_SLOTS - n; @/
    for (uint32_t n = 0; n < BUDGET_SLOTS; n++) {}
  */
  s->unsaved = 1;
}

/* The overrun that did not happen is given back; what was asked is not, even when the pump was stopped before. */
/*@ assigns \nothing;
    ensures \result == overcharged(asked_ms, on_ms); */
static uint32_t overcharge(uint32_t asked_ms, uint32_t on_ms) {
  uint32_t overrun = (on_ms > asked_ms) ? (on_ms - asked_ms) : 0u;
  return (overrun < MAX_GAP_MS) ? (MAX_GAP_MS - overrun) : 0u;
}

/*@ requires \valid(saved) && saved->current < BUDGET_SLOTS;
    assigns saved->slot[saved->current], saved->crc;
    ensures \old(saved->slot[saved->current]) >= overcharged(asked_ms, on_ms) ==>
      \forall integer n; 1 <= n <= BUDGET_SLOTS ==>
        recent(*saved, n) == recent(\old(*saved), n) - overcharged(asked_ms, on_ms); */
static void settle(struct interlock_saved *saved, uint32_t asked_ms, uint32_t on_ms) {
  saved->slot[saved->current] -= overcharge(asked_ms, on_ms);
  saved->crc = saved_crc(saved);
  /*@ ghost
      /@ loop invariant 0 <= n <= BUDGET_SLOTS;
         loop invariant \forall integer k; 1 <= k <= n ==>
           \at(saved->slot[saved->current], Pre) >= overcharged(asked_ms, on_ms) ==>
           recent(*saved, k) == recent(\at(*saved, Pre), k) - overcharged(asked_ms, on_ms);
         loop assigns n;
         loop variant BUDGET_SLOTS - n; @/
      for (uint32_t n = 0; n < BUDGET_SLOTS; n++) {}
  */
}

/* A new slot begins when the last is old enough and nothing runs: so an activation lies within one slot. */
/*@ requires \valid(s) && s->saved.current < BUDGET_SLOTS;
    assigns s->saved.current, s->saved.slot[0 .. BUDGET_SLOTS - 1], s->unsaved, s->counters.slot_ms;
    ensures s->saved.current < BUDGET_SLOTS;
    behavior stays:
      assumes s->counters.pump.on != 0 || s->counters.slot_ms < SLOT_MS;
      assigns \nothing;
    behavior moves:
      assumes s->counters.pump.on == 0 && s->counters.slot_ms >= SLOT_MS;
      ensures s->saved.current == slot_index(\old(s->saved.current) + 1, 0) % BUDGET_SLOTS;
      ensures s->saved.current != \old(s->saved.current);
      ensures s->counters.slot_ms == 0;
      ensures \forall integer n; 0 <= n < BUDGET_SLOTS ==>
        recent(s->saved, n + 1) == recent(\old(s->saved), n);
    complete behaviors;
    disjoint behaviors; */
static void next_slot(struct interlock *s) {
  struct counters *c = &s->counters;
  if ((c->pump.on != 0u) || (c->slot_ms < SLOT_MS)) {
    return;
  }
  uint32_t next = s->saved.current + 1u;
  s->saved.current = (next < BUDGET_SLOTS) ? next : 0u;
  s->saved.slot[s->saved.current] = 0;
  /*@ ghost
    /@ loop invariant 0 <= n < BUDGET_SLOTS;
       loop invariant \forall integer k; 0 <= k <= n ==> recent(s->saved, k + 1) == recent(\at(s->saved, Pre), k);
       loop assigns n;
       loop variant BUDGET_SLOTS - n; @/
    for (uint32_t n = 0; n < BUDGET_SLOTS - 1; n++) {}
  */
  s->unsaved = 1;
  c->slot_ms = 0;
}

/* --- One output ----------------------------------------------------------------------------------------------------*/

/* A node that is live at one step may be a spark; live at two and all the time between counts. */
/*@ requires \valid(c);
    assigns c->stray, c->stray_ms;
    ensures (c->on != 0 || live == 0) ==> c->stray == 0 && c->stray_ms == 0;
    ensures (c->on == 0 && live != 0) ==> c->stray == 1;
    ensures (c->on == 0 && live != 0 && \old(c->stray) != 0) ==>
      c->stray_ms == least(\old(c->stray_ms) + gap, FEEDBACK_MS + 1);
    ensures (c->on == 0 && live != 0 && \old(c->stray) == 0) ==> c->stray_ms == \old(c->stray_ms); */
static void channel_stray(struct channel *c, uint32_t gap, uint8_t live) {
  if ((c->on != 0u) || (live == 0u)) {
    c->stray = 0;
    c->stray_ms = 0;
    return;
  }
  if (c->stray != 0u) {
    c->stray_ms = add_capped(c->stray_ms, gap, FEEDBACK_MS + 1u);
  }
  c->stray = 1;
}

/* `gap` has passed; a rest gets only as much of it as is believed. */
/*@ requires \valid(c);
    assigns c->on_ms, c->live_ms, c->rest_ms, c->stray, c->stray_ms;
    ensures c->on_ms == (c->on != 0 ? least(\old(c->on_ms) + gap, UINT32_MAX) : \old(c->on_ms));
    ensures c->rest_ms == (c->on != 0 ? \old(c->rest_ms) : least(\old(c->rest_ms) + believed, full_rest_ms));
    ensures (c->on == 0 && live != 0 && \old(c->stray) != 0) ==>
      c->stray_ms == least(\old(c->stray_ms) + gap, FEEDBACK_MS + 1);
    ensures (c->on == 0 && live != 0) ==> c->stray == 1; */
static void channel_age(struct channel *c, uint32_t gap, uint32_t believed, uint8_t live, uint32_t full_rest_ms) {
  if (c->on != 0u) {
    c->on_ms = add_capped(c->on_ms, gap, UINT32_MAX);
  } else {
    c->rest_ms = add_capped(c->rest_ms, believed, full_rest_ms);
  }
  if (live != 0u) {
    c->live_ms = add_capped(c->live_ms, gap, UINT32_MAX);
  }
  channel_stray(c, gap, live);
}

/*@ requires \valid(c);
    assigns c->on, c->on_ms, c->live_ms, c->asked_ms;
    ensures c->on == 1 && c->on_ms == 0 && c->live_ms == 0 && c->asked_ms == asked_ms; */
static void channel_begin(struct channel *c, uint32_t asked_ms) {
  c->on = 1;
  c->on_ms = 0;
  c->live_ms = 0;
  c->asked_ms = asked_ms;
}

/*@ requires \valid(c);
    assigns c->on, c->rest_ms;
    ensures c->on == 0 && c->rest_ms == 0; */
static void channel_end(struct channel *c) {
  c->on = 0;
  c->rest_ms = 0;
}

/* Why this output may not begin, but for its budget. */
/*@ requires \valid_read(c);
    assigns \nothing;
    ensures \result == REFUSED_NOTHING <==>
      0 < asked_ms < cut_ms && c->on == 0 && c->held == 0 && c->rest_ms >= full_rest_ms; */
static uint8_t channel_refusal(const struct channel *c, uint32_t asked_ms, uint32_t cut_ms, uint32_t full_rest_ms) {
  if ((asked_ms == 0u) || (asked_ms >= cut_ms)) {
    return REFUSED_TOO_LONG;
  }
  if ((c->on != 0u) || (c->held != 0u)) {
    return REFUSED_BUSY;
  }
  return (c->rest_ms < full_rest_ms) ? REFUSED_REST : REFUSED_NOTHING;
}

/* --- The copies ----------------------------------------------------------------------------------------------------*/

/*@ requires \valid_read(c) && \valid_read(m);
    assigns \nothing;
    ensures \result != 0 <==> copied(*c, *m); */
static uint8_t channel_mirrored(const struct channel *c, const struct channel *m) {
  return (uint8_t)((m->on == (UINT32_MAX - c->on)) && (m->on_ms == (UINT32_MAX - c->on_ms)) &&
                   (m->asked_ms == (UINT32_MAX - c->asked_ms)) && (m->live_ms == (UINT32_MAX - c->live_ms)) &&
                   (m->rest_ms == (UINT32_MAX - c->rest_ms)) && (m->stray == (UINT32_MAX - c->stray)) &&
                   (m->stray_ms == (UINT32_MAX - c->stray_ms)) && (m->held == (UINT32_MAX - c->held)));
}

/*@ requires \valid_read(c) && \valid_read(m);
    assigns \nothing;
    ensures \result != 0 <==> all_copied(c, m); */
static uint8_t mirrored(const struct counters *c, const struct counters *m) {
  return (uint8_t)((m->now_ms == (UINT32_MAX - c->now_ms)) && (m->faults == (UINT32_MAX - c->faults)) &&
                   (m->heartbeat_ms == (UINT32_MAX - c->heartbeat_ms)) && (m->slot_ms == (UINT32_MAX - c->slot_ms)) &&
                   (m->clear_held == (UINT32_MAX - c->clear_held)) && (channel_mirrored(&c->pump, &m->pump) != 0u) &&
                   (channel_mirrored(&c->light, &m->light) != 0u));
}

/*@ requires \valid_read(c) && \valid(m) && \separated(c, m);
    assigns *m;
    ensures copied(*c, *m); */
static void channel_mirror(const struct channel *c, struct channel *m) {
  m->on = UINT32_MAX - c->on;
  m->on_ms = UINT32_MAX - c->on_ms;
  m->asked_ms = UINT32_MAX - c->asked_ms;
  m->live_ms = UINT32_MAX - c->live_ms;
  m->rest_ms = UINT32_MAX - c->rest_ms;
  m->stray = UINT32_MAX - c->stray;
  m->stray_ms = UINT32_MAX - c->stray_ms;
  m->held = UINT32_MAX - c->held;
}

/*@ requires \valid_read(c) && \valid(m) && \separated(c, m);
    assigns *m;
    ensures all_copied(c, m); */
static void mirror(const struct counters *c, struct counters *m) {
  m->now_ms = UINT32_MAX - c->now_ms;
  m->faults = UINT32_MAX - c->faults;
  m->heartbeat_ms = UINT32_MAX - c->heartbeat_ms;
  m->slot_ms = UINT32_MAX - c->slot_ms;
  m->clear_held = UINT32_MAX - c->clear_held;
  channel_mirror(&c->pump, &m->pump);
  channel_mirror(&c->light, &m->light);
}

/* --- Faults --------------------------------------------------------------------------------------------------------*/

/*@ assigns \nothing;
    ensures happened == 0 ==> \result == faults;
    ensures happened != 0 && fault != 0 ==> \result != 0;
    ensures (\result & faults) == faults;
    ensures faults != 0 ==> \result != 0; */
static uint32_t latch(uint32_t faults, uint32_t fault, uint8_t happened) {
  return (happened != 0u) ? (faults | fault) : faults;
}

/*@ requires \valid_read(pump);
    assigns \nothing;
    ensures (\result & faults) == faults;
    ensures faults != 0 ==> \result != 0;
    ensures pump->on != 0 && pump->on_ms >= PUMP_CUT_MS ==> \result != 0;
    ensures pump->on != 0 && heartbeat_ms >= PUMP_HEARTBEAT_MS ==> \result != 0;
    ensures pump->stray_ms > FEEDBACK_MS ==> \result != 0;
    ensures (pump->on == 0 || (pump->on_ms < PUMP_CUT_MS && heartbeat_ms < PUMP_HEARTBEAT_MS)) &&
      pump->stray_ms <= FEEDBACK_MS ==> \result == faults; */
static uint32_t pump_faults(uint32_t faults, const struct channel *pump, uint32_t heartbeat_ms) {
  uint32_t f = faults;
  f = latch(f, FAULT_PUMP_CUT, (uint8_t)((pump->on != 0u) && (pump->on_ms >= PUMP_CUT_MS)));
  f = latch(f, FAULT_HEARTBEAT, (uint8_t)((pump->on != 0u) && (heartbeat_ms >= PUMP_HEARTBEAT_MS)));
  return latch(f, FAULT_PUMP_CONTACT, (uint8_t)(pump->stray_ms > FEEDBACK_MS));
}

/*@ requires \valid_read(light);
    assigns \nothing;
    ensures (\result & faults) == faults;
    ensures faults != 0 ==> \result != 0;
    ensures light->on != 0 && light->on_ms >= LIGHT_CUT_MS ==> \result != 0;
    ensures light->stray_ms > FEEDBACK_MS ==> \result != 0;
    ensures (light->on == 0 || light->on_ms < LIGHT_CUT_MS) && light->stray_ms <= FEEDBACK_MS ==> \result == faults; */
static uint32_t light_faults(uint32_t faults, const struct channel *light) {
  uint32_t f = faults;
  f = latch(f, FAULT_LIGHT_CUT, (uint8_t)((light->on != 0u) && (light->on_ms >= LIGHT_CUT_MS)));
  return latch(f, FAULT_LIGHT_CONTACT, (uint8_t)(light->stray_ms > FEEDBACK_MS));
}

/*@ requires \valid_read(c);
    assigns \nothing;
    ensures (\result & c->faults) == c->faults;
    ensures c->faults != 0 ==> \result != 0;
    ensures gap > MAX_GAP_MS || stop_pressed != 0 ==> \result != 0;
    ensures c->pump.on != 0 && c->pump.on_ms >= PUMP_CUT_MS ==> \result != 0;
    ensures c->pump.on != 0 && c->heartbeat_ms >= PUMP_HEARTBEAT_MS ==> \result != 0;
    ensures c->light.on != 0 && c->light.on_ms >= LIGHT_CUT_MS ==> \result != 0;
    ensures c->pump.stray_ms > FEEDBACK_MS || c->light.stray_ms > FEEDBACK_MS ==> \result != 0; */
static uint32_t judge(const struct counters *c, uint32_t gap, uint8_t stop_pressed) {
  uint32_t f = latch(c->faults, FAULT_GAP, (uint8_t)(gap > MAX_GAP_MS));
  f = latch(f, FAULT_STOP, (uint8_t)(stop_pressed != 0u));
  return light_faults(pump_faults(f, &c->pump, c->heartbeat_ms), &c->light);
}

/* --- The parts of a step -------------------------------------------------------------------------------------------*/

/*@ requires \valid(c) && \valid_read(in) && \separated(c, in);
    assigns c->pump.on_ms, c->pump.live_ms, c->pump.rest_ms, c->pump.stray, c->pump.stray_ms,
      c->light.on_ms, c->light.live_ms, c->light.rest_ms, c->light.stray, c->light.stray_ms,
      c->heartbeat_ms, c->slot_ms;
    ensures c->pump.on_ms == (c->pump.on != 0 ? least(\old(c->pump.on_ms) + gap, UINT32_MAX) : \old(c->pump.on_ms));
    ensures c->light.on_ms == (c->light.on != 0 ? least(\old(c->light.on_ms) + gap, UINT32_MAX) : \old(c->light.on_ms));
    ensures c->pump.on == 0 ==> c->pump.rest_ms <= \old(c->pump.rest_ms) + gap;
    ensures c->light.on == 0 ==> c->light.rest_ms <= \old(c->light.rest_ms) + gap;
    ensures gap > MAX_GAP_MS && c->pump.on == 0 ==> c->pump.rest_ms <= \old(c->pump.rest_ms);
    ensures c->slot_ms <= \old(c->slot_ms) + gap;
    ensures gap > MAX_GAP_MS ==> c->slot_ms <= \old(c->slot_ms);
    ensures c->heartbeat_ms == least(\old(c->heartbeat_ms) + gap, LIGHT_HEARTBEAT_MS);
    ensures (c->pump.on == 0 && in->pump_live != 0 && \old(c->pump.stray) != 0) ==>
      c->pump.stray_ms == least(\old(c->pump.stray_ms) + gap, FEEDBACK_MS + 1);
    ensures (c->light.on == 0 && in->light_live != 0 && \old(c->light.stray) != 0) ==>
      c->light.stray_ms == least(\old(c->light.stray_ms) + gap, FEEDBACK_MS + 1); */
static void age(struct counters *c, uint32_t gap, const struct interlock_inputs *in) {
  uint32_t believed = (gap <= MAX_GAP_MS) ? gap : 0u;
  channel_age(&c->pump, gap, believed, in->pump_live, PUMP_REST_MS);
  channel_age(&c->light, gap, believed, in->light_live, LIGHT_REST_MS);
  c->heartbeat_ms = add_capped(c->heartbeat_ms, gap, LIGHT_HEARTBEAT_MS);
  c->slot_ms = add_capped(c->slot_ms, believed, SLOT_MS);
}

/*@ requires \valid(s) && s->saved.current < BUDGET_SLOTS;
    assigns s->saved.slot[s->saved.current], s->saved.crc, s->counters.pump.on, s->counters.pump.rest_ms;
    behavior runs_on:
      assumes s->counters.pump.on == 0 ||
        (off == 0 && s->counters.faults == 0 && s->counters.pump.on_ms < s->counters.pump.asked_ms);
      assigns \nothing;
    behavior ends:
      assumes s->counters.pump.on != 0 &&
        (off != 0 || s->counters.faults != 0 || s->counters.pump.on_ms >= s->counters.pump.asked_ms);
      ensures s->counters.pump.on == 0 && s->counters.pump.rest_ms == 0;
      ensures \old(s->saved.slot[s->saved.current]) >=
          overcharged(\old(s->counters.pump.asked_ms), \old(s->counters.pump.on_ms)) ==>
        \forall integer n; 1 <= n <= BUDGET_SLOTS ==>
          recent(s->saved, n) == recent(\old(s->saved), n) -
            overcharged(\old(s->counters.pump.asked_ms), \old(s->counters.pump.on_ms));
    complete behaviors;
    disjoint behaviors; */
static void end_pump(struct interlock *s, uint8_t off) {
  struct channel *pump = &s->counters.pump;
  if ((pump->on == 0u) || ((off == 0u) && (s->counters.faults == 0u) && (pump->on_ms < pump->asked_ms))) {
    return;
  }
  settle(&s->saved, pump->asked_ms, pump->on_ms);
  channel_end(pump);
}

/* A Pi that restarts is lawful: the light goes off without a fault. */
/*@ requires \valid(c);
    assigns c->light.on, c->light.rest_ms;
    behavior runs_on:
      assumes c->light.on == 0 || (off == 0 && c->faults == 0 && c->light.on_ms < c->light.asked_ms &&
        c->heartbeat_ms < LIGHT_HEARTBEAT_MS);
      assigns \nothing;
    behavior ends:
      assumes c->light.on != 0 && (off != 0 || c->faults != 0 || c->light.on_ms >= c->light.asked_ms ||
        c->heartbeat_ms >= LIGHT_HEARTBEAT_MS);
      ensures c->light.on == 0 && c->light.rest_ms == 0;
    complete behaviors;
    disjoint behaviors; */
static void end_light(struct counters *c, uint8_t off) {
  if ((c->light.on == 0u) || ((off == 0u) && (c->faults == 0u) && (c->light.on_ms < c->light.asked_ms) &&
                              (c->heartbeat_ms < LIGHT_HEARTBEAT_MS))) {
    return;
  }
  channel_end(&c->light);
}

/* `known` are the faults before this step: what was latched only now cannot have been meant. */
/*@ requires \valid(c) && \valid_read(in) && \separated(c, in);
    assigns c->faults;
    ensures c->faults != \old(c->faults) ==> c->faults == 0 && c->pump.on == 0 && c->light.on == 0 &&
      in->stop_pressed == 0 && in->pump_live == 0 && in->light_live == 0 && c->clear_held == 0 &&
      c->heartbeat_ms < PUMP_HEARTBEAT_MS && \old(c->faults) == known && (\old(c->faults) & FAULT_MEMORY) == 0; */
static uint8_t clear_faults(struct counters *c, uint32_t known, const struct interlock_inputs *in) {
  if ((c->pump.on != 0u) || (c->light.on != 0u) || (in->stop_pressed != 0u) || (in->pump_live != 0u) ||
      (in->light_live != 0u) || (c->clear_held != 0u)) {
    return REFUSED_NOT_IDLE;
  }
  if (c->heartbeat_ms >= PUMP_HEARTBEAT_MS) {
    return REFUSED_HEARTBEAT;
  }
  if ((c->faults != known) || ((c->faults & FAULT_MEMORY) != 0u)) {
    return REFUSED_FAULT;
  }
  c->faults = 0;
  return REFUSED_NOTHING;
}

/* Nothing begins under a fault, or without an earlier heartbeat: the request's own line is not enough. */
/*@ requires \valid_read(c);
    assigns \nothing;
    ensures \result == REFUSED_NOTHING <==> c->faults == 0 && c->heartbeat_ms < PUMP_HEARTBEAT_MS; */
static uint8_t general_refusal(const struct counters *c) {
  if (c->faults != 0u) {
    return REFUSED_FAULT;
  }
  return (c->heartbeat_ms >= PUMP_HEARTBEAT_MS) ? REFUSED_HEARTBEAT : REFUSED_NOTHING;
}

/*@ requires \valid_read(saved) && saved->current < BUDGET_SLOTS && asked_ms < PUMP_CUT_MS;
    assigns \nothing;
    ensures \result == REFUSED_NOTHING ==> recent(*saved, BUDGET_SLOTS) + asked_ms + MAX_GAP_MS <= BUDGET_MS;
    ensures \result == REFUSED_NOTHING ==> saved->slot[saved->current] <= BUDGET_MS; */
static uint8_t budget_refusal(const struct interlock_saved *saved, uint32_t asked_ms) {
  uint32_t total = charged(saved);
  return ((total > BUDGET_MS) || (charge_of(asked_ms) > (BUDGET_MS - total))) ? REFUSED_BUDGET : REFUSED_NOTHING;
}

/*@ requires \valid(s) && s->saved.current < BUDGET_SLOTS;
    assigns s->saved.slot[s->saved.current], s->unsaved, s->counters.pump.on, s->counters.pump.on_ms,
      s->counters.pump.live_ms, s->counters.pump.asked_ms;
    behavior refused:
      assumes s->counters.faults != 0 || s->counters.heartbeat_ms >= PUMP_HEARTBEAT_MS || asked_ms == 0 ||
        asked_ms >= PUMP_CUT_MS || s->counters.pump.on != 0 || s->counters.pump.held != 0 ||
        s->counters.pump.rest_ms < PUMP_REST_MS ||
        recent(s->saved, BUDGET_SLOTS) + asked_ms + MAX_GAP_MS > BUDGET_MS;
      assigns \nothing;
      ensures \result != REFUSED_NOTHING;
    behavior either:
      ensures \result != REFUSED_NOTHING ==> s->counters == \old(s->counters) && s->saved == \old(s->saved);
      ensures \result == REFUSED_NOTHING ==> s->counters.pump.on == 1 && s->counters.pump.on_ms == 0 &&
        s->counters.pump.asked_ms == asked_ms && 0 < asked_ms < PUMP_CUT_MS;
      ensures \result == REFUSED_NOTHING ==> \forall integer n; 1 <= n <= BUDGET_SLOTS ==>
        recent(s->saved, n) == recent(\old(s->saved), n) + asked_ms + MAX_GAP_MS; */
static uint8_t request_pump(struct interlock *s, uint32_t asked_ms) {
  uint8_t refused = general_refusal(&s->counters);
  if (refused == REFUSED_NOTHING) {
    refused = channel_refusal(&s->counters.pump, asked_ms, PUMP_CUT_MS, PUMP_REST_MS);
  }
  if (refused == REFUSED_NOTHING) {
    refused = budget_refusal(&s->saved, asked_ms);
  }
  if (refused == REFUSED_NOTHING) {
    charge(s, asked_ms);
    channel_begin(&s->counters.pump, asked_ms);
  }
  return refused;
}

/*@ requires \valid(c);
    assigns c->light.on, c->light.on_ms, c->light.live_ms, c->light.asked_ms;
    behavior refused:
      assumes c->faults != 0 || c->heartbeat_ms >= PUMP_HEARTBEAT_MS || asked_ms == 0 || asked_ms >= LIGHT_CUT_MS ||
        c->light.on != 0 || c->light.held != 0 || c->light.rest_ms < LIGHT_REST_MS;
      assigns \nothing;
      ensures \result != REFUSED_NOTHING;
    behavior taken:
      assumes !(c->faults != 0 || c->heartbeat_ms >= PUMP_HEARTBEAT_MS || asked_ms == 0 || asked_ms >= LIGHT_CUT_MS ||
        c->light.on != 0 || c->light.held != 0 || c->light.rest_ms < LIGHT_REST_MS);
      ensures \result == REFUSED_NOTHING && c->light.on == 1 && c->light.on_ms == 0 && c->light.asked_ms == asked_ms;
    complete behaviors;
    disjoint behaviors; */
static uint8_t request_light(struct counters *c, uint32_t asked_ms) {
  uint8_t refused = general_refusal(c);
  if (refused == REFUSED_NOTHING) {
    refused = channel_refusal(&c->light, asked_ms, LIGHT_CUT_MS, LIGHT_REST_MS);
  }
  if (refused == REFUSED_NOTHING) {
    channel_begin(&c->light, asked_ms);
  }
  return refused;
}

/* At most one command a step. */
static uint8_t command(struct interlock *s, uint32_t known, const struct interlock_inputs *in) {
  if ((in->pump_off != 0u) || (in->light_off != 0u)) {
    return REFUSED_NOTHING;
  }
  if (in->clear != 0u) {
    return clear_faults(&s->counters, known, in);
  }
  if (in->pump_request != 0u) {
    return request_pump(s, in->pump_ms);
  }
  return (in->light_request != 0u) ? request_light(&s->counters, in->light_ms) : REFUSED_NOTHING;
}

/*@ requires \valid(c) && \valid_read(in) && \separated(c, in);
    assigns c->pump.held, c->light.held, c->clear_held, c->heartbeat_ms;
    ensures c->pump.held == (in->pump_request != 0 ? 1 : 0) && c->light.held == (in->light_request != 0 ? 1 : 0);
    ensures c->clear_held == (in->clear != 0 ? 1 : 0);
    ensures c->heartbeat_ms == (in->heartbeat != 0 ? 0 : \old(c->heartbeat_ms)); */
static void remember(struct counters *c, const struct interlock_inputs *in) {
  c->pump.held = (in->pump_request != 0u) ? 1u : 0u;
  c->light.held = (in->light_request != 0u) ? 1u : 0u;
  c->clear_held = (in->clear != 0u) ? 1u : 0u;
  if (in->heartbeat != 0u) {
    c->heartbeat_ms = 0;
  }
}

/* 1 when the port has to write `saved`, which is made ready for it. */
/*@ requires \valid(s);
    assigns s->saved.serial, s->saved.crc, s->unsaved;
    ensures \result != 0 <==> \old(s->unsaved) != 0;
    ensures s->unsaved == 0; */
static uint8_t take_unsaved(struct interlock *s) {
  uint8_t save = (s->unsaved != 0u) ? 1u : 0u;
  if (save != 0u) {
    s->saved.serial++;
    s->saved.crc = saved_crc(&s->saved);
    s->unsaved = 0;
  }
  return save;
}

/* The slots are looked at when they are about to be relied on: their CRC takes too long for every step. */
/*@ requires \valid_read(s);
    assigns \nothing;
    ensures \result != 0 ==> all_copied(&s->counters, &s->complements) && s->saved.current < BUDGET_SLOTS; */
static uint8_t sound(const struct interlock *s, uint8_t pump_request) {
  if ((mirrored(&s->counters, &s->complements) == 0u) || (s->saved.current >= BUDGET_SLOTS)) {
    return 0;
  }
  return ((pump_request == 0u) || (saved_sound(&s->saved) != 0u)) ? 1u : 0u;
}

/* Memory that contradicts itself is not reasoned with: off, until a reset. */
/*@ requires \valid(s);
    assigns s->counters.faults, s->counters.pump.on, s->counters.light.on;
    ensures s->counters.faults != 0 && s->counters.pump.on == 0 && s->counters.light.on == 0;
    ensures \result.pump == 0 && \result.light == 0 && \result.save == 0; */
static struct interlock_outputs memory_fault(struct interlock *s) {
  struct interlock_outputs out = {0, 0, 0, REFUSED_FAULT};
  s->counters.faults = s->counters.faults | FAULT_MEMORY;
  s->counters.pump.on = 0;
  s->counters.light.on = 0;
  return out;
}

static void advance(struct interlock *s, uint32_t now_ms, const struct interlock_inputs *in) {
  uint32_t gap = elapsed(s->counters.now_ms, now_ms);
  s->counters.now_ms = now_ms;
  age(&s->counters, gap, in);
  s->counters.faults = judge(&s->counters, gap, in->stop_pressed);
  end_pump(s, in->pump_off);
  end_light(&s->counters, in->light_off);
  next_slot(s);
}

/* --- What a port calls ---------------------------------------------------------------------------------------------*/

struct interlock_outputs interlock_step(struct interlock *s, uint32_t now_ms, const struct interlock_inputs *in) {
  struct interlock_outputs out = {0, 0, 0, REFUSED_NOTHING};
  if (sound(s, in->pump_request) == 0u) {
    return memory_fault(s);
  }
  uint32_t known = s->counters.faults;
  advance(s, now_ms, in);
  out.refused = command(s, known, in);
  remember(&s->counters, in);
  mirror(&s->counters, &s->complements);
  out.pump = (s->counters.pump.on != 0u) ? 1u : 0u;
  out.light = (s->counters.light.on != 0u) ? 1u : 0u;
  out.save = take_unsaved(s);
  return out;
}

int interlock_newer(const struct interlock_saved copies[2]) {
  uint8_t first = saved_sound(&copies[0]);
  uint8_t second = saved_sound(&copies[1]);
  if ((first == 0u) && (second == 0u)) {
    return -1;
  }
  if ((first == 0u) || (second == 0u)) {
    return (first != 0u) ? 0 : 1;
  }
  /* Serials may wrap: the newer is less than half the circle ahead. */
  return ((copies[1].serial - copies[0].serial) < 0x80000000u) ? 1 : 0;
}

static void start_channel(struct channel *c) {
  c->on = 0;
  c->on_ms = 0;
  c->asked_ms = 0;
  c->live_ms = 0;
  c->rest_ms = 0;
  c->stray = 0;
  c->stray_ms = 0;
  c->held = 1; /* a request that is there already is no edge */
}

static void start_spent(struct interlock_saved *saved) {
  saved->serial = 0;
  saved->boots = 0;
  saved->current = 0;
  for (uint32_t i = 0; i < BUDGET_SLOTS; i++) {
    saved->slot[i] = 0;
  }
  saved->slot[0] = BUDGET_MS;
}

static void copy_saved(struct interlock_saved *saved, const struct interlock_saved *from) {
  saved->serial = from->serial;
  saved->boots = from->boots;
  saved->current = from->current;
  for (uint32_t i = 0; i < BUDGET_SLOTS; i++) {
    saved->slot[i] = from->slot[i];
  }
}

static void start_saved(struct interlock_saved *saved, const struct interlock_saved *from) {
  if ((from == NULL) || (saved_sound(from) == 0u)) {
    start_spent(saved);
  } else {
    copy_saved(saved, from);
  }
  saved->boots++;
  saved->crc = saved_crc(saved);
}

void interlock_start(struct interlock *s, uint32_t now_ms, const struct interlock_saved *saved, uint16_t faults) {
  start_saved(&s->saved, saved);
  s->unsaved = 1;
  s->counters.now_ms = now_ms;
  s->counters.faults = faults;
  s->counters.heartbeat_ms = LIGHT_HEARTBEAT_MS; /* none was heard */
  s->counters.slot_ms = 0;
  s->counters.clear_held = 1;
  start_channel(&s->counters.pump);
  start_channel(&s->counters.light);
  mirror(&s->counters, &s->complements);
}

uint16_t interlock_faults(const struct interlock *s) {
  return (uint16_t)s->counters.faults;
}

uint32_t interlock_pump_rest(const struct interlock *s) {
  const struct channel *pump = &s->counters.pump;
  return ((pump->on == 0u) && (pump->rest_ms < PUMP_REST_MS)) ? (PUMP_REST_MS - pump->rest_ms) : 0u;
}

uint32_t interlock_light_rest(const struct interlock *s) {
  const struct channel *light = &s->counters.light;
  return ((light->on == 0u) && (light->rest_ms < LIGHT_REST_MS)) ? (LIGHT_REST_MS - light->rest_ms) : 0u;
}

uint32_t interlock_budget_left(const struct interlock *s) {
  if (saved_sound(&s->saved) == 0u) {
    return 0;
  }
  uint32_t left = BUDGET_MS - charged(&s->saved);
  return (left > MAX_GAP_MS) ? (left - MAX_GAP_MS) : 0u;
}

uint32_t interlock_pump_on(const struct interlock *s) {
  return s->counters.pump.on_ms;
}

uint32_t interlock_pump_live(const struct interlock *s) {
  return s->counters.pump.live_ms;
}

uint32_t interlock_light_on(const struct interlock *s) {
  return s->counters.light.on_ms;
}
