/* Time: from one reading of the clock to the next, and counters that stop at their cap. */
#ifndef TENDRIL_ELAPSED_H
#define TENDRIL_ELAPSED_H

#include "words.h"

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

#endif
