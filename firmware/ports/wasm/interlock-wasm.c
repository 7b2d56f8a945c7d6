/*
 * The interlock as WebAssembly: the bench's, and what the tables of frames are tested against. One instance a module.
 * The host stands in for the hardware: it gives time and levels, keeps the saved image, and reads outputs and answers.
 */
#include "../../core/interlock-state.h"
#include "../../core/link.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

/* Of `levels`. */
#define PUMP_LIVE 0x01u
#define LIGHT_LIVE 0x02u
#define STOP_PRESSED 0x04u

/* Of what step returns. */
#define PUMP_CLOSED 0x01u
#define LIGHT_CLOSED 0x02u
#define SAVE 0x04u

static struct interlock state;
static struct link line;
static struct interlock_saved image;
static uint8_t answer_bytes[LINK_ANSWER];
static uint32_t answer_count;

/* clang calls it for structures that are copied; there is no libc here. */
void *memcpy(void *to, const void *from, unsigned long size);
void *memcpy(void *to, const void *from, unsigned long size) {
  uint8_t *into = to;
  const uint8_t *source = from;
  unsigned long i;
  for (i = 0u; i < size; i++) into[i] = source[i];
  return to;
}

/* Where the image lies: written before start, read after a step that asks to save. */
uint32_t EXPORT(saved)(void);
uint32_t EXPORT(saved)(void) { return (uint32_t)(uintptr_t)&image; }

uint32_t EXPORT(saved_size)(void);
uint32_t EXPORT(saved_size)(void) { return (uint32_t)sizeof image; }

/* `has_saved` 0: nothing was kept, which counts as a spent budget. `faults` are the port's, as FAULT_RESET. */
void EXPORT(start)(uint32_t now_ms, uint32_t has_saved, uint32_t faults);
void EXPORT(start)(uint32_t now_ms, uint32_t has_saved, uint32_t faults) {
  interlock_start(&state, now_ms, has_saved != 0u ? &image : 0, (uint16_t)faults);
  link_start(&line, state.saved.boots);
  answer_count = 0u;
}

/* 1 when this byte ended a line: step, and read the answer, before the next byte. */
uint32_t EXPORT(receive)(uint32_t byte);
uint32_t EXPORT(receive)(uint32_t byte) { return link_receive(&line, (uint8_t)byte); }

uint32_t EXPORT(step)(uint32_t now_ms, uint32_t levels);
uint32_t EXPORT(step)(uint32_t now_ms, uint32_t levels) {
  struct interlock_inputs in;
  struct interlock_outputs out;
  link_inputs(&line, &in);
  in.pump_live = (levels & PUMP_LIVE) != 0u ? 1u : 0u;
  in.light_live = (levels & LIGHT_LIVE) != 0u ? 1u : 0u;
  in.stop_pressed = (levels & STOP_PRESSED) != 0u ? 1u : 0u;
  out = interlock_step(&state, now_ms, &in);
  answer_count = link_answer(&line, &state, &in, &out, answer_bytes);
  image = state.saved;
  return (out.pump != 0u ? PUMP_CLOSED : 0u) | (out.light != 0u ? LIGHT_CLOSED : 0u) | (out.save != 0u ? SAVE : 0u);
}

/* The last step's answer; its length is 0 when there was nothing to answer. */
uint32_t EXPORT(answer)(void);
uint32_t EXPORT(answer)(void) { return (uint32_t)(uintptr_t)answer_bytes; }

uint32_t EXPORT(answer_length)(void);
uint32_t EXPORT(answer_length)(void) { return answer_count; }
