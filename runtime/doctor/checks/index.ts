import type { Check } from "../check.js";
import type { Patient } from "../patient.js";
import { accessChecks } from "./access.js";
import { backupChecks } from "./backups.js";
import { boardChecks } from "./board.js";
import { cameraChecks } from "./cameras.js";
import { climateChecks } from "./climate.js";
import { diskChecks } from "./disk.js";
import { interlockChecks } from "./interlock.js";
import { networkChecks } from "./network.js";
import { probeChecks } from "./probes.js";
import { programChecks } from "./program.js";
import { relayChecks } from "./relays.js";
import { serviceChecks } from "./service.js";
import { stateChecks } from "./state.js";
import { tlsChecks } from "./tls.js";

/** What is looked at, in the order in which it is shown: a further part is a file beside these, and a line here. */
const GROUPS: readonly ((patient: Patient) => Check[])[] = [
  programChecks,
  stateChecks,
  boardChecks,
  accessChecks,
  relayChecks,
  probeChecks,
  climateChecks,
  interlockChecks,
  cameraChecks,
  diskChecks,
  networkChecks,
  tlsChecks,
  serviceChecks,
  backupChecks,
];

export const checksOf = (patient: Patient): readonly Check[] => GROUPS.flatMap((group) => group(patient));
