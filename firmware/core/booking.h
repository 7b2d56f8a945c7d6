/* The slots follow the pump, and the new state is kept. */
#ifndef TENDRIL_BOOKING_H
#define TENDRIL_BOOKING_H

#include "copies.h"
#include "promises.h"

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

#endif
