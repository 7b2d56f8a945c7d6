/** The child of the test with kills during a build: the roll-ups are built while it asks, and it says on stdout when it was answered. */
import { writeSync } from "node:fs";
import { openStore } from "../../../runtime/store/store.js";

const store = await openStore({ folder: process.argv[2] ?? "" });
const query = { hours: 24, samplesPerHour: 1, aggregation: "count", endMs: 1_782_822_896_789 } as const;
for (;;) {
  await store.measurements.history(query, {
    place: "kitchen",
    fields: { temperature_c: "air_temperature" },
  });
  writeSync(1, "answered\n");
}
