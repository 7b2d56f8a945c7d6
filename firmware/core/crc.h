/* CRC-16/CCITT-FALSE: polynomial 1021, no reflection, no final xor; begin with CRC16_BEGIN. "123456789" gives 29B1. */
#ifndef TENDRIL_CRC_H
#define TENDRIL_CRC_H

#include <stdint.h>

#define CRC16_BEGIN 0xFFFFu

/*@ // The sum after n bits, as the polynomial's definition has it.
    logic integer crc_bit(integer sum) = (sum << 1) > 0xFFFF ? ((sum << 1) ^ 0x1021) & 0xFFFF : sum << 1;
    logic integer crc_bits(integer sum, integer n) = n <= 0 ? sum : crc_bit(crc_bits(sum, n - 1));
    logic integer crc_byte(integer crc, integer byte) = crc_bits((uint16_t)(crc ^ (uint32_t)(byte << 8)), 8); */

/*@ assigns \nothing;
    ensures \result == crc_byte(crc, byte); */
uint16_t crc16(uint16_t crc, uint8_t byte);

#endif
