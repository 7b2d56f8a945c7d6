/* What the contracts speak of: time that passed, and what the slots hold. For the proof alone; no code. */
#ifndef TENDRIL_WORDS_H
#define TENDRIL_WORDS_H

#include "interlock-state.h"
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

*/

#endif
