/*
 * The table of frames (../frames.json) on this machine: the core and its link, stepped every 10 ms as on a device. One line of
 * standard input a frame: at, levels, what is sent, what the answer must be; bytes in hexadecimal, "-" for none.
 */
#include <stdio.h>
#include <string.h>

#include "../core/interlock-state.h"
#include "../core/link.h"

#define STEP_MS 10u
#define CRC_OF_NOTHING 0x04BFu /* of an image of zeros: ports/avr/fresh.c */

static struct interlock state;
static struct link line;
static uint32_t now;
static uint8_t said[4096];
static size_t count;

static void turn(uint32_t levels) {
  struct interlock_inputs in;
  struct interlock_outputs out;
  link_inputs(&line, &in);
  in.pump_live = levels & 1u;
  in.light_live = (levels >> 1) & 1u;
  in.stop_pressed = (levels >> 2) & 1u;
  out = interlock_step(&state, now, &in);
  if (count + LINK_ANSWER <= sizeof said) count += link_answer(&line, &state, &in, &out, said + count);
}

static size_t bytes_of(const char *text, uint8_t *to) {
  size_t size = 0;
  unsigned byte;
  for (; sscanf(text, "%2x", &byte) == 1; text += 2) to[size++] = (uint8_t)byte;
  return size;
}

/* 1 when it answered as the table says. */
static int answers(uint32_t at, uint32_t levels, const char *sent, const char *answer) {
  static uint8_t bytes[4096];
  size_t size = bytes_of(sent, bytes);
  count = 0;
  for (; now < at; now += STEP_MS) turn(levels);
  for (size_t i = 0; i < size; i++)
    if (link_receive(&line, bytes[i]) != 0u) turn(levels);
  size = bytes_of(answer, bytes);
  return size == count && memcmp(bytes, said, size) == 0;
}

int main(void) {
  static char sent[8192];
  static char answer[8192];
  struct interlock_saved fresh = {.crc = CRC_OF_NOTHING};
  unsigned at, levels, frames = 0;
  interlock_start(&state, 0, &fresh, 0);
  link_start(&line, state.saved.boots);
  while (scanf("%u %u %8191s %8191s", &at, &levels, sent, answer) == 4) {
    frames++;
    if (!answers(at, levels, sent, answer)) {
      printf("BROKEN: frame %u\n", frames);
      return 1;
    }
  }
  printf("%u frames, every one answered as the table says\n", frames);
  return frames == 0;
}
