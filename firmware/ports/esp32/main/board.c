#include "board.h"

#include <stdbool.h>
#include <stddef.h>

#include "cut.h"
#include "driver/gpio.h"
#include "driver/uart.h"
#include "esp_err.h"
#include "esp_system.h"
#include "esp_task_wdt.h"
#include "esp_timer.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "pins.h"

#define LINK_UART UART_NUM_1
#define BAUD_RATE 38400
#define BUFFER_BYTES 512
#define WATCHDOG_MS 500u
#define US_PER_MS 1000
#define MASK_OF(pin) (1ULL << (pin))

static uint8_t pump_closed;
static uint8_t light_closed;

void board_safe(void) {
  const gpio_config_t outputs = {.pin_bit_mask = MASK_OF(PIN_PUMP) | MASK_OF(PIN_LIGHT),
                                 .mode = GPIO_MODE_OUTPUT,
                                 .pull_down_en = GPIO_PULLDOWN_ENABLE};
  const gpio_config_t inputs = {.pin_bit_mask = MASK_OF(PIN_STOP) | MASK_OF(PIN_PUMP_NODE) | MASK_OF(PIN_LIGHT_NODE),
                                .mode = GPIO_MODE_INPUT,
                                .pull_up_en = GPIO_PULLUP_ENABLE};
  gpio_set_level(PIN_PUMP, 0);
  gpio_set_level(PIN_LIGHT, 0);
  ESP_ERROR_CHECK(gpio_config(&outputs));
  ESP_ERROR_CHECK(gpio_config(&inputs));
}

static void start_uart(void) {
  const uart_config_t config = {.baud_rate = BAUD_RATE,
                                .data_bits = UART_DATA_8_BITS,
                                .parity = UART_PARITY_DISABLE,
                                .stop_bits = UART_STOP_BITS_1,
                                .flow_ctrl = UART_HW_FLOWCTRL_DISABLE,
                                .source_clk = UART_SCLK_DEFAULT};
  ESP_ERROR_CHECK(uart_driver_install(LINK_UART, BUFFER_BYTES, BUFFER_BYTES, 0, NULL, 0));
  ESP_ERROR_CHECK(uart_param_config(LINK_UART, &config));
  ESP_ERROR_CHECK(uart_set_pin(LINK_UART, PIN_TXD, PIN_RXD, UART_PIN_NO_CHANGE, UART_PIN_NO_CHANGE));
}

uint16_t board_start(void) {
  start_uart();
  cut_start();
  switch (esp_reset_reason()) {
    case ESP_RST_PANIC:
    case ESP_RST_INT_WDT:
    case ESP_RST_TASK_WDT:
    case ESP_RST_WDT:
      return FAULT_RESET;
    default:
      return 0u;
  }
}

uint32_t board_now(void) { return (uint32_t)(esp_timer_get_time() / US_PER_MS); }

void board_levels(struct interlock_inputs *in) {
  in->stop_pressed = gpio_get_level(PIN_STOP) != 0 ? 1u : 0u;
  in->pump_live = gpio_get_level(PIN_PUMP_NODE) == 0 ? 1u : 0u;
  in->light_live = gpio_get_level(PIN_LIGHT_NODE) == 0 ? 1u : 0u;
}

static void open_one(enum cut which, gpio_num_t pin, uint8_t *closed) {
  gpio_set_level(pin, 0);
  if (*closed != 0u) cut_disarm(which);
  *closed = 0u;
}

static void close_one(enum cut which, gpio_num_t pin, uint8_t *closed) {
  if (*closed != 0u) return;
  cut_arm(which);
  gpio_set_level(pin, 1);
  *closed = 1u;
}

void board_open(const struct interlock_outputs *out) {
  if (out->pump == 0u) open_one(CUT_PUMP, PIN_PUMP, &pump_closed);
  if (out->light == 0u) open_one(CUT_LIGHT, PIN_LIGHT, &light_closed);
}

void board_write(const struct interlock_outputs *out) {
  board_open(out);
  if (cut_acted() != 0u) board_give_up();
  if (out->pump != 0u) close_one(CUT_PUMP, PIN_PUMP, &pump_closed);
  if (out->light != 0u) close_one(CUT_LIGHT, PIN_LIGHT, &light_closed);
}

void board_watch(void) {
  const esp_task_wdt_config_t config = {.timeout_ms = WATCHDOG_MS, .idle_core_mask = 0u, .trigger_panic = true};
  ESP_ERROR_CHECK(esp_task_wdt_init(&config));
  ESP_ERROR_CHECK(esp_task_wdt_add(NULL));
}

void board_feed_watchdog(void) { ESP_ERROR_CHECK(esp_task_wdt_reset()); }

void board_give_up(void) {
  gpio_set_level(PIN_PUMP, 0);
  gpio_set_level(PIN_LIGHT, 0);
  for (;;) vTaskDelay(1);
}

uint8_t board_take(uint8_t *byte, uint32_t wait_ms) {
  return uart_read_bytes(LINK_UART, byte, 1, pdMS_TO_TICKS(wait_ms)) == 1 ? 1u : 0u;
}

void board_send(const uint8_t *bytes, uint8_t count) {
  size_t room = 0;
  if (count == 0u || uart_get_tx_buffer_free_size(LINK_UART, &room) != ESP_OK || room < count) return;
  (void)uart_write_bytes(LINK_UART, bytes, count);
}
