#include "cut.h"

#include <stdbool.h>
#include <stddef.h>

#include "driver/gpio.h"
#include "driver/gptimer.h"
#include "esp_attr.h"
#include "esp_err.h"
#include "interlock.h"
#include "pins.h"

#define HZ 1000000u
/* Behind the interlock's own cut and a step or two, ahead of the contract's 30 s and of 121 min. */
#define LATER_MS 900u
#define US_PER_MS 1000u

static gptimer_handle_t timers[2];
static volatile uint8_t acted;

static bool IRAM_ATTR open_both(gptimer_handle_t timer, const gptimer_alarm_event_data_t *event, void *context) {
  (void)timer;
  (void)event;
  (void)context;
  acted = 1u;
  gpio_set_level(PIN_PUMP, 0);
  gpio_set_level(PIN_LIGHT, 0);
  return false;
}

static void start_one(enum cut which, uint32_t cut_ms) {
  const gptimer_config_t config = {
      .clk_src = GPTIMER_CLK_SRC_DEFAULT, .direction = GPTIMER_COUNT_UP, .resolution_hz = HZ};
  const gptimer_event_callbacks_t callbacks = {.on_alarm = open_both};
  const gptimer_alarm_config_t alarm = {.alarm_count = (uint64_t)(cut_ms + LATER_MS) * US_PER_MS};
  ESP_ERROR_CHECK(gptimer_new_timer(&config, &timers[which]));
  ESP_ERROR_CHECK(gptimer_register_event_callbacks(timers[which], &callbacks, NULL));
  ESP_ERROR_CHECK(gptimer_set_alarm_action(timers[which], &alarm));
  ESP_ERROR_CHECK(gptimer_enable(timers[which]));
}

void cut_start(void) {
  start_one(CUT_PUMP, PUMP_CUT_MS);
  start_one(CUT_LIGHT, LIGHT_CUT_MS);
}

void cut_arm(enum cut which) {
  ESP_ERROR_CHECK(gptimer_set_raw_count(timers[which], 0));
  ESP_ERROR_CHECK(gptimer_start(timers[which]));
}

void cut_disarm(enum cut which) { ESP_ERROR_CHECK(gptimer_stop(timers[which])); }

uint8_t cut_acted(void) { return acted; }
