/* CRC-16/CCITT-FALSE: polynomial 1021, no reflection, no final xor; "123456789" from CRC16_INIT gives 29B1. */
#ifndef TENDRIL_CRC_H
#define TENDRIL_CRC_H

#include <stdint.h>

#define CRC16_INIT 0xFFFFu

/* The CRC of what gave `crc` so far, and `byte` after it. */
uint16_t crc16(uint16_t crc, uint8_t byte);

#endif
