/* A start: from the newer copy that can be believed, or with a spent budget. */
#ifndef TENDRIL_START_H
#define TENDRIL_START_H

#include <stddef.h>
#include "booking.h"

/*@ // Serials may wrap: the newer is less than half the circle ahead.
    predicate newer(struct interlock_saved a, struct interlock_saved b) =
      (uint32_t)(a.serial - b.serial) < 0x80000000; */

/*@ requires \valid_read(copies + (0 .. 1));
    assigns \nothing;
    ensures \result == -1 || \result == 0 || \result == 1;
    ensures \result == -1 <==> !sound_saved(copies[0]) && !sound_saved(copies[1]);
    ensures \result == 0 ==> sound_saved(copies[0]) && (sound_saved(copies[1]) ==> !newer(copies[1], copies[0]));
    ensures \result == 1 ==> sound_saved(copies[1]) && (sound_saved(copies[0]) ==> newer(copies[1], copies[0])); */
int interlock_newer(const struct interlock_saved copies[2]) {
  uint8_t first = saved_sound(&copies[0]);
  uint8_t second = saved_sound(&copies[1]);
  if ((first == 0u) && (second == 0u)) {
    return -1;
  }
  if ((first == 0u) || (second == 0u)) {
    return (first != 0u) ? 0 : 1;
  }
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
    ensures from != \null && sound_saved(\old(*from)) ==> same_slots(*saved, \old(*from));
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
    ensures saved != \null && sound_saved(\old(*saved)) ==> same_slots(s->saved, \old(*saved));
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

#endif
