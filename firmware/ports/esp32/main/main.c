/* The interlock on an ESP32-C3 or ESP32. */
#include "../../controller.h"
#include "board.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"

#define STEP_MS 10u
/* No flood of bytes keeps the loop from its step. */
#define MOST_BYTES 64u
#define ABOVE_ALL_OTHERS (configMAX_PRIORITIES - 1)

static void turn(uint32_t now_ms) {
  static uint8_t answer[LINK_ANSWER];
  board_send(answer, controller_turn(now_ms, answer));
}

/* Until a whole line has come, or the next step is due. */
static void await_line(uint32_t stepped_ms) {
  uint32_t count;
  uint8_t byte;
  for (count = 0u; count < MOST_BYTES; count++) {
    const uint32_t past_ms = board_now() - stepped_ms;
    if (past_ms >= STEP_MS || board_take(&byte, STEP_MS - past_ms) == 0u) return;
    if (controller_receive(byte) != 0u) return;
  }
}

static void begin(void) {
  const uint16_t faults = board_start();
  controller_start(board_now(), faults);
}

void app_main(void);
void app_main(void) {
  board_safe();
  vTaskPrioritySet(0, ABOVE_ALL_OTHERS);
  begin();
  board_watch();
  for (;;) {
    const uint32_t now_ms = board_now();
    turn(now_ms);
    await_line(now_ms);
  }
}
