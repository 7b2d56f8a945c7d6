/* A stub for type checks: not ESP-IDF. */
#pragma once
#include "freertos/FreeRTOS.h"
typedef struct tskTaskControlBlock *TaskHandle_t;
void vTaskDelay(const TickType_t ticks);
void vTaskPrioritySet(TaskHandle_t task, UBaseType_t priority);
