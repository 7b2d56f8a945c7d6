/* A stub for type checks: not ESP-IDF. */
#pragma once
#define IRAM_ATTR
