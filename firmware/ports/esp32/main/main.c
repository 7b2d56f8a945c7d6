/* The interlock on an ESP32-C3 or ESP32: levels in, a step, outputs out, and the watchdog is fed only after that. */
#include "board.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "interlock-state.h"
#include "link.h"
#include "memory.h"

#define STEP_MS 10u
/* No flood of bytes keeps the loop from its step. */
#define MOST_BYTES 64u
#define ABOVE_ALL_OTHERS (configMAX_PRIORITIES - 1)

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
  board_send(answer, link_answer(&host, &interlock, &in, &out, answer));
}

/* Until a whole line has come, or the next step is due. */
static void await_line(uint32_t stepped_ms) {
  uint32_t count;
  uint8_t byte;
  for (count = 0u; count < MOST_BYTES; count++) {
    const uint32_t past_ms = board_now() - stepped_ms;
    if (past_ms >= STEP_MS || board_take(&byte, STEP_MS - past_ms) == 0u) return;
    if (link_receive(&host, byte) != 0u) return;
  }
}

static void start(uint16_t faults) {
  struct interlock_saved saved;
  const uint8_t sound = memory_load(&saved);
  interlock_start(&interlock, board_now(), sound != 0u ? &saved : 0, faults);
  link_start(&host, interlock.saved.boots);
}

void app_main(void);
void app_main(void) {
  board_safe();
  vTaskPrioritySet(0, ABOVE_ALL_OTHERS);
  start(board_start());
  board_watch();
  for (;;) {
    const uint32_t now_ms = board_now();
    turn(now_ms);
    await_line(now_ms);
  }
}
