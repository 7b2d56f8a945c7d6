/* A stub for type checks: not ESP-IDF. */
#pragma once
#include <stdint.h>
typedef uint32_t TickType_t;
typedef unsigned int UBaseType_t;
#define configTICK_RATE_HZ 1000
#define configMAX_PRIORITIES 25
#define pdMS_TO_TICKS(ms) ((TickType_t)(((TickType_t)(ms) * (TickType_t)configTICK_RATE_HZ) / (TickType_t)1000U))
