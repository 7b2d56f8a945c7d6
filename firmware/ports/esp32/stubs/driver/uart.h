/* A stub for type checks: not ESP-IDF. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "esp_err.h"
#include "freertos/FreeRTOS.h"
typedef enum { UART_NUM_0, UART_NUM_1 } uart_port_t;
typedef enum { UART_DATA_8_BITS = 3 } uart_word_length_t;
typedef enum { UART_PARITY_DISABLE = 0 } uart_parity_t;
typedef enum { UART_STOP_BITS_1 = 1 } uart_stop_bits_t;
typedef enum { UART_HW_FLOWCTRL_DISABLE = 0 } uart_hw_flowcontrol_t;
typedef enum { UART_SCLK_DEFAULT = 4 } uart_sclk_t;
typedef void *QueueHandle_t;
#define UART_PIN_NO_CHANGE (-1)
typedef struct {
  int baud_rate; uart_word_length_t data_bits; uart_parity_t parity; uart_stop_bits_t stop_bits;
  uart_hw_flowcontrol_t flow_ctrl; uint8_t rx_flow_ctrl_thresh; uart_sclk_t source_clk;
} uart_config_t;
esp_err_t uart_driver_install(uart_port_t port, int rx_size, int tx_size, int queue_size, QueueHandle_t *queue, int flags);
esp_err_t uart_param_config(uart_port_t port, const uart_config_t *config);
esp_err_t uart_set_pin(uart_port_t port, int tx, int rx, int rts, int cts);
int uart_read_bytes(uart_port_t port, void *buf, uint32_t length, TickType_t ticks_to_wait);
esp_err_t uart_get_tx_buffer_free_size(uart_port_t port, size_t *size);
int uart_write_bytes(uart_port_t port, const void *src, size_t size);
