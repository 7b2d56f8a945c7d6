/*
 * The table of frames (../frames.json) on this machine: the core and its link, stepped every 10 ms as on a device. One line of
 * standard input a frame: at, levels, what is sent, what the answer must be; bytes in hexadecimal, "-" for none.
 * Besides: what link.h promises of a start, of a byte and of the events of a step.
 */
#include <stdio.h>
#include <stdlib.h>
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

static void demand(int holds, const char *what) {
  if (holds) return;
  printf("BROKEN: %s (at %u ms)\n", what, (unsigned)now);
  exit(1);
}

/* What a start leaves, whatever the memory held before; 5 could be the length of a line that has begun. */
static void start(uint32_t boots) {
  static const uint8_t nothing[LINK_LINE];
  memset(&line, 5, sizeof line);
  link_start(&line, boots);
  demand(memcmp(line.line, nothing, sizeof nothing) == 0 && line.ms == 0u && line.order == 0u && line.pump_order == 0u &&
           line.light_order == 0u && line.stale == 0u && line.returned == 0u && line.length > LINK_LINE, "a start leaves nothing of what the memory held");
}

/* The finaliser of MurmurHash3, as its author published it; of 0 it is 0, which no token may be. */
static void see_first_tokens(void) {
  static const uint32_t tokens[][2] = {
    {0u, 1u}, {1u, 0x514E28B7u}, {0x10000u, 0x0EA34562u}, {0x12345678u, 0xE37CD1BCu}, {0xDEADBEEFu, 0x0DE5C6A9u}, {UINT32_MAX, 0x81F16F39u},
  };
  for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
    start(tokens[i][0]);
    demand(line.token == tokens[i][1], "the first token is made of the number of starts");
  }
}

static void see_events(const struct interlock_inputs *in) {
  demand(in->heartbeat <= 1u && in->pump_request <= 1u && in->light_request <= 1u && in->pump_off <= 1u && in->light_off <= 1u &&
           in->clear <= 1u, "an event is 0 or 1");
  demand((in->pump_request != 0u || in->pump_ms == 0u) && (in->light_request != 0u || in->light_ms == 0u),
         "a time comes with its request alone");
  if (line.waiting == 0u || line.stale != 0u)
    demand((in->heartbeat | in->pump_request | in->light_request | in->clear) == 0u, "without a line, or with an old token, no event but off");
}

static void turn(uint32_t levels) {
  struct interlock_inputs in;
  struct interlock_outputs out;
  memset(&in, 0xA5, sizeof in);
  link_inputs(&line, &in);
  see_events(&in);
  in.pump_live = levels & 1u;
  in.light_live = (levels >> 1) & 1u;
  in.stop_pressed = (levels >> 2) & 1u;
  out = interlock_step(&state, now, &in);
  if (count + LINK_ANSWER <= sizeof said) count += link_answer(&line, &state, &in, &out, said + count);
  demand(line.waiting == 0u && line.stale == 0u, "an answer ends its line");
}

/* A byte, and a turn when it ended a line: until then no other byte is taken. */
static void receive(uint8_t byte, uint32_t levels) {
  const uint8_t whole = link_receive(&line, byte);
  demand(whole == (line.waiting != 0u ? 1u : 0u) && line.stale <= 1u, "a whole line is told, and nothing else");
  if (whole == 0u) return;
  demand(link_receive(&line, ':') == 0u, "no byte is taken while a line waits");
  turn(levels);
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
  for (size_t i = 0; i < size; i++) receive(bytes[i], levels);
  size = bytes_of(answer, bytes);
  return size == count && memcmp(bytes, said, size) == 0;
}

int main(void) {
  static char sent[8192];
  static char answer[8192];
  struct interlock_saved fresh = {.crc = CRC_OF_NOTHING};
  unsigned at, levels, frames = 0;
  see_first_tokens();
  interlock_start(&state, 0, &fresh, 0);
  start(state.saved.boots);
  while (scanf("%u %u %8191s %8191s", &at, &levels, sent, answer) == 4) {
    frames++;
    if (!answers(at, levels, sent, answer)) {
      printf("BROKEN: frame %u was answered %.*s\n", frames, (int)count, (const char *)said);
      return 1;
    }
  }
  printf("%u frames, every one answered as the table says\n", frames);
  return frames == 0;
}
