#include "crc.h"

#define POLYNOMIAL 0x1021u

/* Bit by bit: a table would take 512 bytes, and a line takes 0.3 ms of the slowest target this way. */
uint16_t crc16(uint16_t crc, uint8_t byte) {
  uint32_t sum = (uint32_t)crc ^ ((uint32_t)byte << 8);
  uint8_t bit;
  for (bit = 0u; bit < 8u; bit++) {
    sum = (sum & 0x8000u) != 0u ? (sum << 1) ^ POLYNOMIAL : sum << 1;
    sum &= 0xFFFFu;
  }
  return (uint16_t)sum;
}
