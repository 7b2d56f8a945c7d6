/* The interlock on an ATmega328P: levels in, a step, outputs out, and the watchdog is fed only after that. */
#include "../../core/interlock-state.h"
#include "../../core/link.h"
#include "board.h"
#include "memory.h"
#include "uart.h"

#define STEP_MS 10u
/* No flood of bytes keeps the loop from its step. */
#define MOST_BYTES 64u

static struct interlock interlock;
static struct link host;

/* What was begun is charged before the contact closes; what could not be kept closes nothing. */
static void save(void) {
  if (memory_save(&interlock.saved) == 0u) board_give_up();
}

static void turn(uint32_t now_ms) {
  static uint8_t answer[LINK_ANSWER];
  struct interlock_inputs in;
  struct interlock_outputs out;
  link_inputs(&host, &in);
  board_levels(&in);
  out = interlock_step(&interlock, now_ms, &in);
  board_open(&out);
  if (out.save != 0u) save();
  board_write(&out);
  board_feed_watchdog();
  uart_send(answer, link_answer(&host, &interlock, &in, &out, answer));
}

/* 1 when a whole line has come. */
static uint8_t listen(void) {
  uint8_t count;
  uint8_t byte;
  for (count = 0u; count < MOST_BYTES && uart_take(&byte) != 0u; count++) {
    if (link_receive(&host, byte) != 0u) return 1u;
  }
  return 0u;
}

/* Both copies are brought up to date while everything is off: later ones differ by a few bytes, well within the watchdog's time. */
static void start(uint16_t faults) {
  struct interlock_saved saved;
  const uint8_t sound = memory_load(&saved);
  interlock_start(&interlock, board_now(), sound != 0u ? &saved : 0, faults);
  link_start(&host, interlock.saved.boots);
  turn(board_now());
  turn(board_now());
  save();
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
