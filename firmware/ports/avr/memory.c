#include "memory.h"

#include <avr/interrupt.h>
#include <avr/io.h>

/* Where the copies begin; each on pages of its own. */
#define APART 128u

/* The one that is written next. */
static uint8_t next;

static uint8_t read_byte(uint16_t at) {
  while ((EECR & (1u << EEPE)) != 0u) {
  }
  EEAR = at;
  EECR |= 1u << EERE;
  return EEDR;
}

static void write_byte(uint16_t at, uint8_t byte) {
  if (read_byte(at) == byte) return;
  EEAR = at;
  EEDR = byte;
  /* The second within four cycles of the first (datasheet, 8.6.3). */
  cli();
  EECR |= 1u << EEMPE;
  EECR |= 1u << EEPE;
  sei();
}

static void read_copy(uint8_t copy, struct interlock_saved *saved) {
  uint8_t *bytes = (uint8_t *)saved;
  uint8_t i;
  for (i = 0u; i < sizeof *saved; i++) bytes[i] = read_byte((uint16_t)(copy * APART + i));
}

uint8_t memory_load(struct interlock_saved *saved) {
  struct interlock_saved copies[2];
  int newer;
  read_copy(0u, &copies[0]);
  read_copy(1u, &copies[1]);
  newer = interlock_newer(copies);
  if (newer < 0) return 0u;
  next = newer == 0 ? 1u : 0u;
  *saved = copies[newer];
  return 1u;
}

uint8_t memory_save(const struct interlock_saved *saved) {
  const uint8_t *bytes = (const uint8_t *)saved;
  const uint16_t from = (uint16_t)(next * APART);
  uint8_t i;
  for (i = 0u; i < sizeof *saved; i++) write_byte((uint16_t)(from + i), bytes[i]);
  for (i = 0u; i < sizeof *saved; i++) {
    if (read_byte((uint16_t)(from + i)) != bytes[i]) return 0u;
  }
  next = next == 0u ? 1u : 0u;
  return 1u;
}
