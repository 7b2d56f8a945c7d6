#include "uart.h"

#include <avr/interrupt.h>
#include <avr/io.h>

/* At double speed 16 MHz / 8 / 52 = 38462 baud, 0.16 % off. */
#define DIVIDER 51u
#define DAMAGED ((1u << FE0) | (1u << DOR0))

/* Powers of two. The host waits for answers, so two lines each way are more than it ever has under way. */
#define SIZE 64u
#define LAST (SIZE - 1u)
#define SENT_SIZE 256u

static volatile uint8_t came[SIZE];
static volatile uint8_t came_head;
static volatile uint8_t came_tail;

static volatile uint8_t sent[SENT_SIZE]; /* its indices wrap by themselves */
static volatile uint8_t sent_head;
static volatile uint8_t sent_tail;

void uart_start(void) {
  UCSR0A = 1u << U2X0;
  UBRR0 = DIVIDER;
  UCSR0C = (1u << UCSZ01) | (1u << UCSZ00);
  UCSR0B = (1u << RXCIE0) | (1u << RXEN0) | (1u << TXEN0);
}

ISR(USART_RX_vect) {
  const uint8_t damaged = UCSR0A & DAMAGED;
  const uint8_t byte = UDR0;
  const uint8_t next = (uint8_t)((came_head + 1u) & LAST);
  if (next == came_tail) return;
  came[came_head] = damaged != 0u ? 0u : byte;
  came_head = next;
}

/* Disabled along with its last byte, so that it is never entered with nothing to send. */
ISR(USART_UDRE_vect) {
  UDR0 = sent[sent_tail];
  sent_tail++;
  if (sent_tail == sent_head) UCSR0B = (uint8_t)(UCSR0B & ~(1u << UDRIE0));
}

uint8_t uart_take(uint8_t *byte) {
  if (came_head == came_tail) return 0u;
  *byte = came[came_tail];
  came_tail = (uint8_t)((came_tail + 1u) & LAST);
  return 1u;
}

void uart_send(const uint8_t *bytes, uint8_t count) {
  const uint8_t waiting = (uint8_t)(sent_head - sent_tail);
  uint8_t i;
  if (count == 0u || count >= SENT_SIZE - waiting) return;
  for (i = 0u; i < count; i++) sent[(uint8_t)(sent_head + i)] = bytes[i];
  cli();
  sent_head = (uint8_t)(sent_head + count);
  UCSR0B = (uint8_t)(UCSR0B | (1u << UDRIE0));
  sei();
}
