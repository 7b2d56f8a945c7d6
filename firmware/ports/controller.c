#include "controller.h"

#include "../core/interlock-state.h"
#include "board.h"
#include "memory.h"

static struct interlock interlock;
static struct link host;

void controller_start(uint32_t now_ms, uint16_t faults) {
  struct interlock_saved saved;
  const uint8_t sound = memory_load(&saved);
  interlock_start(&interlock, now_ms, sound != 0u ? &saved : 0, faults);
  link_start(&host, interlock.saved.boots);
}

void controller_save(void) {
  if (memory_save(&interlock.saved) == 0u) board_give_up();
}

uint8_t controller_turn(uint32_t now_ms, uint8_t answer[LINK_ANSWER]) {
  struct interlock_inputs in;
  struct interlock_outputs out;
  link_inputs(&host, &in);
  board_levels(&in);
  out = interlock_step(&interlock, now_ms, &in);
  board_open(&out);
  if (out.save != 0u) controller_save();
  board_write(&out);
  board_feed_watchdog();
  return link_answer(&host, &interlock, &in, &out, answer);
}

uint8_t controller_receive(uint8_t byte) { return link_receive(&host, byte); }
