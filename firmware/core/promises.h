/* What a step promises, from the state before to the state after. For the proof alone; no code. */
#ifndef TENDRIL_PROMISES_H
#define TENDRIL_PROMISES_H

#include "commands.h"

/*@ // What a running pump has been charged beyond its time so far.
    logic integer spare(struct channel c) = c.on != 0 ? c.asked_ms + MAX_GAP_MS - c.on_ms : 0;
    logic integer spare_after(struct channel c, integer gap) = c.on != 0 ? spare(c) - gap : 0;

    // Read from the counters as a whole: the provers follow that better than a part's own address.
    logic struct channel pump_of(struct counters c) = c.pump;
    logic struct channel light_of(struct counters c) = c.light;
    logic integer clock_of(struct counters c) = c.now_ms;

    predicate shows(struct interlock_outputs out, struct counters c) =
      (out.pump == 0 <==> c.pump.on == 0) && (out.light == 0 <==> c.light.on == 0);
    predicate dark(struct interlock_outputs out, struct counters c) = c.faults != 0 ==> out.pump == 0 && out.light == 0;

    predicate booked(struct interlock_saved d, struct channel c) = d.current < BUDGET_SLOTS &&
      recent(d, BUDGET_SLOTS) <= BUDGET_MS && (c.on != 0 ==> charged_now(d) >= c.asked_ms + MAX_GAP_MS);

    // From slots d to e over a step: what they hold beyond what a running pump may still use never falls.
    predicate covered(struct interlock_saved d, struct interlock_saved e, struct channel b, struct channel a, integer gap) =
      \forall integer n; 1 <= n <= BUDGET_SLOTS ==> recent(e, n) - spare(a) >= recent(d, n) - spare_after(b, gap);
    predicate covered_on(struct interlock_saved d, struct interlock_saved e, struct channel b, struct channel a, integer gap) =
      \forall integer n; 1 <= n < BUDGET_SLOTS ==> recent(e, n + 1) - spare(a) >= recent(d, n) - spare_after(b, gap);
    predicate no_less(struct interlock_saved d, struct interlock_saved e) =
      \forall integer n; 1 <= n <= BUDGET_SLOTS ==> recent(e, n) >= recent(d, n);
    predicate no_more(struct interlock_saved d, struct interlock_saved e) =
      \forall integer n; 1 <= n <= BUDGET_SLOTS ==> recent(e, n) <= recent(d, n);

    // Of an output: running on, begun now, at rest.
    predicate runs_on(struct channel before, struct channel after, integer gap, integer cut) =
      after.on != 0 && before.on != 0 ==> runs(before, after, gap, cut);
    predicate begins(struct channel before, struct channel after, integer gap, integer cut, integer rest) =
      after.on != 0 && before.on == 0 ==> after.on == 1 && after.on_ms == 0 && 0 < after.asked_ms < cut &&
        before.held == 0 && before.rest_ms + gap >= rest;
    predicate rests(struct channel before, struct channel after, integer gap) =
      after.on == 0 ==> after.rest_ms <= (before.on != 0 ? 0 : before.rest_ms + gap);

    predicate trips(struct counters b, integer gap, struct interlock_inputs in) =
      gap > MAX_GAP_MS || in.stop_pressed != 0 ||
      (b.pump.on != 0 && b.heartbeat_ms + gap >= PUMP_HEARTBEAT_MS) ||
      (b.pump.on == 0 && in.pump_live != 0 && b.pump.stray != 0 && b.pump.stray_ms + gap > FEEDBACK_MS) ||
      (b.light.on == 0 && in.light_live != 0 && b.light.stray != 0 && b.light.stray_ms + gap > FEEDBACK_MS);

    predicate unlatches(struct counters b, struct counters a, struct interlock_inputs in) =
      in.clear != 0 && b.clear_held == 0 && in.stop_pressed == 0 && in.pump_live == 0 && in.light_live == 0 &&
      a.pump.on == 0 && a.light.on == 0 && (b.faults & FAULT_MEMORY) == 0;

    predicate trip_safe(struct counters b, struct counters a, integer gap, struct interlock_inputs in) =
      trips(b, gap, in) ==> a.faults != 0;
    predicate latch_safe(struct counters b, struct counters a, struct interlock_inputs in) =
      b.faults != 0 && a.faults == 0 ==> unlatches(b, a, in);

    // Why an output is on: heard of lately, and asked for when it began.
    predicate pump_told(struct counters b, struct counters a, integer gap, struct interlock_inputs in) =
      a.pump.on != 0 ==> in.pump_off == 0 && b.heartbeat_ms + gap < PUMP_HEARTBEAT_MS &&
        (b.pump.on == 0 ==> in.pump_request != 0 && a.pump.asked_ms == in.pump_ms);
    predicate light_told(struct counters b, struct counters a, integer gap, struct interlock_inputs in) =
      a.light.on != 0 ==> in.light_off == 0 && b.heartbeat_ms + gap < LIGHT_HEARTBEAT_MS &&
        (b.light.on == 0 ==> in.light_request != 0 && a.light.asked_ms == in.light_ms);

    predicate remembers(struct counters b, struct counters a, integer now, integer gap, struct interlock_inputs in) =
      a.now_ms == now && a.pump.held == (in.pump_request != 0 ? 1 : 0) &&
      a.light.held == (in.light_request != 0 ? 1 : 0) && a.clear_held == (in.clear != 0 ? 1 : 0) &&
      a.heartbeat_ms == (in.heartbeat != 0 ? 0 : least(b.heartbeat_ms + gap, LIGHT_HEARTBEAT_MS));

    predicate slot_safe(struct counters b, struct counters a, integer gap, integer turns) =
      (turns == 0 ==> a.slot_ms <= b.slot_ms + gap) &&
      (turns != 0 ==> a.slot_ms == 0 && b.slot_ms + gap >= SLOT_MS);

    // How the pump's activation ends and the next begins: `now` is between the two.
    predicate books(struct interlock_saved d, struct channel b, struct channel now, struct channel a, integer gap,
        integer turns) =
      (b.on == 0 ==> now.on == 0) && (turns != 0 ==> now.on == 0) &&
      (b.on != 0 ==> now.asked_ms == b.asked_ms && now.on_ms == least(b.on_ms + gap, UINT32_MAX)) &&
      (a.on == 0 ==> now.on == 0) && (a.on != 0 && now.on != 0 ==> b.on != 0 && a == {now \with .held = a.held}) &&
      (a.on != 0 && now.on == 0 ==> b.on == 0 && a.on_ms == 0 && a.asked_ms < PUMP_CUT_MS &&
        recent(d, BUDGET_SLOTS) + a.asked_ms + MAX_GAP_MS <= BUDGET_MS && d.slot[d.current] <= BUDGET_MS);
*/

#endif
