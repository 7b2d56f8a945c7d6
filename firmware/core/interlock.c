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

  logic integer charged_now(struct interlock_saved d) = d.slot[d.current];

  // The CRC of the words: of serial and boots, of the first n slots too, of all of them.
  logic integer crc_word_of(integer crc, integer word) =
    crc_byte(crc_byte(crc_byte(crc_byte(crc, word & 0xFF), (word >> 8) & 0xFF), (word >> 16) & 0xFF), (word >> 24) & 0xFF);
  logic integer crc_slots(struct interlock_saved d, integer n) =
    n <= 0 ? crc_word_of(crc_word_of(CRC16_BEGIN, d.serial), d.boots) : crc_word_of(crc_slots(d, n - 1), d.slot[n - 1]);
  logic integer crc_saved(struct interlock_saved d) = crc_word_of(crc_slots(d, BUDGET_SLOTS), d.current);

  predicate sound_saved(struct interlock_saved d) =
    d.crc == crc_saved(d) && d.current < BUDGET_SLOTS && recent(d, BUDGET_SLOTS) <= BUDGET_MS;

  predicate same_slots(struct interlock_saved a, struct interlock_saved b) =
    a.current == b.current && \forall integer k; 0 <= k < BUDGET_SLOTS ==> a.slot[k] == b.slot[k];
  predicate same_saved(struct interlock_saved a, struct interlock_saved b) =
    a.serial == b.serial && a.boots == b.boots && a.crc == b.crc && same_slots(a, b);

  logic integer overcharged(integer asked, integer on) =
    on <= asked ? MAX_GAP_MS : on - asked < MAX_GAP_MS ? MAX_GAP_MS - (on - asked) : 0;

  logic integer passed(integer from, integer to) = to >= from ? to - from : to - from + CLOCK_MAX + 1;

  predicate flag(integer x) = x == 0 || x == 1;

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
/* --- Time ----------------------------------------------------------------------------------------------------------*/

/* From one reading of the clock to the next, over its wrap; a case split, since a prover follows it better than a modulus. */
/*@ requires from_ms <= CLOCK_MAX && to_ms <= CLOCK_MAX;
    assigns \nothing;
    ensures \result == passed(from_ms, to_ms); */
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

/*@ assigns \nothing;
    ensures \result == crc_word_of(crc, word); */
static uint16_t crc_word(uint16_t crc, uint32_t word) {
  uint16_t sum = crc16(crc, (uint8_t)(word & 0xFFu));
  sum = crc16(sum, (uint8_t)((word >> 8) & 0xFFu));
  sum = crc16(sum, (uint8_t)((word >> 16) & 0xFFu));
  return crc16(sum, (uint8_t)((word >> 24) & 0xFFu));
}

/*@ requires \valid_read(saved);
    assigns \nothing;
    ensures \result == crc_saved(*saved); */
static uint32_t saved_crc(const struct interlock_saved *saved) {
  uint16_t crc = crc_word(crc_word(CRC16_BEGIN, saved->serial), saved->boots);
  /*@ loop invariant 0 <= i <= BUDGET_SLOTS && crc == crc_slots(*saved, i);
      loop assigns i, crc;
      loop variant BUDGET_SLOTS - i; */
  for (uint32_t i = 0; i < BUDGET_SLOTS; i++) {
    crc = crc_word(crc, saved->slot[i]);
  }
  return crc_word(crc, saved->current);
}

/*@ requires \valid_read(saved);
    assigns \nothing;
    ensures \result != 0 ==> sound_saved(*saved); */
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
/*@ requires \valid(saved) && saved->current < BUDGET_SLOTS && asked_ms < PUMP_CUT_MS;
    requires saved->slot[saved->current] <= BUDGET_MS;
    assigns saved->slot[saved->current];
    ensures saved->slot[saved->current] == \old(saved->slot[saved->current]) + asked_ms + MAX_GAP_MS;
    ensures \forall integer n; 1 <= n <= BUDGET_SLOTS ==>
      recent(*saved, n) == recent(\old(*saved), n) + asked_ms + MAX_GAP_MS; */
static void charge(struct interlock_saved *saved, uint32_t asked_ms) {
  saved->slot[saved->current] += charge_of(asked_ms);
  /*@ ghost
    /@ loop invariant 0 <= n <= BUDGET_SLOTS;
       loop invariant \forall integer k; 1 <= k <= n ==>
         recent(*saved, k) == recent(\at(*saved, Pre), k) + asked_ms + MAX_GAP_MS;
       loop assigns n;
       loop variant BUDGET_SLOTS - n; @/
    for (uint32_t n = 0; n < BUDGET_SLOTS; n++) {}
  */
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

/*@ requires \valid(saved) && saved->current < BUDGET_SLOTS;
    assigns saved->current, saved->slot[0 .. BUDGET_SLOTS - 1];
    ensures saved->current < BUDGET_SLOTS && saved->current != \old(saved->current);
    ensures saved->slot[saved->current] == 0;
    ensures recent(*saved, BUDGET_SLOTS) <= recent(\old(*saved), BUDGET_SLOTS);
    ensures \forall integer n; 0 <= n < BUDGET_SLOTS ==> recent(*saved, n + 1) == recent(\old(*saved), n); */
static void next_slot(struct interlock_saved *saved) {
  uint32_t next = saved->current + 1u;
  saved->current = (next < BUDGET_SLOTS) ? next : 0u;
  saved->slot[saved->current] = 0;
  /*@ ghost
    /@ loop invariant 0 <= n < BUDGET_SLOTS;
       loop invariant \forall integer k; 0 <= k <= n ==> recent(*saved, k + 1) == recent(\at(*saved, Pre), k);
       loop assigns n;
       loop variant BUDGET_SLOTS - n; @/
    for (uint32_t n = 0; n < BUDGET_SLOTS - 1; n++) {
      /@ assert slot_index(saved->current, n + 1) == slot_index(\at(saved->current, Pre), n); @/
      /@ assert saved->slot[slot_index(saved->current, n + 1)] ==
           \at(saved->slot[slot_index(\at(saved->current, Pre), \at(n, Here))], Pre); @/
    }
  */
}

/* --- One output ----------------------------------------------------------------------------------------------------*/

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

/* --- The copies ----------------------------------------------------------------------------------------------------*/

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

/* --- Faults --------------------------------------------------------------------------------------------------------*/

/*@ assigns \nothing;
    ensures happened == 0 ==> \result == faults;
    ensures happened != 0 && fault != 0 ==> \result != 0;
    ensures faults != 0 ==> \result != 0; */
static uint32_t latch(uint32_t faults, uint32_t fault, uint8_t happened) {
  return (happened != 0u) ? (faults | fault) : faults;
}

/*@ assigns \nothing;
    ensures \result == 0 <==> faults == 0 && pump.stray_ms <= FEEDBACK_MS &&
      (pump.on == 0 || (pump.on_ms < PUMP_CUT_MS && heartbeat_ms < PUMP_HEARTBEAT_MS)); */
static uint32_t pump_faults(uint32_t faults, struct channel pump, uint32_t heartbeat_ms) {
  uint32_t f = faults;
  f = latch(f, FAULT_PUMP_CUT, (uint8_t)((pump.on != 0u) && (pump.on_ms >= PUMP_CUT_MS)));
  f = latch(f, FAULT_HEARTBEAT, (uint8_t)((pump.on != 0u) && (heartbeat_ms >= PUMP_HEARTBEAT_MS)));
  return latch(f, FAULT_PUMP_CONTACT, (uint8_t)(pump.stray_ms > FEEDBACK_MS));
}

/*@ assigns \nothing;
    ensures \result == 0 <==> faults == 0 && light.stray_ms <= FEEDBACK_MS &&
      (light.on == 0 || light.on_ms < LIGHT_CUT_MS); */
static uint32_t light_faults(uint32_t faults, struct channel light) {
  uint32_t f = faults;
  f = latch(f, FAULT_LIGHT_CUT, (uint8_t)((light.on != 0u) && (light.on_ms >= LIGHT_CUT_MS)));
  return latch(f, FAULT_LIGHT_CONTACT, (uint8_t)(light.stray_ms > FEEDBACK_MS));
}

/*@ predicate calm(struct counters c, integer gap, integer stop) =
      c.faults == 0 && gap <= MAX_GAP_MS && stop == 0 &&
      c.pump.stray_ms <= FEEDBACK_MS && c.light.stray_ms <= FEEDBACK_MS &&
      (c.pump.on == 0 || (c.pump.on_ms < PUMP_CUT_MS && c.heartbeat_ms < PUMP_HEARTBEAT_MS)) &&
      (c.light.on == 0 || c.light.on_ms < LIGHT_CUT_MS); */

/*@ assigns \nothing;
    ensures \result == 0 <==> calm(c, gap, stop_pressed); */
static uint32_t judge(struct counters c, uint32_t gap, uint8_t stop_pressed) {
  uint32_t f = latch(c.faults, FAULT_GAP, (uint8_t)(gap > MAX_GAP_MS));
  f = latch(f, FAULT_STOP, (uint8_t)(stop_pressed != 0u));
  return light_faults(pump_faults(f, c.pump, c.heartbeat_ms), c.light);
}

/* --- Time passes ---------------------------------------------------------------------------------------------------*/

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

/* --- Commands ------------------------------------------------------------------------------------------------------*/

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

/* --- A step --------------------------------------------------------------------------------------------------------*/

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

/*@ // What a running pump has been charged beyond its time so far.
    logic integer spare(struct channel c) = c.on != 0 ? c.asked_ms + MAX_GAP_MS - c.on_ms : 0;
    logic integer spare_after(struct channel c, integer gap) = c.on != 0 ? spare(c) - gap : 0;

    // Read from the counters as a whole: the provers follow that better than a part's own address.
    logic struct channel pump_of(struct counters c) = c.pump;
    logic struct channel light_of(struct counters c) = c.light;
    logic integer clock_of(struct counters c) = c.now_ms;

    predicate shows(struct interlock_outputs out, struct counters c) =
      (out.pump == 0 <==> c.pump.on == 0) && (out.light == 0 <==> c.light.on == 0);
    predicate dark(struct interlock_outputs out, struct counters c) = c.faults != 0 ==> out.pump == 0 && out.light == 0;

    predicate booked(struct interlock_saved d, struct channel c) = d.current < BUDGET_SLOTS &&
      recent(d, BUDGET_SLOTS) <= BUDGET_MS && (c.on != 0 ==> charged_now(d) >= c.asked_ms + MAX_GAP_MS);

    // From slots d to e over a step: what they hold beyond what a running pump may still use never falls.
    predicate covered(struct interlock_saved d, struct interlock_saved e, struct channel b, struct channel a, integer gap) =
      \forall integer n; 1 <= n <= BUDGET_SLOTS ==> recent(e, n) - spare(a) >= recent(d, n) - spare_after(b, gap);
    predicate covered_on(struct interlock_saved d, struct interlock_saved e, struct channel b, struct channel a, integer gap) =
      \forall integer n; 1 <= n < BUDGET_SLOTS ==> recent(e, n + 1) - spare(a) >= recent(d, n) - spare_after(b, gap);
    predicate no_less(struct interlock_saved d, struct interlock_saved e) =
      \forall integer n; 1 <= n <= BUDGET_SLOTS ==> recent(e, n) >= recent(d, n);
    predicate no_more(struct interlock_saved d, struct interlock_saved e) =
      \forall integer n; 1 <= n <= BUDGET_SLOTS ==> recent(e, n) <= recent(d, n);

    // Of an output: running on, begun now, at rest.
    predicate runs_on(struct channel before, struct channel after, integer gap, integer cut) =
      after.on != 0 && before.on != 0 ==> runs(before, after, gap, cut);
    predicate begins(struct channel before, struct channel after, integer gap, integer cut, integer rest) =
      after.on != 0 && before.on == 0 ==> after.on == 1 && after.on_ms == 0 && 0 < after.asked_ms < cut &&
        before.held == 0 && before.rest_ms + gap >= rest;
    predicate rests(struct channel before, struct channel after, integer gap) =
      after.on == 0 ==> after.rest_ms <= (before.on != 0 ? 0 : before.rest_ms + gap);

    predicate trips(struct counters b, integer gap, struct interlock_inputs in) =
      gap > MAX_GAP_MS || in.stop_pressed != 0 ||
      (b.pump.on != 0 && b.heartbeat_ms + gap >= PUMP_HEARTBEAT_MS) ||
      (b.pump.on == 0 && in.pump_live != 0 && b.pump.stray != 0 && b.pump.stray_ms + gap > FEEDBACK_MS) ||
      (b.light.on == 0 && in.light_live != 0 && b.light.stray != 0 && b.light.stray_ms + gap > FEEDBACK_MS);

    predicate unlatches(struct counters b, struct counters a, struct interlock_inputs in) =
      in.clear != 0 && b.clear_held == 0 && in.stop_pressed == 0 && in.pump_live == 0 && in.light_live == 0 &&
      a.pump.on == 0 && a.light.on == 0 && (b.faults & FAULT_MEMORY) == 0;

    predicate trip_safe(struct counters b, struct counters a, integer gap, struct interlock_inputs in) =
      trips(b, gap, in) ==> a.faults != 0;
    predicate latch_safe(struct counters b, struct counters a, struct interlock_inputs in) =
      b.faults != 0 && a.faults == 0 ==> unlatches(b, a, in);

    // Why an output is on: heard of lately, and asked for when it began.
    predicate pump_told(struct counters b, struct counters a, integer gap, struct interlock_inputs in) =
      a.pump.on != 0 ==> in.pump_off == 0 && b.heartbeat_ms + gap < PUMP_HEARTBEAT_MS &&
        (b.pump.on == 0 ==> in.pump_request != 0 && a.pump.asked_ms == in.pump_ms);
    predicate light_told(struct counters b, struct counters a, integer gap, struct interlock_inputs in) =
      a.light.on != 0 ==> in.light_off == 0 && b.heartbeat_ms + gap < LIGHT_HEARTBEAT_MS &&
        (b.light.on == 0 ==> in.light_request != 0 && a.light.asked_ms == in.light_ms);

    predicate remembers(struct counters b, struct counters a, integer now, integer gap, struct interlock_inputs in) =
      a.now_ms == now && a.pump.held == (in.pump_request != 0 ? 1 : 0) &&
      a.light.held == (in.light_request != 0 ? 1 : 0) && a.clear_held == (in.clear != 0 ? 1 : 0) &&
      a.heartbeat_ms == (in.heartbeat != 0 ? 0 : least(b.heartbeat_ms + gap, LIGHT_HEARTBEAT_MS));

    predicate slot_safe(struct counters b, struct counters a, integer gap, integer turns) =
      (turns == 0 ==> a.slot_ms <= b.slot_ms + gap) &&
      (turns != 0 ==> a.slot_ms == 0 && b.slot_ms + gap >= SLOT_MS);

    // How the pump's activation ends and the next begins: `now` is between the two.
    predicate books(struct interlock_saved d, struct channel b, struct channel now, struct channel a, integer gap,
        integer turns) =
      (b.on == 0 ==> now.on == 0) && (turns != 0 ==> now.on == 0) &&
      (b.on != 0 ==> now.asked_ms == b.asked_ms && now.on_ms == least(b.on_ms + gap, UINT32_MAX)) &&
      (a.on == 0 ==> now.on == 0) && (a.on != 0 && now.on != 0 ==> b.on != 0 && a == {now \with .held = a.held}) &&
      (a.on != 0 && now.on == 0 ==> b.on == 0 && a.on_ms == 0 && a.asked_ms < PUMP_CUT_MS &&
        recent(d, BUDGET_SLOTS) + a.asked_ms + MAX_GAP_MS <= BUDGET_MS && d.slot[d.current] <= BUDGET_MS);
*/

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

/* The slots follow the pump: what ended is settled, what begins is charged; never both in one step, for the rest between. */
/*@ requires \valid(saved) && saved->current < BUDGET_SLOTS;
    requires after.on != 0 && now.on == 0 ==>
      before.on == 0 && after.asked_ms < PUMP_CUT_MS && saved->slot[saved->current] <= BUDGET_MS;
    assigns saved->current, saved->slot[0 .. BUDGET_SLOTS - 1], saved->crc;
    ensures saved->current < BUDGET_SLOTS;
    ensures turns == 0 <==> saved->current == \old(saved->current);
    ensures (before.on == 0 || now.on != 0) && turns == 0 && (now.on != 0 || after.on == 0) ==>
      same_saved(*saved, \old(*saved));
    ensures \forall integer gap; gap >= 0 && books(\old(*saved), before, now, after, gap, turns) &&
      booked(\old(*saved), before) && turns == 0 && (now.on != 0 || after.on == 0) ==> no_more(\old(*saved), *saved);
    ensures \forall integer gap; gap >= 0 && books(\old(*saved), before, now, after, gap, turns) &&
      booked(\old(*saved), before) ==> recent(*saved, BUDGET_SLOTS) <= BUDGET_MS;
    ensures \forall integer gap; gap >= 0 && books(\old(*saved), before, now, after, gap, turns) &&
      booked(\old(*saved), before) && after.on != 0 ==> charged_now(*saved) >= after.asked_ms + MAX_GAP_MS;
    ensures \forall integer gap; gap >= 0 && books(\old(*saved), before, now, after, gap, turns) &&
      booked(\old(*saved), before) && spare_after(before, gap) >= 0 && turns == 0 ==>
        covered(\old(*saved), *saved, before, after, gap);
    ensures \forall integer gap, n; gap >= 0 && books(\old(*saved), before, now, after, gap, turns) &&
      booked(\old(*saved), before) && spare_after(before, gap) >= 0 && turns != 0 && 1 <= n < BUDGET_SLOTS ==>
        recent(*saved, n + 1) - spare(after) >= recent(\old(*saved), n) - spare_after(before, gap);
    ensures \forall integer gap; gap >= 0 && books(\old(*saved), before, now, after, gap, turns) &&
      booked(\old(*saved), before) && turns != 0 ==> recent(*saved, 1) - spare(after) >= 0; */
static void book(struct interlock_saved *saved, struct channel before, struct channel now, struct channel after,
                 uint8_t turns) {
  if ((before.on != 0u) && (now.on == 0u)) {
    settle(saved, now.asked_ms, now.on_ms);
  }
  if (turns != 0u) {
    next_slot(saved);
  }
  if ((now.on == 0u) && (after.on != 0u)) {
    charge(saved, after.asked_ms);
  }
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

/* The saved words are made ready to be written. */
/*@ requires \valid(saved) && saved->current < BUDGET_SLOTS;
    assigns saved->serial, saved->crc;
    ensures charged_now(*saved) == charged_now(\old(*saved));
    ensures \forall integer n; 0 <= n <= BUDGET_SLOTS ==> recent(*saved, n) == recent(\old(*saved), n); */
static void sign(struct interlock_saved *saved) {
  saved->serial++;
  saved->crc = saved_crc(saved);
  /*@ ghost
    /@ loop invariant 0 <= n <= BUDGET_SLOTS;
       loop invariant \forall integer k; 0 <= k <= n ==> recent(*saved, k) == recent(\at(*saved, Pre), k);
       loop assigns n;
       loop variant BUDGET_SLOTS - n; @/
    for (uint32_t n = 0; n < BUDGET_SLOTS; n++) {}
  */
}

/* The counters change, what the slots hold does not: said apart, for the provers. */
/*@ requires \valid(s);
    assigns s->counters;
    ensures s->counters == c;
    ensures same_saved(s->saved, \old(s->saved));
    ensures s->saved.current < BUDGET_SLOTS ==> \forall integer n; 0 <= n <= BUDGET_SLOTS ==>
      recent(s->saved, n) == recent(\old(s->saved), n);
    ensures s->saved.current < BUDGET_SLOTS ==> charged_now(s->saved) == charged_now(\old(s->saved)); */
static void set_counters(struct interlock *s, struct counters c) {
  s->counters = c;
  /*@ assert \forall integer k; 0 <= k < BUDGET_SLOTS ==> s->saved.slot[k] == \at(s->saved.slot[k], Pre); */
  /*@ ghost
    if (s->saved.current < BUDGET_SLOTS) {
      /@ loop invariant 0 <= n <= BUDGET_SLOTS;
         loop invariant \forall integer k; 0 <= k <= n ==> recent(s->saved, k) == recent(\at(s->saved, Pre), k);
         loop assigns n;
         loop variant BUDGET_SLOTS - n; @/
      for (uint32_t n = 0; n < BUDGET_SLOTS; n++) {
        /@ assert 0 <= slot_index(s->saved.current, n) < BUDGET_SLOTS; @/
        /@ assert s->saved.slot[slot_index(s->saved.current, n)] ==
             \at(s->saved.slot[slot_index(s->saved.current, \at(n, Here))], Pre); @/
        /@ assert recent(s->saved, n + 1) == recent(s->saved, n) + s->saved.slot[slot_index(s->saved.current, n)]; @/
        /@ assert recent(\at(s->saved, Pre), n + 1) == recent(\at(s->saved, Pre), n) +
             \at(s->saved.slot[slot_index(s->saved.current, \at(n, Here))], Pre); @/
      }
    }
  */
}

/*@ requires \valid(s);
    assigns s->complements;
    ensures s->complements == c;
    ensures same_saved(s->saved, \old(s->saved));
    ensures s->saved.current < BUDGET_SLOTS ==> \forall integer n; 0 <= n <= BUDGET_SLOTS ==>
      recent(s->saved, n) == recent(\old(s->saved), n);
    ensures s->saved.current < BUDGET_SLOTS ==> charged_now(s->saved) == charged_now(\old(s->saved)); */
static void set_complements(struct interlock *s, struct counters c) {
  s->complements = c;
  /*@ assert \forall integer k; 0 <= k < BUDGET_SLOTS ==> s->saved.slot[k] == \at(s->saved.slot[k], Pre); */
  /*@ ghost
    if (s->saved.current < BUDGET_SLOTS) {
      /@ loop invariant 0 <= n <= BUDGET_SLOTS;
         loop invariant \forall integer k; 0 <= k <= n ==> recent(s->saved, k) == recent(\at(s->saved, Pre), k);
         loop assigns n;
         loop variant BUDGET_SLOTS - n; @/
      for (uint32_t n = 0; n < BUDGET_SLOTS; n++) {
        /@ assert 0 <= slot_index(s->saved.current, n) < BUDGET_SLOTS; @/
        /@ assert s->saved.slot[slot_index(s->saved.current, n)] ==
             \at(s->saved.slot[slot_index(s->saved.current, \at(n, Here))], Pre); @/
        /@ assert recent(s->saved, n + 1) == recent(s->saved, n) + s->saved.slot[slot_index(s->saved.current, n)]; @/
        /@ assert recent(\at(s->saved, Pre), n + 1) == recent(\at(s->saved, Pre), n) +
             \at(s->saved.slot[slot_index(s->saved.current, \at(n, Here))], Pre); @/
      }
    }
  */
}

/*@ requires \valid(s) && s->saved.current < BUDGET_SLOTS;
    assigns s->saved.serial, s->saved.crc, s->counters, s->complements;
    ensures s->counters == {c \with .unsaved = (uint32_t)0};
    ensures all_copied(s->counters, s->complements);
    ensures \forall struct interlock_saved o;
      c.unsaved == 0 && same_saved(\old(s->saved), o) ==> same_saved(s->saved, o);
    ensures \forall integer n; 0 <= n <= BUDGET_SLOTS ==> recent(s->saved, n) == recent(\old(s->saved), n);
    ensures \forall struct channel c; booked(\old(s->saved), c) ==> booked(s->saved, c);
    ensures \forall struct interlock_saved o; no_more(o, \old(s->saved)) ==> no_more(o, s->saved);
    ensures \forall struct interlock_saved o, struct channel b, a, integer gap;
      covered(o, \old(s->saved), b, a, gap) ==> covered(o, s->saved, b, a, gap);
    ensures \forall struct interlock_saved o, struct channel b, a, integer gap;
      covered_on(o, \old(s->saved), b, a, gap) ==> covered_on(o, s->saved, b, a, gap); */
static void keep(struct interlock *s, struct counters c) {
  struct counters kept = c;
  if (c.unsaved != 0u) {
    sign(&s->saved);
  }
  kept.unsaved = 0;
  set_counters(s, kept);
  set_complements(s, complement(kept));
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

/* --- What a port calls ---------------------------------------------------------------------------------------------*/

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

/*@ requires \valid_read(copies + (0 .. 1));
    assigns \nothing;
    ensures \result == -1 || \result == 0 || \result == 1;
    ensures \result >= 0 ==> recent(copies[\result], BUDGET_SLOTS) <= BUDGET_MS && copies[\result].current < BUDGET_SLOTS; */
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

/*@ // The whole budget was charged just now.
    predicate spent(struct interlock_saved d) = d.current == 0 &&
      \forall integer n; 1 <= n <= BUDGET_SLOTS ==> recent(d, n) == BUDGET_MS; */

/*@ requires \valid(saved);
    assigns *saved;
    ensures saved->current == 0 && saved->slot[0] == BUDGET_MS;
    ensures \forall integer k; 1 <= k < BUDGET_SLOTS ==> saved->slot[k] == 0; */
static void start_spent(struct interlock_saved *saved) {
  saved->serial = 0;
  saved->boots = 0;
  saved->current = 0;
  /*@ loop invariant 0 <= i <= BUDGET_SLOTS;
      loop invariant \forall integer k; 0 <= k < i ==> saved->slot[k] == 0;
      loop assigns i, saved->slot[0 .. BUDGET_SLOTS - 1];
      loop variant BUDGET_SLOTS - i; */
  for (uint32_t i = 0; i < BUDGET_SLOTS; i++) {
    saved->slot[i] = 0;
  }
  saved->slot[0] = BUDGET_MS;
}

/*@ requires \valid(saved) && \valid_read(from) && \separated(saved, from);
    assigns *saved;
    ensures saved->serial == from->serial && saved->boots == from->boots && saved->current == from->current;
    ensures \forall integer k; 0 <= k < BUDGET_SLOTS ==> saved->slot[k] == from->slot[k]; */
static void copy_saved(struct interlock_saved *saved, const struct interlock_saved *from) {
  saved->serial = from->serial;
  saved->boots = from->boots;
  saved->current = from->current;
  /*@ loop invariant 0 <= i <= BUDGET_SLOTS;
      loop invariant \forall integer k; 0 <= k < i ==> saved->slot[k] == from->slot[k];
      loop assigns i, saved->slot[0 .. BUDGET_SLOTS - 1];
      loop variant BUDGET_SLOTS - i; */
  for (uint32_t i = 0; i < BUDGET_SLOTS; i++) {
    saved->slot[i] = from->slot[i];
  }
}

/*@ requires \valid(saved) && (from == \null || (\valid_read(from) && \separated(saved, from)));
    assigns *saved;
    ensures saved->current < BUDGET_SLOTS && recent(*saved, BUDGET_SLOTS) <= BUDGET_MS;
    ensures spent(*saved) || (from != \null && sound_saved(\old(*from)) && same_slots(*saved, \old(*from)));
    ensures spent(*saved) || (from != \null && no_less(\old(*from), *saved)); */
static void start_saved(struct interlock_saved *saved, const struct interlock_saved *from) {
  uint8_t known = ((from != NULL) && (saved_sound(from) != 0u)) ? 1u : 0u;
  if (known != 0u) {
    copy_saved(saved, from);
  } else {
    start_spent(saved);
  }
  saved->boots++;
  saved->crc = saved_crc(saved);
  /*@ assert known != 0 ==> saved->current == \at(from->current, Pre); */
  /*@ assert known != 0 ==> \forall integer k; 0 <= k < BUDGET_SLOTS ==> saved->slot[k] == \at(from->slot[k], Pre); */
  /*@ assert known != 0 ==> same_slots(*saved, \at(*from, Pre)); */
  /*@ assert known != 0 ==> sound_saved(\at(*from, Pre)); */
  /*@ assert known == 0 ==> saved->current == 0 && saved->slot[0] == BUDGET_MS &&
        \forall integer k; 1 <= k < BUDGET_SLOTS ==> saved->slot[k] == 0; */
  /*@ ghost
    /@ loop invariant 0 <= n <= BUDGET_SLOTS;
       loop invariant known == 0 ==> \forall integer k; 1 <= k <= n ==> recent(*saved, k) == BUDGET_MS;
       loop invariant known != 0 ==> \forall integer k; 0 <= k <= n ==> recent(*saved, k) == recent(\at(*from, Pre), k);
       loop assigns n;
       loop variant BUDGET_SLOTS - n; @/
    for (uint32_t n = 0; n < BUDGET_SLOTS; n++) {}
  */
}

/*@ // Off, at the beginning of both rests, and deaf to what is held already.
    predicate begun(struct counters c, integer now, integer faults) =
      c.now_ms == now && c.faults == faults && c.heartbeat_ms == LIGHT_HEARTBEAT_MS && c.slot_ms == 0 && c.clear_held == 1 &&
      c.pump.on == 0 && c.pump.held == 1 && c.pump.rest_ms == 0 &&
      c.light.on == 0 && c.light.held == 1 && c.light.rest_ms == 0; */

/*@ requires \valid(s) && (saved == \null || (\valid_read(saved) && \separated(s, saved)));
    assigns *s;
    ensures all_copied(s->counters, s->complements) && s->saved.current < BUDGET_SLOTS;
    ensures begun(s->counters, now_ms, faults);
    ensures booked(s->saved, s->counters.pump);
    ensures spent(s->saved) || (saved != \null && sound_saved(\old(*saved)) && same_slots(s->saved, \old(*saved)));
    ensures spent(s->saved) || (saved != \null && no_less(\old(*saved), s->saved)); */
void interlock_start(struct interlock *s, uint32_t now_ms, const struct interlock_saved *saved, uint16_t faults) {
  struct counters c = {.now_ms = now_ms, .faults = faults, .clear_held = 1, .unsaved = 1};
  c.heartbeat_ms = LIGHT_HEARTBEAT_MS; /* none was heard */
  c.pump.held = 1;                     /* a request that is there already is no edge */
  c.light.held = 1;
  start_saved(&s->saved, saved);
  set_counters(s, c);
  set_complements(s, complement(c));
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
