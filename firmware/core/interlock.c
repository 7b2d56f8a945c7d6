#include "interlock-state.h"

#include <stddef.h>

#include "crc.h"

/* --- Time ----------------------------------------------------------------------------------------------------------*/

/* From one reading of the clock to the next, over its wrap; a case split, since a prover follows it better than a modulus. */
static uint32_t elapsed(uint32_t from_ms, uint32_t to_ms) {
  if (to_ms >= from_ms) {
    return to_ms - from_ms;
  }
  return (CLOCK_MAX - from_ms) + to_ms + 1u;
}

/* Counters stop at their cap: none of them may wrap. */
static uint32_t add_capped(uint32_t value, uint32_t more, uint32_t cap) {
  if ((value >= cap) || (more >= (cap - value))) {
    return cap;
  }
  return value + more;
}

/* --- The budget ----------------------------------------------------------------------------------------------------*/

/* The slot that was charged `back` slots ago. */
static uint32_t slot_before(uint32_t current, uint32_t back) {
  return (back <= current) ? (current - back) : ((current + BUDGET_SLOTS) - back);
}

/* What all slots hold, at most BUDGET_MS + 1: that much says that they cannot be true. */
static uint32_t charged(const struct interlock_saved *saved) {
  uint32_t total = 0;
  for (uint32_t back = 0; back < BUDGET_SLOTS; back++) {
    uint32_t slot = saved->slot[slot_before(saved->current, back)];
    if (slot > (BUDGET_MS - total)) {
      return BUDGET_MS + 1u;
    }
    total += slot;
  }
  return total;
}

static uint16_t crc_word(uint16_t crc, uint32_t word) {
  uint16_t sum = crc16(crc, (uint8_t)(word & 0xFFu));
  sum = crc16(sum, (uint8_t)((word >> 8) & 0xFFu));
  sum = crc16(sum, (uint8_t)((word >> 16) & 0xFFu));
  return crc16(sum, (uint8_t)((word >> 24) & 0xFFu));
}

static uint32_t saved_crc(const struct interlock_saved *saved) {
  uint16_t crc = crc_word(crc_word(CRC16_BEGIN, saved->serial), saved->boots);
  for (uint32_t i = 0; i < BUDGET_SLOTS; i++) {
    crc = crc_word(crc, saved->slot[i]);
  }
  return crc_word(crc, saved->current);
}

static uint8_t saved_sound(const struct interlock_saved *saved) {
  if ((saved->crc != saved_crc(saved)) || (saved->current >= BUDGET_SLOTS)) {
    return 0;
  }
  return (charged(saved) <= BUDGET_MS) ? 1u : 0u;
}

/* What an activation may last longer than it was asked: it ends at a step, and the next step may be a gap away. */
static uint32_t charge_of(uint32_t asked_ms) {
  return asked_ms + MAX_GAP_MS;
}

/* Charged in full before the contact closes, the possible overrun included. */
static void charge(struct interlock *s, uint32_t asked_ms) {
  s->saved.slot[s->saved.current] += charge_of(asked_ms);
  s->unsaved = 1;
}

/* The overrun that did not happen is given back; what was asked is not, even when the pump was stopped before. */
static uint32_t overcharge(uint32_t asked_ms, uint32_t on_ms) {
  uint32_t overrun = (on_ms > asked_ms) ? (on_ms - asked_ms) : 0u;
  return (overrun < MAX_GAP_MS) ? (MAX_GAP_MS - overrun) : 0u;
}

static void settle(struct interlock_saved *saved, uint32_t asked_ms, uint32_t on_ms) {
  saved->slot[saved->current] -= overcharge(asked_ms, on_ms);
  saved->crc = saved_crc(saved);
}

/* A new slot begins when the last is old enough and nothing runs: so an activation lies within one slot. */
static void next_slot(struct interlock *s) {
  struct counters *c = &s->counters;
  if ((c->pump.on != 0u) || (c->slot_ms < SLOT_MS)) {
    return;
  }
  uint32_t next = s->saved.current + 1u;
  s->saved.current = (next < BUDGET_SLOTS) ? next : 0u;
  s->saved.slot[s->saved.current] = 0;
  s->unsaved = 1;
  c->slot_ms = 0;
}

/* --- One output ----------------------------------------------------------------------------------------------------*/

/* A node that is live at one step may be a spark; live at two and all the time between counts. */
static void channel_stray(struct channel *c, uint32_t gap, uint8_t live) {
  if ((c->on != 0u) || (live == 0u)) {
    c->stray = 0;
    c->stray_ms = 0;
    return;
  }
  if (c->stray != 0u) {
    c->stray_ms = add_capped(c->stray_ms, gap, FEEDBACK_MS + 1u);
  }
  c->stray = 1;
}

/* `gap` has passed; a rest gets only as much of it as is believed. */
static void channel_age(struct channel *c, uint32_t gap, uint32_t believed, uint8_t live, uint32_t full_rest_ms) {
  if (c->on != 0u) {
    c->on_ms = add_capped(c->on_ms, gap, UINT32_MAX);
  } else {
    c->rest_ms = add_capped(c->rest_ms, believed, full_rest_ms);
  }
  if (live != 0u) {
    c->live_ms = add_capped(c->live_ms, gap, UINT32_MAX);
  }
  channel_stray(c, gap, live);
}

static void channel_begin(struct channel *c, uint32_t asked_ms) {
  c->on = 1;
  c->on_ms = 0;
  c->live_ms = 0;
  c->asked_ms = asked_ms;
}

static void channel_end(struct channel *c) {
  c->on = 0;
  c->rest_ms = 0;
}

/* Why this output may not begin, but for its budget. */
static uint8_t channel_refusal(const struct channel *c, uint32_t asked_ms, uint32_t cut_ms, uint32_t full_rest_ms) {
  if ((asked_ms == 0u) || (asked_ms >= cut_ms)) {
    return REFUSED_TOO_LONG;
  }
  if ((c->on != 0u) || (c->held != 0u)) {
    return REFUSED_BUSY;
  }
  return (c->rest_ms < full_rest_ms) ? REFUSED_REST : REFUSED_NOTHING;
}

/* --- The copies ----------------------------------------------------------------------------------------------------*/

static uint8_t channel_mirrored(const struct channel *c, const struct channel *m) {
  return (uint8_t)((m->on == (UINT32_MAX - c->on)) && (m->on_ms == (UINT32_MAX - c->on_ms)) &&
                   (m->asked_ms == (UINT32_MAX - c->asked_ms)) && (m->live_ms == (UINT32_MAX - c->live_ms)) &&
                   (m->rest_ms == (UINT32_MAX - c->rest_ms)) && (m->stray == (UINT32_MAX - c->stray)) &&
                   (m->stray_ms == (UINT32_MAX - c->stray_ms)) && (m->held == (UINT32_MAX - c->held)));
}

static uint8_t mirrored(const struct counters *c, const struct counters *m) {
  return (uint8_t)((m->now_ms == (UINT32_MAX - c->now_ms)) && (m->faults == (UINT32_MAX - c->faults)) &&
                   (m->heartbeat_ms == (UINT32_MAX - c->heartbeat_ms)) && (m->slot_ms == (UINT32_MAX - c->slot_ms)) &&
                   (m->clear_held == (UINT32_MAX - c->clear_held)) && (channel_mirrored(&c->pump, &m->pump) != 0u) &&
                   (channel_mirrored(&c->light, &m->light) != 0u));
}

static void channel_mirror(const struct channel *c, struct channel *m) {
  m->on = UINT32_MAX - c->on;
  m->on_ms = UINT32_MAX - c->on_ms;
  m->asked_ms = UINT32_MAX - c->asked_ms;
  m->live_ms = UINT32_MAX - c->live_ms;
  m->rest_ms = UINT32_MAX - c->rest_ms;
  m->stray = UINT32_MAX - c->stray;
  m->stray_ms = UINT32_MAX - c->stray_ms;
  m->held = UINT32_MAX - c->held;
}

static void mirror(const struct counters *c, struct counters *m) {
  m->now_ms = UINT32_MAX - c->now_ms;
  m->faults = UINT32_MAX - c->faults;
  m->heartbeat_ms = UINT32_MAX - c->heartbeat_ms;
  m->slot_ms = UINT32_MAX - c->slot_ms;
  m->clear_held = UINT32_MAX - c->clear_held;
  channel_mirror(&c->pump, &m->pump);
  channel_mirror(&c->light, &m->light);
}

/* --- Faults --------------------------------------------------------------------------------------------------------*/

static uint32_t latch(uint32_t faults, uint32_t fault, uint8_t happened) {
  return (happened != 0u) ? (faults | fault) : faults;
}

static uint32_t pump_faults(uint32_t faults, const struct channel *pump, uint32_t heartbeat_ms) {
  uint32_t f = faults;
  f = latch(f, FAULT_PUMP_CUT, (uint8_t)((pump->on != 0u) && (pump->on_ms >= PUMP_CUT_MS)));
  f = latch(f, FAULT_HEARTBEAT, (uint8_t)((pump->on != 0u) && (heartbeat_ms >= PUMP_HEARTBEAT_MS)));
  return latch(f, FAULT_PUMP_CONTACT, (uint8_t)(pump->stray_ms > FEEDBACK_MS));
}

static uint32_t light_faults(uint32_t faults, const struct channel *light) {
  uint32_t f = faults;
  f = latch(f, FAULT_LIGHT_CUT, (uint8_t)((light->on != 0u) && (light->on_ms >= LIGHT_CUT_MS)));
  return latch(f, FAULT_LIGHT_CONTACT, (uint8_t)(light->stray_ms > FEEDBACK_MS));
}

static uint32_t judge(const struct counters *c, uint32_t gap, uint8_t stop_pressed) {
  uint32_t f = latch(c->faults, FAULT_GAP, (uint8_t)(gap > MAX_GAP_MS));
  f = latch(f, FAULT_STOP, (uint8_t)(stop_pressed != 0u));
  return light_faults(pump_faults(f, &c->pump, c->heartbeat_ms), &c->light);
}

/* --- The parts of a step -------------------------------------------------------------------------------------------*/

static void age(struct counters *c, uint32_t gap, const struct interlock_inputs *in) {
  uint32_t believed = (gap <= MAX_GAP_MS) ? gap : 0u;
  channel_age(&c->pump, gap, believed, in->pump_live, PUMP_REST_MS);
  channel_age(&c->light, gap, believed, in->light_live, LIGHT_REST_MS);
  c->heartbeat_ms = add_capped(c->heartbeat_ms, gap, LIGHT_HEARTBEAT_MS);
  c->slot_ms = add_capped(c->slot_ms, believed, SLOT_MS);
}

static void end_pump(struct interlock *s, uint8_t off) {
  struct channel *pump = &s->counters.pump;
  if ((pump->on == 0u) || ((off == 0u) && (s->counters.faults == 0u) && (pump->on_ms < pump->asked_ms))) {
    return;
  }
  settle(&s->saved, pump->asked_ms, pump->on_ms);
  channel_end(pump);
}

/* A Pi that restarts is lawful: the light goes off without a fault. */
static void end_light(struct counters *c, uint8_t off) {
  if ((c->light.on == 0u) || ((off == 0u) && (c->faults == 0u) && (c->light.on_ms < c->light.asked_ms) &&
                              (c->heartbeat_ms < LIGHT_HEARTBEAT_MS))) {
    return;
  }
  channel_end(&c->light);
}

static uint8_t clear_faults(struct counters *c, const struct interlock_inputs *in) {
  if ((c->pump.on != 0u) || (c->light.on != 0u) || (in->stop_pressed != 0u) || (in->pump_live != 0u) ||
      (in->light_live != 0u) || (c->clear_held != 0u)) {
    return REFUSED_NOT_IDLE;
  }
  if (c->heartbeat_ms >= PUMP_HEARTBEAT_MS) {
    return REFUSED_HEARTBEAT;
  }
  if ((c->faults & FAULT_MEMORY) != 0u) {
    return REFUSED_FAULT;
  }
  c->faults = 0;
  return REFUSED_NOTHING;
}

/* Nothing begins under a fault, or without an earlier heartbeat: the request's own line is not enough. */
static uint8_t general_refusal(const struct counters *c) {
  if (c->faults != 0u) {
    return REFUSED_FAULT;
  }
  return (c->heartbeat_ms >= PUMP_HEARTBEAT_MS) ? REFUSED_HEARTBEAT : REFUSED_NOTHING;
}

static uint8_t budget_refusal(const struct interlock_saved *saved, uint32_t asked_ms) {
  uint32_t total = charged(saved);
  return ((total > BUDGET_MS) || (charge_of(asked_ms) > (BUDGET_MS - total))) ? REFUSED_BUDGET : REFUSED_NOTHING;
}

static uint8_t request_pump(struct interlock *s, uint32_t asked_ms) {
  uint8_t refused = general_refusal(&s->counters);
  if (refused == REFUSED_NOTHING) {
    refused = channel_refusal(&s->counters.pump, asked_ms, PUMP_CUT_MS, PUMP_REST_MS);
  }
  if (refused == REFUSED_NOTHING) {
    refused = budget_refusal(&s->saved, asked_ms);
  }
  if (refused == REFUSED_NOTHING) {
    charge(s, asked_ms);
    channel_begin(&s->counters.pump, asked_ms);
  }
  return refused;
}

static uint8_t request_light(struct counters *c, uint32_t asked_ms) {
  uint8_t refused = general_refusal(c);
  if (refused == REFUSED_NOTHING) {
    refused = channel_refusal(&c->light, asked_ms, LIGHT_CUT_MS, LIGHT_REST_MS);
  }
  if (refused == REFUSED_NOTHING) {
    channel_begin(&c->light, asked_ms);
  }
  return refused;
}

/* At most one command a step. */
static uint8_t command(struct interlock *s, const struct interlock_inputs *in) {
  if ((in->pump_off != 0u) || (in->light_off != 0u)) {
    return REFUSED_NOTHING;
  }
  if (in->clear != 0u) {
    return clear_faults(&s->counters, in);
  }
  if (in->pump_request != 0u) {
    return request_pump(s, in->pump_ms);
  }
  return (in->light_request != 0u) ? request_light(&s->counters, in->light_ms) : REFUSED_NOTHING;
}

static void remember(struct counters *c, const struct interlock_inputs *in) {
  c->pump.held = (in->pump_request != 0u) ? 1u : 0u;
  c->light.held = (in->light_request != 0u) ? 1u : 0u;
  c->clear_held = (in->clear != 0u) ? 1u : 0u;
  if (in->heartbeat != 0u) {
    c->heartbeat_ms = 0;
  }
}

/* 1 when the port has to write `saved`, which is made ready for it. */
static uint8_t take_unsaved(struct interlock *s) {
  uint8_t save = (s->unsaved != 0u) ? 1u : 0u;
  if (save != 0u) {
    s->saved.serial++;
    s->saved.crc = saved_crc(&s->saved);
    s->unsaved = 0;
  }
  return save;
}

/* The slots are looked at when they are about to be relied on: their CRC takes too long for every step. */
static uint8_t sound(const struct interlock *s, uint8_t pump_request) {
  if ((mirrored(&s->counters, &s->complements) == 0u) || (s->saved.current >= BUDGET_SLOTS)) {
    return 0;
  }
  return ((pump_request == 0u) || (saved_sound(&s->saved) != 0u)) ? 1u : 0u;
}

/* Memory that contradicts itself is not reasoned with: off, until a reset. */
static struct interlock_outputs memory_fault(struct interlock *s) {
  struct interlock_outputs out = {0, 0, 0, REFUSED_FAULT};
  s->counters.faults = s->counters.faults | FAULT_MEMORY;
  s->counters.pump.on = 0;
  s->counters.light.on = 0;
  return out;
}

static void advance(struct interlock *s, uint32_t now_ms, const struct interlock_inputs *in) {
  uint32_t gap = elapsed(s->counters.now_ms, now_ms);
  s->counters.now_ms = now_ms;
  age(&s->counters, gap, in);
  s->counters.faults = judge(&s->counters, gap, in->stop_pressed);
  end_pump(s, in->pump_off);
  end_light(&s->counters, in->light_off);
  next_slot(s);
}

/* --- What a port calls ---------------------------------------------------------------------------------------------*/

struct interlock_outputs interlock_step(struct interlock *s, uint32_t now_ms, const struct interlock_inputs *in) {
  struct interlock_outputs out = {0, 0, 0, REFUSED_NOTHING};
  if (sound(s, in->pump_request) == 0u) {
    return memory_fault(s);
  }
  advance(s, now_ms, in);
  out.refused = command(s, in);
  remember(&s->counters, in);
  mirror(&s->counters, &s->complements);
  out.pump = (s->counters.pump.on != 0u) ? 1u : 0u;
  out.light = (s->counters.light.on != 0u) ? 1u : 0u;
  out.save = take_unsaved(s);
  return out;
}

int interlock_newer(const struct interlock_saved copies[2]) {
  uint8_t first = saved_sound(&copies[0]);
  uint8_t second = saved_sound(&copies[1]);
  if ((first == 0u) && (second == 0u)) {
    return -1;
  }
  if ((first == 0u) || (second == 0u)) {
    return (first != 0u) ? 0 : 1;
  }
  /* Serials may wrap: the newer is less than half the circle ahead. */
  return ((copies[1].serial - copies[0].serial) < 0x80000000u) ? 1 : 0;
}

static void start_channel(struct channel *c) {
  c->on = 0;
  c->on_ms = 0;
  c->asked_ms = 0;
  c->live_ms = 0;
  c->rest_ms = 0;
  c->stray = 0;
  c->stray_ms = 0;
  c->held = 1; /* a request that is there already is no edge */
}

static void start_spent(struct interlock_saved *saved) {
  saved->serial = 0;
  saved->boots = 0;
  saved->current = 0;
  for (uint32_t i = 0; i < BUDGET_SLOTS; i++) {
    saved->slot[i] = 0;
  }
  saved->slot[0] = BUDGET_MS;
}

static void copy_saved(struct interlock_saved *saved, const struct interlock_saved *from) {
  saved->serial = from->serial;
  saved->boots = from->boots;
  saved->current = from->current;
  for (uint32_t i = 0; i < BUDGET_SLOTS; i++) {
    saved->slot[i] = from->slot[i];
  }
}

static void start_saved(struct interlock_saved *saved, const struct interlock_saved *from) {
  if ((from == NULL) || (saved_sound(from) == 0u)) {
    start_spent(saved);
  } else {
    copy_saved(saved, from);
  }
  saved->boots++;
  saved->crc = saved_crc(saved);
}

void interlock_start(struct interlock *s, uint32_t now_ms, const struct interlock_saved *saved, uint16_t faults) {
  start_saved(&s->saved, saved);
  s->unsaved = 1;
  s->counters.now_ms = now_ms;
  s->counters.faults = faults;
  s->counters.heartbeat_ms = LIGHT_HEARTBEAT_MS; /* none was heard */
  s->counters.slot_ms = 0;
  s->counters.clear_held = 1;
  start_channel(&s->counters.pump);
  start_channel(&s->counters.light);
  mirror(&s->counters, &s->complements);
}

uint16_t interlock_faults(const struct interlock *s) {
  return (uint16_t)s->counters.faults;
}

uint32_t interlock_pump_rest(const struct interlock *s) {
  const struct channel *pump = &s->counters.pump;
  return ((pump->on == 0u) && (pump->rest_ms < PUMP_REST_MS)) ? (PUMP_REST_MS - pump->rest_ms) : 0u;
}

uint32_t interlock_light_rest(const struct interlock *s) {
  const struct channel *light = &s->counters.light;
  return ((light->on == 0u) && (light->rest_ms < LIGHT_REST_MS)) ? (LIGHT_REST_MS - light->rest_ms) : 0u;
}

uint32_t interlock_budget_left(const struct interlock *s) {
  if (saved_sound(&s->saved) == 0u) {
    return 0;
  }
  uint32_t left = BUDGET_MS - charged(&s->saved);
  return (left > MAX_GAP_MS) ? (left - MAX_GAP_MS) : 0u;
}

uint32_t interlock_pump_on(const struct interlock *s) {
  return s->counters.pump.on_ms;
}

uint32_t interlock_pump_live(const struct interlock *s) {
  return s->counters.pump.live_ms;
}

uint32_t interlock_light_on(const struct interlock *s) {
  return s->counters.light.on_ms;
}
