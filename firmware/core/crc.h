/* CRC-16/CCITT-FALSE: polynomial 1021, no reflection, no final xor; begin with CRC16_BEGIN. "123456789" gives 29B1. */
#ifndef TENDRIL_CRC_H
#define TENDRIL_CRC_H

#include <stdint.h>

#define CRC16_BEGIN 0xFFFFu

/*@ assigns \nothing; */
uint16_t crc16(uint16_t crc, uint8_t byte);

#endif
