/*
 * Which pins. None is a strapping pin (ESP32-C3: 2, 8, 9; ESP32: 0, 2, 5, 12, 15), none is the flash's or the boot
 * loader's UART. GPIO7 of the C3, at which an owner measured a short high pulse at reset, is an input here.
 * On an ESP32 with PSRAM (WROVER) 16 and 17 are the memory's: choose two others there.
 * Both outputs need a pull-down of 10 k: until the firmware runs, nothing else holds them.
 */
#ifndef TENDRIL_ESP32_PINS_H
#define TENDRIL_ESP32_PINS_H

#include "sdkconfig.h"

#if defined(CONFIG_IDF_TARGET_ESP32C3)
#define PIN_PUMP 4
#define PIN_LIGHT 5
#define PIN_PUMP_NODE 6
#define PIN_LIGHT_NODE 7
#define PIN_STOP 10
#define PIN_RXD 0
#define PIN_TXD 1
#elif defined(CONFIG_IDF_TARGET_ESP32)
#define PIN_PUMP 25
#define PIN_LIGHT 26
#define PIN_PUMP_NODE 32
#define PIN_LIGHT_NODE 33
#define PIN_STOP 27
#define PIN_RXD 16
#define PIN_TXD 17
#else
#error "No pins were chosen for this chip: look at its strapping pins first"
#endif

#endif
