/*
 * The lives of many devices, each from a seed: a host that asks for anything at any time, a watchdog, power cuts at any moment,
 * also in the middle of a record, bits that flip. A monitor knows the wires, the host's orders and PROTOCOL.md's rules, never the
 * interlock's counters, and judges each step: that nothing unsafe happens, and that a lawful order is taken.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/interlock-state.h"

#define WINDOW_MS ((BUDGET_SLOTS - 1u) * SLOT_MS)
#define CRC_OF_NOTHING 0x04BFu
#define RUNS 512u
#define LONG_AGO 10000000u

static const uint32_t CUT[2] = {PUMP_CUT_MS, LIGHT_CUT_MS};
static const uint32_t REST[2] = {PUMP_REST_MS, LIGHT_REST_MS};
static const uint32_t SILENCE[2] = {PUMP_HEARTBEAT_MS, LIGHT_HEARTBEAT_MS};
static const uint32_t CONTACT_FAULT[2] = {FAULT_PUMP_CONTACT, FAULT_LIGHT_CONTACT};

/* The device: its chip, its memory, its contacts. */
static struct interlock chip;
static struct interlock_saved copies[2];
static unsigned next_copy;
static uint32_t clock_ms;

/* What the monitor has seen. Of [0] the pump, of [1] the light. */
static struct {
  uint64_t now, begun[RUNS], ended[RUNS];
  unsigned runs;
  uint32_t on[2], run[2], live[2], off[2], asked[2], held[2], stray[2], stray_ms[2];
  uint32_t clear_held, silent, faults, damaged, account_damaged, left, saved_left, boots;
} seen;
static unsigned life;
static uint32_t answered[REFUSED_NOT_IDLE + 1], doses, starts, damages; /* of all lives together */
static uint32_t random_state;

static uint32_t any(uint32_t n) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return random_state % n;
}

static void demand(int holds, const char *what) {
  if (holds) return;
  printf("BROKEN: %s (life %u, at %llu ms)\n", what, life, (unsigned long long)seen.now);
  exit(1);
}

/* ---- the device ---- */

/* A port's memory: the older copy is overwritten; power may go after `bytes` of them. 1 when all of it was written. */
static int save(size_t bytes) {
  memcpy(&copies[next_copy], &chip.saved, bytes);
  /* What was not written any more may have been there already. */
  if (memcmp(&copies[next_copy], &chip.saved, sizeof chip.saved) != 0) return 0;
  next_copy ^= 1u;
  seen.saved_left = interlock_budget_left(&chip);
  seen.boots = chip.saved.boots;
  return bytes == sizeof chip.saved;
}

static void start(uint32_t faults) {
  const int newer = interlock_newer(copies);
  clock_ms = any(3) == 0 ? 0u - any(5000) : any(0x7FFFFFFF);
  if (newer >= 0) next_copy = newer == 0 ? 1u : 0u;
  memset(&chip, 0xA5, sizeof chip); /* what memory holds after a power cut may be anything */
  interlock_start(&chip, clock_ms, newer >= 0 ? &copies[newer] : NULL, (uint16_t)faults);
  for (int i = 0; i < 2; i++) {
    seen.on[i] = seen.run[i] = seen.live[i] = seen.off[i] = seen.stray[i] = seen.stray_ms[i] = 0;
    seen.held[i] = 1;
  }
  seen.clear_held = 1;
  seen.silent = LONG_AGO;
  seen.faults = faults;
  seen.damaged = seen.account_damaged = 0;
  starts++;
  demand(interlock_faults(&chip) == faults, "a start has the faults that its port tells, and no others");
  demand(interlock_budget_left(&chip) <= seen.left, "a start gives no budget back");
  demand(newer < 0 || interlock_budget_left(&chip) == seen.saved_left, "a start goes on from the last record");
  demand(chip.saved.boots == (newer < 0 ? 1u : seen.boots + 1u), "a start is counted");
  demand(newer >= 0 || interlock_budget_left(&chip) == 0u, "without a record the budget is spent");
  demand(chip.saved.serial == (newer < 0 ? 0u : copies[newer].serial), "a start goes on with the record's serial, or with 0");
  seen.left = interlock_budget_left(&chip);
}

/* ---- the monitor ---- */

static void contact(int which, uint32_t on) {
  if (which == 0 && on != 0u && seen.on[0] == 0u) {
    seen.begun[seen.runs % RUNS] = seen.now;
    seen.ended[seen.runs % RUNS] = UINT64_MAX;
    seen.runs++;
    doses++;
  }
  if (which == 0 && on == 0u && seen.on[0] != 0u) seen.ended[(seen.runs - 1u) % RUNS] = seen.now;
  seen.on[which] = on;
}

/* Pump time in the window that ends now. */
static void watch_budget(void) {
  uint64_t sum = 0;
  const uint64_t from = seen.now > WINDOW_MS ? seen.now - WINDOW_MS : 0;
  for (unsigned i = 0; i < RUNS && i < seen.runs; i++) {
    const uint64_t end = seen.ended[i] < seen.now ? seen.ended[i] : seen.now;
    const uint64_t begin = seen.begun[i] > from ? seen.begun[i] : from;
    if (end > begin) sum += end - begin;
  }
  demand(sum <= BUDGET_MS, "the budget of any window");
}

/* Time passes, with the contacts as they are. */
static void pass(uint32_t gap, const struct interlock_inputs *in) {
  const uint32_t live[2] = {in->pump_live, in->light_live};
  seen.now += gap;
  clock_ms += gap;
  seen.silent = seen.silent + gap < LONG_AGO ? seen.silent + gap : LONG_AGO;
  for (int i = 0; i < 2; i++) {
    if (seen.on[i] != 0u) seen.run[i] += gap;
    if (seen.on[i] == 0u && gap <= MAX_GAP_MS) seen.off[i] = seen.off[i] + gap < REST[i] ? seen.off[i] + gap : REST[i];
    if (live[i] != 0u) seen.live[i] += gap;
    seen.stray_ms[i] = seen.on[i] == 0u && live[i] != 0u && seen.stray[i] != 0u ? seen.stray_ms[i] + gap : 0u;
    seen.stray[i] = seen.on[i] == 0u && live[i] != 0u;
  }
  watch_budget();
}

/* The faults that this step must latch, and may. */
static uint32_t faults_due(uint32_t gap, const struct interlock_inputs *in) {
  uint32_t due = 0;
  if (gap > MAX_GAP_MS) due |= FAULT_GAP;
  if (in->stop_pressed != 0u) due |= FAULT_STOP;
  if (seen.on[0] != 0u && seen.silent >= PUMP_HEARTBEAT_MS) due |= FAULT_HEARTBEAT;
  if (seen.on[0] != 0u && seen.run[0] >= PUMP_CUT_MS) due |= FAULT_PUMP_CUT;
  if (seen.on[1] != 0u && seen.run[1] >= LIGHT_CUT_MS) due |= FAULT_LIGHT_CUT;
  for (int i = 0; i < 2; i++)
    if (seen.stray_ms[i] > FEEDBACK_MS) due |= CONTACT_FAULT[i];
  return due;
}

/* What PROTOCOL.md says to a request, when `on` are the outputs as they are once the time has passed. */
static uint32_t request_refusal(int which, uint32_t ms, const uint32_t on[2], uint32_t faults, uint32_t left) {
  if (faults != 0u) return REFUSED_FAULT;
  if (seen.silent >= PUMP_HEARTBEAT_MS) return REFUSED_HEARTBEAT;
  if (ms == 0u || ms >= CUT[which]) return REFUSED_TOO_LONG;
  if (on[which] != 0u || seen.held[which] != 0u) return REFUSED_BUSY;
  if (seen.off[which] < REST[which]) return REFUSED_REST;
  return which == 0 && ms > left ? REFUSED_BUDGET : REFUSED_NOTHING;
}

static uint32_t clear_refusal(const struct interlock_inputs *in, const uint32_t on[2], uint32_t faults, uint32_t known) {
  if (on[0] != 0u || on[1] != 0u || in->stop_pressed != 0u || in->pump_live != 0u || in->light_live != 0u ||
      seen.clear_held != 0u)
    return REFUSED_NOT_IDLE;
  if (seen.silent >= PUMP_HEARTBEAT_MS) return REFUSED_HEARTBEAT;
  return faults != known ? REFUSED_FAULT : REFUSED_NOTHING;
}

static uint32_t refusal(const struct interlock_inputs *in, const uint32_t on[2], uint32_t faults, uint32_t known,
                        uint32_t left) {
  if (in->pump_off != 0u || in->light_off != 0u) return REFUSED_NOTHING;
  if (in->clear != 0u) return clear_refusal(in, on, faults, known);
  if (in->pump_request != 0u) return request_refusal(0, in->pump_ms, on, faults, left);
  return in->light_request != 0u ? request_refusal(1, in->light_ms, on, faults, left) : REFUSED_NOTHING;
}

static void see_reports(void) {
  demand(interlock_pump_on(&chip) == seen.run[0], "how long the pump was on is reported");
  demand(interlock_light_on(&chip) == seen.run[1], "how long the light was on is reported");
  demand(interlock_pump_live(&chip) == seen.live[0], "how long the pump's node was live is reported");
  demand(interlock_pump_rest(&chip) == (seen.on[0] != 0u ? 0u : PUMP_REST_MS - seen.off[0]), "the pump's rest is reported");
  demand(interlock_light_rest(&chip) == (seen.on[1] != 0u ? 0u : LIGHT_REST_MS - seen.off[1]), "the light's rest is reported");
}

/* The account: what an activation takes, and gives back at its end; slots that grew old only add to it. */
static void see_account(uint32_t was_on, uint32_t left_before, uint32_t turned) {
  const uint32_t left = interlock_budget_left(&chip);
  const uint32_t back = seen.run[0] > seen.asked[0] ? seen.run[0] - seen.asked[0] : 0u;
  uint32_t due = left_before;
  if (turned != 0u) return;
  if (was_on == 0u && seen.on[0] != 0u) due = left_before > seen.asked[0] + MAX_GAP_MS ? left_before - seen.asked[0] - MAX_GAP_MS : 0u;
  if (was_on != 0u && seen.on[0] == 0u) {
    demand(left <= left_before + MAX_GAP_MS - (back < MAX_GAP_MS ? back : MAX_GAP_MS), "only the overrun is given back");
    return;
  }
  demand(left == due, "the account changes with an activation alone");
}

static void see_outputs(const struct interlock_inputs *in, const uint32_t on[2], uint32_t refused,
                        const struct interlock_outputs *out) {
  const uint32_t begins[2] = {refused == REFUSED_NOTHING && in->clear == 0u && in->pump_request != 0u,
                              refused == REFUSED_NOTHING && in->clear == 0u && in->pump_request == 0u && in->light_request != 0u};
  const uint32_t told[2] = {out->pump, out->light};
  const uint32_t off = in->pump_off != 0u || in->light_off != 0u;
  for (int i = 0; i < 2; i++) {
    const uint32_t due = on[i] != 0u || (begins[i] != 0u && off == 0u);
    demand(told[i] == due, i == 0 ? "the pump is on as it was asked, and never else" : "the light is on as it was asked");
    if (due != 0u && on[i] == 0u) {
      seen.run[i] = seen.live[i] = 0;
      seen.asked[i] = i == 0 ? in->pump_ms : in->light_ms;
    }
    if (told[i] == 0u && seen.on[i] != 0u) seen.off[i] = 0;
  }
}

/* Which outputs are still on when the time has passed and before the order is looked at. */
static void still_on(const struct interlock_inputs *in, uint32_t faults, uint32_t on[2]) {
  const uint32_t told_off[2] = {in->pump_off, in->light_off};
  for (int i = 0; i < 2; i++)
    on[i] = seen.on[i] != 0u && faults == 0u && told_off[i] == 0u && seen.run[i] < seen.asked[i] && seen.silent < SILENCE[i];
}

/* An account that is damaged while nothing needs it is found when something does, and is never written. */
static void see_damaged_account(const struct interlock_inputs *in, const struct interlock_outputs *out) {
  demand(out->pump == 0u && out->save == 0u, "a damaged account: no pump, and never written");
  demand(interlock_budget_left(&chip) == 0u, "a damaged account holds no budget");
  if (in->pump_request != 0u) demand((interlock_faults(&chip) & FAULT_MEMORY) != 0u, "a request finds the damage out");
}

static void see_memory_fault(const struct interlock_outputs *out) {
  demand(out->pump == 0u && out->light == 0u && out->save == 0u, "damaged memory: off, and never written");
  demand((interlock_faults(&chip) & FAULT_MEMORY) != 0u, "damaged memory is a fault");
  demand(out->refused == REFUSED_FAULT, "damaged memory takes no order");
}

/* ---- a turn ---- */

/* Power goes before the record, in it, behind it, or not at all. */
enum moment { NEVER, IN_RECORD, BEFORE_CLOSING };

static int turn(struct interlock_inputs *in, uint32_t gap, enum moment cut) {
  uint32_t on[2], was_on, due, faults, refused, turned;
  struct interlock_outputs out;
  pass(gap, in);
  due = faults_due(gap, in);
  faults = seen.faults | due;
  still_on(in, faults, on);
  for (int i = 0; i < 2; i++)
    if (on[i] == 0u && seen.on[i] != 0u) seen.off[i] = 0;
  turned = chip.saved.current;
  out = interlock_step(&chip, clock_ms, in);
  demand(out.pump <= 1u && out.light <= 1u && out.save <= 1u, "outputs are 0 or 1");
  if (seen.damaged != 0u) {
    see_memory_fault(&out);
    for (int i = 0; i < 2; i++) contact(i, 0);
    return 1;
  }
  if (seen.account_damaged != 0u) {
    see_damaged_account(in, &out);
    contact(1, out.light);
    return 1;
  }
  turned ^= chip.saved.current;
  refused = refusal(in, on, faults, gap <= MAX_GAP_MS ? seen.faults : 0u, turned != 0u ? UINT32_MAX : seen.left);
  demand(out.refused == refused || (turned != 0u && out.refused == REFUSED_BUDGET), "each order is answered as PROTOCOL.md says");
  refused = out.refused;
  answered[refused]++;
  was_on = seen.on[0];
  see_outputs(in, on, refused, &out);
  if (out.pump == 0u) contact(0, 0);
  if (out.light == 0u) contact(1, 0);
  if (out.save != 0u && save(cut == IN_RECORD ? any(sizeof chip.saved) : sizeof chip.saved) == 0) {
    if (seen.saved_left > seen.left) seen.left = seen.saved_left;
    return 0;
  }
  demand(out.save != 0u || (turned == 0u && (was_on != 0u || out.pump == 0u)), "a charge and a slot's end are recorded");
  if (cut == BEFORE_CLOSING) {
    seen.left = interlock_budget_left(&chip);
    return 0;
  }
  contact(0, out.pump);
  contact(1, out.light);
  seen.faults = in->clear != 0u && in->pump_off == 0u && in->light_off == 0u && refused == REFUSED_NOTHING ? 0u : faults;
  demand(interlock_faults(&chip) == seen.faults, "a fault comes with its cause, and stays until it is cleared");
  see_account(was_on, seen.left, turned);
  seen.left = interlock_budget_left(&chip);
  seen.held[0] = in->pump_request;
  seen.held[1] = in->light_request;
  seen.clear_held = in->clear;
  if (in->heartbeat != 0u) seen.silent = 0;
  see_reports();
  return 1;
}

/* ---- what happens ---- */

/* Often as a port steps; and now and then just so that a limit is met to the millisecond. */
static uint32_t any_gap(void) {
  const uint32_t limits[4] = {PUMP_HEARTBEAT_MS - seen.silent, seen.asked[0] - seen.run[0], PUMP_REST_MS - seen.off[0],
                              LIGHT_REST_MS - seen.off[1]};
  const uint32_t kind = life % 4u == 0u ? 63u : any(64);
  if (kind == 0u) return MAX_GAP_MS + any(2) * (1u + any(3));
  if (kind < 4u) return any(MAX_GAP_MS + 1u);
  if (kind < 8u) return limits[kind - 4u] <= MAX_GAP_MS ? limits[kind - 4u] : 10u;
  return kind < 20u ? any(300) : 10u;
}

static uint32_t any_time(uint32_t cut) {
  switch (any(16)) {
    case 0: return 0;
    case 1: return cut - any(2);
    case 2: return cut + any(1000);
    case 3: return UINT32_MAX;
    default: return 1u + any(cut / (1u + any(4)));
  }
}

static void any_order(struct interlock_inputs *in, uint32_t host_gone) {
  memset(in, 0, sizeof *in);
  if (host_gone != 0u) return;
  in->heartbeat = any(3) == 0u;
  switch (any(24)) {
    case 0: case 1: in->pump_request = 1; break;
    case 2: case 3: in->light_request = 1; break;
    case 4: case 5: in->clear = 1; break;
    case 6: in->pump_off = any(3) == 0u; break;
    case 7: in->light_off = any(3) == 0u; break;
    case 8: in->pump_request = in->pump_off = any(8) == 0u; break;
    case 9: in->clear = in->pump_request = in->light_request = any(4) == 0u; break;
    default: break;
  }
  in->pump_ms = any(4) == 0u ? seen.left + any(2) : any_time(PUMP_CUT_MS);
  in->light_ms = any_time(LIGHT_CUT_MS);
}

static void any_levels(struct interlock_inputs *in, uint32_t welded, uint32_t pressed) {
  in->pump_live = seen.on[0] != 0u ? any(16) != 0u : welded == 1u;
  in->light_live = seen.on[1] != 0u ? any(16) != 0u : welded == 2u;
  in->stop_pressed = (uint8_t)pressed;
}

/* One bit flips, of a counter, of its complement or of the account, which a running pump needs at each step. */
static void flip(void) {
  const uint32_t account = any(3) == 0u;
  const size_t bytes = account != 0u ? sizeof chip.saved : 2u * sizeof chip.counters;
  uint8_t *at = account != 0u ? (uint8_t *)&chip.saved : (uint8_t *)&chip;
  at[any((uint32_t)bytes)] ^= (uint8_t)(1u << any(8));
  seen.damaged = account == 0u || seen.on[0] != 0u || chip.saved.current >= BUDGET_SLOTS;
  seen.account_damaged = seen.damaged == 0u;
  damages++;
}

/* Both, so that nothing sound is left. */
static void damage_copies(void) {
  for (int i = 0; i < 2; i++) copies[i].slot[any(BUDGET_SLOTS)] ^= 1u << any(32);
}

/* `late_ms` after the last turn; then it is dark for a while. */
static void power_cut(uint32_t late_ms) {
  seen.now += late_ms;
  contact(0, 0);
  contact(1, 0);
  watch_budget();
  seen.now += any(4) == 0u ? any(3 * SLOT_MS) : any(20);
  if (any(200) == 0u) damage_copies();
  start(any(4) == 0u ? FAULT_RESET : 0u);
}

static void begin_life(void) {
  random_state = 2463534242u + life * 2654435761u;
  memset(&seen, 0, sizeof seen);
  memset(copies, 0, sizeof copies);
  next_copy = 0;
  copies[0].serial = any(3) == 0u ? UINT32_MAX - any(3) : 0u;
  copies[0].crc = CRC_OF_NOTHING;
  copies[1].crc = any(2) == 0u ? CRC_OF_NOTHING : 0u;
  seen.left = BUDGET_MS;
  seen.saved_left = BUDGET_MS - MAX_GAP_MS;
  if (copies[0].serial != 0u) copies[0] = copies[1];
  start(0);
}

/* Some devices are restarted all the time, some never; some hosts are gone for a while. */
static void live(unsigned steps) {
  const uint32_t cuts = life % 3u == 0u ? 0u : life % 3u == 1u ? 40u : 400u;
  uint32_t gone = 0, welded = 0, pressed = 0;
  begin_life();
  for (unsigned step = 0; step < steps; step++) {
    struct interlock_inputs in;
    enum moment cut = cuts != 0u && any(cuts) == 0u ? 1u + any(2) : NEVER;
    if (any(200) == 0u) gone = any(3) == 0u;
    if (any(300) == 0u) welded = any(4) == 0u ? 1u + any(2) : 0u;
    if (any(300) == 0u) pressed = any(6) == 0u;
    any_order(&in, gone);
    any_levels(&in, welded, pressed);
    if (seen.damaged == 0u && seen.account_damaged == 0u && any(chip.counters.unsaved != 0u ? 30u : 3000u) == 0u) flip();
    if (turn(&in, any_gap(), cut) == 0)
      power_cut(0);
    else if ((cuts != 0u && any(cuts) == 0u) || (seen.damaged != 0u && any(20) == 0u) ||
             (seen.account_damaged != 0u && any(200) == 0u))
      power_cut(any(MAX_GAP_MS + 1u));
  }
}

/* Slots grow old: after a whole window and a slot of rest nothing is charged any more. */
static void rest_whole_window(void) {
  struct interlock_inputs in;
  memset(&in, 0, sizeof in);
  for (uint32_t ms = 0; ms < (BUDGET_SLOTS + 1u) * (SLOT_MS + MAX_GAP_MS); ms += 100u) turn(&in, 100u, NEVER);
  if (seen.damaged == 0u && seen.account_damaged == 0u) demand(interlock_budget_left(&chip) == BUDGET_MS - MAX_GAP_MS, "the budget comes back");
}

int main(int count, char **arguments) {
  const unsigned lives = count > 1 ? (unsigned)atoi(arguments[1]) : 60u;
  for (life = 1; life <= lives; life++) {
    live(6000);
    rest_whole_window();
  }
  /* What never happened was not tried. A choice: ten times each. */
  for (int i = 0; i <= REFUSED_NOT_IDLE; i++) demand(answered[i] >= 10u, "each answer was given");
  demand(doses >= 10u && starts >= 10u && damages >= 10u, "doses, starts and damage happened");
  printf("%u lives of 6000 steps, %u doses, %u starts, %u flipped bits, every one as promised\n", lives, doses, starts, damages);
  return 0;
}
