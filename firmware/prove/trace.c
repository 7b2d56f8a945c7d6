/*
 * The theorems over time: the interlock in an endless loop, its inputs arbitrary, the time a true one of 64 bits. For Frama-C
 * only, never built. What it assumes is said where it breaks out of the loop.
 */
#include "../core/interlock.c"

#define ALWAYS_MS 0x4000000000000000u /* 146 million years: so that the true time itself does not wrap */
#define DAY_MS 86400000u

/*@ assigns \nothing; */
extern uint32_t any_word(void);
/*@ assigns \nothing; */
extern struct interlock_inputs any_inputs(void);

/* How much of from..to lies within the day that begins at `day`. */
/*@ requires from <= to <= ALWAYS_MS + UINT32_MAX && day <= ALWAYS_MS;
    assigns \nothing;
    ensures 0 <= \result <= to - from;
    ensures to <= day || from >= day + DAY_MS ==> \result == 0; */
static uint64_t within(uint64_t from, uint64_t to, uint64_t day) {
  uint64_t begin = (from > day) ? from : day;
  uint64_t end = (to < (day + DAY_MS)) ? to : (day + DAY_MS);
  return (end > begin) ? (end - begin) : 0u;
}

/* Fewer slots never hold more. */
/*@ requires \valid_read(saved) && 0 <= n <= BUDGET_SLOTS;
    assigns \nothing;
    ensures recent(*saved, n) <= recent(*saved, BUDGET_SLOTS); */
static void fewer(const struct interlock_saved *saved, uint32_t n) {
  /*@ loop invariant n <= k <= BUDGET_SLOTS && recent(*saved, n) <= recent(*saved, k);
      loop assigns k;
      loop variant BUDGET_SLOTS - k; */
  for (uint32_t k = n; k < BUDGET_SLOTS; k++) {
  }
}

/*@ requires \valid(s) && day <= ALWAYS_MS && start <= ALWAYS_MS && booked(s->saved, s->counters.pump);
    requires s->counters.pump.on == 0 && s->counters.light.on == 0;
    requires s->counters.now_ms == start % 4294967296;
    requires s->counters.slot_ms == 0;
    assigns *s; */
void trace(struct interlock *s, uint64_t start, uint64_t day) {
  uint64_t time = start;  /* true time */
  uint64_t pump_ms = 0;   /* true time of the running activation */
  uint64_t light_ms = 0;
  uint64_t today_ms = 0;  /* pump time within the day */
  uint32_t slots = 0;     /* how many began since the day did */
  /*@ loop invariant time <= ALWAYS_MS && s->counters.now_ms == time % 4294967296;
      loop invariant booked(s->saved, s->counters.pump);
      loop invariant s->counters.pump.on != 0 ==>
        pump_ms == s->counters.pump.on_ms && pump_ms < PUMP_CUT_MS && s->counters.pump.on_ms <= s->counters.pump.asked_ms;
      loop invariant s->counters.light.on != 0 ==> light_ms == s->counters.light.on_ms && light_ms < LIGHT_CUT_MS;
      loop invariant today_ms <= BUDGET_MS && slots < BUDGET_SLOTS;
      loop invariant time <= day ==> today_ms == 0;
      loop invariant time < day ==> slots == 0;
      loop invariant slots >= 1 && time < day + DAY_MS ==> time - day >= (slots - 1) * SLOT_MS + s->counters.slot_ms;
      loop invariant time < day + DAY_MS ==>
        today_ms + spare(s->counters.pump) <= recent(s->saved, slots + 1);
      loop assigns time, pump_ms, light_ms, today_ms, slots, *s; */
  while (1) {
    uint32_t gap = any_word();
    struct interlock_inputs in = any_inputs();
    if (((s->counters.pump.on != 0u) || (s->counters.light.on != 0u)) && (gap > MAX_GAP_MS)) {
      break; /* assumed: the hardware watchdog does not let this happen */
    }
    if (time > (ALWAYS_MS - gap)) {
      break;
    }
    if (s->counters.pump.on != 0u) {
      pump_ms += gap;
      today_ms += within(time, time + gap, day);
    }
    if (s->counters.light.on != 0u) {
      light_ms += gap;
    }
    fewer(&s->saved, slots + 1u);
    time += gap;
    /*@ assert pump_30_s: s->counters.pump.on != 0 ==> pump_ms <= 30000; */
    /*@ assert light_121_min: s->counters.light.on != 0 ==> light_ms <= 7260000; */
    /*@ assert day_600_s: today_ms <= 600000; */
    uint32_t current = s->saved.current;
    uint8_t was_on = (s->counters.pump.on != 0u) ? 1u : 0u;
    uint8_t lit = (s->counters.light.on != 0u) ? 1u : 0u;
    /*@ assert wrap: passed(s->counters.now_ms, time % 4294967296) == gap; */
    (void)stepped(s, (uint32_t)time, &in);
    if (was_on == 0u) {
      pump_ms = 0;
    }
    if (lit == 0u) {
      light_ms = 0;
    }
    if ((current != s->saved.current) && (time >= day) && (time < (day + DAY_MS))) {
      slots++;
    }
  }
}
