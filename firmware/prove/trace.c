/*
 * The theorems over time: the interlock in an endless loop with arbitrary inputs and an arbitrary clock. For Frama-C only,
 * never built. What it assumes is said where it breaks out of a loop.
 */
#include "../core/interlock.c"

#define ALWAYS_MS 0x4000000000000000u /* 146 million years: so that the true time itself does not wrap */
#define DAY_MS 86400000u

/*@ // What `passed` makes of two readings is the true time between them, when that is less than the clock's circle.
    lemma wrap: \forall integer t, g; 0 <= t && 0 <= g <= CLOCK_MAX ==>
      passed(t % (CLOCK_MAX + 1), (t + g) % (CLOCK_MAX + 1)) == g; */

/*@ assigns \nothing; */
extern uint32_t any_word(void);
/*@ assigns \nothing; */
extern struct interlock_inputs any_inputs(void);

/* No activation of the pump is longer than 30 s, none of the light longer than 121 min. */
/*@ requires \valid(s) && s->saved.current < BUDGET_SLOTS;
    requires s->counters.pump.on == 0 && s->counters.light.on == 0;
    assigns *s; */
void longest(struct interlock *s) {
  struct counters c = s->counters;
  uint32_t pump_ms = 0; /* true time of the running activation */
  uint32_t light_ms = 0;
  /*@ loop invariant s->saved.current < BUDGET_SLOTS && c == s->counters;
      loop invariant c.pump.on != 0 ==> pump_ms == c.pump.on_ms && pump_ms < PUMP_CUT_MS;
      loop invariant c.light.on != 0 ==> light_ms == c.light.on_ms && light_ms < LIGHT_CUT_MS;
      loop assigns c, pump_ms, light_ms, *s; */
  while (1) {
    uint32_t to_ms = any_word();
    struct interlock_inputs in = any_inputs();
    uint32_t gap = elapsed(c.now_ms, to_ms);
    if (((c.pump.on != 0u) || (c.light.on != 0u)) && (gap > MAX_GAP_MS)) {
      break; /* assumed: the hardware watchdog does not let this happen */
    }
    pump_ms = (c.pump.on != 0u) ? (pump_ms + gap) : 0u;
    light_ms = (c.light.on != 0u) ? (light_ms + gap) : 0u;
    /*@ assert pump_30_s: c.pump.on != 0 ==> pump_ms <= 30000; */
    /*@ assert light_121_min: c.light.on != 0 ==> light_ms <= 7260000; */
    /*@ assert passed(clock_of(s->counters), to_ms) == gap; */
    /*@ assert pump_of(s->counters) == c.pump; */
    /*@ assert light_of(s->counters) == c.light; */
    (void)interlock_step(s, to_ms, &in);
    /*@ assert runs_on(c.pump, pump_of(s->counters), gap, PUMP_CUT_MS); */
    /*@ assert begins(c.pump, pump_of(s->counters), gap, PUMP_CUT_MS, PUMP_REST_MS); */
    /*@ assert runs_on(c.light, light_of(s->counters), gap, LIGHT_CUT_MS); */
    /*@ assert begins(c.light, light_of(s->counters), gap, LIGHT_CUT_MS, LIGHT_REST_MS); */
    struct counters after = s->counters;
    /*@ assert pump_of(s->counters) == after.pump; */
    /*@ assert light_of(s->counters) == after.light; */
    /*@ assert c.pump.on != 0 && after.pump.on != 0 ==> after.pump.on_ms == pump_ms && pump_ms < PUMP_CUT_MS; */
    /*@ assert c.pump.on == 0 && after.pump.on != 0 ==> after.pump.on_ms == pump_ms && pump_ms == 0; */
    /*@ assert c.light.on != 0 && after.light.on != 0 ==> after.light.on_ms == light_ms && light_ms < LIGHT_CUT_MS; */
    /*@ assert c.light.on == 0 && after.light.on != 0 ==> after.light.on_ms == light_ms && light_ms == 0; */
    c = after;
  }
}

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

/* What the day's slots hold covers what the day has used, with what a running pump may still use. */
/*@ predicate covers(struct interlock_saved d, struct channel pump, integer slots, integer today) =
      today + spare(pump) <= recent(d, slots + 1); */

/*@ predicate at_rest(struct counters c) = c.pump.on == 0 && c.light.on == 0 && c.slot_ms == 0; */

/* A start after a reset: from the copy that was kept, or without any, which a damaged copy is too. */
/*@ requires \valid(s) && 1 <= n <= BUDGET_SLOTS;
    assigns *s;
    ensures booked(s->saved, pump_of(s->counters)) && at_rest(s->counters);
    ensures recent(s->saved, n) == BUDGET_MS || recent(s->saved, n) >= recent(kept, n); */
static void restart(struct interlock *s, struct interlock_saved kept, uint32_t n) {
  struct interlock_saved copy = kept;
  const struct interlock_saved *found = (any_word() != 0u) ? &copy : NULL;
  interlock_start(s, any_word(), found, (uint16_t)(any_word() & 0xFFFFu));
}

/*
 * The pump runs at most 600 s in the 24 h that begin at `day`, whatever that moment is, with any number of resets at any moment.
 * `kept` is what the port's memory holds: the account of the last step that asked to save. A reset in mid-record, and one between
 * the record and the contact, are a reset in place of that step, and one right after it.
 */
/*@ requires \valid(s) && day <= ALWAYS_MS && start <= ALWAYS_MS && booked(s->saved, s->counters.pump);
    requires at_rest(s->counters) && no_less(s->saved, kept);
    assigns *s; */
void any_day(struct interlock *s, struct interlock_saved kept, uint64_t start, uint64_t day) {
  struct counters c = s->counters;
  uint64_t time = start;  /* true time */
  uint64_t today_ms = 0;  /* pump time within the day */
  uint32_t slots = 0;     /* how many began since the day did */
  /*@ assert one: recent(s->saved, 1) == s->saved.slot[s->saved.current]; */
  /*@ loop invariant time <= ALWAYS_MS && c == s->counters;
      loop invariant booked(s->saved, c.pump) && s->saved.current < BUDGET_SLOTS;
      loop invariant c.pump.on != 0 ==> c.pump.on_ms <= c.pump.asked_ms;
      loop invariant today_ms <= BUDGET_MS && slots < BUDGET_SLOTS;
      loop invariant time <= day ==> today_ms == 0;
      loop invariant time < day ==> slots == 0;
      loop invariant slots >= 1 && time < day + DAY_MS ==> time - day >= (slots - 1) * SLOT_MS + c.slot_ms;
      loop invariant time < day + DAY_MS ==> covers(s->saved, c.pump, slots, today_ms);
      loop invariant time < day + DAY_MS ==> covers(kept, c.pump, slots, today_ms);
      loop assigns c, time, today_ms, slots, kept, *s; */
  while (1) {
    uint32_t to_ms = any_word();
    struct interlock_inputs in = any_inputs();
    uint32_t gap = elapsed(c.now_ms, to_ms);
    uint32_t current = s->saved.current;
    uint8_t reset = (any_word() != 0u) ? 1u : 0u;
    if ((c.pump.on != 0u) && (gap > MAX_GAP_MS)) {
      break; /* assumed: the hardware watchdog does not let this happen */
    }
    if (time > (ALWAYS_MS - gap)) {
      break;
    }
    fewer(&s->saved, slots + 1u);
    /*@ assert within_budget: time < day + DAY_MS ==> today_ms + spare(c.pump) <= BUDGET_MS; */
    /*@ assert spare: spare_after(c.pump, gap) >= 0; */
    if (c.pump.on != 0u) {
      today_ms += within(time, time + gap, day);
    }
    /*@ assert day_600_s: today_ms <= 600000; */
    /*@ assert used: time < day + DAY_MS ==> today_ms + spare_after(c.pump, gap) <= recent(s->saved, slots + 1); */
    /*@ assert used_of_kept: time < day + DAY_MS ==> today_ms + spare_after(c.pump, gap) <= recent(kept, slots + 1); */
    if (reset != 0u) {
      restart(s, kept, slots + 1u);
      time += gap;
      c = s->counters;
      /*@ assert c.pump.on == 0 && spare(c.pump) == 0; */
      /*@ assert time < day + DAY_MS ==> covers(s->saved, c.pump, slots, today_ms); */
      /*@ assert time < day + DAY_MS ==> covers(kept, c.pump, slots, today_ms); */
      continue;
    }
    /*@ assert booked(s->saved, pump_of(s->counters)); */
    /*@ assert spare_after(pump_of(s->counters), passed(clock_of(s->counters), to_ms)) >= 0; */
    /*@ assert passed(clock_of(s->counters), to_ms) == gap; */
    /*@ assert pump_of(s->counters) == c.pump; */
    struct interlock_outputs out;
    Before:
    out = interlock_step(s, to_ms, &in);
    time += gap;
    /*@ assert s->saved.current == current ==>
          recent(s->saved, slots + 1) - spare(pump_of(s->counters)) >=
            recent(\at(s->saved, Before), slots + 1) - spare_after(c.pump, gap); */
    /*@ assert s->saved.current != current && slots + 1 < BUDGET_SLOTS ==>
          recent(s->saved, slots + 2) - spare(pump_of(s->counters)) >=
            recent(\at(s->saved, Before), slots + 1) - spare_after(c.pump, gap); */
    /*@ assert same_slot: time < day + DAY_MS && s->saved.current == current ==>
          covers(s->saved, pump_of(s->counters), slots, today_ms); */
    /*@ assert next_slot: time < day + DAY_MS && s->saved.current != current && time >= day ==>
          covers(s->saved, pump_of(s->counters), slots + 1, today_ms); */
    /*@ assert not_yet: s->saved.current != current && time < day ==>
          covers(s->saved, pump_of(s->counters), 0, today_ms); */
    if (out.save != 0u) {
      kept = s->saved;
    }
    /*@ assert kept_too: out.save == 0 ==> spare(pump_of(s->counters)) <= spare_after(c.pump, gap); */
    /*@ assert kept_still: out.save == 0 && time < day + DAY_MS ==> covers(kept, pump_of(s->counters), slots, today_ms); */
    if ((current != s->saved.current) && (time >= day) && (time < (day + DAY_MS))) {
      slots++;
    }
    c = s->counters;
    /*@ assert c.pump.on != 0 ==> c.pump.on_ms <= c.pump.asked_ms; */
    /*@ assert time < day + DAY_MS ==> covers(s->saved, c.pump, slots, today_ms); */
    /*@ assert kept_new: out.save != 0 && time < day + DAY_MS ==> covers(kept, c.pump, slots, today_ms); */
    /*@ assert kept_old: out.save == 0 && time < day + DAY_MS ==> covers(kept, c.pump, slots, today_ms); */
  }
}

/* Every start begins as any_day demands, whatever the port's memory held. */
/*@ requires \valid(s) && (saved == \null || (\valid_read(saved) && \separated(s, saved)));
    requires day <= ALWAYS_MS && start <= ALWAYS_MS;
    assigns *s; */
void any_day_from_a_start(struct interlock *s, const struct interlock_saved *saved, uint64_t start, uint64_t day) {
  interlock_start(s, any_word(), saved, (uint16_t)(any_word() & 0xFFFFu));
  struct interlock_saved kept = s->saved;
  any_day(s, kept, start, day);
}
