#include "memory.h"

#include "nvs.h"
#include "nvs_flash.h"

static const char *const KEYS[2] = {"a", "b"};

static nvs_handle_t store;
static uint8_t opened;
/* The one that is written next. */
static uint8_t next;

/* A partition that cannot be read is emptied: what it held counts as spent. */
static void open_store(void) {
  if (nvs_flash_init() != ESP_OK) {
    if (nvs_flash_erase() != ESP_OK || nvs_flash_init() != ESP_OK) return;
  }
  opened = nvs_open("interlock", NVS_READWRITE, &store) == ESP_OK ? 1u : 0u;
}

/* What is not there is left as zeros but for a CRC that they do not have. */
static void read_copy(uint8_t copy, struct interlock_saved *saved) {
  static const struct interlock_saved unsound = {.crc = UINT32_MAX};
  size_t size = sizeof *saved;
  *saved = unsound;
  if (nvs_get_blob(store, KEYS[copy], saved, &size) != ESP_OK || size != sizeof *saved) *saved = unsound;
}

uint8_t memory_load(struct interlock_saved *saved) {
  static struct interlock_saved copies[2];
  int newer;
  open_store();
  if (opened == 0u) return 0u;
  read_copy(0u, &copies[0]);
  read_copy(1u, &copies[1]);
  newer = interlock_newer(copies);
  if (newer < 0) return 0u;
  next = newer == 0 ? 1u : 0u;
  *saved = copies[newer];
  return 1u;
}

uint8_t memory_save(const struct interlock_saved *saved) {
  if (opened == 0u) return 0u;
  if (nvs_set_blob(store, KEYS[next], saved, sizeof *saved) != ESP_OK || nvs_commit(store) != ESP_OK) return 0u;
  next = next == 0u ? 1u : 0u;
  return 1u;
}
