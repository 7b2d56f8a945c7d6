#include "board.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#define PUMP (1u << PB0)
#define LIGHT (1u << PB1)
#define STOP (1u << PD2)
#define PUMP_NODE (1u << PD3)
#define LIGHT_NODE (1u << PD4)

/* 16 MHz / 256 / 125 = 500 Hz: steps are 10 ms apart, so nobody misses the odd milliseconds. */
#define TICKS_TOP 124u
#define TICK_MS 2u

/* Not static: the tests of the emulated binary start it near its wrap. */
volatile uint32_t ticks;

/* Set before the C runtime clears its memory, so kept out of what it clears. */
static uint8_t cause __attribute__((section(".noinit")));

/*
 * The first instructions after a reset. The watchdog that caused one goes on at its shortest time-out (datasheet, 10.8),
 * and with the fuse WDTON it always does. The level is written before the pins are made outputs.
 */
void board_first(void) __attribute__((naked, used, section(".init3")));
void board_first(void) {
  PORTB = (uint8_t)(PORTB & ~(PUMP | LIGHT));
  DDRB = (uint8_t)(DDRB | PUMP | LIGHT);
  cause = MCUSR;
  MCUSR = 0;
  wdt_enable(WDTO_2S);
}

ISR(TIMER1_COMPA_vect) { ticks += TICK_MS; }

static void start_ticks(void) {
  TCCR1A = 0;
  OCR1A = TICKS_TOP;
  TCNT1 = 0;
  TIMSK1 = 1u << OCIE1A;
  TCCR1B = (1u << WGM12) | (1u << CS12);
}

uint16_t board_start(void) {
  PORTD = STOP | PUMP_NODE | LIGHT_NODE; /* pull-ups */
  SMCR = 1u << SE; /* idle: timers and UART go on */
  start_ticks();
  sei();
  /* At power-on the watchdog's flag may be anything; the power's own flag tells then. */
  return (cause & (1u << WDRF)) != 0u && (cause & ((1u << PORF) | (1u << BORF))) == 0u ? FAULT_RESET : 0u;
}

uint32_t board_now(void) {
  uint32_t now;
  cli();
  now = ticks;
  sei();
  return now;
}

void board_levels(struct interlock_inputs *in) {
  const uint8_t pins = PIND;
  in->stop_pressed = (pins & STOP) != 0u ? 1u : 0u;
  in->pump_live = (pins & PUMP_NODE) == 0u ? 1u : 0u;
  in->light_live = (pins & LIGHT_NODE) == 0u ? 1u : 0u;
}

void board_open(const struct interlock_outputs *out) {
  if (out->pump == 0u) PORTB = (uint8_t)(PORTB & ~PUMP);
  if (out->light == 0u) PORTB = (uint8_t)(PORTB & ~LIGHT);
}

void board_write(const struct interlock_outputs *out) {
  board_open(out);
  if (out->pump != 0u) PORTB = (uint8_t)(PORTB | PUMP);
  if (out->light != 0u) PORTB = (uint8_t)(PORTB | LIGHT);
}

void board_watch_closely(void) { wdt_enable(WDTO_250MS); }

void board_feed_watchdog(void) { wdt_reset(); }

void board_give_up(void) {
  PORTB = (uint8_t)(PORTB & ~(PUMP | LIGHT));
  cli();
  for (;;) {
  }
}

void board_sleep(void) { sleep_cpu(); }
