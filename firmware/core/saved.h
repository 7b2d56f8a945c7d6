/* The words that outlive a power cut: what their slots hold, and whether they can be believed. */
#ifndef TENDRIL_SAVED_H
#define TENDRIL_SAVED_H

#include "words.h"

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
    ensures \result <= BUDGET_MS <==> recent(*saved, BUDGET_SLOTS) <= BUDGET_MS;
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
      /*@ ghost
        /@ loop invariant back + 1 <= n <= BUDGET_SLOTS && recent(*saved, n) >= recent(*saved, back + 1) > BUDGET_MS;
           loop assigns n;
           loop variant BUDGET_SLOTS - n; @/
        for (uint32_t n = back + 1; n < BUDGET_SLOTS; n++) {}
      */
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
    ensures \result != 0 <==> sound_saved(*saved); */
static uint8_t saved_sound(const struct interlock_saved *saved) {
  if ((saved->crc != saved_crc(saved)) || (saved->current >= BUDGET_SLOTS)) {
    return 0;
  }
  return (charged(saved) <= BUDGET_MS) ? 1u : 0u;
}

#endif
