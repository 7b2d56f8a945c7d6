/*
 * For Frama-C's Eva only, never built: any bytes to the link, any outputs of a step, any state of the interlock. Eva's
 * abstract interpretation covers every run of this loop; an alarm would be an access or an arithmetic that may go wrong.
 */
#include "../core/link.c"
#include "../core/crc.c"
#include "../core/interlock.c"

volatile uint8_t any_byte;
volatile uint32_t any_word;
volatile struct interlock any_interlock;
volatile struct interlock_inputs any_inputs;
volatile struct interlock_outputs any_outputs;

int main(void) {
  struct link link;
  uint8_t answer[LINK_ANSWER];
  link_start(&link, any_word);
  while (1) {
    (void)link_receive(&link, any_byte);
    if (any_byte != 0u) {
      struct interlock interlock = any_interlock;
      struct interlock_inputs in = any_inputs;
      struct interlock_outputs out = any_outputs;
      link_inputs(&link, &in);
      (void)link_answer(&link, &interlock, &in, &out, answer);
    }
  }
}
