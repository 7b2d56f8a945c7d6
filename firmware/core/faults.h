/* What latches a fault. */
#ifndef TENDRIL_FAULTS_H
#define TENDRIL_FAULTS_H

#include "words.h"

/*@ assigns \nothing;
    ensures happened == 0 ==> \result == faults;
    ensures happened != 0 && fault != 0 ==> \result != 0;
    ensures faults != 0 ==> \result != 0; */
static uint32_t latch(uint32_t faults, uint32_t fault, uint8_t happened) {
  return (happened != 0u) ? (faults | fault) : faults;
}

/*@ assigns \nothing;
    ensures \result == 0 <==> faults == 0 && pump.stray_ms <= FEEDBACK_MS &&
      (pump.on == 0 || (pump.on_ms < PUMP_CUT_MS && heartbeat_ms < PUMP_HEARTBEAT_MS)); */
static uint32_t pump_faults(uint32_t faults, struct channel pump, uint32_t heartbeat_ms) {
  uint32_t f = faults;
  f = latch(f, FAULT_PUMP_CUT, (uint8_t)((pump.on != 0u) && (pump.on_ms >= PUMP_CUT_MS)));
  f = latch(f, FAULT_HEARTBEAT, (uint8_t)((pump.on != 0u) && (heartbeat_ms >= PUMP_HEARTBEAT_MS)));
  return latch(f, FAULT_PUMP_CONTACT, (uint8_t)(pump.stray_ms > FEEDBACK_MS));
}

/*@ assigns \nothing;
    ensures \result == 0 <==> faults == 0 && light.stray_ms <= FEEDBACK_MS &&
      (light.on == 0 || light.on_ms < LIGHT_CUT_MS); */
static uint32_t light_faults(uint32_t faults, struct channel light) {
  uint32_t f = faults;
  f = latch(f, FAULT_LIGHT_CUT, (uint8_t)((light.on != 0u) && (light.on_ms >= LIGHT_CUT_MS)));
  return latch(f, FAULT_LIGHT_CONTACT, (uint8_t)(light.stray_ms > FEEDBACK_MS));
}

/*@ predicate calm(struct counters c, integer gap, integer stop) =
      c.faults == 0 && gap <= MAX_GAP_MS && stop == 0 &&
      c.pump.stray_ms <= FEEDBACK_MS && c.light.stray_ms <= FEEDBACK_MS &&
      (c.pump.on == 0 || (c.pump.on_ms < PUMP_CUT_MS && c.heartbeat_ms < PUMP_HEARTBEAT_MS)) &&
      (c.light.on == 0 || c.light.on_ms < LIGHT_CUT_MS); */

/*@ assigns \nothing;
    ensures \result == 0 <==> calm(c, gap, stop_pressed); */
static uint32_t judge(struct counters c, uint32_t gap, uint8_t stop_pressed) {
  uint32_t f = latch(c.faults, FAULT_GAP, (uint8_t)(gap > MAX_GAP_MS));
  f = latch(f, FAULT_STOP, (uint8_t)(stop_pressed != 0u));
  return light_faults(pump_faults(f, c.pump, c.heartbeat_ms), c.light);
}

#endif
