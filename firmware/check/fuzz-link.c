/* libFuzzer: any bytes to the link, a step for every line that it takes. ASan and UBSan are the judges, and what is asserted. */
#include <stddef.h>

#include "../core/interlock-state.h"
#include "../core/link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct interlock interlock;
  struct link link;
  uint32_t now_ms = 0xFFFFF000u;
  uint8_t answer[LINK_ANSWER];
  interlock_start(&interlock, now_ms, NULL, 0);
  link_start(&link, size > 0u ? data[0] : 0u);
  for (size_t i = 0; i < size; i++) {
    struct interlock_inputs in = {0};
    now_ms += 10u;
    (void)link_receive(&link, data[i]);
    link_inputs(&link, &in);
    struct interlock_outputs out = interlock_step(&interlock, now_ms, &in);
    if (link_answer(&link, &interlock, &in, &out, answer) > LINK_ANSWER) __builtin_trap();
    if (interlock_faults(&interlock) != 0u && (out.pump != 0u || out.light != 0u)) __builtin_trap();
  }
  return 0;
}
