/* The interlock on an ATmega328P. */
#include "../controller.h"
#include "board.h"
#include "uart.h"

#define STEP_MS 10u
/* No flood of bytes keeps the loop from its step. */
#define MOST_BYTES 64u

static void turn(uint32_t now_ms) {
  static uint8_t answer[LINK_ANSWER];
  uart_send(answer, controller_turn(now_ms, answer));
}

/* 1 when a whole line has come. */
static uint8_t listen(void) {
  uint8_t count;
  uint8_t byte;
  for (count = 0u; count < MOST_BYTES && uart_take(&byte) != 0u; count++) {
    if (controller_receive(byte) != 0u) return 1u;
  }
  return 0u;
}

/* Both copies are brought up to date while everything is off: later ones differ by a few bytes, well within the watchdog's time. */
static void start(uint16_t faults) {
  controller_start(board_now(), faults);
  turn(board_now());
  turn(board_now());
  controller_save();
  turn(board_now());
  board_watch_closely();
}

int main(void) {
  uint32_t stepped_ms;
  const uint16_t faults = board_start();
  uart_start();
  start(faults);
  stepped_ms = board_now();
  for (;;) {
    const uint8_t line = listen();
    const uint32_t now_ms = board_now();
    if (line != 0u || now_ms - stepped_ms >= STEP_MS) {
      stepped_ms = now_ms;
      turn(now_ms);
    } else {
      board_sleep();
    }
  }
}
