/* The link's line: 38400 baud, 8N1, by interrupts in both directions. */
#ifndef TENDRIL_AVR_UART_H
#define TENDRIL_AVR_UART_H

#include <stdint.h>

void uart_start(void);

/* 1 and the next byte that came, else 0. A byte that came damaged is given as 0, which spoils its line. */
uint8_t uart_take(uint8_t *byte);

/* All of it or, where there is no room, nothing: the host asks again. */
void uart_send(const uint8_t *bytes, uint8_t count);

#endif
