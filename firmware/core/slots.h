/* The account of pump time: how an activation is charged and settled, and how a slot ends. */
#ifndef TENDRIL_SLOTS_H
#define TENDRIL_SLOTS_H

#include "saved.h"

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

#endif
