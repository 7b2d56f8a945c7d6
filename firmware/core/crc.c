#include "crc.h"

/* Bit by bit: a table would cost 512 bytes of flash to save microseconds that nobody waits for. */
uint16_t crc16(uint16_t crc, uint8_t byte) {
  uint32_t sum = (uint16_t)((uint32_t)crc ^ ((uint32_t)byte << 8));
  /*@ loop invariant 0 <= bit <= 8;
      loop invariant 0 <= sum <= 0xFFFF;
      loop invariant sum == crc_bits((uint16_t)(crc ^ (uint32_t)(byte << 8)), bit);
      loop assigns bit, sum;
      loop variant 8 - bit; */
  for (uint8_t bit = 0; bit < 8u; bit++) {
    sum <<= 1;
    if (sum > 0xFFFFu) {
      sum = (sum ^ 0x1021u) & 0xFFFFu;
    }
  }
  return (uint16_t)sum;
}
