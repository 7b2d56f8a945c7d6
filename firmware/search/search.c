/*
 * Every state that the real interlock.c can reach under tiny limits, breadth first, with a monitor of its own: the monitor
 * knows the wires (what was on in each of the last milliseconds), never the interlock's counters. Two searches, one with the
 * pump's commands and one with the light's. Counters that only reports read are set to zero, so that the states are finite.
 */
#include "../core/interlock.c"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_MS ((BUDGET_SLOTS - 1u) * SLOT_MS)
#define TABLE_SIZE (1u << 22) /* the search of today finds 1.4 million states */

/* The CRC is another part's: here every copy is sound. */
uint16_t crc16(uint16_t crc, uint8_t byte) {
  (void)crc;
  (void)byte;
  return 0;
}

struct node {
  uint8_t now, faults_low, faults_high, heartbeat, slot_ms, clear_held;
  uint8_t pump_on, pump_on_ms, pump_asked, pump_rest, pump_stray, pump_stray_ms, pump_held;
  uint8_t light_on, light_on_ms, light_asked, light_rest, light_stray, light_stray_ms, light_held;
  uint8_t slots[BUDGET_SLOTS], current;
  /* The monitor's. */
  uint8_t silent_ms, run_ms, off_ms, faulty, was_asked;
  uint16_t history; /* one bit a ms, 1 when the pump was on */
};

static struct node *table;
static uint32_t *queue;
static uint32_t found, taken;
static uint64_t steps;
static int light_search;

static void demand(int holds, const char *what) {
  if (!holds) {
    printf("BROKEN: %s (state %u)\n", what, taken);
    exit(1);
  }
}

static uint8_t channel_get(struct channel *c, const uint8_t *from) {
  c->on = from[0];
  c->on_ms = from[1];
  c->asked_ms = from[2];
  c->live_ms = 0;
  c->rest_ms = from[3];
  c->stray = from[4];
  c->stray_ms = from[5];
  c->held = from[6];
  return 7;
}

static void channel_put(const struct channel *c, uint8_t *to) {
  to[0] = (uint8_t)c->on;
  to[1] = c->on ? (uint8_t)c->on_ms : 0;
  to[2] = c->on ? (uint8_t)c->asked_ms : 0;
  to[3] = c->on ? 0 : (uint8_t)c->rest_ms;
  to[4] = (uint8_t)c->stray;
  to[5] = c->stray ? (uint8_t)c->stray_ms : 0;
  to[6] = (uint8_t)c->held;
}

static void load(struct interlock *s, const struct node *n) {
  memset(s, 0, sizeof *s);
  s->counters.now_ms = n->now;
  s->counters.faults = (uint32_t)n->faults_low | ((uint32_t)n->faults_high << 8);
  s->counters.heartbeat_ms = n->heartbeat;
  s->counters.slot_ms = n->slot_ms;
  s->counters.clear_held = n->clear_held;
  channel_get(&s->counters.pump, &n->pump_on);
  channel_get(&s->counters.light, &n->light_on);
  for (uint32_t i = 0; i < BUDGET_SLOTS; i++) s->saved.slot[i] = n->slots[i];
  s->saved.current = n->current;
  s->complements = complement(s->counters);
}

static void store(struct node *n, const struct interlock *s) {
  n->now = (uint8_t)s->counters.now_ms;
  n->faults_low = (uint8_t)(s->counters.faults & 0xFFu);
  n->faults_high = (uint8_t)(s->counters.faults >> 8);
  n->heartbeat = (uint8_t)s->counters.heartbeat_ms;
  n->slot_ms = (uint8_t)s->counters.slot_ms;
  n->clear_held = (uint8_t)s->counters.clear_held;
  channel_put(&s->counters.pump, &n->pump_on);
  channel_put(&s->counters.light, &n->light_on);
  for (uint32_t i = 0; i < BUDGET_SLOTS; i++) n->slots[i] = (uint8_t)s->saved.slot[i];
  n->current = (uint8_t)s->saved.current;
}

static void visit(const struct node *n) {
  uint64_t hash = 1469598103934665603u;
  for (size_t i = 0; i < sizeof *n; i++) hash = (hash ^ ((const uint8_t *)n)[i]) * 1099511628211u;
  uint32_t at = (uint32_t)(hash >> 20) & (TABLE_SIZE - 1u);
  while (table[at].was_asked & 0x80u) {
    if (memcmp(&table[at], n, sizeof *n) == 0) return;
    at = (at + 1u) & (TABLE_SIZE - 1u);
  }
  if (found > (TABLE_SIZE / 4u) * 3u) {
    printf("more states than the table holds\n");
    exit(2);
  }
  table[at] = *n;
  queue[found] = at;
  found++;
}

static uint8_t capped(uint32_t value, uint32_t cap) {
  return (uint8_t)(value < cap ? value : cap);
}

static void watch(struct node *n, const struct node *was, uint32_t gap, const struct interlock_inputs *in,
                  const struct interlock_outputs *out) {
  uint8_t on = light_search ? was->light_on : was->pump_on;
  uint8_t on_now = light_search ? out->light : out->pump;
  uint32_t silent = was->silent_ms + gap;
  for (uint32_t ms = 0; ms < gap; ms++) n->history = (uint16_t)(((n->history << 1) | was->pump_on) & ((1u << WINDOW_MS) - 1u));
  demand((uint32_t)__builtin_popcount(n->history) <= BUDGET_MS, "the budget of any window");
  n->run_ms = on ? capped(was->run_ms + gap, 20) : 0;
  if (on) demand(n->run_ms <= (light_search ? LIGHT_CUT_MS : PUMP_CUT_MS) - 1u + MAX_GAP_MS, "the longest activation");
  n->off_ms = on ? 0 : capped(was->off_ms + gap, LIGHT_REST_MS);
  if (on_now && !on) {
    demand(n->off_ms >= (light_search ? LIGHT_REST_MS : PUMP_REST_MS), "the rest");
    demand((light_search ? in->light_request : in->pump_request) && !(was->was_asked & 1u), "only an edge begins");
    n->run_ms = 0;
  }
  if (out->pump) demand(silent < PUMP_HEARTBEAT_MS, "no pump without heartbeats");
  if (out->light) demand(silent < LIGHT_HEARTBEAT_MS, "no light without heartbeats");
  n->silent_ms = in->heartbeat ? 0 : capped(silent, LIGHT_HEARTBEAT_MS);
  if (gap > MAX_GAP_MS || in->stop_pressed) demand(!out->pump && !out->light && (n->faults_low | n->faults_high), "a gap or a stop latches");
  if (was->faulty) demand(in->clear || n->faults_low, "latched until it is cleared");
  n->faulty = n->faults_low != 0;
  if (n->faulty) demand(!out->pump && !out->light, "no output under a fault");
  n->was_asked = (uint8_t)(0x80u | ((light_search ? in->light_request : in->pump_request) ? 1u : 0u));
}

static void go(const struct node *was, uint32_t gap, uint32_t command, uint32_t levels) {
  struct interlock s;
  struct node n = *was;
  struct interlock_inputs in = {0};
  load(&s, was);
  in.heartbeat = command == 1u || command >= 5u;
  in.clear = command == 2u;
  in.pump_off = in.light_off = command == 3u;
  in.stop_pressed = levels == 1u;
  in.pump_live = levels == 2u && !light_search;
  in.light_live = levels == 2u && light_search;
  if (command >= 4u) {
    in.pump_request = !light_search;
    in.light_request = (uint8_t)light_search;
    in.pump_ms = in.light_ms = command - 3u;
  }
  struct interlock_outputs out = interlock_step(&s, (was->now + gap) & CLOCK_MAX, &in);
  store(&n, &s);
  if (light_search) n.slot_ms = 0; /* nothing is charged: the slots stay as they are */
  watch(&n, was, gap, &in, &out);
  visit(&n);
  steps++;
}

/*
 * A pump that runs is never left alone for longer than a gap: the watchdog's part. Under a fault no second one is brought
 * about: their combinations would be most of the states.
 */
static void expand(const struct node *was) {
  uint32_t longest = (was->pump_on || was->light_on || was->faulty) ? MAX_GAP_MS : MAX_GAP_MS + 1u;
  uint32_t level = was->faulty ? 0u : 2u;
  for (uint32_t gap = 0; gap <= longest; gap++)
    for (uint32_t command = 0; command <= 7u; command++)
      for (uint32_t levels = 0; levels <= level; levels++) go(was, gap, command, levels);
}

static void search(int light) {
  struct interlock s;
  struct node n;
  struct interlock_saved empty;
  light_search = light;
  memset(table, 0, sizeof *table * TABLE_SIZE);
  memset(&n, 0, sizeof n);
  memset(&empty, 0, sizeof empty);
  found = taken = 0;
  steps = 0;
  interlock_start(&s, CLOCK_MAX - 2u, &empty, 0);
  s.saved.boots = 0;
  store(&n, &s);
  n.was_asked = 0x81u;
  n.silent_ms = LIGHT_HEARTBEAT_MS;
  visit(&n);
  for (taken = 0; taken < found; taken++) {
    struct node was = table[queue[taken]];
    expand(&was);
  }
  printf("%s: %u states, %llu steps, every one as promised\n", light ? "light" : "pump", found, (unsigned long long)steps);
}

int main(void) {
  table = calloc(TABLE_SIZE, sizeof *table);
  queue = malloc(TABLE_SIZE * sizeof *queue);
  if (!table || !queue) return 2;
  search(1);
  search(0);
  return 0;
}
