/* A stub for type checks: not ESP-IDF. */
#pragma once
void abort(void);
typedef int esp_err_t;
#define ESP_OK 0
#define ESP_ERROR_CHECK(x) do { if ((x) != ESP_OK) abort(); } while (0)
