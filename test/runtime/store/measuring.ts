/** The child of the test with kills: measures as fast as it can, a part of it late, and says on stdout what is committed. */
import { writeSync } from "node:fs";
import { minutes } from "../../../drivers/units.js";
import { openStore } from "../../../runtime/store/store.js";

const [folder = "", from = "0"] = process.argv.slice(2);
const store = await openStore({ folder });
const BEGIN = Date.parse("2026-01-01T00:00:00.000Z");
for (let n = Number(from); ; n += 1) {
  const at = BEGIN + ((n * 7919) % 100_000) * minutes(1);
  store.measurements.add({ place: "kitchen", quantity: "air_temperature", at, value: n % 37 });
  if (n % 10 !== 9) continue;
  await store.measurements.flush();
  writeSync(1, `${n}\n`);
}
